/** Claimed verdicts, issues and thresholds: what counts in the end. */

import { expect, test } from "vitest";
import {
  judge,
  NO_ISSUES,
  type IssueCounts,
  type Severity,
  type Verdict,
} from "../../src/core/model/verdict.ts";

const none = NO_ISSUES;
const low: IssueCounts = { ...none, low: 1 };
const medium: IssueCounts = { ...none, medium: 1 };
const critical: IssueCounts = { ...none, critical: 1 };

test.for<[Verdict, IssueCounts | undefined, Severity, string]>([
  ["pass", undefined, "low", "pass"],
  ["needs_fix", undefined, "low", "needs_fix"],
  ["pass", none, "low", "pass"],
  ["pass", low, "low", "needs_fix"],
  ["pass", low, "medium", "pass_with_notes"],
  ["pass", medium, "medium", "needs_fix"],
  ["pass", medium, "high", "pass_with_notes"],
  ["pass", critical, "critical", "needs_fix"],
  ["pass", { ...none, high: 3 }, "critical", "pass_with_notes"],
  ["pass_with_notes", none, "low", "pass_with_notes"],
  ["pass_with_notes", low, "low", "needs_fix"],
  ["needs_fix", none, "low", "invalid"],
  ["needs_human", none, "low", "invalid"],
  ["reject", none, "low", "invalid"],
  ["needs_fix", low, "high", "needs_fix"],
  ["needs_human", low, "low", "needs_human"],
  ["reject", critical, "low", "reject"],
])("%s with %o, blocking from %s: %s", ([claimed, issues, block, expected]) => {
  expect(judge(claimed, issues, block)).toBe(expected);
});
