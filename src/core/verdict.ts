/**
 * One vocabulary for verdicts and severities, whatever a workflow's own files call them.
 *
 * `judge` is the only place where a claimed verdict and the issues that come with it become a verdict
 * that counts. It fails closed: what does not agree with itself is `invalid`.
 */

export const VERDICTS = ["pass", "pass_with_notes", "needs_fix", "needs_human", "reject"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Highest first. An unknown word ranks as the first. */
export const SEVERITIES = ["critical", "high", "medium", "low"] as const;
export type Severity = (typeof SEVERITIES)[number];

export type IssueCounts = Readonly<Record<Severity, number>>;

export const NO_ISSUES: IssueCounts = { critical: 0, high: 0, medium: 0, low: 0 };

export type Judgement = { readonly verdict: Verdict } | { readonly verdict: "invalid"; readonly reason: string };

/**
 * `issues` is undefined where the artifact has no list of issues (a verdict line in a document);
 * `block` is the lowest severity that blocks.
 */
export function judge(claimed: Verdict, issues: IssueCounts | undefined, block: Severity): Judgement {
  if (issues === undefined) return { verdict: claimed };
  const total = SEVERITIES.reduce((sum, severity) => sum + issues[severity], 0);
  const blocking = SEVERITIES.slice(0, SEVERITIES.indexOf(block) + 1).reduce((sum, s) => sum + issues[s], 0);
  switch (claimed) {
    case "pass":
    case "pass_with_notes":
      if (blocking > 0) return { verdict: "needs_fix" };
      return { verdict: total > 0 ? "pass_with_notes" : claimed };
    case "needs_fix":
    case "needs_human":
    case "reject":
      if (total === 0) return { verdict: "invalid", reason: "the verdict is negative but no issue is listed" };
      return { verdict: claimed };
  }
}
