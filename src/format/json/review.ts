/** The verdict of a review in JSON or YAML, and its issues by severity. */

import { FILES_MAX } from "../../core/gates/fan-out-groups.ts";
import type { Reading } from "../../core/model/event.ts";
import { NO_ISSUES, SEVERITIES } from "../../core/model/verdict.ts";
import type { IssueCounts, Severity } from "../../core/model/verdict.ts";
import type { ReviewShape } from "../../core/model/artifact.ts";
import { quote } from "../reading/finding.ts";
import { deniedIn } from "./denied.ts";
import { fileOf } from "./location.ts";
import { nameOf, pathOf, valueAt } from "./shape.ts";
import type { Misfit, Path } from "./shape.ts";
import { reviewText } from "./review-text.ts";
import { readTests } from "./tests.ts";

type Review = Pick<Reading, "verdict" | "issues" | "files" | "tests" | "review"> & {
  readonly misfits: readonly Misfit[];
  /** The verdict as it was written, and where; only of a review that must agree with itself. */
  readonly word?: { readonly word: string; readonly path: Path };
};

export function readReview(shape: ReviewShape, data: unknown): Review {
  const misfits: Misfit[] = [];
  const at = pathOf(shape.verdictAt);
  const word = valueAt(data, at);
  const verdict =
    typeof word === "string" && Object.hasOwn(shape.verdicts, word) ? shape.verdicts[word] : undefined;
  if (verdict === undefined) misfits.push({ path: at, reason: wrongVerdict(shape, at, word) });
  const issues = shape.issuesAt === undefined ? undefined : countIssues(shape, data, misfits);
  const files = shape.locationAt === undefined ? undefined : filesIn(shape, data);
  const testsAt = shape.testsAt === undefined ? undefined : pathOf(shape.testsAt);
  const { tests, misfits: unsound } =
    testsAt === undefined ? { misfits: [] } : readTests(valueAt(data, testsAt), testsAt);
  const issuesAt = shape.issuesAt === undefined ? [] : valueAt(data, pathOf(shape.issuesAt));
  const denied = deniedIn(shape, { data, issues: issuesAt, verdict, word, tests });
  const isNamed = testsAt !== undefined || shape.strict === true || shape.shown === true;
  return {
    misfits: [...misfits, ...unsound, ...(unsound.length > 0 ? [] : denied)],
    ...(verdict && { verdict }),
    ...(issues && { issues }),
    ...(files && { files }),
    ...(tests && { tests }),
    ...(verdict && isNamed ? { word: { word: String(word), path: at } } : {}),
    ...(verdict && shape.shown === true ? { review: wordsOf(shape, data) } : {}),
  };
}

function wordsOf(shape: ReviewShape, data: unknown): NonNullable<Reading["review"]> {
  const issues = valueAt(data, pathOf(shape.issuesAt ?? ""));
  return reviewText(data, { shape, issues, rank: (issue) => severityOf(shape, issue) });
}

function wrongVerdict(shape: ReviewShape, at: Path, word: unknown): string {
  const allowed = `allowed are ${Object.keys(shape.verdicts).join(", ")}`;
  if (word === undefined) return `the verdict ${nameOf(at)} is missing; ${allowed}`;
  return `the verdict ${nameOf(at)} is ${quote(typeof word === "string" ? word : (JSON.stringify(word) ?? ""))}; ${allowed}`;
}

function countIssues(shape: ReviewShape, data: unknown, misfits: Misfit[]): IssueCounts | undefined {
  const at = pathOf(shape.issuesAt ?? "");
  const issues = valueAt(data, at);
  if (!Array.isArray(issues)) {
    misfits.push({ path: at, reason: `the issues ${nameOf(at)} must be a list` });
    return undefined;
  }
  const counts: Record<Severity, number> = { ...NO_ISSUES };
  for (const issue of issues) counts[severityOf(shape, issue)] += 1;
  return counts;
}

function filesIn(shape: ReviewShape, data: unknown): Record<string, Severity> {
  const issues = valueAt(data, pathOf(shape.issuesAt ?? ""));
  const files = new Map<string, Severity>();
  for (const issue of Array.isArray(issues) ? issues : []) {
    const named = fileOf(valueAt(issue, pathOf(shape.locationAt ?? "")));
    const count = files.has("") ? files.size - 1 : files.size;
    const file = files.has(named) || count < FILES_MAX ? named : "";
    const severity = severityOf(shape, issue);
    const known = files.get(file);
    if (known === undefined || SEVERITIES.indexOf(severity) < SEVERITIES.indexOf(known))
      files.set(file, severity);
  }
  return Object.fromEntries(files);
}

/** What cannot be ranked ranks highest: an issue must never get lost because of a word. */
function severityOf(shape: ReviewShape, issue: unknown): Severity {
  const word = valueAt(issue, pathOf(shape.severityAt ?? "severity"));
  if (typeof word !== "string") return "critical";
  const known = shape.severities ?? Object.fromEntries(SEVERITIES.map((severity) => [severity, severity]));
  const match = Object.entries(known).find(([name]) => name.toLowerCase() === word.trim().toLowerCase());
  return match?.[1] ?? "critical";
}
