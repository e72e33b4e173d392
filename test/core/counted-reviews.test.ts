/** What a review lists decides where the run goes when the rounds are spent; one that contradicts itself is refused where it is handed in. */

import { expect, test } from "vitest";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";
import { agent, AT, play, reading, start } from "../support/play.ts";

const fixture = fixturesIn("good").find(({ name }) => name === "review-that-is-counted.yaml");
const workflow = fixture === undefined ? undefined : checkFixture(fixture).workflow;

type Issue = { readonly severity: string };
type Review = { readonly verdict: string; readonly issues: readonly Issue[]; readonly test_results?: object };

const issues = (...words: readonly string[]): Issue[] => words.map((severity) => ({ severity }));

/** No two are the same. */
let said = 0;

function says(review: Review): (run: Run) => Incoming {
  const artifact = workflow?.definition.artifacts["challenge"];
  if (artifact === undefined) throw new Error("there is no such artifact");
  const bytes = Buffer.from(JSON.stringify({ ...review, nonce: (said += 1) }));
  const found: Reading = readArtifact("challenge", artifact, { file: "challenge.json", bytes, slot: "" });
  return (run) => ({ type: "submitted", by: agent(run, "critic"), at: AT, readings: [found] });
}

const plan = (run: Run): Incoming => ({
  type: "submitted",
  by: agent(run, "planner"),
  at: AT,
  readings: [reading("plan")],
});

/** Where a review leads, in the last of three rounds. */
function after(review: Review): string {
  if (workflow === undefined) throw new Error("the corpus lacks it");
  const again = (): ((run: Run) => Incoming) => says({ verdict: "NEEDS_REVISION", issues: issues("LOW") });
  const { run } = play(workflow, [start(workflow), plan, again(), plan, again(), plan]);
  expect([run.state, run.counters["rounds"]]).toEqual(["challenging", 2]);
  const result = step(workflow, run, says(review)(run));
  if (result.ok) return result.run.state;
  const { code, message, at } = result.refusal;
  return `${code} ${at?.line}:${at?.col} ${message}`;
}

test.for<[string, Review, RegExp]>([
  ["small things", { verdict: "NEEDS_REVISION", issues: issues("LOW", "low", "MEDIUM") }, /^challenged$/],
  ["two of medium severity", { verdict: "NEEDS_REVISION", issues: issues("MEDIUM", "MEDIUM") }, /^limit$/],
  ["one of high severity", { verdict: "NEEDS_REVISION", issues: issues("HIGH", "LOW") }, /^limit$/],
  ["a severity that nobody knows", { verdict: "NEEDS_REVISION", issues: issues("SEVERE") }, /^limit$/],
  [
    "failed tests alone",
    { verdict: "NEEDS_REVISION", issues: [], test_results: { total: 1, passed: 0, failed: 1 } },
    /^challenged$/,
  ],
  ["an approval", { verdict: "APPROVED", issues: issues("MEDIUM", "MEDIUM") }, /^challenged$/],
  ["great things", { verdict: "MAJOR_ISSUES", issues: issues("HIGH") }, /^limit$/],
  ["a rejection", { verdict: "REJECTED", issues: issues("LOW") }, /^rejected$/],
  [
    "an approval beside what blocks",
    { verdict: "APPROVED", issues: issues("HIGH") },
    /^gate-not-met 1:12 .*"APPROVED" passes it, but issues that block are listed: 1 high/,
  ],
  [
    "an approval beside failed tests",
    { verdict: "APPROVED", issues: [], test_results: { total: 2, passed: 1, failed: 1 } },
    /^gate-not-met 1:12 .*"APPROVED" passes it, but 1 test failed/,
  ],
  [
    "great words for small things",
    { verdict: "MAJOR_ISSUES", issues: issues("MEDIUM") },
    /^gate-not-met 1:12 .*"MAJOR_ISSUES" wants a person, but no issue of severity high or above is listed/,
  ],
  [
    "nothing to mend",
    { verdict: "NEEDS_REVISION", issues: [] },
    /^gate-not-met 1:12 .*the verdict is negative but no issue is listed/,
  ],
  [
    "numbers that do not add up",
    { verdict: "NEEDS_REVISION", issues: issues("LOW"), test_results: { total: 3, passed: 1, failed: 1 } },
    /^gate-not-met 1:83 .*is 3, but passed 1, failed 1 and skipped 0 add up to 2/,
  ],
])("%s", ([, review, expected]) => {
  expect(after(review)).toMatch(expected);
});
