/** Tasks that were done once are not done again: retry, restart and skip of a graph, and deaths on the way. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { processesOf, type } from "../lives/life.ts";
import { childrenOf, FOUR, inGraph, list, looking, order, outcomes, PLACES } from "./graph-support.ts";
import { filesBelow, type Stage } from "./stage.ts";

const STAGED = { workflow: "graph-stage", state: "work" };

const begun = (stage: Stage): string[] =>
  order(stage)
    .filter((line) => line.startsWith("begin"))
    .toSorted();

const blocked = (stage: Stage, run: string): Promise<unknown> =>
  stage.until(run, ({ state }) => state === "BUILD-blocked");

/** Where the tasks of the run are shown. */
const fileOf = async (stage: Stage, run: string): Promise<string> =>
  join((await stage.now(run)).workspace?.path ?? "", "tasks.json");

const shownIn = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

/** Of the tasks' payloads, and of what the parent shows. */
const FILES = ["before", "after"].flatMap((when) =>
  // Files that would say the same are not written: there are at least so many.
  [1, 2, 3, 4, 5].map((time) => `files.${when}-project:${time}`),
);

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

describe.runIf(isPerson).concurrent("a graph once more", () => {
  test("retry: only what has failed, was blocked or never started runs again", async ({ expect }) => {
    await inGraph(
      FOUR,
      async (stage, run) => {
        await blocked(stage, run);
        expect(await outcomes(stage, run)).toEqual(["1 failed", "2 blocked", "3 done", "4 done"]);
        stage.unsay("fail-1");
        expect((await stage.person("answer", "UD-1", "retry")).code).toBe(0);
        await stage.until(run, ({ state }) => state === "done");
        expect((await outcomes(stage, run)).slice(4)).toEqual(["1 done", "2 done", "3 done", "4 done"]);
        expect(begun(stage)).toEqual(["begin 1", "begin 1", "begin 2", "begin 3", "begin 4"]);
        const three = (await childrenOf(stage, run)).filter(({ task }) => task.id === "3");
        expect(three.map(({ took, summary }) => [took, summary])).toEqual([
          ["", "did 3"],
          [three[0]?.run, "did 3"],
        ]);
        const shown = (await stage.person("show", run)).document["children"] as {
          run: string;
          status: string;
        }[];
        expect(shown[2]).toMatchObject({ run: three[0]?.run, status: "done" });
      },
      { words: ["fail-1"], of: STAGED },
    );
  });

  test("files show the tasks as they go on, while the parent's own journal stands still", async ({
    expect,
  }) => {
    await inGraph(
      FOUR,
      async (stage, run) => {
        await stage.until(run, () => order(stage).includes("begin 2") && order(stage).includes("end 4"));
        const { run: then } = await stage.now(run);
        const file = await fileOf(stage, run);
        const done = (id: string): object => ({ id, status: "completed", summary: `did ${id}` });
        const wave = (tasks: object[], waveNumber: number): object => ({ waveNumber, tasks });
        await expect
          .poll(() => shownIn(file))
          .toEqual({
            waves: [
              wave(["1", "3", "4"].map(done), 1),
              wave([{ id: "2", status: "running", summary: "" }], 2),
            ],
            completedTasks: ["1", "3", "4"],
            failedTasks: [],
          });
        expect((await stage.now(run)).run.seq).toBe(then.seq);
        stage.say("fail-2");
        stage.say("go-2");
        await blocked(stage, run);
        await expect.poll(() => shownIn(file)).toMatchObject({ failedTasks: ["2"] });
        expect((await stage.person("answer", "UD-1", "skip")).code).toBe(0);
        await expect.poll(() => readFileSync(file, "utf8")).toContain('"skipped"');
      },
      { words: ["hold-2"], of: STAGED },
    );
  });

  test.runIf(IS_DEEP)("new: STAGE begins all of it anew", async ({ expect }) => {
    await inGraph(
      FOUR,
      async (stage, run) => {
        await blocked(stage, run);
        stage.unsay("fail-1");
        expect((await stage.person("answer", "UD-1", "again")).code).toBe(0);
        await stage.until(run, ({ state }) => state === "done");
        expect(begun(stage).filter((line) => line === "begin 3")).toHaveLength(2);
        expect((await childrenOf(stage, run)).map(({ took }) => took)).toEqual(Array(8).fill(""));
      },
      { words: ["fail-1"], of: STAGED },
    );
  });

  test("work that begins again: its tasks are told what was found, by the name of a file", async ({
    expect,
  }) => {
    const script = `[ -e seen ] || { touch seen; echo "a.ts:1 is wrong"; exit 1; }`;
    await inGraph(
      FOUR.slice(0, 1),
      async (stage, run) => {
        await blocked(stage, run);
        expect((await stage.person("answer", "UD-1", "again")).code).toBe(0);
        await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
        expect(shownIn(join(stage.ledger, "payload-1-1.json"))).toMatchObject({ earlier: [] });
        const earlier = ["phases/attempt-5/look.txt"];
        expect(shownIn(join(stage.ledger, "payload-1-2.json"))).toMatchObject({ earlier });
        const files = filesBelow(join(stage.home.root, "runs", run, "files"));
        expect(files["phases/attempt-5/look.txt"]).toContain("a.ts:1 is wrong");
      },
      {
        of: { workflow: "graph-judged", state: "work" },
        files: { "test.sh": script, ".gitignore": "seen\n" },
      },
    );
  });

  test("a task that the list tells anew is done anew; a graph that was left ends first", async ({
    expect,
  }) => {
    await inGraph(
      FOUR,
      async (stage, run) => {
        await stage.until(run, () => order(stage).includes("end 4") && order(stage).includes("begin 1"));
        expect((await stage.person("move", run, "planning")).code).toBe(0);
        const { workspace } = await stage.now(run);
        const told = FOUR.map((task) => (task.id === "3" ? { ...task, files: "d.ts" } : task));
        writeFileSync(join(workspace?.path ?? "", "tasks.md"), list(told));
        stage.unsay("hold-1");
        expect((await stage.person("move", run, "building")).code).toBe(0);
        await stage.until(run, ({ state }) => state === "done");
        expect((await childrenOf(stage, run)).map(({ status }) => status)).toContain("cancelled");
        expect(begun(stage)).toEqual(["begin 1", "begin 1", "begin 2", "begin 3", "begin 3", "begin 4"]);
      },
      { words: ["hold-1"] },
    );
  });

  test.runIf(IS_DEEP)("skip: what is not done is shown as skipped", async ({ expect }) => {
    await inGraph(
      FOUR,
      async (stage, run) => {
        await blocked(stage, run);
        expect((await stage.person("answer", "UD-1", "skip")).code).toBe(0);
        await stage.until(run, ({ state }) => state === "looking");
        const statuses = async (command: string, field: string): Promise<string[]> => {
          const { document } = await stage.person(command, run);
          const tasks = document[field] as { status: string; waits: string }[];
          return tasks.map(({ status, waits }) => `${status}${waits}`);
        };
        expect(await statuses("show", "children")).toEqual(["skipped", "skipped", "done", "done"]);
        expect(await statuses("why", "tasks")).toEqual(["skipped", "skipped", "done", "done"]);
      },
      { words: ["fail-1"], of: STAGED },
    );
  });

  test.for(IS_DEEP ? PLACES : ["registry.after-graph"])(
    "the supervisor is killed at %s of the second graph",
    async (place, { expect }) => {
      await inGraph(
        FOUR,
        async (stage, run) => {
          await blocked(stage, run);
          stage.unsay("fail-1");
          await stage.until(run, () => processesOf(stage).every(({ kind }) => kind !== "supervisor"));
          const log = { SIGNALBOX_FAILPOINT_LOG: join(stage.ledger, "failpoints") };
          const env = { SIGNALBOX_SUPERVISOR_FAILPOINT: place, ...log };
          expect((await type(stage, ["answer", "UD-1", "retry"], env)).code).toBe(0);
          await looking(stage, async () => (await stage.now(run)).state === "done");
          expect((await outcomes(stage, run)).slice(4)).toEqual(["1 done", "2 done", "3 done", "4 done"]);
          expect(begun(stage)).toEqual(["begin 1", "begin 1", "begin 2", "begin 3", "begin 4"]);
          // A test that never gets there proves nothing.
          expect(stage.said("failpoints").split("\n")).toContain(place);
        },
        { words: ["fail-1"], of: STAGED },
      );
    },
  );

  test.runIf(IS_DEEP)(
    "stopped and cancelled while it does what is left: only that ends",
    async ({ expect }) => {
      await inGraph(
        FOUR,
        async (stage, run) => {
          await blocked(stage, run);
          stage.unsay("fail-1");
          stage.say("hold-1");
          expect((await stage.person("answer", "UD-1", "retry")).code).toBe(0);
          const isBegun = (times: number): boolean =>
            order(stage).filter((line) => line === "begin 1").length === times;
          await stage.until(run, () => isBegun(2));
          expect((await stage.person("stop", run, "--now")).code).toBe(0);
          await stage.until(run, () => processesOf(stage).every(({ kind }) => kind !== "agent"));
          expect((await stage.person("resume", run)).code).toBe(0);
          await stage.until(run, () => isBegun(3));
          expect((await stage.person("cancel", run)).code).toBe(0);
          await stage.until(run, () => processesOf(stage).every(({ kind }) => kind !== "agent"));
          await stage.until(run, ({ isIdle }) => isIdle);
          const ends = (await childrenOf(stage, run)).map(({ task, status }) =>
            `${task.id} ${status}`.trim(),
          );
          expect(ends).toEqual(["1 failed", "2", "3 done", "4 done", "1 cancelled", "2", "3", "4"]);
          expect(await stage.now(run)).toMatchObject({ state: "dropped", attention: "" });
        },
        { words: ["fail-1"], of: STAGED },
      );
    },
  );

  test.for(IS_DEEP ? FILES : ["files.after-project:5"])(
    "the supervisor is killed at %s: files show all of it later",
    async (place, { expect }) => {
      await inGraph(
        FOUR,
        async (stage, run) => {
          const file = await fileOf(stage, run);
          const isShown = (): boolean => readFileSync(file, "utf8").includes('"did 4"');
          await looking(stage, () => order(stage).includes("begin 2") && isShown());
          await expect.poll(() => shownIn(file)).toMatchObject({ completedTasks: ["1", "3", "4"] });
          expect(stage.said("failpoints").split("\n")).toContain(place.split(":")[0]);
          expect(begun(stage)).toEqual(["begin 1", "begin 2", "begin 3", "begin 4"]);
        },
        { words: ["hold-2"], of: STAGED, env: { SIGNALBOX_SUPERVISOR_FAILPOINT: place } },
      );
    },
  );
});
