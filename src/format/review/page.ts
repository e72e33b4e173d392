/** A review as a page for people, made of what was taken in. Nobody reads it back: what somebody writes there counts for nothing. */

import type { Round } from "../../core/projection/journal-record.ts";
import { SEVERITIES, type Tests } from "../../core/model/verdict.ts";
import type { ReviewIssue } from "../../core/model/artifact.ts";
import { quotedLine, quotedLines, quotedName } from "../projection/quoted.ts";

const NO_REVIEW = "# Code Review\n\nThere is none yet. Changes here count for nothing.\n";

export function reviewPage(round: Round | undefined): string {
  if (round === undefined) return NO_REVIEW;
  const { iteration, summary, security, next } = round;
  const parts: readonly (readonly string[])[] = [
    [`# Code Review (Iteration ${iteration})`],
    [`By ${round.reviewer} at ${round.at}, from ${quotedName(round.file)}. Changes here count for nothing.`],
    quotedLines(summary),
    ["## Test Results"],
    testLines(round.tests),
    ["## Security"],
    [security === "" ? "Nothing is said of it." : quotedLine(security)],
    ["## Issues"],
    ...issueParts(round, "###"),
    ["## Verdict"],
    [quotedLine(round.word)],
    ...(round.claimed === round.verdict ? [] : [[`It counts as ${round.verdict}.`]]),
    ["## Next Steps"],
    next === "" ? [NEXT[round.status]] : quotedLines(next),
  ];
  return `${joined(parts)}\n`;
}

/** One round, as it stands at the end of what was reviewed. */
export function reviewBlock(round: Round): string {
  const { status, iteration, reviewer, summary, next } = round;
  const parts: readonly (readonly string[])[] = [
    [`<review status="${status}" iteration="${iteration}" reviewer="${reviewer}">`],
    ...(summary === "" ? [] : [["**Summary**"], quotedLines(summary)]),
    ["**Issues**"],
    ...issueParts(round, ""),
    [`**Verdict**: ${quotedLine(round.word)}`],
    ["**Next Steps**"],
    next === "" ? [NEXT[status]] : quotedLines(next),
    ["</review>"],
  ];
  return joined(parts);
}

const NEXT: Readonly<Record<Round["status"], string>> = {
  approved: "Nothing is left to mend.",
  needs_revision: "Mend what is listed; it is reviewed again.",
  rejected: "It is not to be done like this.",
};

function joined(parts: readonly (readonly string[])[]): string {
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function testLines(tests: Tests | null): readonly string[] {
  if (tests === null) return ["Nothing is said of the tests."];
  const { status, total, passed, failed, skipped } = tests;
  return [
    "| status | total | passed | failed | skipped |",
    "|---|---|---|---|---|",
    `| ${status ?? "UNKNOWN"} | ${total} | ${passed} | ${failed} | ${skipped} |`,
  ];
}

/** By severity, the highest first. Without a mark for headings, in bold. */
function issueParts({ issues, more, file }: Round, mark: string): (readonly string[])[] {
  const parts = SEVERITIES.flatMap((severity) => {
    const own = issues.filter((issue) => issue.severity === severity);
    const title = `${severity.toUpperCase()} (${own.length})`;
    return own.length === 0
      ? []
      : [[mark === "" ? `**${title}**` : `${mark} ${title}`], ...own.flatMap(issueLines)];
  });
  const left = more === 0 ? [] : [[`${more} more: see ${quotedName(file)}.`]];
  return parts.length + left.length === 0 ? [["None."]] : [...parts, ...left];
}

function issueLines(issue: ReviewIssue, index: number): (readonly string[])[] {
  const { title, file, line, description, recommendation } = issue;
  const name = title === "" ? "" : ` **${bold(title)}**`;
  const place = file === "" ? "" : ` ${quotedName(line === "" ? file : `${file}:${line}`)}`;
  const advice = quotedLines(recommendation);
  return [
    [`${index + 1}.${name}${place}`],
    quotedLines(description),
    ...(advice.length === 0 ? [] : [["Recommendation:"], advice]),
  ];
}

/** Inside of bold, a star would end it. */
function bold(text: string): string {
  return quotedLine(text).replaceAll("*", "\\*");
}
