/** What a graph of tasks takes over from an earlier one: a table of lists and what was done of them. */
import { expect, test } from "vitest";
import type { GraphTask } from "../../src/core/tasks/graph.ts";
import { takenOver, type Past } from "../../src/core/tasks/carry-over.ts";

type Task = GraphTask & { readonly title: string };

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  title: `Part ${id}`,
  dependsOn: [],
  files: [`${id}.ts`],
  ...more,
});
const past = (of: Task, outcome: Past["outcome"] = "done"): Past => ({ task: of, outcome });
const two = task("2", { dependsOn: ["1"] });

test.for<[what: string, tasks: Task[], past: Past[], taken: string[]]>([
  ["nothing of nothing", [task("1")], [], []],
  ["what is done", [task("1"), two, task("3")], [past(task("1")), past(task("3"))], ["1 done", "3 done"]],
  ["what was skipped", [task("1")], [past(task("1"), "skipped")], ["1 skipped"]],
  ["not under another title", [task("1", { title: "More" })], [past(task("1"))], []],
  ["not with other files", [task("1", { files: ["1.ts", "b.ts"] })], [past(task("1"))], []],
  [
    "files in another order",
    [task("1", { files: ["b", "a"] })],
    [past(task("1", { files: ["a", "b"] }))],
    ["1 done"],
  ],
  ["not with another dependency", [task("1"), two], [past(task("1")), past(task("2"))], ["1 done"]],
  ["however hard it is now", [task("1", { complexity: "hard" })], [past(task("1"))], ["1 done"]],
  ["not what is in the list no more", [task("3")], [past(task("1"))], []],
  [
    "not what was built on something else",
    [task("1", { title: "New" }), two],
    [past(task("1")), past(two)],
    [],
  ],
  [
    "what was built on something skipped",
    [task("1"), two],
    [past(task("1"), "skipped"), past(two)],
    ["1 skipped", "2 done"],
  ],
])("%s", ([, tasks, earlier, taken]) => {
  const found = [...takenOver(tasks, earlier)].map(([id, { outcome }]) => `${id} ${outcome}`);
  expect(found).toEqual(taken);
});
