/** The outcomes of an artifact that a definition can tell apart. */

import type { Workflow } from "../compile.ts";
import type { Fault, Reading } from "../event.ts";
import { NO_ISSUES, type IssueCounts, type Verdict } from "../verdict.ts";
import type { Artifact, Condition, Literal } from "../workflow.ts";


export type Outcome = Pick<Reading, "fields" | "lists" | "verdict" | "issues"> & { readonly faults?: readonly Fault[] };

const ONE_LOW: IssueCounts = { ...NO_ISSUES, low: 1 };
const ONE_CRITICAL: IssueCounts = { ...NO_ISSUES, critical: 1 };
/** Two members are enough to have all, some and none of them succeed. */
const SLOTS = ["one", "other"];
const SOMEWHERE: Fault = { at: { file: "", line: 1, col: 1 }, reason: "not valid" };

const cache = new WeakMap<Workflow, Map<string, readonly Outcome[]>>();

export function outcomesOf(workflow: Workflow, name: string, artifact: Artifact): readonly Outcome[] {
  const known = cache.get(workflow) ?? new Map<string, readonly Outcome[]>();
  cache.set(workflow, known);
  const found = known.get(name) ?? compute(workflow, name, artifact);
  known.set(name, found);
  return found;
}

function compute(workflow: Workflow, name: string, artifact: Artifact): Outcome[] {
  const lists = Object.fromEntries(Object.values(workflow.definition.artifacts).flatMap(({ each }) => (each?.artifact === name ? [[each.list, SLOTS]] : [])));
  const variants = fieldsOf(workflow, name).flatMap((fields) => verdictsOf(artifact).map((verdict): Outcome => ({ ...verdict, fields: { ...verdict.fields, ...fields }, lists })));
  const tellsInvalid = conditionsOf(workflow).some((condition) => condition.type === "artifact" && condition.artifact === name && condition.in.includes("invalid"));
  return tellsInvalid ? [...variants, { fields: {}, lists: {}, faults: [SOMEWHERE] }] : variants;
}

function verdictsOf(artifact: Artifact): Omit<Outcome, "lists">[] {
  const { reader } = artifact;
  if (reader.type === "check") return (["pass", "needs_fix"] as const).map((verdict) => ({ verdict, fields: {} }));
  if (reader.type === "children") return ["all", "some", "none"].map((outcome) => ({ fields: { outcome } }));
  if (reader.type === "section" && reader.verdicts !== undefined) return distinct(reader.verdicts).map((verdict) => ({ verdict, fields: {} }));
  const review = reader.type === "json" || reader.type === "yaml" ? reader.review : undefined;
  if (review === undefined) return [{ fields: {} }];
  const claims = distinct(review.verdicts);
  if (review.issuesAt === undefined) return claims.map((verdict) => ({ verdict, fields: {} }));
  const judged = claims.map((verdict) => ({ verdict, issues: verdict.startsWith("pass") ? NO_ISSUES : ONE_CRITICAL, fields: {} }));
  // An approval that comes with a small issue: a note, or a reason to mend, by the threshold.
  return claims.includes("pass") ? [...judged, { verdict: "pass", issues: ONE_LOW, fields: {} }] : judged;
}

function distinct(words: Readonly<Record<string, Verdict>>): Verdict[] {
  return [...new Set(Object.values(words))];
}

/** Every combination of the values that guards compare this artifact's fields with, and of one that none does. */
function fieldsOf(workflow: Workflow, name: string): Record<string, Literal>[] {
  const values = new Map<string, Set<Literal>>();
  for (const condition of conditionsOf(workflow)) {
    if ((condition.type !== "field" && condition.type !== "least") || condition.artifact !== name) continue;
    const known = values.get(condition.field) ?? new Set<Literal>();
    const told = condition.type === "least" ? [condition.min, condition.min - 1] : [...condition.in, ...condition.in.filter((value) => typeof value === "boolean").map((value) => !value)];
    for (const value of told) known.add(value);
    if (condition.type === "field" && condition.in.some((value) => typeof value === "string")) known.add("(other)");
    values.set(condition.field, known);
  }
  let all: Record<string, Literal>[] = [{}];
  for (const [field, known] of values) all = all.flatMap((fields) => [...known].map((value) => ({ ...fields, [field]: value })));
  return all;
}

export function conditionsOf(workflow: Workflow): Condition[] {
  const { moves, assertions } = workflow.definition;
  return [...moves.flatMap((move) => move.when), ...assertions.flatMap((assertion) => [...assertion.when, ...assertion.unless].flat())];
}
