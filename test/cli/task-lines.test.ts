/** The tasks of a run as they go, told in the order in which it came to them. */

import { expect, test } from "vitest";
import type { Seen } from "../../src/app/runs/find.ts";
import { taskTeller } from "../../src/app/story/task-lines.ts";

const TIMES: Readonly<Record<string, string>> = { one: "T3", three: "T2", four: "T4" };
const COUNTED: Readonly<Record<string, object>> = { four: { fixes: 2, deaths: 0, tries: 1 } };

const child = (id: string, run: string, more: object): object => ({
  artifact: "work",
  entry: 1,
  task: { id, title: `Part ${id}` },
  run,
  status: run === "" ? "" : "failed",
  outcome: "failed",
  summary: "",
  took: "",
  ...more,
});

async function lines(children: readonly object[]): Promise<string[]> {
  const store = {
    childrenOf: () => Promise.resolve(children),
    load: (run: string) =>
      Promise.resolve(
        run === ""
          ? undefined
          : {
              row: { id: run, startedAt: "T1", updatedAt: TIMES[run] },
              run: { counters: COUNTED[run] ?? {} },
            },
      ),
  };
  const workflow = { definition: { artifacts: { work: { reader: { type: "children" } } } } };
  const seen = { store, workflow, run: { id: "parent", updatedAt: "T0" } } as unknown as Seen;
  return (await taskTeller()(seen)).map(({ at, text }) => `${at} ${text}`);
}

test("what never begins is told when the task that it depends on has failed", async () => {
  const all = [
    child("1", "one", { summary: "cannot" }),
    child("2", "", { outcome: "blocked" }),
    child("3", "three", {}),
  ];
  expect(await lines(all)).toEqual([
    "T1 task 1 begins: Part 1 (one)",
    "T3 task 1 has failed: cannot",
    "T3 task 2 cannot begin: what it depends on has failed",
    "T1 task 3 begins: Part 3 (three)",
    "T2 task 3 has failed: signalbox show three",
  ]);
});

test("what was counted on the way is told at the end", async () => {
  const done = { status: "done", outcome: "done", summary: "mended" };
  expect(await lines([child("4", "four", done), child("5", "three", done)])).toEqual([
    "T1 task 4 begins: Part 4 (four)",
    "T4 task 4 is done after fixes 2, tries 1: mended",
    "T1 task 5 begins: Part 5 (three)",
    "T2 task 5 is done: mended",
  ]);
});
