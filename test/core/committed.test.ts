/** The engine has committed the work as it was: whatever was said of it is said of the commit, and of nothing else. */

import { expect, test } from "vitest";
import type { Event, Incoming } from "../../src/core/event.ts";
import { replay } from "../../src/core/replay.ts";
import { NO_RUN, type Run } from "../../src/core/run.ts";
import { standingOf } from "../../src/core/standing.ts";
import { step } from "../../src/core/step.ts";
import { AT, HUMAN, start, verdict } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

const workflow = fromText(`
$schema: workflow-1.schema.json
name: commits
title: Work that was judged is committed
artifacts:
  summary: { in: summary.json, json: true, by: human }
  review: { in: NOTES.md, section: Review, verdict: { PASS: pass, FAIL: needs_fix }, by: human, bind: tree }
  tests: { check: npm test, bind: tree }
  commit: { fact: committed }
states:
  judging: { waits: true, enter: [run tests] }
  committing: { waits: true, enter: [perform commit from summary] }
  done: { final: done }
moves:
  - { from: start, to: judging, by: human }
  - { from: judging, to: committing, by: human, need: [summary, review, tests] }
  - { from: committing, to: done, by: human, need: [commit, review, tests] }
`);

const summary = {
  artifact: "summary",
  slot: "",
  found: true,
  digest: "s",
  faults: [],
  fields: {},
  lists: {},
};
const commit = { ...summary, artifact: "commit", digest: "c", fields: { commit: "abc", made: true } };

const JUDGED: readonly Incoming[] = [
  start(workflow),
  { type: "submitted", by: HUMAN, at: AT, tree: "W+B", readings: [summary, verdict("review", "pass")] },
  { type: "waived", by: HUMAN, at: AT, artifact: "tests", reason: "not today", tree: "W+B" },
  { type: "move-asked", by: HUMAN, at: AT, to: "committing", tree: "W+B" },
];

const told = (more: Partial<Extract<Incoming, { type: "observed" }>>): Incoming => ({
  type: "observed",
  at: AT,
  readings: [commit],
  ...more,
});

function played(events: readonly Incoming[]): { run: Run; orders: unknown[] } {
  let run = NO_RUN;
  const journal: Event[] = [];
  const orders: unknown[] = [];
  for (const event of events) {
    const next = step(workflow, run, event);
    if (!next.ok) throw new Error(next.refusal.message);
    run = next.run;
    journal.push(...next.events);
    orders.push(...next.effects.filter(({ type }) => type === "perform"));
  }
  expect(replay(workflow, journal)).toEqual(run);
  return { run, orders };
}

const standings = (run: Run): string =>
  ["review", "tests", "commit"].map((name) => standingOf(workflow, run, name)).join(" ");

test("what is to be committed is the work that the gate was passed for", () => {
  expect(played(JUDGED).orders).toEqual([
    { type: "perform", name: "commit", from: "summary", tree: "W+B", entry: 2 },
  ]);
});

test.for<[string, Incoming[], string]>([
  ["it was committed", [told({ tree: "W", was: "W+B" })], "pass waived holds"],
  ["and is changed later", [told({ tree: "W", was: "W+B" }), told({ tree: "X+W" })], "stale missing holds"],
  [
    "somebody has looked in between",
    [told({ tree: "W", readings: [] }), told({ tree: "W", was: "W+B" })],
    "pass missing holds",
  ],
  ["it was changed and committed by somebody else", [told({ tree: "W" })], "stale missing holds"],
  ["another work was committed", [told({ tree: "W", was: "V+B" })], "stale missing holds"],
])("%s", ([, events, expected]) => {
  expect(standings(played([...JUDGED, ...events]).run)).toBe(expected);
});
