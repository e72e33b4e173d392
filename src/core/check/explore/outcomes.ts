/** The outcomes of an artifact that a definition can distinguish. */

import { contradictionsIn, rulesOf } from "../../gates/review-consistency.ts";
import type { Workflow } from "../../model/compile.ts";
import type { Fault, Reading } from "../../model/event.ts";
import { countedBy } from "../../model/field.ts";
import { isGrouped } from "../../gates/fan-out-groups.ts";
import {
  FAILING,
  NO_ISSUES,
  SEVERITIES,
  type IssueCounts,
  type Severity,
  type Tests,
  type Verdict,
} from "../../model/verdict.ts";
import { FACTS } from "../../model/vocabulary.ts";
import { endsOf, type Artifact, type ReviewShape, type Shape } from "../../model/artifact.ts";
import type { Literal } from "../../model/value.ts";
import type { Condition } from "../../model/workflow.ts";

export type ArtifactOutcome = Pick<Reading, "fields" | "lists" | "verdict" | "issues" | "tests" | "files"> & {
  readonly faults?: readonly Fault[];
};

const ONE_LOW: IssueCounts = { ...NO_ISSUES, low: 1 };
const ONE_CRITICAL: IssueCounts = { ...NO_ISSUES, critical: 1 };
/** With two members, all, some or none of them can succeed. */
const SLOTS = ["one", "other"];
const IN_TWO_FILES: NonNullable<Reading["files"]> = { one: "critical", other: "critical" };
const SOMEWHERE: Fault = { at: { file: "", line: 1, col: 1 }, reason: "not valid" };

const cache = new WeakMap<Workflow, Map<string, readonly ArtifactOutcome[]>>();

export function outcomesOf(workflow: Workflow, name: string, artifact: Artifact): readonly ArtifactOutcome[] {
  const known = cache.get(workflow) ?? new Map<string, readonly ArtifactOutcome[]>();
  cache.set(workflow, known);
  const found = known.get(name) ?? compute(workflow, name, artifact);
  known.set(name, found);
  return found;
}

function compute(workflow: Workflow, name: string, artifact: Artifact): ArtifactOutcome[] {
  const isByFile = fansOf(workflow, name).some(({ list }) => isGrouped(artifact, list));
  const variants = fieldsOf(workflow, name, artifact).flatMap((fields) =>
    verdictsOf(workflow, name, artifact).flatMap((verdict) =>
      listsOf(workflow, name, artifact).map((lists): ArtifactOutcome => ({
        ...verdict,
        fields: { ...verdict.fields, ...fields },
        lists,
        ...(isByFile && verdict.issues !== undefined ? { files: IN_TWO_FILES } : {}),
      })),
    ),
  );
  const tellsInvalid = conditionsOf(workflow).some(
    (condition) =>
      condition.type === "artifact" && condition.artifact === name && condition.in.includes("invalid"),
  );
  return tellsInvalid ? [...variants, { fields: {}, lists: {}, faults: [SOMEWHERE] }] : variants;
}

function fansOf({ definition }: Workflow, name: string): NonNullable<Artifact["each"]>[] {
  return Object.values(definition.artifacts).flatMap(({ each }) => (each?.artifact === name ? [each] : []));
}

/** Members for every fan-out over the list: two if allowed, and one for runs in which a parameter allows only one. */
function listsOf(workflow: Workflow, name: string, artifact: Artifact): ArtifactOutcome["lists"][] {
  const { params } = workflow.definition;
  const named = fansOf(workflow, name).filter(({ list }) => !isGrouped(artifact, list));
  const fans = named.map(({ list, max }) => {
    const param = typeof max === "object" ? params[max.param] : undefined;
    const [least, most] = param?.type === "int" ? [param.min, param.max] : [Number(max), Number(max)];
    return { list, least, most };
  });
  const listed = (count: number): ArtifactOutcome["lists"] =>
    Object.fromEntries(fans.map(({ list, most }) => [list, SLOTS.slice(0, Math.min(count, most))]));
  return fans.some(({ least, most }) => least < 2 && most > 1) ? [listed(2), listed(1)] : [listed(2)];
}

function verdictsOf(workflow: Workflow, name: string, artifact: Artifact): Omit<ArtifactOutcome, "lists">[] {
  const { reader } = artifact;
  if (reader.type === "check") {
    const ends: Omit<ArtifactOutcome, "lists">[] = [
      { verdict: "pass", fields: {} },
      ...redOf(workflow, name),
    ];
    return reader.from === undefined ? ends : [...ends, { verdict: "needs_human", fields: {} }];
  }
  if (reader.type === "children") return endsOf(reader).map((outcome) => ({ fields: { outcome } }));
  if (reader.type === "section" && reader.verdicts !== undefined)
    return distinct(reader.verdicts).map((verdict) => ({ verdict, fields: {} }));
  const review = reader.type === "json" || reader.type === "yaml" ? reader.review : undefined;
  if (review === undefined) return [{ fields: {} }];
  const claims = distinct(review.verdicts);
  if (review.issuesAt === undefined) return claims.map((verdict) => ({ verdict, fields: {} }));
  const counts = comparedCounts(workflow, name);
  return claims.flatMap((verdict) =>
    issuesBeside(verdict, counts).flatMap((issues) =>
      claimed({ review, block: leastRefusing(artifact) }, { verdict, issues }).map((claim) => ({
        ...claim,
        fields: {},
      })),
    ),
  );
}

/**
 * An approval may come with issues: a note, or a blocking issue, depending on the threshold. If guards count issues, with each
 * number that they distinguish.
 */
function issuesBeside(verdict: Verdict, counts: ReadonlyMap<Severity, readonly number[]>): IssueCounts[] {
  const isCounted = counts.size > 0;
  let all = verdict.startsWith("pass") || isCounted ? [NO_ISSUES, ONE_LOW, ONE_CRITICAL] : [ONE_CRITICAL];
  for (const [severity, numbers] of counts)
    all = all.flatMap((issues) =>
      numbers.map((number) => ({
        ...issues,
        ...(severity === "high" ? { critical: 0 } : {}),
        [severity]: number,
      })),
    );
  return [...new Map(all.map((issues) => [JSON.stringify(issues), issues])).values()];
}

const GREEN = { total: 1, passed: 1, failed: 0, skipped: 0 };
const RED = { total: 1, passed: 0, failed: 1, skipped: 0 };

type Claimed = { readonly verdict: Verdict; readonly issues: IssueCounts; readonly tests?: Tests };

/**
 * The claim, with test counts that do not contradict it; none if the claim contradicts itself in any case, because it never
 * counts.
 */
function claimed({ review, block }: { review: ReviewShape; block: Severity }, claim: Claimed): Claimed[] {
  const rules = rulesOf(review, block);
  const tried = review.testsAt === undefined ? [claim] : [GREEN, RED].map((tests) => ({ ...claim, tests }));
  const sound = tried.find((each) => contradictionsIn(each, rules).length === 0);
  return sound === undefined ? [] : [sound];
}

/** The threshold. For a parameter, the most lenient value, because a run with another value computes its own status. */
function leastRefusing({ block }: Artifact): Severity {
  return SEVERITIES.find((severity) => severity === block) ?? "critical";
}

/** For each severity that guards count, numbers on both sides of the compared values. */
function comparedCounts(workflow: Workflow, name: string): Map<Severity, number[]> {
  const reader = workflow.definition.artifacts[name]?.reader;
  const counts = new Map<Severity, number[]>();
  for (const condition of conditionsOf(workflow)) {
    if (!isAboutField(condition) || condition.artifact !== name) continue;
    const severity = countedBy(reader, condition.field);
    if (severity === undefined) continue;
    const near = [0, ...(counts.get(severity) ?? []), ...besides(condition)];
    counts.set(
      severity,
      [...new Set(near)].filter((count) => Number.isInteger(count) && count >= 0),
    );
  }
  return counts;
}

export type AboutField = Extract<Condition, { type: "field" | "least" | "most" }>;

export function isAboutField(condition: Condition): condition is AboutField {
  return condition.type === "field" || condition.type === "least" || condition.type === "most";
}

function besides(condition: AboutField): number[] {
  switch (condition.type) {
    case "least":
      return [condition.min, condition.min - 1];
    case "most":
      return [condition.max, condition.max + 1];
    case "field":
      return condition.in.flatMap((value) => (typeof value === "number" ? [value, value + 1] : []));
  }
}

/** Only a failed check has a place of failure. */
function redOf(workflow: Workflow, name: string): Omit<ArtifactOutcome, "lists">[] {
  const isRead = comparedFields(workflow, name).has("failing");
  return isRead
    ? FAILING.map((failing) => ({ verdict: "needs_fix", fields: { failing } }))
    : [{ verdict: "needs_fix", fields: {} }];
}

function distinct(words: Readonly<Record<string, Verdict>>): Verdict[] {
  return [...new Set(Object.values(words))];
}

/** The number of combinations of field values to explore. */
export function fieldCombinations(workflow: Workflow, name: string, { reader }: Artifact): number {
  const shape = shapeOf(reader);
  let count = 1;
  for (const [field, told] of comparedFields(workflow, name)) {
    count *= valuesOf(shape, field, told).length + (isRequired(shape, field) ? 0 : 1);
  }
  return count;
}

/** The number of members is never negative. */
function sizeOf(field: string): Shape {
  const required: Record<string, Shape> = { [field]: { type: "list", of: { type: "text" } } };
  return { type: "object", required, optional: {}, open: false };
}

function shapeOf(reader: Artifact["reader"]): Shape | undefined {
  if (reader.type === "fact") return FACTS[reader.fact]?.fields;
  if (reader.type === "document") return reader.front?.shape;
  if (reader.type === "files") return reader.select === "paths" ? sizeOf("found") : undefined;
  if (reader.type === "check") return sizeOf("manual");
  return reader.type === "json" || reader.type === "yaml" ? reader.shape : undefined;
}

function comparedFields(workflow: Workflow, name: string): Map<string, Literal[]> {
  const compared = new Map<string, Literal[]>();
  for (const condition of conditionsOf(workflow)) {
    if (!isAboutField(condition) || condition.artifact !== name) continue;
    if (countedBy(workflow.definition.artifacts[name]?.reader, condition.field) !== undefined) continue;
    const told = condition.type === "field" ? condition.in : besides(condition);
    compared.set(condition.field, [...(compared.get(condition.field) ?? []), ...told]);
  }
  return compared;
}

/** Every combination of the values that guards compare this artifact's fields with, and of other values that its shape allows. */
function fieldsOf(workflow: Workflow, name: string, { reader }: Artifact): Record<string, Literal>[] {
  const shape = shapeOf(reader);
  let all: Record<string, Literal>[] = [{}];
  for (const [field, told] of comparedFields(workflow, name)) {
    // Only a failed check has the field `failing`.
    if (reader.type === "check" && field === "failing") continue;
    const values = valuesOf(shape, field, told);
    const given = all.flatMap((fields) => values.map((value) => ({ ...fields, [field]: value })));
    all = isRequired(shape, field) ? given : [...given, ...all];
  }
  return all;
}

/** Whether the field always has a value. A missing list has no members. */
function isRequired(shape: Shape | undefined, field: string): boolean {
  if (shape?.type !== "object") return false;
  return Object.hasOwn(shape.required, field) || shape.optional[field]?.type === "list";
}

function valuesOf(shape: Shape | undefined, field: string, told: readonly Literal[]): Literal[] {
  const inner = shape?.type === "object" ? (shape.required[field] ?? shape.optional[field]) : undefined;
  if (inner !== undefined && "values" in inner && inner.values !== undefined) return [...inner.values];
  if (inner?.type === "boolean") return [true, false];
  const others = new Set(told);
  for (const value of told) {
    if (typeof value === "boolean") others.add(!value);
    else if (typeof value === "string") others.add("(other)");
    else others.add(Math.max(...told.filter((each) => typeof each === "number")) + 1);
  }
  const isSize = inner?.type === "list";
  return [...others].filter((value) => !isSize || (typeof value === "number" && value >= 0));
}

export function conditionsOf(workflow: Workflow): Condition[] {
  const { moves, assertions } = workflow.definition;
  return [
    ...moves.flatMap((move) => move.when),
    ...assertions.flatMap((assertion) => [...assertion.when, ...assertion.unless].flat()),
  ];
}
