/** Following a run that waits for its tasks: it is told of each, and whoever of them waits for a person is named. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { acting } from "../../../src/app/context.ts";
import { follow, type Followed } from "../../../src/app/story/follow.ts";
import { paintOf } from "../../../src/cli/paint.ts";
import { isPerson } from "../../support/person.ts";
import { childrenOf, FOUR, inGraph } from "./graph-support.ts";
import type { Stage } from "./stage.ts";

type Told = { readonly end: Followed; readonly lines: readonly string[] };

/** What is printed, without when and without names that chance gave. */
async function followed(stage: Stage, run: string): Promise<Told> {
  const lines: string[] = [];
  const door = { cwd: stage.repo, home: "", env: stage.env, paint: paintOf(false), self: "signalbox" };
  const end = await acting(door, (on) =>
    follow(on, {
      run,
      from: 0,
      emit: ({ text }) => lines.push(text.slice(10).trimEnd()),
      signal: new AbortController().signal,
    }),
  );
  return { end, lines };
}

describe.runIf(isPerson).concurrent("following a graph of tasks", () => {
  test("goes on until its end, with a line when each begins and ends", async ({ expect }) => {
    await inGraph(FOUR, async (stage, run) => {
      const { end, lines } = await followed(stage, run);
      expect(end).toMatchObject({ code: "ok", exit: 0, state: "done" });
      const [one] = await childrenOf(stage, run);
      const ofTasks = lines.filter((line) => line.startsWith("task "));
      expect(ofTasks.toSorted()).toEqual(
        ["1", "2", "3", "4"].flatMap((id) => [
          expect.stringMatching(`^task ${id} begins: Part ${id} \\([a-z0-9]+\\)$`) as string,
          `task ${id} is done: did ${id}`,
        ]),
      );
      expect(ofTasks).toContain(`task 1 begins: Part 1 (${one?.run})`);
      const places = ["building", "task 1 begins", "task 1 is done", "task 2 begins", "Now: done"];
      const at = places.map((place) => lines.findIndex((line) => line.includes(place)));
      expect(at).toEqual(at.toSorted((a, b) => a - b));
    });
  });

  test("a task that waits for a person is named, with what to type", async ({ expect }) => {
    const asked = { taskId: "1", status: "needs_context", summary: "what is a?", filesModified: [] };
    await inGraph(
      FOUR,
      async (stage, run) => {
        const { end, lines } = await followed(stage, run);
        const child = (await childrenOf(stage, run)).find(({ task }) => task.id === "1")?.run ?? "";
        expect(end).toMatchObject({ code: "waiting-for-person", exit: 3, state: "building" });
        expect(end.message).toMatch(`(${run}): `);
        expect(end.next).toMatch(new RegExp(`^signalbox answer ${child} answer .*--text "\\.\\.\\."$`));
        expect(lines).toContain(`task 1 waits for a person: signalbox show ${child}`);
        const next = (await stage.person("next", run)).document;
        expect(next["next"]).toMatch(`signalbox answer ${child} answer`);
        const shown = (await stage.person("show", run)).document;
        expect(shown["waits"]).toMatchObject({
          kind: "person",
          sentence: `Task 1 asks: The agent needs to know more: what is a? (signalbox show ${child})`,
        });
        const listed = (await stage.person("list")).document["runs"] as { run: string; tasks: unknown }[];
        expect(listed.find((each) => each.run === run)?.tasks).toMatchObject({ all: 4, waiting: 1 });
        const items = (await stage.person("inbox")).document["items"] as { run: string; reason: string }[];
        expect(items).toMatchObject([
          { run: child, reason: expect.stringMatching(`^Task 1 of ${run}: `) as string },
        ]);
        const rows = (await stage.person("watch", "--once")).document["rows"] as {
          run: string;
          waits: object;
        }[];
        expect(rows.find((each) => each.run === run)?.waits).toMatchObject({
          kind: "person",
          short: "you: 1 task",
        });
      },
      {
        words: ["hold-3", "hold-4"],
        furnish: (stage) => writeFileSync(join(stage.ledger, "needs-1"), JSON.stringify(asked)),
      },
    );
  });
});
