/**
 * One vocabulary for verdicts and severities, independent of the words in a workflow's own files.
 *
 * `judge` is the only function that turns a claimed verdict and its issues into a verdict that counts. It fails closed: an
 * inconsistent review is `invalid`.
 */

export const VERDICTS = ["pass", "pass_with_notes", "needs_fix", "needs_human", "reject"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The kind of place where a check failed. */
export const FAILING = ["test", "source", "unknown"] as const;
export type Failing = (typeof FAILING)[number];

/** Highest first. An unknown word counts as the first. */
export const SEVERITIES = ["critical", "high", "medium", "low"] as const;
export type Severity = (typeof SEVERITIES)[number];

export type IssueCounts = Readonly<Record<Severity, number>>;

export const NO_ISSUES: IssueCounts = { critical: 0, high: 0, medium: 0, low: 0 };

export const TEST_WORDS = ["PASS", "FAIL", "PARTIAL", "UNKNOWN"] as const;

/** Test counts in a review. The reader checks that the numbers add up. */
export type Tests = {
  readonly status?: (typeof TEST_WORDS)[number];
  readonly total: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
};

/**
 * `issues` is undefined if the artifact has no list of issues (a verdict line in a document); `block` is the lowest severity that
 * blocks. A negative verdict without an issue is invalid.
 */
export function judge(
  claimed: Verdict,
  issues: IssueCounts | undefined,
  block: Severity,
): Verdict | "invalid" {
  if (issues === undefined) return claimed;
  let blocking = 0;
  let total = 0;
  let isBlocking = true;
  for (const severity of SEVERITIES) {
    total += issues[severity];
    if (isBlocking) blocking += issues[severity];
    if (severity === block) isBlocking = false;
  }
  switch (claimed) {
    case "pass":
    case "pass_with_notes":
      if (blocking > 0) return "needs_fix";
      return total > 0 ? "pass_with_notes" : claimed;
    case "needs_fix":
    case "needs_human":
    case "reject":
      return total === 0 ? "invalid" : claimed;
  }
}
