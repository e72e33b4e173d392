/**
 * Writes a review in the format of its artifact, from the fields that a reviewer submits.
 *
 * A review that violates the contract or contradicts itself is rejected and never written. An approval with a blocking issue is a
 * mistake, and only its author knows which of the two is meant.
 */

import { rulesOf, sayContradictions, type ReviewClaim } from "../../core/gates/review-consistency.ts";
import {
  NO_ISSUES,
  SEVERITIES,
  TEST_WORDS,
  type IssueCounts,
  type Severity,
  type Verdict,
} from "../../core/model/verdict.ts";
import type {
  Artifact,
  Reader,
  ReviewShape,
  Shape,
  DataReader,
  ObjectShape,
} from "../../core/model/artifact.ts";
import { readReview, readTests } from "../json/review.ts";
import { isObject, misfits, pathOf, type ShapeMisfit } from "../json/shape.ts";

export type MadeReview =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

/** The fields of a review for this artifact; `undefined` for an artifact without a verdict. */
export function reviewShape({ reader }: Pick<Artifact, "reader">): ObjectShape | undefined {
  if (reader.type === "section")
    return reader.verdicts === undefined ? undefined : sectionShape(reader, reader.verdicts);
  if (reader.type !== "json" && reader.type !== "yaml") return undefined;
  return reader.review === undefined ? undefined : dataShape(reader, reader.review);
}

/** `block` is the lowest severity that blocks in this run. */
export function makeReview(artifact: Pick<Artifact, "reader">, said: unknown, block: Severity): MadeReview {
  const { reader } = artifact;
  const shape = reviewShape(artifact);
  if (shape === undefined) return no("the artifact is not a review: it has no verdict");
  if (!isObject(said)) return no("a review is one object");
  const wrong = misfits(shape, said);
  if (wrong.length > 0) return no(reasonsOf(wrong));
  const draft =
    reader.type === "section" ? sectionDraft(reader.verdicts ?? {}, said) : dataDraft(reader, said);
  if (draft.misfits.length > 0) return no(reasonsOf(draft.misfits));
  const { claim, text, review } = draft;
  if (claim === undefined) return no("the review has no verdict");
  // An inconsistent approval is a mistake, even if the gate would accept it as the verdict that its issues imply.
  const rules = APPROVES.has(claim.verdict)
    ? { block: review === undefined ? BLOCKS_BESIDE_A_LINE : block, isStrict: true }
    : rulesOf(review, block);
  const doubt = sayContradictions(claim, rules, String(said["verdict"]));
  return doubt === "" ? { ok: true, text } : no(doubt);
}

const APPROVES: ReadonlySet<Verdict> = new Set(["pass", "pass_with_notes"]);

/** The engine counts no issues for a verdict line, so an approval with an issue of this severity is rejected here. */
const BLOCKS_BESIDE_A_LINE: Severity = "high";

/** A longer list would not help: authors fix a few faults at a time. */
const REASONS_MAX = 5;

function reasonsOf(wrong: readonly ShapeMisfit[]): string {
  return wrong
    .slice(0, REASONS_MAX)
    .map(({ reason }) => reason)
    .join("; ");
}

function no(reason: string): MadeReview {
  return { ok: false, reason };
}

/** A review before the consistency check. */
type ReviewDraft = {
  readonly text: string;
  readonly claim: ReviewClaim | undefined;
  readonly misfits: readonly ShapeMisfit[];
  /** Only for data files. */
  readonly review?: ReviewShape;
};

function sectionDraft(verdicts: Readonly<Record<string, Verdict>>, said: ReviewInput): ReviewDraft {
  const { tests, misfits: unsound } = readTests(said["tests"], ["tests"]);
  const verdict = verdicts[String(said["verdict"])];
  const claim = verdict === undefined ? undefined : { verdict, issues: countsIn(said["issues"]), tests };
  return { text: sectionText(said), claim, misfits: unsound };
}

function dataDraft(reader: Reader, said: ReviewInput): ReviewDraft {
  const review = reader.type === "json" || reader.type === "yaml" ? reader.review : undefined;
  if (review === undefined) return { text: "", claim: undefined, misfits: [] };
  const data = documentOf(review, said);
  const { verdict, issues, tests, misfits: unsound } = readReview(review, data);
  const claim = verdict === undefined ? undefined : { verdict, issues, tests };
  return { text: `${JSON.stringify(data, undefined, 2)}\n`, claim, misfits: unsound, review };
}

/** The contract's own shape, with the verdict under the name that all reviews share, and only words with a meaning. */
function dataShape({ shape }: DataReader, review: ReviewShape): ObjectShape {
  const { verdictAt, verdicts, issuesAt, severityAt = "severity", severities } = review;
  const verdict: Shape = { type: "text", values: Object.keys(verdicts) };
  if (verdictAt.includes(".")) return { type: "object", required: { verdict }, optional: {}, open: true };
  const ranks = severities === undefined ? [...SEVERITIES] : Object.keys(severities);
  const own = (fields: ObjectShape["required"]): ObjectShape["required"] =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([key]) => key !== verdictAt)
        .map(([key, inner]) => [key, key === issuesAt ? ranked(inner, severityAt, ranks) : inner]),
    );
  const whole = shape?.type === "object" ? shape : shapeWithout(review);
  return { ...whole, required: { verdict, ...own(whole.required) }, optional: own(whole.optional) };
}

/** Without a shape in the contract: the fields that the reader uses, and any others. */
function shapeWithout({ issuesAt, severityAt = "severity", testsAt }: ReviewShape): ObjectShape {
  const severity: Shape = { type: "text" };
  const issue: Shape = { type: "object", required: { [severityAt]: severity }, optional: {}, open: true };
  const isKey = (path: string | undefined): path is string => path !== undefined && !path.includes(".");
  return {
    type: "object",
    required: isKey(issuesAt) ? { [issuesAt]: { type: "list", of: issue } } : {},
    optional: isKey(testsAt) ? { [testsAt]: TESTS } : {},
    open: true,
  };
}

function ranked(shape: Shape, severityAt: string, values: readonly string[]): Shape {
  if (shape.type !== "list" || shape.of.type !== "object") return shape;
  const { of } = shape;
  if (!Object.hasOwn(of.required, severityAt)) return shape;
  return { ...shape, of: { ...of, required: { ...of.required, [severityAt]: { type: "text", values } } } };
}

/** Moves the verdict to the path of the contract. */
function documentOf({ verdictAt }: ReviewShape, { verdict, ...rest }: ReviewInput): ReviewInput {
  return placed(rest, pathOf(verdictAt).map(String), verdict);
}

function placed(data: unknown, [key = "", ...below]: readonly string[], value: unknown): ReviewInput {
  const known = isObject(data) ? data : {};
  if (below.length === 0) return { [key]: value, ...known };
  return { ...known, [key]: placed(known[key], below, value) };
}

/** Issues of a section count like those of a data file; without issues, the text gives the reason. */
function countsIn(issues: unknown): IssueCounts | undefined {
  if (!Array.isArray(issues) || issues.length === 0) return undefined;
  const counts = { ...NO_ISSUES };
  for (const issue of issues) {
    const word: unknown = isObject(issue) ? issue["severity"] : undefined;
    counts[typeof word === "string" ? (SEVERITY_WORDS[word] ?? "critical") : "critical"] += 1;
  }
  return counts;
}

/** A review as a section of a page: its fields and its text format. */

type ReviewInput = Readonly<Record<string, unknown>>;

/** Words for severities if the definition has none. */
const SEVERITY_WORDS: Readonly<Record<string, Severity>> = {
  CRITICAL: "critical",
  HIGH: "high",
  MEDIUM: "medium",
  LOW: "low",
};

const TEXT: Shape = { type: "text" };
const NUMBER: Shape = { type: "number" };

const ISSUE: Shape = {
  type: "object",
  required: { severity: { type: "text", values: Object.keys(SEVERITY_WORDS) }, title: TEXT },
  optional: { category: TEXT, file: TEXT, line: NUMBER, description: TEXT, recommendation: TEXT },
  open: false,
};

const TESTS: Shape = {
  type: "object",
  required: { total: NUMBER, passed: NUMBER, failed: NUMBER },
  optional: { skipped: NUMBER, status: { type: "text", values: TEST_WORDS } },
  open: false,
};

/** The words that the section must have are fields as well. */
function sectionShape(
  { any, all }: Extract<Reader, { type: "section" }>,
  verdicts: Readonly<Record<string, Verdict>>,
): ObjectShape {
  const texts = (words: readonly string[]): Record<string, Shape> =>
    Object.fromEntries(words.map((word) => [word, TEXT]));
  return {
    type: "object",
    required: { verdict: { type: "text", values: Object.keys(verdicts) }, ...texts(all) },
    optional: { summary: TEXT, issues: { type: "list", of: ISSUE }, tests: TESTS, ...texts(any) },
    open: false,
  };
}

/** The verdict is alone on the first line: any further text would change its word. */
function sectionText({ verdict, summary, issues, tests, ...words }: ReviewInput): string {
  const listed: readonly unknown[] = Array.isArray(issues) ? issues : [];
  const parts = [
    `Verdict: ${String(verdict)}`,
    textOf(summary),
    ...Object.entries(words).map(([word, text]) => `${word}: ${textOf(text)}`),
    testsLine(tests),
    listed.map((issue) => issueLines(isObject(issue) ? issue : {})).join("\n"),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
}

function testsLine(tests: unknown): string {
  if (!isObject(tests)) return "";
  const counted = ["passed", "failed", "skipped"].filter((name) => typeof tests[name] === "number");
  return counted.length === 0
    ? ""
    : `Tests: ${counted.map((name) => `${textOf(tests[name])} ${name}`).join(", ")}.`;
}

/** Indented, so that no line of a description becomes a heading or a verdict of the page. */
function issueLines(issue: ReviewInput): string {
  const file = textOf(issue["file"]);
  const line = textOf(issue["line"]);
  const category = textOf(issue["category"]);
  const fix = textOf(issue["recommendation"]);
  const head = [
    `**${textOf(issue["severity"])}**`,
    ...(file === "" ? [] : [`\`${oneLine(file)}${line === "" ? "" : `:${line}`}\``]),
    ...(category === "" ? [] : [`(${oneLine(category)})`]),
    oneLine(textOf(issue["title"])),
  ].join(" ");
  const below = [textOf(issue["description"]), ...(fix === "" ? [] : [`Fix: ${fix}`])];
  return [`- ${head}`, ...below.filter((text) => text !== "").map(indented)].join("\n");
}

function oneLine(text: string): string {
  return text.replaceAll("`", "'").replaceAll(/\s+/g, " ");
}

function indented(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map((line) => (line.trim() === "" ? "" : `  ${line}`))
    .join("\n");
}
