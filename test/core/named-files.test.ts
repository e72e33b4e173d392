/** A review about the files that a list of tasks names: the engine looks at them whenever something happens. */

import { expect, test } from "vitest";
import { possible } from "../../src/core/check/explore/possible.ts";
import { compile } from "../../src/core/model/compile.ts";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";
import { agent, AT, play, reading, start, trace } from "../support/play.ts";

const found = fixturesIn("good").find(({ name }) => name === "review-of-named-files.yaml");
const workflow = (found === undefined ? undefined : checkFixture(found).workflow) ?? fail();

type Event = Incoming | ((run: Run) => Incoming);

const work = (digest: string): Reading => reading("work", { digest });
const tests = reading("tests", { verdict: "pass" });

function submit(role: string, ...readings: readonly Reading[]): Event {
  return (run) => ({ type: "submitted", by: agent(run, role), at: AT, readings, tree: "t1" });
}

function observed(...readings: readonly Reading[]): Event {
  return { type: "observed", at: AT, readings, tree: "t1" };
}

const begun: readonly Event[] = [
  start(workflow),
  submit("planner", reading("list"), work("one")),
  submit("coder", reading("notes"), work("two")),
  observed(tests),
];

test("what an agent hands in brings the files along; a review is about those that the reviewer was given", () => {
  expect(trace(workflow, [...begun, submit("reviewer", reading("review", { verdict: "pass" }), work("two"))]))
    .toMatchInlineSnapshot(`
    "planning, start-agent planner #1 (planner)
    coding, stop-agent planner #1, start-agent coder #1 (coder)
    reviewing, stop-agent coder #1, run-check tests, start-agent reviewer #1 (reviewer)
    reviewing
    approved, stop-agent reviewer #1"
  `);
});

test("a file that changes while it is reviewed makes the review stale", () => {
  const late = submit("reviewer", reading("review", { verdict: "pass" }), work("three"));
  expect(
    trace(workflow, [...begun, late])
      .split("\n")
      .at(-1),
  ).toMatchInlineSnapshot(
    `"refused: stale: review is stale: work changed after section "## Review" of REVIEW.md was made"`,
  );
});

test("a file that changes later takes the approval back, and nobody else's change does", () => {
  const passed = submit("reviewer", reading("review", { verdict: "pass" }), work("two"));
  const other: Event = { type: "observed", at: AT, readings: [work("two")], tree: "t2" };
  const { events } = play(workflow, [...begun, passed, other]);
  expect(
    events.filter((event) => event.type === "artifact-read" && event.reading.artifact === "work"),
  ).toHaveLength(2);
  expect(
    trace(workflow, [...begun, passed, other, observed(work("four"))])
      .split("\n")
      .slice(-2),
  ).toMatchInlineSnapshot(`
    [
      "approved",
      "reviewing, run-check tests, start-agent reviewer #2 (reviewer)",
    ]
  `);
});

test("whoever may write speaks about the files as they are now", () => {
  const { definition } = workflow;
  const notes = { ...(definition.artifacts["notes"] ?? fail()), bind: ["work"] };
  const bound = compile({ ...definition, artifacts: { ...definition.artifacts, notes } }, () => "bound");
  const events = [start(bound), submit("planner", reading("list"), work("one"))];
  expect(play(bound, [...events, submit("coder", reading("notes"), work("two"))]).run.state).toBe(
    "reviewing",
  );
});

test("nobody can hand them in", () => {
  const { run } = play(workflow, [
    ...begun,
    { type: "submitted", by: { type: "human" }, at: AT, readings: [work("five")] },
  ]);
  expect(run.held["work"]).toMatchObject({ by: "engine", reading: { digest: "five" } });
});

test("check has them changed by whoever may write, and by people", () => {
  const changes = (events: readonly Event[]): string[] => {
    const { run } = play(workflow, events);
    return possible(workflow, run).flatMap(({ event, human }) =>
      "readings" in event && event.readings?.length === 1 && event.readings[0]?.artifact === "work"
        ? [`${event.type} ${human ? "by a person" : "by an agent"}`]
        : [],
    );
  };
  const passed = submit("reviewer", reading("review", { verdict: "pass" }), work("two"));
  expect(changes(begun)).toEqual(["submitted by a person"]);
  expect(changes([...begun, passed])).toEqual(["submitted by a person"]);
  expect(changes(begun.slice(0, 2))).toEqual([]);
});

function fail(): never {
  throw new Error("the corpus lacks a file");
}
