/** The words about a review and its judgement: both say the same, whatever a workflow calls its verdicts and severities. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { policyOf, reviewsIn } from "../../src/core/explain/review-policy.ts";
import {
  judge,
  NO_ISSUES,
  SEVERITIES,
  VERDICTS,
  type IssueCounts,
  type Severity,
  type Verdict,
} from "../../src/core/model/verdict.ts";
import type { Artifact, Reader } from "../../src/core/model/artifact.ts";
import { variablesOf } from "../../src/engine/agents/launch.ts";
import { loadWorkflow } from "../support/workflows.ts";
import { AT, agent, play, reading, start } from "../support/play.ts";

const staged = loadWorkflow("staged-plan");

test("a reviewer is told its file, its shape, and what blocks in this run", () => {
  const { run } = play(staged, [
    start(staged, undefined, { params: { block: "medium", fixes: 3, restarts: 3 } }),
    (now) => ({
      type: "submitted",
      by: agent(now, "brainstormer"),
      at: AT,
      readings: [reading("1.1", { lists: { areas: ["api"] } })],
    }),
    (now) => ({
      type: "submitted",
      by: agent(now, "planner", "api"),
      at: AT,
      readings: [reading("1.2-parts", { slot: "api" })],
    }),
    (now) => ({ type: "submitted", by: agent(now, "merger"), at: AT, readings: [reading("1.2")] }),
  ]);
  const told = (role: string): string | undefined =>
    variablesOf({
      workflow: staged,
      run,
      workspace: undefined,
      agent: { role, slot: "", attempt: 1, session: "" },
    })["policy"];
  expect(run.state).toBe("1.3");
  expect(told("planner")).toBe("");
  expect(told("plan-reviewer")).toMatchInlineSnapshot(`
    "Your verdict is the file \`.agents/tmp/phases/1.3-plan-review.json\`, one document in JSON:

    \`\`\`json
    {
      "status": "approved | needs_revision | blocked",
      "summary": "text",
      "issues": [
        {
          "severity": "HIGH | MEDIUM | LOW",
          "location": "text",
          "issue": "text",
          "suggestion?": "text"
        }
      ]
    }
    \`\`\`

    A key that ends in \`?\` may be left out, and is written without it.

    What \`status\` says:

    - \`approved\`: it passes.
    - \`needs_revision\`: it must be fixed and is reviewed again.
    - \`blocked\`: a person must decide.
    - Any other word, or a file that cannot be read like this, does not count: you are asked again.

    What is listed in \`issues\`:

    - \`HIGH\` or \`MEDIUM\` blocks: \`approved\` with such an issue counts as \`needs_fix\`.
    - \`LOW\` does not block: \`approved\` with no others is \`pass_with_notes\`.
    - Any other severity, or none, counts as the highest, and blocks.
    - \`needs_revision\` or \`blocked\` needs an issue: without any it does not count."
  `);
});

test("only what a role writes here is its review", () => {
  const of = (role: string, state: string): string[] => reviewsIn(staged.definition, role, state);
  expect([of("plan-reviewer", "1.3"), of("plan-reviewer", "1.2"), of("fixer", "1.3-fix")]).toEqual([
    ["1.3"],
    [],
    [],
  ]);
});

/** A review with these words, as its author is told about it. */
function textFor(on: {
  verdicts: Record<string, Verdict>;
  severities?: Record<string, Severity>;
  block: Severity;
}): string {
  const reader: Reader = {
    type: "json",
    lists: {},
    review: {
      verdictAt: "result.status",
      verdicts: on.verdicts,
      issuesAt: "found",
      ...(on.severities === undefined ? {} : { severities: on.severities }),
    },
  };
  const artifact: Artifact = { file: "r.json", reader, by: [], fresh: "run", bind: [], block: on.block };
  return policyOf(artifact, { file: "r.json", block: on.block });
}

/** The words in code marks of the lines that say this. */
function wordsIn(text: string, said: RegExp): Set<string | undefined> {
  const lines = text.split("\n").filter((line) => said.test(line));
  const firsts = lines.map((line) => line.split(": ")[0] ?? "");
  return new Set(firsts.flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, each]) => each)));
}

const word = fc.stringMatching(/^[a-z]{3,8}$/);

test("what the text says of each word is what the judgement makes of it", () => {
  const words = fc.dictionary(word, fc.constantFrom(...VERDICTS), { minKeys: 1, maxKeys: 5 });
  const ranks = fc.dictionary(word, fc.constantFrom(...SEVERITIES), { minKeys: 1, maxKeys: 6 });
  const block = fc.constantFrom(...SEVERITIES);
  fc.assert(
    fc.property(words, fc.option(ranks, { nil: undefined }), block, (verdicts, severities, least) => {
      const text = textFor({ verdicts, ...(severities === undefined ? {} : { severities }), block: least });
      const known = severities ?? Object.fromEntries(SEVERITIES.map((each) => [each, each]));
      const one = (severity: Severity): IssueCounts => ({ ...NO_ISSUES, [severity]: 1 });
      for (const [rank, severity] of Object.entries(known)) {
        const judged = judge("pass", one(severity), least);
        expect(wordsIn(text, / blocks: /).has(rank)).toBe(judged === "needs_fix");
        expect(wordsIn(text, / does not block: /).has(rank)).toBe(judged === "pass_with_notes");
      }
      for (const [claim, verdict] of Object.entries(verdicts)) {
        const isRefused = judge(verdict, NO_ISSUES, least) === "invalid";
        expect(wordsIn(text, / needs an issue: /).has(claim)).toBe(isRefused);
        expect(text).toContain(`- \`${claim}\`: `);
      }
    }),
  );
});

test.for<[string, Reader, string]>([
  [
    "a section",
    { type: "section", heading: "Review", any: [], all: [], verdicts: { PASS: "pass", FAIL: "needs_fix" } },
    "Its first line is `Verdict: WORD` and nothing else",
  ],
  [
    "no issues: what is claimed counts",
    { type: "yaml", lists: {}, review: { verdictAt: "a.b", verdicts: { ok: "pass", no: "reject" } } },
    '{\n  "a": {\n    "b": "ok | no"\n  }\n}',
  ],
  ["no review", { type: "file" }, ""],
])("%s", ([, reader, part]) => {
  const artifact: Artifact = { file: "f", reader, by: [], fresh: "run", bind: [], block: "low" };
  const text = policyOf(artifact, { file: "f", block: "low" });
  expect(text).toContain(part);
  expect(text).not.toContain("blocks");
});

test("a review that must agree with itself is told so, with what is said of the tests", () => {
  const reader: Reader = {
    type: "json",
    lists: {},
    review: {
      verdictAt: "verdict",
      verdicts: { APPROVED: "pass", NEEDS_FIX: "needs_fix", MAJOR_ISSUES: "needs_human" },
      issuesAt: "issues",
      severities: { HIGH: "high", MEDIUM: "medium", LOW: "low" },
      testsAt: "test_results",
      strict: true,
    },
  };
  const artifact: Artifact = { file: "r.json", reader, by: [], fresh: "run", bind: [], block: "high" };
  expect(policyOf(artifact, { file: "r.json", block: "high" })).toMatchInlineSnapshot(`
    "Your verdict is the file \`r.json\`, one document in JSON:

    \`\`\`json
    {
      "verdict": "APPROVED | NEEDS_FIX | MAJOR_ISSUES",
      "issues": [
        {
          "severity": "HIGH | MEDIUM | LOW"
        }
      ],
      "test_results": {
        "status": "PASS | FAIL | PARTIAL | UNKNOWN",
        "total": "number",
        "passed": "number",
        "failed": "number",
        "skipped": "number"
      }
    }
    \`\`\`

    What \`verdict\` says:

    - \`APPROVED\`: it passes.
    - \`NEEDS_FIX\`: it must be fixed and is reviewed again.
    - \`MAJOR_ISSUES\`: a person must decide.
    - Any other word, or a file that cannot be read like this, does not count: you are asked again.

    What is listed in \`issues\`:

    - \`HIGH\` blocks: \`APPROVED\` with such an issue does not count: you are asked again.
    - \`MEDIUM\` or \`LOW\` does not block: \`APPROVED\` with no others is \`pass_with_notes\`.
    - Any other severity, or none, counts as the highest, and blocks.
    - \`NEEDS_FIX\` or \`MAJOR_ISSUES\` needs an issue or a failed test: without any it does not count.
    - \`MAJOR_ISSUES\` needs \`HIGH\` or a failed test: otherwise it does not count.

    What \`test_results\` says of the tests:

    - \`passed\`, \`failed\` and \`skipped\` add up to \`total\`; \`skipped\` and \`status\` may be left out.
    - \`APPROVED\` with a failed test, or with the status \`FAIL\`, does not count: you are asked again."
  `);
});
