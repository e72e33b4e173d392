/** Tasks as files show them: what each of them is called, which wave it belongs to, and what a run says of itself. */
import { expect, test } from "vitest";
import { reads } from "../../src/core/projection/project.ts";
import { NO_RUN, type HeldReading } from "../../src/core/model/run.ts";
import { NO_INSIDE, summaryOf, tasksView, type TaskInside } from "../../src/core/tasks/view.ts";
import type { DataTree } from "../../src/core/model/workflow.ts";

type Known = Parameters<typeof tasksView>[0][number];

const known = (id: string, more: Partial<Known> = {}, dependsOn: string[] = []): Known => ({
  task: { id, title: `Part ${id}`, dependsOn, files: [`${id}.ts`] },
  run: "",
  took: "",
  outcome: "",
  status: "",
  summary: "",
  ...more,
});

test.for<[what: Partial<Known>, status: string, waived: string]>([
  [{}, "pending", "skipped"],
  [{ run: "r1" }, "pending", "skipped"],
  [{ run: "r1", status: "running" }, "running", "skipped"],
  [{ run: "r1", status: "waiting" }, "waiting", "skipped"],
  [{ run: "r1", status: "done" }, "completed", "completed"],
  [{ run: "r1", status: "done", outcome: "done" }, "completed", "completed"],
  [{ took: "r1", outcome: "done" }, "completed", "completed"],
  [{ took: "r1", outcome: "skipped" }, "skipped", "skipped"],
  [{ run: "r1", status: "cancelled" }, "failed", "skipped"],
  [{ run: "r1", status: "failed", outcome: "failed" }, "failed", "skipped"],
  [{ outcome: "blocked" }, "blocked", "skipped"],
])("%j is %s, and where a person goes on without it %s", ([what, ...statuses]) => {
  const views = [false, true].map((isWaived) => tasksView([known("1", what)], isWaived));
  expect(views.map(({ list }) => list[0]?.status)).toEqual(statuses);
  expect(views[0]?.list[0]?.run).toBe(what.run ?? what.took ?? null);
});

test("waves: one after all that it depends on; those of the list stay in its order", () => {
  const done = { run: "r", outcome: "done" } as const;
  const { waves, completed, failed } = tasksView(
    [
      known("4", {}, ["2", "3"]),
      known("1", done),
      known("3", { outcome: "failed" }, ["1"]),
      known("2", done, ["1"]),
      known("5"),
    ],
    false,
  );
  expect(waves.map(({ waveNumber, tasks }) => [waveNumber, ...tasks.map(({ id }) => id)])).toEqual([
    [1, "1", "5"],
    [2, "3", "2"],
    [3, "4"],
  ]);
  expect({ completed, failed }).toEqual({ completed: ["1", "2"], failed: ["3"] });
  expect(tasksView([], false)).toEqual({ list: [], waves: [], completed: [], failed: [], current: null });
});

test.for<[statuses: readonly string[], current: string | undefined]>([
  [[], undefined],
  [["", "done", "failed"], undefined],
  [["done", "running", "running"], "1"],
  [["", "waiting"], "1"],
])("of %j, the one that is under way is %s", ([statuses, current]) => {
  const all = statuses.map((status, index) => known(`${index}`, { run: "r", status }));
  expect(tasksView(all, false).current?.id).toBe(current);
});

test("what the runs of all tasks say is one list of each kind", () => {
  const question = { id: "UD-1" } as TaskInside["questions"][number];
  const waiver = { artifact: "review", reason: "late" } as TaskInside["waivers"][number];
  const note = { text: "slow" } as TaskInside["collected"][string][number];
  const round = { issues: [{ title: "x" }] } as unknown as TaskInside["reviews"][string];
  const one = { ...NO_INSIDE, questions: [question], waivers: [waiver], collected: { a: [note] } };
  const two = { ...NO_INSIDE, questions: [question], collected: { b: [note] }, reviews: { review: round } };
  const { all } = tasksView([known("1", { inside: one }), known("2", { inside: two }), known("3")], false);
  expect(all).toEqual({
    questions: [
      { id: "UD-1", task: "1", ref: "1/UD-1" },
      { id: "UD-1", task: "2", ref: "2/UD-1" },
    ],
    waivers: [{ artifact: "review", reason: "late", task: "1" }],
    issues: [{ title: "x", artifact: "review", task: "2" }],
    collected: { a: [{ text: "slow", task: "1" }], b: [{ text: "slow", task: "2" }] },
  });
});

test("what was decided, waived or said in an earlier run of a task is not lost, and what reviews found then is old", () => {
  const question = { id: "UD-1" } as TaskInside["questions"][number];
  const waiver = { artifact: "review", reason: "late" } as TaskInside["waivers"][number];
  const note = (text: string) =>
    ({ text, artifact: "coder", slot: "" }) as TaskInside["collected"][string][number];
  const round = { issues: [{ title: "x" }] } as unknown as TaskInside["reviews"][string];
  const first = {
    ...NO_INSIDE,
    questions: [question],
    waivers: [waiver],
    collected: { a: [note("slow"), note("old")] },
    reviews: { review: round },
  };
  const second = { ...NO_INSIDE, questions: [question], collected: { a: [note("slow"), note("new")] } };
  const past = [known("1", { inside: first, nth: 1 })];
  const { all } = tasksView([known("1", { inside: second, nth: 2 })], false, past);
  expect(all?.questions.map(({ ref }) => ref)).toEqual(["1/UD-1", "1/2/UD-1"]);
  expect(all?.waivers).toEqual([{ ...waiver, task: "1" }]);
  expect(all?.issues).toEqual([]);
  expect(all?.collected["a"]?.map(({ text, task }) => `${task} ${text}`)).toEqual([
    "1 slow",
    "1 old",
    "1 new",
  ]);
});

const held = (artifact: string, fields: HeldReading["reading"]["fields"]): HeldReading => ({
  reading: { artifact, slot: "", found: true, digest: "d", faults: [], fields, lists: {} },
  by: "worker",
  tree: "",
  inputs: {},
});

test.for<[what: Readonly<Record<string, HeldReading>>, summary: string]>([
  [{}, ""],
  [{ result: held("result", { status: "completed" }) }, ""],
  [{ result: held("result", { summary: "all" }), fact: held("fact", {}) }, "all"],
  [{ result: held("result", { summary: 3 }) }, ""],
  [{ result: held("result", { summary: `${"x".repeat(499)}😀` }) }, "x".repeat(499)],
])("what a run says of itself: %#", ([what, summary]) => {
  expect(summaryOf({ ...NO_RUN, held: what })).toBe(summary);
});

test.for<[tree: DataTree, isRead: boolean]>([
  [{ from: "tasks" }, true],
  [{ a: [1, { from: "tasks.work.list" }] }, true],
  [{ each: "tasks.work.waves", give: 1 }, true],
  [{ each: "run.decisions", give: { from: "tasks.work" } }, true],
  [{ from: "tasksort.x" }, false],
  [{ from: "run.tasks", more: { from: "run.tasks" } }, false],
  ["tasks", false],
])("%j reads tasks: %s", ([tree, isRead]) => {
  expect(reads(tree, "tasks")).toBe(isRead);
});
