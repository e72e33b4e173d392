/** The words of a review, for people who read it later: bounded, because they are kept with what happened. */

import type { ReviewIssue, ReviewShape, ReviewText } from "../../core/model/artifact.ts";
import { SEVERITIES, type Severity } from "../../core/model/verdict.ts";
import { cutValue } from "../reading/finding.ts";
import { isObject } from "./shape.ts";

const WORDS_MAX = 2000;
const NAME_MAX = 200;
const ISSUES_MAX = 50;
/** Of all issues together. */
const TEXT_MAX = 24_000;

type Of = {
  readonly shape: ReviewShape;
  readonly issues: unknown;
  /** How an issue is ranked. */
  readonly rank: (issue: unknown) => Severity;
};

export function reviewText(data: unknown, { shape, issues, rank }: Of): ReviewText {
  const top = isObject(data) ? data : {};
  const listed = Array.isArray(issues) ? issues.map((issue: unknown) => issueOf(issue, { shape, rank })) : [];
  const sorted = SEVERITIES.flatMap((severity) => listed.filter((issue) => issue.severity === severity));
  const shown: ReviewIssue[] = [];
  let length = 0;
  for (const issue of sorted) {
    length += JSON.stringify(issue).length;
    if (shown.length >= ISSUES_MAX || length > TEXT_MAX) break;
    shown.push(issue);
  }
  return {
    summary: textIn(top, ["summary"], WORDS_MAX),
    security: textIn(top, ["security_status", "security"], NAME_MAX),
    next: textIn(top, ["next_steps"], WORDS_MAX),
    issues: shown,
    more: sorted.length - shown.length,
  };
}

function issueOf(issue: unknown, { shape, rank }: Pick<Of, "shape" | "rank">): ReviewIssue {
  const fields = isObject(issue) ? issue : {};
  const { severityAt = "severity", locationAt } = shape;
  return {
    severity: rank(issue),
    word: textIn(fields, [severityAt], NAME_MAX),
    title: textIn(fields, ["title", "id"], NAME_MAX),
    file: textIn(
      fields,
      ["file_path", "file", ...(locationAt === undefined ? [] : [locationAt]), "location"],
      NAME_MAX,
    ),
    line: textIn(fields, ["line_number", "line"], NAME_MAX),
    description: textIn(fields, ["description", "message"], WORDS_MAX),
    recommendation: textIn(fields, ["recommendation", "recommended_fix", "suggested_fix"], WORDS_MAX),
  };
}

/** The first of these that says something; a list is one line for each. */
function textIn(fields: Readonly<Record<string, unknown>>, names: readonly string[], max: number): string {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const lines: readonly unknown[] = Array.isArray(value) ? value : [value];
    const text = lines
      .flatMap((line) => (typeof line === "string" || typeof line === "number" ? [String(line)] : []))
      .join("\n");
    if (text.trim() !== "") return cutValue(text, max);
  }
  return "";
}
