/** What a task of a graph is given, and what follows when its agent needs to know more. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { TaskPayload } from "../../../scripts/task-contract.ts";
import { isPerson } from "../../support/person.ts";
import { kill, processesOf } from "../lives/life.ts";
import { childrenOf, inGraph, looking, order, WORKER, type Listed } from "./graph-support.ts";
import { onStage, type Stage } from "./stage.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const TWO: readonly Listed[] = [
  { id: "1", files: "a.ts" },
  { id: "2", files: "b.ts, c.ts", on: "Task 1" },
];

/** As the agent found it when it began for the so many-th time. */
function payload(stage: Stage, task: string, n: number): unknown {
  const data: unknown = JSON.parse(readFileSync(join(stage.ledger, `payload-${task}-${n}.json`), "utf8"));
  expect(TaskPayload.safeParse(data).error).toBeUndefined();
  return data;
}

/** Every attempt says it in its own words. */
const needs = (stage: Stage, task: string, files: readonly string[]): void => {
  const asked = { taskId: task, status: "needs_context", summary: "{n}: what is a?", filesModified: [] };
  const more = files.length === 0 ? {} : { reason: "it is not said", requestedFiles: files };
  writeFileSync(join(stage.ledger, `needs-${task}`), JSON.stringify({ ...asked, ...more }));
};

const childOf = async (stage: Stage, run: string, id: string): Promise<string> =>
  (await childrenOf(stage, run)).find(({ task }) => task.id === id)?.run ?? "";

const times = (stage: Stage, line: string): number => order(stage).filter((each) => each === line).length;

describe.runIf(isPerson).concurrent("a task of a graph", () => {
  test("is given what it must know as a file, and what those did that it builds on", async () => {
    await inGraph(TWO, async (stage, run) => {
      await stage.until(run, ({ state }) => state === "done");
      const constraints = { maxReadFiles: 10, maxWriteFiles: 3, allowBashCommands: false };
      expect(payload(stage, "1", 1)).toEqual({
        taskId: "1",
        description: "Part 1",
        targetFiles: ["a.ts"],
        instructions: "all of it",
        dependencyOutputs: [],
        constraints,
        context: [],
        earlier: [],
      });
      expect(payload(stage, "2", 1)).toMatchObject({
        targetFiles: ["b.ts", "c.ts"],
        dependencyOutputs: [{ taskId: "1", summary: "did 1" }],
      });
    });
  });

  test("by itself it is told what it was started with", async () => {
    await onStage({ workflow: "graph", agents: { worker: WORKER } }, async (stage) => {
      const given = ["--param", "harness=scripted", "--param", "files=a.ts", "--param", "task=7"];
      const run = await stage.begin("one-task", ...given);
      await stage.until(run, ({ state }) => state === "done");
      expect(payload(stage, "7", 1)).toMatchObject({
        taskId: "7",
        description: "A life",
        targetFiles: ["a.ts"],
        instructions: "A life",
        dependencyOutputs: [],
      });
    });
  });

  test("that needs context gets the files that are there, once; then a person is asked", async () => {
    await inGraph(
      TWO,
      async (stage, run) => {
        await stage.until(run, () => order(stage).includes("begin 1"));
        const { workspace } = await stage.now(run);
        writeFileSync(join(workspace?.path ?? "", "known.ts"), "");
        needs(stage, "1", [
          "./known.ts",
          "unknown.ts",
          "../outside.ts",
          "/etc/passwd",
          ".agents",
          "tasks.md",
        ]);
        stage.say("go-1");
        const child = await childOf(stage, run, "1");
        await stage.until(child, ({ state }) => state === "asking");
        expect(times(stage, "begin 1")).toBe(2);
        expect(payload(stage, "1", 1)).toMatchObject({ context: [] });
        expect(payload(stage, "1", 2)).toMatchObject({ context: ["known.ts", "tasks.md"] });
        stage.unsay("needs-1");
        expect((await stage.person("answer", `${child}/UD-1`, "answer", "--text", "It is b")).code).toBe(0);
        await stage.until(run, ({ state }) => state === "done");
        expect(times(stage, "begin 1")).toBe(3);
      },
      { words: ["hold-1"] },
    );
  });

  test("that needs context and names no file asks at once", async () => {
    await inGraph(
      TWO,
      async (stage, run) => {
        await stage.until(run, () => order(stage).includes("begin 1"));
        needs(stage, "1", []);
        stage.say("go-1");
        const child = await childOf(stage, run, "1");
        await stage.until(child, ({ state, isIdle }) => state === "asking" && isIdle);
        expect(times(stage, "begin 1")).toBe(1);
        const { workspace } = await stage.now(run);
        const status = ["-C", workspace?.path ?? "", "status", "--porcelain", "--untracked-files=all"];
        expect(execFileSync("git", status, { encoding: "utf8" })).toBe("");
        const decision = { asked: ["result says needs_human", "summary: 1: what is a?"] };
        expect((await stage.person("show", child)).document).toMatchObject({ decision });
        expect((await stage.person("inbox")).document).toMatchObject({ items: [{ run: child, decision }] });
        expect((await stage.person("show", run)).document["waits"]).toMatchObject({
          kind: "person",
          sentence: `Task 1 asks: The agent needs to know more: 1: what is a? (signalbox show ${child})`,
        });
      },
      { words: ["hold-1"] },
    );
  });

  test.runIf(IS_DEEP)("the supervisor is killed again and again: it is served once", async () => {
    await inGraph(
      TWO,
      async (stage, run) => {
        await stage.until(run, () => order(stage).includes("begin 1"));
        needs(stage, "1", ["tasks.md"]);
        stage.say("go-1");
        const child = await childOf(stage, run, "1");
        let n = 0;
        await looking(stage, async () => {
          n += 1;
          for (const { pid, kind } of processesOf(stage)) if (kind === "supervisor" && n < 8) kill(pid);
          return (await stage.now(child)).state === "asking";
        });
        expect(times(stage, "begin 1")).toBe(2);
        expect(payload(stage, "1", 2)).toMatchObject({ context: ["tasks.md"] });
      },
      { words: ["hold-1"] },
    );
  });
});
