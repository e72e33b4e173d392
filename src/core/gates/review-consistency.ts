/**
 * Whether a review is consistent: its verdict, its issues, and its test counts.
 *
 * The gate, the author who submits a review, and the text with the rules for reviewers all use this function.
 */

import type { Reading } from "../model/event.ts";
import {
  judge,
  NO_ISSUES,
  SEVERITIES,
  type IssueCounts,
  type Severity,
  type Tests,
  type Verdict,
} from "../model/verdict.ts";
import type { ReviewShape } from "../model/artifact.ts";

export type ReviewClaim = {
  readonly verdict: Verdict;
  readonly issues?: IssueCounts | undefined;
  readonly tests?: Tests | undefined;
};

/** `block` is the lowest severity that blocks. *strict*: a review that contradicts itself does not count. */
export type Rules = { readonly block: Severity; readonly isStrict: boolean };

/**
 * *red*: it passes with a failed test. *blocked*: it passes with a blocking issue. *empty*: it does not pass, and lists no
 * reason. *slight*: it asks for a person although its issues are minor.
 */
type Contradiction = "red" | "blocked" | "empty" | "slight";

export function rulesOf(review: ReviewShape | undefined, block: Severity): Rules {
  return { block, isStrict: review?.strict === true };
}

/** The verdict that a claim counts as. */
export function weigh(claim: ReviewClaim, rules: Rules): Verdict | "invalid" {
  if (contradictionsIn(claim, rules).length > 0) return "invalid";
  const { verdict, issues } = claim;
  // A failed test is a reason just like an issue.
  return isRed(claim) ? verdict : judge(verdict, issues, rules.block);
}

export function contradictionsIn(claim: ReviewClaim, { block, isStrict }: Rules): readonly Contradiction[] {
  const { verdict, issues } = claim;
  switch (verdict) {
    case "pass":
    case "pass_with_notes": {
      const isBlocked = isStrict && judge(verdict, issues, block) === "needs_fix";
      return [...(isRed(claim) ? (["red"] as const) : []), ...(isBlocked ? (["blocked"] as const) : [])];
    }
    case "needs_fix":
    case "needs_human":
    case "reject": {
      if (issues === undefined || isRed(claim)) return [];
      if (judge(verdict, issues, block) === "invalid") return ["empty"];
      const isSlight = verdict === "needs_human" && issues.critical + issues.high === 0;
      return isStrict && isSlight ? ["slight"] : [];
    }
  }
}

/** `word` is the verdict as its author wrote it; without it, the text does not name the verdict. */
export function sayContradictions(claim: ReviewClaim, rules: Rules, word?: string): string {
  const named = word === undefined ? "the verdict" : `"${word}"`;
  return contradictionsIn(claim, rules)
    .map((each) => sayContradiction(each, claim, { ...rules, word: named }))
    .join("; ");
}

function sayContradiction(
  contradiction: Contradiction,
  { issues = NO_ISSUES, tests }: ReviewClaim,
  { block, word }: Rules & { readonly word: string },
): string {
  const noTest = tests === undefined ? "" : " and no test failed";
  switch (contradiction) {
    case "red":
      return `${word} passes it, but ${sayRed(tests)}`;
    case "blocked": {
      const ranks = SEVERITIES.slice(0, SEVERITIES.indexOf(block) + 1);
      const found = ranks.flatMap((rank) => (issues[rank] > 0 ? [`${issues[rank]} ${rank}`] : []));
      return `${word} passes it, but issues that block are listed: ${found.join(", ")}`;
    }
    case "empty":
      return `the verdict is negative but no issue is listed${noTest}`;
    case "slight":
      return `${word} wants a person, but no issue of severity high or above is listed${noTest}`;
  }
}

function sayRed(tests: Tests | undefined): string {
  const failed = tests?.failed ?? 0;
  if (failed === 0) return "the tests say FAIL";
  return failed === 1 ? "1 test failed" : `${failed} tests failed`;
}

function isRed({ tests }: ReviewClaim): boolean {
  return tests !== undefined && (tests.failed > 0 || tests.status === "FAIL");
}

/** The claim of a reading, if it has one. */
export function claimOf({ verdict, issues, tests }: Reading): ReviewClaim | undefined {
  return verdict === undefined ? undefined : { verdict, issues, tests };
}
