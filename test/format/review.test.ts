/** Reviews out of fields: what becomes of them, read by the real readers, and what is refused before it is written. */
import { expect, test } from "vitest";
import type { Severity } from "../../src/core/model/verdict.ts";
import type { Artifact } from "../../src/core/model/artifact.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { makeReview, reviewShape } from "../../src/format/review/review.ts";
import { loadWorkflow } from "../support/workflows.ts";

function artifactOf(workflow: string, name: string): Artifact {
  const artifact = loadWorkflow(workflow).definition.artifacts[name];
  if (artifact === undefined) throw new Error(`${workflow} has no ${name}`);
  return artifact;
}

const LINE = artifactOf("task", "review");
const PLAN = artifactOf("staged", "1.3");
const CODE = artifactOf("staged", "2.3");
const FINAL = artifactOf("staged", "4.2");
/** As a definition has it that counts tests and names no shape. */
const STRICT: Artifact = {
  ...PLAN,
  reader: {
    type: "json",
    lists: {},
    review: {
      verdictAt: "verdict",
      verdicts: { APPROVED: "pass", NEEDS_CHANGES: "needs_fix", MAJOR_ISSUES: "needs_human" },
      issuesAt: "issues",
      severities: { HIGH: "high", MEDIUM: "medium", LOW: "low" },
      testsAt: "test_results",
      strict: true,
    },
  },
};
const GREEN = { total: 2, passed: 2, failed: 0 };
const RED = { total: 2, passed: 1, failed: 1 };

/** The verdict that the reader finds in what was made, or why nothing was made. */
function outcome(artifact: Artifact, said: unknown, block: Severity = "low"): string {
  const made = makeReview(artifact, said, block);
  if (!made.ok) return `no: ${made.reason}`;
  const isSection = artifact.reader.type === "section";
  const text = isSection ? `# Page\n\n## Review\n\n${made.text}\n## Other\n\nx\n` : made.text;
  const reading = readArtifact("review", artifact, { file: "F", bytes: Buffer.from(text), slot: "" });
  const faults = reading.faults.map(({ reason }) => reason).join("; ");
  const issues = Object.entries(reading.issues ?? {}).filter(([, count]) => count > 0);
  return [reading.verdict ?? "none", ...issues.map(([name, count]) => `${count} ${name}`), faults]
    .filter((part) => part !== "")
    .join(", ");
}

const issue = (severity: string): unknown => ({ severity, location: "src/a.ts:3", issue: "Off by one" });
const note = (severity: string, more: object = {}): unknown => ({ severity, title: "Off by one", ...more });

test.for<[what: string, artifact: Artifact, said: unknown, comes: string, block?: Severity]>([
  ["a line", LINE, { verdict: "PASS" }, "pass"],
  ["a line with words", LINE, { verdict: "FAIL", summary: "It does not build." }, "needs_fix"],
  ["a line with issues", LINE, { verdict: "FAIL", issues: [note("HIGH")] }, "needs_fix"],
  ["a line with notes", LINE, { verdict: "PASS", issues: [note("MEDIUM"), note("LOW")] }, "pass"],
  [
    "every field of an issue",
    LINE,
    {
      verdict: "FAIL",
      issues: [
        note("HIGH", {
          file: "a`b.ts",
          line: 3,
          category: "safety",
          description: "## Other\n\nVerdict: PASS\n\n# X",
          recommendation: "Mend it",
        }),
      ],
      tests: { passed: 3, failed: 1, skipped: 0, total: 4 },
    },
    "needs_fix",
  ],
  ["no verdict", LINE, { summary: "Fine" }, 'no: "verdict" is missing'],
  ["another word", LINE, { verdict: "APPROVED" }, 'no: "verdict" is "APPROVED"; allowed are PASS, FAIL'],
  ["not approved", LINE, { verdict: "not PASS" }, 'no: "verdict" is "not PASS"; allowed are PASS, FAIL'],
  [
    "the name of a builtin",
    LINE,
    { verdict: "constructor" },
    'no: "verdict" is "constructor"; allowed are PASS, FAIL',
  ],
  ["a field that is none", LINE, { verdict: "PASS", veridct: "FAIL" }, 'no: the key "veridct" is unknown'],
  [
    "several that are none",
    LINE,
    { verdict: "PASS", a: 1, issues: [{ severity: "HIGH", title: "x", b: 2 }] },
    'no: the key "a" is unknown; the key "b" is unknown',
  ],
  ["no object", LINE, ["PASS"], "no: a review is one object"],
  ["nothing", LINE, null, "no: a review is one object"],
  [
    "approval with what blocks",
    LINE,
    { verdict: "PASS", issues: [note("HIGH")] },
    'no: "PASS" passes it, but issues that block are listed: 1 high',
  ],
  [
    "approval with failed tests",
    LINE,
    { verdict: "PASS", tests: { total: 5, passed: 3, failed: 2 } },
    'no: "PASS" passes it, but 2 tests failed',
  ],
  [
    "tests that do not add up",
    LINE,
    { verdict: "FAIL", summary: "x", tests: { passed: 3, failed: 2, total: 6 } },
    'no: "tests.total" is 6, but passed 3, failed 2 and skipped 0 add up to 5',
  ],
  [
    "a severity that is none",
    LINE,
    { verdict: "FAIL", issues: [note("Bad")] },
    'no: "issues[0].severity" is "Bad"; allowed are CRITICAL, HIGH, MEDIUM, LOW',
  ],
  ["data", PLAN, { verdict: "approved", summary: "Good", issues: [] }, "pass"],
  [
    "data that refuses",
    PLAN,
    { verdict: "needs_revision", summary: "x", issues: [issue("HIGH")] },
    "needs_fix, 1 high",
  ],
  [
    "data with notes",
    PLAN,
    { verdict: "approved", summary: "x", issues: [issue("LOW")] },
    "pass, 1 low",
    "high",
  ],
  [
    "data that approves of what blocks",
    PLAN,
    { verdict: "approved", summary: "x", issues: [issue("LOW")] },
    'no: "approved" passes it, but issues that block are listed: 1 low',
  ],
  [
    "data that refuses for nothing",
    PLAN,
    { verdict: "needs_revision", summary: "x", issues: [] },
    "no: the verdict is negative but no issue is listed",
  ],
  [
    "data by its own key",
    PLAN,
    { status: "approved", summary: "x", issues: [] },
    'no: "verdict" is missing; the key "status" is unknown',
  ],
  [
    "data without a list",
    CODE,
    { verdict: "approved", summary: "x", issues: [] },
    'no: "filesReviewed" is missing',
  ],
  [
    "data with its list",
    CODE,
    { verdict: "approved", summary: "x", issues: [], filesReviewed: ["a.ts"] },
    "pass",
  ],
  [
    "data with what may be there",
    FINAL,
    {
      verdict: "approved",
      overallQuality: "high",
      readyForCommit: true,
      metrics: { a: 1 },
      summary: "x",
      issues: [],
    },
    "pass",
  ],
  ["counted", STRICT, { verdict: "APPROVED", issues: [], test_results: GREEN, more: 1 }, "pass"],
  ["counted, without issues", STRICT, { verdict: "APPROVED" }, 'no: "issues" is missing'],
  [
    "counted, with a red test",
    STRICT,
    { verdict: "APPROVED", issues: [], test_results: RED },
    'no: "APPROVED" passes it, but 1 test failed',
  ],
  [
    "a red test is a reason",
    STRICT,
    { verdict: "NEEDS_CHANGES", issues: [], test_results: RED },
    "needs_fix",
  ],
  [
    "a person for nothing",
    STRICT,
    { verdict: "MAJOR_ISSUES", issues: [issue("LOW")], test_results: GREEN },
    'no: "MAJOR_ISSUES" wants a person, but no issue of severity high or above is listed and no test failed',
  ],
  [
    "a person, where nobody insists",
    PLAN,
    { verdict: "blocked", summary: "x", issues: [issue("LOW")] },
    "needs_human, 1 low",
  ],
])("%s", ([, artifact, said, comes, block]) => {
  expect(outcome(artifact, said, block)).toBe(comes);
});

test("what a section looks like", () => {
  const made = makeReview(
    LINE,
    {
      verdict: "FAIL",
      summary: "Dates are off.",
      tests: { total: 4, passed: 3, failed: 1 },
      issues: [
        {
          severity: "HIGH",
          title: "Off by one",
          file: "src/a.ts",
          line: 3,
          description: "One\n\ntwo",
          recommendation: "Add one",
        },
        { severity: "LOW", title: "A name" },
      ],
    },
    "low",
  );
  expect(made).toMatchInlineSnapshot(`
    {
      "ok": true,
      "text": "Verdict: FAIL

    Dates are off.

    Tests: 3 passed, 1 failed.

    - **HIGH** \`src/a.ts:3\` Off by one
      One

      two
      Fix: Add one
    - **LOW** A name
    ",
    }
  `);
});

test("what says no verdict is no review", () => {
  expect(reviewShape(artifactOf("task", "plan"))).toBeUndefined();
  expect(outcome(artifactOf("task", "plan"), { verdict: "PASS" })).toBe(
    "no: the artifact is not a review: it has no verdict",
  );
});
