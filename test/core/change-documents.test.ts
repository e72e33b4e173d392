/** What `change` makes of documents that others got wrong: lists of tasks, and reviews. */

import { expect, test } from "vitest";
import type { Reading } from "../../src/core/model/event.ts";
import { ownArtifact } from "../../src/core/gates/shape-of-run.ts";
import { explainedStatus } from "../../src/core/gates/status-reason.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { readTasks } from "../../src/format/tasks/read.ts";
import { change } from "../support/change-lives.ts";
import { AT, play, reading, start } from "../support/play.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function faultsIn(name: string, text: string): string[] {
  const of = change.definition.artifacts[name];
  if (of === undefined) throw new Error(`there is no ${name}`);
  const own = ownArtifact({ change: "x" }, of);
  const { faults } = readArtifact(name, own, { file: "f", bytes: bytesOf(text), slot: "" });
  return faults.map(({ at, reason }) => `${at.line}: ${reason}`);
}

const task = (id: string): string => `- [ ] ${id} Do it\n  - File: src/${id}.txt (CREATE)\n  - Spec: a#R1\n`;

test.for<[said: string, text: string, tasks: string]>([
  ["the heading's name decides", `## 2. Testing Layer\n\n${task("2.1")}`, "2.1 testing"],
  ["no front matter", `## 1. Data Layer\n\n${task("1.1")}`, "1.1 data"],
  ["front matter without an id", `---\ntype: tasks\n---\n\n## 1. Data Layer\n\n${task("1.1")}`, "1.1 data"],
  [
    "horizontal rules",
    `---\nchange_id: x\n---\n\n## 1. Data Layer\n\n${task("1.1")}\n---\n\n## 2. Logic Layer\n\n${task("2.1")}\n---\n`,
    "1.1 data, 2.1 logic",
  ],
  ["checkboxes only", task("1.1") + task("1.2"), "1.1 , 1.2 "],
])("tasks.md, %s", ([, text, expected]) => {
  expect(faultsIn("todo", text)).toEqual([]);
  const { tasks } = readTasks("checkbox", "f", text);
  expect(tasks.map(({ id, layer }) => `${id} ${layer ?? ""}`).join(", ")).toBe(expected);
});

test.for<[said: string, text: string]>([
  ["another change's", `---\nchange_id: y\n---\n\n## 1. Data Layer\n\n${task("1.1")}`],
  ["front matter that is no YAML", `---\nchange_id: [\n---\n\n## 1. Data Layer\n\n${task("1.1")}`],
  ["no task", "## 1. Data Layer\n\nNothing to do.\n"],
])("tasks.md, %s: not taken", ([, text]) => {
  expect(faultsIn("todo", text)).not.toEqual([]);
});

test.for<[said: string, name: string, text: string]>([
  ["prose", "review", "It is not approved."],
  ["a template", "review", '{"verdict":"APPROVED | NEEDS_CHANGES | MAJOR_ISSUES","summary":"","issues":[]}'],
  ["no verdict", "review", '{"summary":"all is well","issues":[]}'],
  ["no issues", "challenge", '{"verdict":"APPROVED","summary":"all is well"}'],
  ["a verdict of somebody else's", "challenge", '{"verdict":"NEEDS_FIX","summary":"s","issues":[]}'],
])("a review, %s: not taken", ([, name, text]) => {
  expect(faultsIn(name, text)).not.toEqual([]);
});

const UNREAD = { at: { file: "proposal.md", line: 3, col: 1 }, reason: "it cannot be read" };
const MOST = "1 to 50 specs, with letters, digits, spaces, _ . and - only";

test.for<[said: string, more: Partial<Reading>, told: string]>([
  ["cannot be read", { faults: [UNREAD] }, "it cannot be read (3)"],
  ["names no spec", {}, `changes/{change}/proposal.md must name ${MOST}`],
])("a proposal that %s: what is to be mended is told", ([, more, told]) => {
  const { run } = play(change, [
    start(change, undefined, { reserved: ["place"] }),
    {
      type: "agent-ended",
      at: AT,
      role: "planner",
      slot: "",
      attempt: 1,
      cause: "exited",
      readings: [reading("proposal", more)],
    },
  ]);
  const { reason, at } = explainedStatus(change, run, "proposal");
  expect(at === undefined ? reason : `${reason} (${at.line})`).toBe(told);
});
