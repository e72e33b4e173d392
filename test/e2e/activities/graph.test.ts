/** Runs made of a list of tasks: which starts when, what follows their ends, and the deaths of everybody around them. */
import { execFileSync } from "node:child_process";
import { describe, test } from "vitest";
import { openStore } from "../../../src/adapters/store/open.ts";
import type { ChildRow } from "../../../src/engine/ports/graphs.ts";
import { isPerson } from "../../support/person.ts";
import { kill, processesOf } from "../lives/life.ts";
import { at, childrenOf, FOUR, inGraph, looking, order, outcomes, PLACES, WORKER } from "./graph-support.ts";
import { sampled } from "../../support/sampled.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

describe.runIf(isPerson).concurrent("a graph of tasks", () => {
  test("each starts when it may, in its parent's workspace; all done leads on", async ({ expect }) => {
    await inGraph(FOUR, async (stage, run) => {
      await stage.until(run, ({ state }) => state === "done");
      expect(await outcomes(stage, run)).toEqual(["1 done", "2 done", "3 done", "4 done"]);
      expect(at(stage, "end 1")).toBeLessThan(at(stage, "begin 2"));
      const [three, four] = [at(stage, "begin 3"), at(stage, "begin 4")].toSorted((a, b) => a - b);
      expect(Math.min(at(stage, "end 3"), at(stage, "end 4"))).toBeLessThan(four ?? 0);
      expect(three).toBeGreaterThanOrEqual(0);
      // Nothing of the children is released, and the parent's own workspace is.
      const store = openStore(stage.home);
      try {
        for (const child of await store.childrenOf(run))
          expect(await store.workspace(child.run)).toBeUndefined();
      } finally {
        await store.close();
      }
      await stage.until(run, ({ isIdle }) => isIdle);
      for (const child of await childrenOf(stage, run))
        expect((await stage.person("verify", child.run)).code).toBe(0);
    });
  });

  test("the branch follows the parent's handovers, whatever its children hand over", async ({ expect }) => {
    const worker = `${WORKER}\necho "$task" >"part-$task.txt"`;
    await inGraph(
      FOUR,
      async (stage, run) => {
        await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
        const all = [run, ...(await childrenOf(stage, run)).map((child) => child.run)];
        expect(
          (
            await Promise.all(all.map(async (each) => (await stage.now(each)).notes.map(({ text }) => text)))
          ).flat(),
        ).toEqual(["tasks.md: the move to building submitted it as a person's"]);
        const argv = ["ls-tree", "--name-only", `signalbox/${run}`];
        const files = execFileSync("git", argv, { cwd: stage.repo, encoding: "utf8" }).split("\n");
        expect(files.filter((file) => file.startsWith("part-"))).toHaveLength(4);
      },
      { worker },
    );
  });

  test("a failed task blocks its dependents only, and the parent is told", async ({ expect }) => {
    await inGraph(
      FOUR,
      async (stage, run) => {
        await stage.until(run, ({ state, run: { entry } }) => state === "planning" && entry > 2);
        expect(await outcomes(stage, run)).toEqual(["1 failed", "2 blocked", "3 done", "4 done"]);
        expect(order(stage)).not.toContain("begin 2");
      },
      { words: ["fail-1"] },
    );
  });

  test("cancelled with two under way: both end, and nothing else begins", async ({ expect }) => {
    await inGraph(
      FOUR,
      async (stage, run) => {
        const live = async (): Promise<readonly ChildRow[]> =>
          (await childrenOf(stage, run)).filter(({ status }) => status === "running");
        await stage.until(run, async () => (await live()).length === 2 && order(stage).length === 2);
        expect((await stage.person("cancel", run)).code).toBe(0);
        await stage.until(run, async () => (await live()).length === 0);
        const states = (await childrenOf(stage, run)).map(({ status }) => status);
        expect(states.toSorted()).toEqual(["", "", "cancelled", "cancelled"]);
        await stage.until(run, () => processesOf(stage).every(({ kind }) => kind !== "agent"));
        expect(await stage.now(run)).toMatchObject({ state: "dropped", attention: "" });
      },
      { words: ["hold-1", "hold-3", "hold-4"] },
    );
  });

  test("halted with its children, and resumed with them; show and why tell of each", async ({ expect }) => {
    await inGraph(
      FOUR,
      async (stage, run) => {
        const live = async (): Promise<readonly ChildRow[]> =>
          (await childrenOf(stage, run)).filter(({ run: of }) => of !== "");
        await stage.until(run, async () => (await live()).length === 2 && order(stage).length === 2);
        const shown = (await stage.person("show", run)).document;
        expect(shown["waits"]).toMatchObject({ kind: "child", sentence: "Waits for 4 tasks." });
        expect(
          (shown["children"] as { task: string; status: string; waits: string }[]).map(
            ({ task, status, waits }) => [task, status, waits].join("|"),
          ),
        ).toEqual(["1|running|", "2|open|task 1", "3|running|", "4|open|the files that task 3 writes"]);
        const why = (await stage.person("why", run)).document;
        // What was counted on their way, and who has approved of them, is shown only.
        expect(why["tasks"]).toHaveLength(4);
        expect(shown["children"]).toMatchObject(why["tasks"] as object[]);
        const listed = (await stage.person("list")).document["runs"] as { run: string; tasks: unknown }[];
        expect(listed.find((each) => each.run === run)?.tasks).toEqual({ done: 0, all: 4, waiting: 0 });
        expect(listed.filter(({ tasks }) => tasks !== null)).toHaveLength(1);
        expect((await stage.person("stop", run)).code).toBe(0);
        await stage.until(run, () => processesOf(stage).every(({ kind }) => kind !== "agent"));
        stage.say("go-1");
        stage.say("go-3");
        expect((await stage.person("resume", run)).code).toBe(0);
        await stage.until(run, ({ state }) => state === "done");
        expect(await outcomes(stage, run)).toEqual(["1 done", "2 done", "3 done", "4 done"]);
      },
      { words: ["hold-1", "hold-3"] },
    );
  });

  test("the supervisor is killed again and again: each task is done once", async ({ expect }) => {
    await inGraph(FOUR, async (stage, run) => {
      for (let n = 0; (await stage.now(run)).state !== "done"; n += 1) {
        expect(n).toBeLessThan(200);
        for (const { pid, kind } of processesOf(stage)) if (kind === "supervisor" && n < 6) kill(pid);
        await stage.person("list");
        await new Promise((resolve) => setTimeout(resolve, 120));
      }
      expect(await outcomes(stage, run)).toEqual(["1 done", "2 done", "3 done", "4 done"]);
      const begun = order(stage).filter((line) => line.startsWith("begin"));
      expect(begun.toSorted()).toEqual(["begin 1", "begin 2", "begin 3", "begin 4"]);
    });
  });

  test.for<[string, string[]]>(
    sampled(1, [
      ["true", ["small", "large"]],
      ["false", ["middling", "middling"]],
    ]),
  )(
    "with scoring %s the complexity of a task decides over its model: %s",
    async ([scoring, models], { expect }) => {
      const tasks = [
        { id: "1", files: "a.ts", complexity: "easy" },
        { id: "2", files: "b.ts", complexity: "hard" },
      ];
      await inGraph(
        tasks,
        async (stage, run) => {
          await stage.until(run, ({ state }) => state === "done");
          expect((await childrenOf(stage, run)).map(({ params }) => params["model"])).toEqual(models);
        },
        { argv: ["--param", `scoring=${scoring}`] },
      );
    },
  );

  test.for(IS_DEEP ? PLACES : ["registry.after-child"])(
    "the supervisor is killed at %s",
    async (place, { expect }) => {
      const env = { SIGNALBOX_SUPERVISOR_FAILPOINT: place };
      await inGraph(
        FOUR,
        async (stage, run) => {
          await looking(stage, async () => (await stage.now(run)).state === "done");
          expect(await outcomes(stage, run)).toEqual(["1 done", "2 done", "3 done", "4 done"]);
          expect(order(stage).filter((line) => line.startsWith("begin"))).toHaveLength(4);
          // A test that never gets there proves nothing.
          expect(stage.said("failpoints").split("\n")).toContain(place);
        },
        { env },
      );
    },
  );
});
