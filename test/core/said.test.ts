/** What artifacts said, as files show it: the last of each, and lists of one name from all of them. */

import { describe, expect, test } from "vitest";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import { project } from "../../src/core/projection/project.ts";
import type { Run } from "../../src/core/model/run.ts";
import { saidIn, showsSaid } from "../../src/core/projection/accepted-values.ts";
import { viewOf } from "../../src/core/projection/run-data.ts";
import type { DataTree } from "../../src/core/model/workflow.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";
import { agent, AT, HUMAN, play, start } from "../support/play.ts";
import { loadWorkflow } from "../support/workflows.ts";

const fixture = fixturesIn("good").find(({ name }) => name === "what-was-said.yaml");
const workflow = fixture === undefined ? undefined : checkFixture(fixture).workflow;
if (workflow === undefined) throw new Error("the corpus lacks it");
const { artifacts, projections } = workflow.definition;

function read(name: string, data: object, slot = ""): Reading {
  const artifact = artifacts[name];
  if (artifact === undefined) throw new Error(`there is no ${name}`);
  return readArtifact(name, artifact, { file: name, bytes: Buffer.from(JSON.stringify(data)), slot });
}

type Word = (run: Run) => Incoming;

const says =
  (role: string, ...readings: readonly Reading[]): Word =>
  (run) => ({ type: "submitted", by: agent(run, role), at: AT, readings });

const plan = (summary: string, ...assumptions: readonly string[]): Reading =>
  read("plan.v1", { summary, assumptions, size: 1 });
const code = (summary: string, status: string, ...assumptions: readonly string[]): Reading =>
  read("code", { summary, status, assumptions });
const again: Word = () => ({ type: "move-asked", by: HUMAN, at: AT, to: "planning" });
const overwrites: Word = () => ({ type: "observed", at: AT, readings: [plan("by hand", "forged")] });
const helps: Word = (run) => ({
  type: "submitted",
  by: agent(run, "helper", "a"),
  at: AT,
  readings: [read("part", { summary: "done" }, "a")],
});

const tree: DataTree = projections.flatMap((each) => ("data" in each ? [each.data] : []))[0] ?? null;

function shown(words: readonly Word[], first: readonly Reading[] = []): unknown {
  if (workflow === undefined) throw new Error("the corpus lacks it");
  const { run, events } = play(workflow, [start(workflow, undefined, { readings: [...first] }), ...words]);
  return project(tree, { ...viewOf(workflow, run, {}), ...saidIn(workflow, events) });
}

const NOTHING = {
  summary: "nothing yet",
  status: "planning",
  first: null,
  assumptions: [],
  parts: {},
  one: null,
};

describe("shown is", () => {
  test.for<[string, readonly Word[], object]>([
    ["nothing, before anybody says something", [], {}],
    [
      "what is said, with who said it",
      [says("planner", plan("a plan", "a", "b"))],
      {
        summary: "a plan",
        status: "coding",
        first: "a",
        assumptions: [
          { text: "a", by: "planner" },
          { text: "b", by: "planner" },
        ],
      },
    ],
    ["nothing of what is not in its shape", [says("planner", read("plan.v1", { summary: "short" }))], {}],
    [
      "what was said, also when somebody else has written over it",
      [says("planner", plan("a plan", "a")), overwrites],
      { summary: "a plan", status: "coding", first: "a", assumptions: [{ text: "a", by: "planner" }] },
    ],
    [
      "what was said last, and of lists all that was ever said, once",
      [says("planner", plan("first", "a", "b")), again, says("planner", plan("second", "b", "c"))],
      {
        summary: "second",
        status: "coding",
        first: "b",
        assumptions: ["a", "b", "c"].map((text) => ({ text, by: "planner" })),
      },
    ],
    [
      "the same words of another one beside it, and what a verdict comes with",
      [says("planner", plan("a plan", "a")), says("coder", code("it is hard", "BLOCKED", "a"))],
      {
        summary: "it is hard",
        status: "BLOCKED",
        first: "a",
        assumptions: ["planner", "coder"].map((by) => ({ text: "a", by })),
      },
    ],
    [
      "a member of a fan-out by its name",
      [says("planner", plan("a plan", "a")), says("coder", code("it is done", "OK")), helps],
      {
        summary: "it is done",
        status: "OK",
        first: "a",
        assumptions: [{ text: "a", by: "planner" }],
        parts: { a: "done" },
        one: "done",
      },
    ],
  ])("%s", ([, words, expected]) => {
    expect(shown(words)).toEqual({ ...NOTHING, ...expected });
  });

  test("nothing of what was there before the run began", () => {
    expect(shown([], [plan("of an earlier run", "old")])).toEqual(NOTHING);
  });
});

test("of a workflow that shows nothing of it, nobody reads all that happened", () => {
  expect(showsSaid(workflow.definition)).toBe(true);
  expect(["task", "staged", "change"].filter((name) => showsSaid(loadWorkflow(name).definition))).toEqual([]);
});
