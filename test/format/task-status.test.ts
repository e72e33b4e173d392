/** The status of tasks in a list of somebody else's: set in place, every other byte as it was, and no part of what the list says. */

import { describe, expect, test } from "vitest";
import type { Artifact } from "../../src/core/model/artifact.ts";
import { listedStatuses } from "../../src/core/tasks/status.ts";
import { loadYamlText } from "../../src/format/json/read.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { setStatuses, statusesIn } from "../../src/format/tasks/status.ts";

const LIST: Artifact = {
  file: "tasks.yaml",
  reader: { type: "tasks", style: "yaml", shown: true },
  by: ["planner"],
  fresh: "run",
  bind: [],
  block: "low",
};

function digestOf(text: string, artifact = LIST): string {
  return readArtifact("todo", artifact, { file: "tasks.yaml", bytes: Buffer.from(text), slot: "" }).digest;
}

function set(text: string, statuses: Record<string, string>): string {
  const edited = setStatuses("tasks.yaml", text, statuses);
  return edited.ok ? edited.text : edited.problems.map(({ code }) => code).join();
}

const BOTH = { "T-1": "completed", "T-2": "in-progress" };

describe("set in place", () => {
  test.for<[string, string, string]>([
    [
      "in block style, below the id",
      "# plan\ntasks:\n  - id: T-1 # first\n    title: One\n    # why\n    instructions: |\n      Do it.\n\n  - title: Two\n    id: T-2\n",
      "# plan\ntasks:\n  - id: T-1 # first\n    status: completed\n    title: One\n    # why\n    instructions: |\n      Do it.\n\n  - title: Two\n    id: T-2\n    status: in-progress\n",
    ],
    [
      "over what is there",
      "tasks:\n- status: not-started # so far\n  id: T-1\n  title: One\n- { id: T-2, title: Two, status: 'pending' }\n",
      "tasks:\n- status: completed # so far\n  id: T-1\n  title: One\n- { id: T-2, title: Two, status: in-progress }\n",
    ],
    [
      "over words that stand on one line, behind characters of any width",
      "tasks: [{ title: 🚂, status: pending, id: T-1 }, { title: 'status: pending', id: T-2, status: pending }]\n",
      "tasks: [{ title: 🚂, status: completed, id: T-1 }, { title: 'status: pending', id: T-2, status: in-progress }]\n",
    ],
    [
      "not in a text that looks like it",
      "tasks:\n  - id: T-1\n    title: One\n    instructions: |\n      status: pending\n    status: blocked\n",
      "tasks:\n  - id: T-1\n    title: One\n    instructions: |\n      status: pending\n    status: completed\n",
    ],
    [
      "over a text of several lines",
      "tasks:\n  - id: T-1\n    title: One\n    status: not\n      started\n",
      "tasks:\n  - id: T-1\n    title: One\n    status: completed\n",
    ],
    [
      "in braces",
      "tasks: [{ id: T-1, title: One }, { title: Two, id: T-2 }]\n",
      "tasks: [{ id: T-1, status: completed, title: One }, { title: Two, id: T-2, status: in-progress }]\n",
    ],
    [
      "where nothing is said yet",
      "tasks:\n  - id: T-1\n    status:\n    title: One\n",
      "tasks:\n  - id: T-1\n    status: completed\n    title: One\n",
    ],
    [
      "with other line ends, and none at the end",
      'tasks:\r\n  - title: One\r\n    id: "T-1"',
      'tasks:\r\n  - title: One\r\n    id: "T-1"\n    status: completed',
    ],
    [
      "not of a task that is not asked about",
      "tasks:\n  - { id: T-3, title: X }\n",
      "tasks:\n  - { id: T-3, title: X }\n",
    ],
    ["not where it is no YAML", "tasks: [\n", "not-editable"],
    ["not where it is no list", "tasks: 1\n", "not-editable"],
    [
      "not where it is not a text",
      "tasks:\n  - id: T-1\n    title: One\n    status: { a: b }\n",
      "not-editable",
    ],
  ])("%s", ([, before, after]) => {
    expect(set(before, BOTH)).toBe(after);
    if (after === "not-editable") return;
    expect(set(after, BOTH)).toBe(after);
    expect(digestOf(after)).toBe(digestOf(before));
    const said = statusesIn("tasks.yaml", after);
    for (const [id, status] of Object.entries(said))
      expect([id, status]).toEqual([id, listedStatuses(BOTH)[id]]);
  });
});

test.for<[string, string, boolean]>([
  ["another title", "tasks:\n  - { id: T-1, title: Two }\n", false],
  ["another task", "tasks:\n  - { id: T-1, title: One }\n  - { id: T-2, title: Two }\n", false],
  ["something else at the top", "tasks:\n  - { id: T-1, title: One }\nstatus: open\n", false],
  ["a status", "tasks:\n  - { id: T-1, title: One, status: completed }\n", true],
])("with %s it is another list or the same", ([, text, isSame]) => {
  expect(digestOf(text) === digestOf("tasks:\n  - { id: T-1, title: One }\n")).toBe(isSame);
});

test.for<[string, Artifact["reader"]]>([
  ["data of a shape", { type: "yaml", lists: {}, shown: true }],
  ["a file", { type: "file", shown: true }],
])("read as %s, it is the same, too, with another status", ([, reader]) => {
  const text = "tasks:\n  - { id: T-1, title: One }\n";
  const of = { ...LIST, reader };
  expect(digestOf(set(text, BOTH), of)).toBe(digestOf(text, of));
  expect(digestOf(text.replace("One", "Two"), of)).not.toBe(digestOf(text, of));
  expect(digestOf("tasks: [", of)).not.toBe(digestOf("tasks: {", of));
});

test("a long list is read once for whoever asks about the same text", () => {
  const text = "tasks:\n  - { id: T-1, title: One }\n";
  const loaded = loadYamlText("tasks.yaml", text);
  expect(loadYamlText("tasks.yaml", [text].join(""))).toBe(loaded);
  expect(loadYamlText("other.yaml", text)).not.toBe(loaded);
  for (const n of [1, 2, 3, 4]) loadYamlText("tasks.yaml", `${text}# ${n}\n`);
  expect(loadYamlText("tasks.yaml", text)).not.toBe(loaded);
});

test("a list that no file shows is what its bytes are", () => {
  const plain: Artifact = { ...LIST, reader: { type: "tasks", style: "yaml" } };
  const text = "tasks:\n  - { id: T-1, title: One }\n";
  expect(digestOf(text, plain)).not.toBe(digestOf(`${text}# note\n`, plain));
});

test("what is said of tasks, in the words of lists", () => {
  const said = {
    a: "pending",
    b: "running",
    c: "waiting",
    d: "failed",
    e: "skipped",
    f: "completed",
    g: "REVIEW",
    h: 1,
  };
  expect(listedStatuses(said)).toEqual({
    a: "pending",
    b: "in-progress",
    c: "in-progress",
    d: "blocked",
    e: "blocked",
    f: "completed",
  });
});
