/** Reviews in projected files, and the fields that are remembered of them to detect changes by others. */

import type { Round } from "../../core/projection/journal-record.ts";
import type { ReviewProjection } from "../../core/model/workflow.ts";
import { nameOfBlock, partBlocks, statusOfBlock, withBlocks } from "./blocks.ts";
import { sha256 } from "../sha256.ts";
import { SEVERITIES, type Tests } from "../../core/model/verdict.ts";
import type { ReviewIssue } from "../../core/model/artifact.ts";
import { quotedLine, quotedLines, quotedName } from "../projection/sections.ts";

type ReviewFieldTexts = Readonly<Record<string, string>>;

/** Empty without a review: then no page is needed, but a page that another author wrote is replaced. */
export function fieldsOfReview(
  projection: ReviewProjection,
  root: unknown,
  isThere: () => boolean,
): ReviewFieldTexts | undefined {
  const rounds = roundsIn(projection, root);
  if (projection.as === "review-block") return blockFields(rounds.map(reviewBlock));
  const last = rounds.at(-1);
  if (last === undefined && !isThere()) return undefined;
  return { verdict: last?.word ?? "", text: shortDigest(reviewPage(last)) };
}

/** `existing` is the current text; the text around blocks stays unchanged. */
export function renderReview(projection: ReviewProjection, root: unknown, existing: string): string {
  const rounds = roundsIn(projection, root);
  if (projection.as === "review-block") return withBlocks(existing, rounds.map(reviewBlock));
  return reviewPage(rounds.at(-1));
}

/** Reads the fields of a file. */
export function readReviewFields({ as }: ReviewProjection, text: string): ReviewFieldTexts {
  if (as === "review-block") return blockFields(partBlocks(text).blocks);
  const [, verdict = ""] = /^## Verdict\s*\n\s*([^\n]*)/m.exec(text) ?? [];
  return { verdict: verdict.trim(), text: shortDigest(text) };
}

function blockFields(blocks: readonly string[]): ReviewFieldTexts {
  const fields: Record<string, string> = {};
  for (const block of blocks) {
    let name = nameOfBlock(block);
    while (Object.hasOwn(fields, name)) name += " again";
    fields[name] = `${statusOfBlock(block)} (${shortDigest(block)})`;
  }
  return fields;
}

const DIGITS = 12;

function shortDigest(text: string): string {
  return sha256(text).slice(0, DIGITS);
}

/** Only the engine builds the root. */
function roundsIn({ of }: ReviewProjection, root: unknown): readonly Round[] {
  const { reviews = {} } = root as { readonly reviews?: Readonly<Record<string, readonly Round[]>> };
  return reviews[of] ?? [];
}

/** A review as a page for people, built from the accepted reading. It is never read back: edits of it have no effect. */
const NO_REVIEW = "# Code Review\n\nNo review yet. Edits of this file have no effect.\n";

export function reviewPage(round: Round | undefined): string {
  if (round === undefined) return NO_REVIEW;
  const { iteration, summary, security, next } = round;
  const parts: readonly (readonly string[])[] = [
    [`# Code Review (Iteration ${iteration})`],
    [
      `By ${round.reviewer} at ${round.at}, from ${quotedName(round.file)}. Edits of this file have no effect.`,
    ],
    quotedLines(summary),
    ["## Test Results"],
    testLines(round.tests),
    ["## Security"],
    [security === "" ? "The review does not mention it." : quotedLine(security)],
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

/** One round, as a block at the end of the reviewed file. */
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
  approved: "Nothing is left to fix.",
  needs_revision: "Fix the listed issues; the work is reviewed again.",
  rejected: "This approach is rejected.",
};

function joined(parts: readonly (readonly string[])[]): string {
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

function testLines(tests: Tests | null): readonly string[] {
  if (tests === null) return ["The review does not report test results."];
  const { status, total, passed, failed, skipped } = tests;
  return [
    "| status | total | passed | failed | skipped |",
    "|---|---|---|---|---|",
    `| ${status ?? "UNKNOWN"} | ${total} | ${passed} | ${failed} | ${skipped} |`,
  ];
}

/** By severity, highest first. Titles are bold if `mark` is not a heading mark. */
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

/** A star would end the bold text. */
function bold(text: string): string {
  return quotedLine(text).replaceAll("*", "\\*");
}
