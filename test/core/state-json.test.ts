/** A projection that shows the whole schedule, and the words that files may show of it. */

import { expect, test } from "vitest";
import { project } from "../../src/core/projection/project.ts";
import { isUnseen, viewOf } from "../../src/core/projection/run-data.ts";
import type { Literal } from "../../src/core/model/value.ts";
import type { DataTree } from "../../src/core/model/workflow.ts";
import { renderProjection } from "../../src/format/projection/write.ts";
import { goodWorkflow, liveStages } from "../support/stages.ts";
import { inState, task } from "../support/task.ts";

const five = goodWorkflow("five-stages.yaml");

function shown(
  told: string,
  tree: DataTree,
  more: { params?: Record<string, Literal>; stoppedAt?: string } = {},
) {
  const resources = more.stoppedAt === undefined ? {} : { stoppedAt: more.stoppedAt };
  return project(tree, viewOf(five, liveStages(five, told, more.params), resources));
}

test.for<[string, string]>([
  ["blocked-after-a-restart", "ok*4, bad, ok*3, bad"],
  ["tested-twice", "ok*7, bad, ok, bad"],
  ["done-with-a-waiver", "ok*7, bad, ok, bad*2, skip, ok*3"],
])("state.json, %s", async ([name, told]) => {
  const [projection] = five.definition.projections;
  if (projection === undefined) throw new Error("there is no projection");
  const run = liveStages(five, told, { goal: "Add rate limiting" });
  const rendered = renderProjection(projection, viewOf(five, run, {}), undefined);
  await expect(rendered.ok ? rendered.text : "").toMatchFileSnapshot(`golden/state-${name}.json.txt`);
});

test.for<[string, string, string]>([
  ["", "in_progress", "in_progress pending pending pending pending"],
  ["begin 1.1", "in_progress", "skipped in_progress pending pending pending"],
  ["ok*4", "in_progress", "completed in_progress pending pending pending"],
  ["ok*4, bad", "restarting", "completed restarting pending pending pending"],
  ["ok*4, bad, ok", "in_progress", "completed in_progress pending pending pending"],
  ["ok*4, bad, ok*3, bad", "blocked", "completed blocked pending pending pending"],
  ["ok*4, bad, ok*3, bad, abort", "failed", "completed failed pending pending pending"],
  ["ok*7, bad, ok, bad*2, replan", "restarting", "completed restarting pending pending pending"],
  ["ok*7, bad, ok, bad*2, skip", "in_progress", "completed completed completed completed in_progress"],
  ["ok*7, bad", "in_progress", "completed completed completed in_progress pending"],
  ["ok*11", "completed", "completed completed completed completed completed"],
])("after %s the run is %s, and its stages %s", ([told, word, stages]) => {
  expect(shown(told, { from: "run.progress" })).toBe(word);
  expect([shown(told, { each: "run.stageStatus", give: { from: "item" } })].flat().join(" ")).toBe(stages);
});

test.for<[string, string, boolean]>([
  ["the start of an agent, where no file shows agents", "five-stages.yaml", true],
  ["the start of an agent, where a file shows its workspace", "task", false],
])("%s (%s): unseen is %s", ([, name, isIt]) => {
  const workflow = name === "task" ? task : five;
  const before = name === "task" ? inState("planning") : liveStages(five, "ok");
  const [key = ""] = Object.keys(before.agents);
  const agents = Object.fromEntries(
    Object.entries(before.agents).map(([each, agent]) => [
      each,
      each === key ? { ...agent, status: "alive" as const } : agent,
    ]),
  );
  const after = { ...before, agents, seq: before.seq + 1, updatedAt: "2026-11-15T10:00:00Z" };
  expect(key).not.toBe("");
  expect(isUnseen(workflow, before, after)).toBe(isIt);
  expect(isUnseen(workflow, before, { ...after, params: { ...after.params, goal: "another" } })).toBe(false);
});

test("who halted a run sees when", () => {
  const at = "2026-11-15T09:00:00Z";
  const tree = { status: { from: "run.progress" }, at: { from: "run.stoppedAt" } };
  expect(shown("ok", tree, { stoppedAt: at })).toEqual({ status: "stopped", at });
  expect(shown("ok", tree)).toEqual({ status: "in_progress", at: null });
});

test("a disabled stage is in no gate, and its neighbours share one", () => {
  const gates = { each: "run.gates", give: { from: "key" } };
  expect(shown("", gates)).toEqual([
    "EXPLORE->PLAN",
    "PLAN->IMPLEMENT",
    "IMPLEMENT->TEST",
    "TEST->FINAL",
    "FINAL->COMPLETE",
  ]);
  const tree = { gates: { from: "run.gates" }, test: { from: "run.stageStatus.TEST" } };
  expect(shown("", tree, { params: { test_stage: false } })).toMatchObject({
    gates: { "IMPLEMENT->FINAL": { required: ["2.2-simplify.md"], phase: "2.2" } },
    test: "skipped",
  });
});

test.for<[string, DataTree, unknown]>([
  ["a list", { each: "list", give: { from: "item.n" } }, [1, 2]],
  [
    "a map of a list",
    { each: "list", key: "item.name", give: { n: { from: "item.n" } } },
    { a: { n: 1 }, b: { n: 2 } },
  ],
  ["a map of a map", { each: "map", key: "key", give: { from: "item" } }, { "1.1": 5, "1.2": 6 }],
  ["by number", { each: "list", key: "key", give: { from: "item.name" } }, { 0: "a", 1: "b" }],
  ["without a key that could be one", { each: "list", key: "item", give: 1 }, {}],
  ["of nothing", { each: "none", key: "key", give: 1 }, {}],
])("a projection gives %s", ([, tree, given]) => {
  const root = {
    list: [
      { name: "a", n: 1 },
      { name: "b", n: 2 },
    ],
    map: { "1.1": 5, "1.2": 6 },
  };
  expect(project(tree, root)).toEqual(given);
});

test("a restart is kept with its reason, and a failure with what was wrong", () => {
  const restarts = { each: "run.restarts", give: { from: "item.reason" } };
  expect(shown("ok*4, bad, ok*3, bad, restart: the other way", restarts)).toEqual([
    "1.3 is needs_fix; 1.3.fixes is spent",
    "a person answered restart: the other way",
  ]);
  expect(shown("ok*7, bad, ok, bad*2", { from: "run.failure" })).toEqual({
    stage: "TEST",
    phase: "3.2",
    error: ".agents/tmp/phases/3.1-test-results.txt says needs_fix; mends is spent",
    failedAt: "2026-11-15T08:00:00Z",
  });
});
