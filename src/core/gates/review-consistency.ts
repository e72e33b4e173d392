/**
 * Whether a review agrees with itself: what it claims, the issues it lists, and what it says of the tests.
 *
 * One answer for the gate, for whoever hands a review in, and for the text that tells reviewers the rules.
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

export type Claim = {
  readonly verdict: Verdict;
  readonly issues?: IssueCounts | undefined;
  readonly tests?: Tests | undefined;
};

/** `block` is the lowest severity that blocks; *strict*: what a review says in one place and denies in another does not count at all. */
export type Rules = { readonly block: Severity; readonly isStrict: boolean };

/**
 * *red*: it passes, with a failed test. *blocked*: it passes, with an issue that blocks. *empty*: it does not pass, and says nothing that would be
 * wrong. *slight*: it wants a person for what is no great thing.
 */
type Contradiction = "red" | "blocked" | "empty" | "slight";

export function rulesOf(review: ReviewShape | undefined, block: Severity): Rules {
  return { block, isStrict: review?.strict === true };
}

/** What a claim counts as. */
export function weigh(claim: Claim, rules: Rules): Verdict | "invalid" {
  if (contradictionsIn(claim, rules).length > 0) return "invalid";
  const { verdict, issues } = claim;
  // A failed test is as good a reason as an issue.
  return isRed(claim) ? verdict : judge(verdict, issues, rules.block);
}

export function contradictionsIn(claim: Claim, { block, isStrict }: Rules): readonly Contradiction[] {
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

/** `word` is the verdict as its author wrote it; without it, it is not named. */
export function sayContradictions(claim: Claim, rules: Rules, word?: string): string {
  const named = word === undefined ? "the verdict" : `"${word}"`;
  return contradictionsIn(claim, rules)
    .map((each) => sayContradiction(each, claim, { ...rules, word: named }))
    .join("; ");
}

function sayContradiction(
  contradiction: Contradiction,
  { issues = NO_ISSUES, tests }: Claim,
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

function isRed({ tests }: Claim): boolean {
  return tests !== undefined && (tests.failed > 0 || tests.status === "FAIL");
}

/** The claim that a reading makes, if it makes one. */
export function claimOf({ verdict, issues, tests }: Reading): Claim | undefined {
  return verdict === undefined ? undefined : { verdict, issues, tests };
}
