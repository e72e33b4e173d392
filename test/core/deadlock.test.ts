/** A run of which nothing is pending: who could still act, why it does not go on, and what a person can do. */

import { expect, test } from "vitest";
import type { Workflow } from "../../src/core/model/compile.ts";
import { deadlockOf } from "../../src/core/explain/deadlock.ts";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { statusOf } from "../../src/core/model/status.ts";
import { AT, agent, HUMAN, play, reading, start, verdict } from "../support/play.ts";
import { inState, task } from "../support/task.ts";
import { fromText, loadWorkflow } from "../support/workflows.ts";

type Word = Incoming | ((run: Run) => Incoming);

const deadlocks = loadWorkflow("deadlocks");

const up =
  (role: string): Word =>
  (run) => ({ type: "agent-started", at: AT, role, slot: "", attempt: run.agents[role]?.attempt ?? 0 });
const asks =
  (role: string, to: string, readings: Reading[] = []): Word =>
  (run) => ({ type: "move-asked", by: agent(run, role), at: AT, to, readings });
const person = (to: string): Word => ({ type: "move-asked", by: HUMAN, at: AT, to });
const sees = (...readings: Reading[]): Word => ({ type: "observed", at: AT, readings });
const waives = (artifact: string): Word => ({ type: "waived", by: HUMAN, at: AT, artifact, reason: "known" });
const triage = (): Reading => reading("triage", { fields: { severity: "low" } });

const TESTED: Word[] = [
  start(deadlocks, "triaging"),
  up("triager"),
  asks("triager", "fixing", [triage()]),
  up("fixer"),
];
const SPOILT: Word[] = [...TESTED, asks("fixer", "testing", [reading("fixed"), triage()])];

/** A worker that stays, a gate that needs a review, and a state that only people leave. */
const PAIR = fromText(
  `$schema: workflow-1.schema.json
name: pair
title: A worker that stays in its terminal
artifacts:
  plan: { in: PLAN.md, file: true, by: [worker, human] }
  tests: { check: sh test.sh }
roles:
  worker: { session: persistent }
states:
  working: { enter: [start worker] }
  gate: { enter: [run tests] }
  read: {}
  asked: { ask: good }
  done: { final: done }
moves:
  - { from: start, to: working, by: human }
  - { from: working, to: gate, by: human }
  - { from: working, to: read, by: human }
  - { from: working, to: asked, by: human }
  - { from: gate, to: done, by: engine, need: [plan, tests], do: [stop all] }
  - { from: read, to: done, by: human, do: [stop all] }
ends:
  - { role: worker, in: working, else: { do: [mark worker] } }
  - { role: worker, in: gate, else: { do: [mark worker] } }
  - { role: worker, in: read, else: { do: [mark worker] } }
  - { role: worker, in: asked, else: { do: [mark worker] } }
asks:
  good: { question: good, options: { yes: { to: done, do: [stop all] } } }
`,
  { worker: "Do your part.\n", good: "Is it good?\n" },
);
const PAIRED: Word[] = [start(PAIR), up("worker")];

function explain(workflow: Workflow, words: readonly Word[], residents: readonly string[]): string {
  const { run, lines } = play(workflow, words);
  expect(lines.filter((line) => line.startsWith("refused"))).toEqual([]);
  const found = deadlockOf(workflow, run, residents);
  if (found === undefined) return `${run.state} ${statusOf(workflow, run)}`;
  const { reason, submittable, waivable, restorable } = found;
  return [
    reason,
    ...submittable.map((name) => `submit ${name}`),
    ...waivable.map((name) => `waive ${name}`),
    ...restorable.map((name) => `restore ${name}`),
  ].join("\n");
}

test.for<
  [what: string, workflow: Workflow, words: readonly Word[], residents: readonly string[], said: string]
>([
  [
    "a text that decides was changed by another agent",
    deadlocks,
    [...SPOILT, sees(verdict("tests", "pass"))],
    [],
    `nothing is running in testing, so it cannot go on by itself; closed: done (triage.severity must be low, but triage is stale: triage.json counts only from triager), accepting (triage.severity must be high, but triage is stale: triage.json counts only from triager), stuck (tests must be needs_fix, but TESTS.txt says pass)
restore triage`,
  ],
  [
    "what decides was waived, and no move is for that",
    deadlocks,
    [start(deadlocks, "writing"), waives("case"), person("proving"), sees(verdict("tests", "pass"))],
    [],
    `nothing is running in proving, so it cannot go on by itself; closed: done (case must be valid, but waived by human: known), stuck (case must be stale, but waived by human: known), stuck (tests must be needs_fix, but TESTS.txt says pass)`,
  ],
  [
    "the role that is to go on was never started",
    deadlocks,
    [
      start(deadlocks, "judging"),
      up("reviewer"),
      asks("reviewer", "working", [verdict("review", "needs_fix")]),
      sees(verdict("tests", "pass")),
    ],
    [],
    `nothing is running in working, so it cannot go on by itself; closed: stuck (tests must be needs_fix, but TESTS.txt says pass), judging (no worker is running; handoff is missing: section "## Handoff" of NOTES.md does not exist yet)`,
  ],
  ["only people have moves", deadlocks, [start(deadlocks, "accepting")], [], "accepting waiting"],
  ["an agent was called", deadlocks, [start(deadlocks, "triaging")], [], "triaging running"],
  ["a state that waits", task, [start(task)], [], "pending waiting"],
  ["an open question", PAIR, [...PAIRED, person("asked")], ["worker"], "asked waiting"],
  ["the end", deadlocks, [start(deadlocks, "accepting"), person("done")], [], "done done"],
  [
    "an agent in its terminal that writes what the gate needs",
    PAIR,
    [...PAIRED, person("gate")],
    ["worker"],
    "gate running",
  ],
  [
    "the same agent, idle without a terminal",
    PAIR,
    [...PAIRED, person("gate")],
    [],
    `nothing is running in gate, so it cannot go on by itself; closed: done (plan is missing: PLAN.md does not exist yet; tests is missing: tests does not exist yet)
submit plan
waive plan
waive tests`,
  ],
  [
    "an agent in its terminal that has no part in the state",
    PAIR,
    [...PAIRED, person("read")],
    ["worker"],
    "nothing is running in read, so it cannot go on by itself; only a person can move it",
  ],
])("%s", ([, workflow, words, residents, said]) => {
  expect(explain(workflow, words, residents)).toBe(said);
});

test.for<[state: string, residents: readonly string[]]>([
  ["planning", ["worker"]],
  ["working", ["worker"]],
  ["agent-review", ["reviewer"]],
])("a task whose agent sits in its terminal in %s goes on", ([state, residents]) => {
  const run = inState(state);
  const agents = Object.fromEntries(
    Object.entries(run.agents).map(([key, each]) => [key, { ...each, status: "alive" as const }]),
  );
  expect(deadlockOf(task, { ...run, agents }, residents)).toBeUndefined();
});
