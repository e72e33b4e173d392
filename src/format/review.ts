/**
 * A review as its artifact wants it, made of what a reviewer says in fields.
 *
 * What does not fit the contract, or does not agree with itself, is told and never written: a verdict that approves beside an issue
 * that blocks is a slip of somebody's, and which of the two is meant only its author knows.
 */

import {
  judge,
  NO_ISSUES,
  SEVERITIES,
  type IssueCounts,
  type Severity,
  type Verdict,
} from "../core/verdict.ts";
import type { Artifact, Reader, ReviewShape, Shape } from "../core/workflow.ts";
import { pathOf, readReview } from "./json/review.ts";
import { isObject, misfits } from "./json/shape.ts";
import { SEVERITY_WORDS, sectionShape, sectionText } from "./review-section.ts";

export type MadeReview =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

type ObjectShape = Extract<Shape, { type: "object" }>;
type DataReader = Extract<Reader, { type: "json" | "yaml" }>;
type Said = Readonly<Record<string, unknown>>;

/** What a review of this artifact is made of; `undefined` for an artifact that says no verdict. */
export function reviewShape({ reader }: Pick<Artifact, "reader">): ObjectShape | undefined {
  if (reader.type === "section")
    return reader.verdicts === undefined ? undefined : sectionShape(reader, reader.verdicts);
  if (reader.type !== "json" && reader.type !== "yaml") return undefined;
  return reader.review === undefined ? undefined : dataShape(reader, reader.review);
}

/** A verdict line has no issues that the engine could count: what nobody would approve of is not approved. */
const BLOCKS_BESIDE_A_LINE: Severity = "high";

/** `block` is the lowest severity that blocks in this run. */
export function makeReview(artifact: Pick<Artifact, "reader">, said: unknown, block: Severity): MadeReview {
  const shape = reviewShape(artifact);
  if (shape === undefined) return no("it is no review: nothing in it says a verdict");
  if (!isObject(said)) return no("a review is one object");
  const wrong = misfits(shape, said);
  if (wrong.length > 0)
    return no(
      wrong
        .slice(0, REASONS_MAX)
        .map(({ reason }) => reason)
        .join("; "),
    );
  const { reader } = artifact;
  if (reader.type === "section") {
    const issues = countsIn(said["issues"]);
    const doubt = doubtOf(said, { verdicts: reader.verdicts ?? {}, issues, block: BLOCKS_BESIDE_A_LINE });
    return doubt === undefined ? { ok: true, text: sectionText(said) } : no(doubt);
  }
  if ((reader.type !== "json" && reader.type !== "yaml") || reader.review === undefined)
    return no("it is no review");
  const data = documentOf(reader.review, said);
  const { issues } = readReview(reader.review, data);
  const doubt = doubtOf(said, { verdicts: reader.review.verdicts, issues, block });
  if (doubt !== undefined) return no(doubt);
  return { ok: true, text: `${JSON.stringify(data, undefined, 2)}\n` };
}

/** Nobody mends more at a time. */
const REASONS_MAX = 5;

function no(reason: string): MadeReview {
  return { ok: false, reason };
}

/** The contract's own shape, with the verdict under the one name that all reviews share, and no word that does not count. */
function dataShape({ shape }: DataReader, review: ReviewShape): ObjectShape {
  const { verdictAt, verdicts, issuesAt, severityAt = "severity", severities } = review;
  const verdict: Shape = { type: "text", values: Object.keys(verdicts) };
  if (shape?.type !== "object" || verdictAt.includes("."))
    return { type: "object", required: { verdict }, optional: {}, open: true };
  const ranks = severities === undefined ? [...SEVERITIES] : Object.keys(severities);
  const own = (fields: ObjectShape["required"]): ObjectShape["required"] =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([key]) => key !== verdictAt)
        .map(([key, inner]) => [key, key === issuesAt ? ranked(inner, severityAt, ranks) : inner]),
    );
  return { ...shape, required: { verdict, ...own(shape.required) }, optional: own(shape.optional) };
}

function ranked(shape: Shape, severityAt: string, values: readonly string[]): Shape {
  if (shape.type !== "list" || shape.of.type !== "object") return shape;
  const { of } = shape;
  if (!Object.hasOwn(of.required, severityAt)) return shape;
  return { ...shape, of: { ...of, required: { ...of.required, [severityAt]: { type: "text", values } } } };
}

/** The verdict goes to where the contract has it. */
function documentOf({ verdictAt }: ReviewShape, { verdict, ...rest }: Said): Said {
  return placed(rest, pathOf(verdictAt).map(String), verdict);
}

function placed(data: unknown, [key = "", ...below]: readonly string[], value: unknown): Said {
  const known = isObject(data) ? data : {};
  if (below.length === 0) return { [key]: value, ...known };
  return { ...known, [key]: placed(known[key], below, value) };
}

type Claim = {
  readonly verdicts: Readonly<Record<string, Verdict>>;
  readonly issues: IssueCounts | undefined;
  readonly block: Severity;
};

const APPROVES: ReadonlySet<Verdict> = new Set(["pass", "pass_with_notes"]);

/** Why verdict, issues and tests cannot all be meant. */
function doubtOf(said: Said, { verdicts, issues, block }: Claim): string | undefined {
  const word = String(said["verdict"]);
  const claimed = verdicts[word];
  if (claimed === undefined) return `the verdict ${word} is unknown`;
  const judged = judge(claimed, issues, block);
  if (judged === "invalid") return `the verdict ${word} needs an issue, and there is none`;
  if (APPROVES.has(claimed) && !APPROVES.has(judged))
    return `the verdict ${word} does not agree with its issues: ${block} and above block`;
  return doubtOfTests(said["tests"], APPROVES.has(claimed) ? word : undefined);
}

function doubtOfTests(tests: unknown, approval: string | undefined): string | undefined {
  if (!isObject(tests)) return undefined;
  const count = (name: string): number => (typeof tests[name] === "number" ? tests[name] : 0);
  const [passed, failed, skipped, total] = ["passed", "failed", "skipped", "total"].map(count);
  if (typeof tests["total"] === "number" && (passed ?? 0) + (failed ?? 0) + (skipped ?? 0) !== total)
    return `of ${total} tests, ${passed} passed, ${failed} failed and ${skipped} were skipped: that is another number`;
  if (approval === undefined || failed === 0) return undefined;
  return `the verdict ${approval} does not agree with ${failed} failed tests`;
}

/** Issues beside a verdict line count as those of a data file do; where there are none, the text says why. */
function countsIn(issues: unknown): IssueCounts | undefined {
  if (!Array.isArray(issues) || issues.length === 0) return undefined;
  const counts = { ...NO_ISSUES };
  for (const issue of issues) {
    const word: unknown = isObject(issue) ? issue["severity"] : undefined;
    counts[typeof word === "string" ? (SEVERITY_WORDS[word] ?? "critical") : "critical"] += 1;
  }
  return counts;
}
