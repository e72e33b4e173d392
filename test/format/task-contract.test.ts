/** What tasks are given and give back: the published schemas, and the built-in workflow beside them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownArtifact } from "../../src/core/gates/shape-of-run.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { TASK_SCHEMAS, TaskResult } from "../../scripts/task-contract.ts";
import { loadWorkflow } from "../support/workflows.ts";

test.for(Object.entries(TASK_SCHEMAS))("%s is current: npm run schema", ([name, schema]) => {
  const published = readFileSync(join(import.meta.dirname, "../../schema", name), "utf8");
  expect(`${JSON.stringify(schema(), undefined, 2)}\n`).toBe(published);
});

const declared = loadWorkflow("one-task").definition.artifacts["result"];
const result = declared && ownArtifact({ task: "1" }, declared);
const good = { taskId: "1", status: "completed", summary: "All of it", filesModified: ["a.ts"] };

test.for<[what: string, data: unknown, verdict: string]>([
  ["completed", good, "pass"],
  ["failed", { ...good, status: "failed", errors: ["no"] }, "reject"],
  ["failed, as one text", { ...good, status: "failed", error: "no" }, "reject"],
  [
    "needs context",
    { ...good, status: "needs_context", reason: "why", requestedFiles: ["a"] },
    "needs_human",
  ],
  ["needs a person", { ...good, status: "needs_context" }, "needs_human"],
  ["another word", { ...good, status: "done" }, "refused"],
  ["no summary", { ...good, summary: undefined }, "refused"],
  ["an empty summary", { ...good, summary: "" }, "refused"],
  ["no files", { ...good, filesModified: undefined }, "refused"],
  ["files that are none", { ...good, filesModified: [1] }, "refused"],
  ["more than that", { ...good, more: true }, "refused"],
  ["no object", [good], "refused"],
])("a result: %s", ([, data, verdict]) => {
  if (result === undefined) throw new Error("there is no result");
  const bytes = new TextEncoder().encode(JSON.stringify(data));
  const read = readArtifact("result", result, { file: "r.json", bytes, slot: "" });
  expect(read.faults.length === 0 ? read.verdict : "refused").toBe(verdict);
  expect(TaskResult.safeParse(JSON.parse(JSON.stringify(data))).success).toBe(verdict !== "refused");
});

test.for<[taskId: unknown, reason: string]>([
  ["2", '1:11 "taskId" is "2"; it must be "1"'],
  ["1 ", '1:11 "taskId" is "1 "; it must be "1"'],
  ["task", '1:11 "taskId" is "task"; it must be "1"'],
  ["$task", '1:11 "taskId" is "$task"; it must be "1"'],
  [1, '1:11 "taskId" must be a text'],
  ["", '1:11 "taskId" is empty'],
])("a result of task %j is none of task 1", ([taskId, expected]) => {
  if (result === undefined) throw new Error("there is no result");
  const bytes = new TextEncoder().encode(JSON.stringify({ ...good, taskId }));
  const { faults } = readArtifact("result", result, { file: "r.json", bytes, slot: "" });
  expect(faults.map(({ at, reason }) => `${at.line}:${at.col} ${reason}`)).toEqual([expected]);
});

test("a task of a change is held to the same contract", () => {
  const ofChange = loadWorkflow("change-task").definition.artifacts["result"];
  expect(ofChange?.reader).toEqual(declared?.reader);
});

test("a parameter that nobody has looked up allows nothing", () => {
  if (declared === undefined) throw new Error("there is no result");
  const bytes = new TextEncoder().encode(JSON.stringify(good));
  expect(readArtifact("result", declared, { file: "r.json", bytes, slot: "" }).faults).toHaveLength(1);
});

test.for<[requested: unknown, size: number, context: string[]]>([
  [undefined, 0, []],
  [null, 0, []],
  [[], 0, []],
  [["a", "b"], 2, ["a", "b"]],
])("requestedFiles %j count as %i", ([requestedFiles, size, context]) => {
  if (result === undefined) throw new Error("there is no result");
  const bytes = new TextEncoder().encode(JSON.stringify({ ...good, requestedFiles }));
  const { fields, lists } = readArtifact("result", result, { file: "r.json", bytes, slot: "" });
  expect([fields["requestedFiles"], lists["context"]]).toEqual([size, context]);
});
