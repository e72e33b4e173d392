/** Whether a review agrees with itself: its verdict, its issues, and what it says of the tests. */

import fc from "fast-check";
import { expect, test } from "vitest";
import {
  sayContradictions,
  weigh,
  type ReviewClaim,
  type Rules,
} from "../../src/core/gates/review-consistency.ts";
import {
  judge,
  NO_ISSUES,
  SEVERITIES,
  VERDICTS,
  type IssueCounts,
  type Tests,
  type Verdict,
} from "../../src/core/model/verdict.ts";

const none = NO_ISSUES;
const low: IssueCounts = { ...none, low: 1 };
const medium: IssueCounts = { ...none, medium: 2 };
const high: IssueCounts = { ...none, high: 1 };
const unranked: IssueCounts = { ...none, critical: 1 };
const green: Tests = { status: "PASS", total: 3, passed: 2, failed: 0, skipped: 1 };
const red: Tests = { total: 3, passed: 1, failed: 2, skipped: 0 };
const one: Tests = { status: "PARTIAL", total: 1, passed: 0, failed: 1, skipped: 0 };
const broken: Tests = { status: "FAIL", total: 0, passed: 0, failed: 0, skipped: 0 };

const APPROVED: Verdict = "pass";
const NEEDS_CHANGES: Verdict = "needs_fix";
const MAJOR_ISSUES: Verdict = "needs_human";

test.for<[Verdict, IssueCounts, Tests | undefined, string]>([
  [APPROVED, none, undefined, "pass"],
  [APPROVED, none, green, "pass"],
  [APPROVED, low, green, "pass_with_notes"],
  [APPROVED, medium, green, "pass_with_notes"],
  [APPROVED, high, green, "WORD passes it, but issues that block are listed: 1 high"],
  [APPROVED, unranked, undefined, "WORD passes it, but issues that block are listed: 1 critical"],
  [APPROVED, none, red, "WORD passes it, but 2 tests failed"],
  [APPROVED, low, one, "WORD passes it, but 1 test failed"],
  [APPROVED, none, broken, "WORD passes it, but the tests say FAIL"],
  [
    APPROVED,
    high,
    red,
    "WORD passes it, but 2 tests failed; WORD passes it, but issues that block are listed: 1 high",
  ],
  ["pass_with_notes", none, red, "WORD passes it, but 2 tests failed"],
  [NEEDS_CHANGES, low, green, "needs_fix"],
  [NEEDS_CHANGES, none, red, "needs_fix"],
  [NEEDS_CHANGES, none, broken, "needs_fix"],
  [NEEDS_CHANGES, none, green, "the verdict is negative but no issue is listed and no test failed"],
  [NEEDS_CHANGES, none, undefined, "the verdict is negative but no issue is listed"],
  [MAJOR_ISSUES, high, green, "needs_human"],
  [MAJOR_ISSUES, unranked, undefined, "needs_human"],
  [MAJOR_ISSUES, none, red, "needs_human"],
  [MAJOR_ISSUES, medium, red, "needs_human"],
  [
    MAJOR_ISSUES,
    medium,
    green,
    "WORD wants a person, but no issue of severity high or above is listed and no test failed",
  ],
  [MAJOR_ISSUES, medium, undefined, "WORD wants a person, but no issue of severity high or above is listed"],
  [MAJOR_ISSUES, none, green, "the verdict is negative but no issue is listed and no test failed"],
  ["reject", low, green, "reject"],
  ["reject", none, green, "the verdict is negative but no issue is listed and no test failed"],
])("strict, blocking from high: %s, %o, tests %o: %s", ([verdict, issues, tests, expected]) => {
  const rules: Rules = { block: "high", isStrict: true };
  const claim = { verdict, issues, tests };
  const said = sayContradictions(claim, rules, "WORD").replaceAll('"WORD"', "WORD");
  const counted = weigh(claim, rules);
  expect(counted === "invalid" ? said : counted).toBe(expected);
  expect(said === "").toBe(counted !== "invalid");
});

test.for<[Verdict, IssueCounts, Tests, string]>([
  [APPROVED, high, green, "needs_fix"],
  [APPROVED, none, red, "invalid"],
  [MAJOR_ISSUES, low, green, "needs_human"],
  [NEEDS_CHANGES, none, red, "needs_fix"],
])("not strict: %s, %o, tests %o: %s", ([verdict, issues, tests, expected]) => {
  expect(weigh({ verdict, issues, tests }, { block: "high", isStrict: false })).toBe(expected);
});

const counts = fc.record({ critical: fc.nat(2), high: fc.nat(2), medium: fc.nat(2), low: fc.nat(2) });

test("without tests and without strict, nothing is judged otherwise than before", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...VERDICTS),
      fc.option(counts, { nil: undefined }),
      fc.constantFrom(...SEVERITIES),
      (verdict, issues, block) => {
        const claim: ReviewClaim = { verdict, issues };
        expect(weigh(claim, { block, isStrict: false })).toBe(judge(verdict, issues, block));
      },
    ),
  );
});

test("what is taken never passes beside a failed test, and strictly never beside what blocks", () => {
  const tests = fc.option(fc.constantFrom(green, red, one, broken), { nil: undefined });
  const claim = fc.record({ verdict: fc.constantFrom(...VERDICTS), issues: counts, tests });
  fc.assert(
    fc.property(claim, fc.constantFrom(...SEVERITIES), (said, block) => {
      const isPass = weigh(said, { block, isStrict: true }).startsWith("pass");
      const isSound = (said.tests?.failed ?? 0) === 0 && judge("pass", said.issues, block) !== "needs_fix";
      expect(isPass && !isSound).toBe(false);
    }),
  );
});
