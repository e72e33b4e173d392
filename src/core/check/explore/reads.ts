/**
 * What moves and claims can tell of an artifact, one by one.
 *
 * Where only some of it still lies ahead, two runs that differ in the rest are the same: how a check came out makes no difference where all that
 * anybody asks before it is run again is whether it is green.
 */

import type { Workflow } from "../../model/compile.ts";
import type { Condition } from "../../model/workflow.ts";
import { dueIn, isTooEarly } from "../defects/orders.ts";
import { conditionsOf, isAboutField, outcomesOf, type AboutField } from "./outcomes.ts";
import type { Here } from "./places.ts";

export type Read = { readonly artifact: string } & (
  | { readonly type: "standing"; readonly condition: AboutStanding }
  | { readonly type: "field"; readonly condition: AboutField }
  /** Whether it lets a gate pass. */
  | { readonly type: "good" }
  /** All that is told of it anywhere: another artifact is about it, or takes its members from it. */
  | { readonly type: "whole" }
  /** Whether there is one at all: only then can it be an old one later. */
  | { readonly type: "there" }
  /** It may be taken in once more: what was waived stays so whatever that says. */
  | { readonly type: "again" }
);

type AboutStanding = Extract<Condition, { type: "artifact" }>;

export type Reads = {
  readonly all: readonly Read[];
  in(here: Here): readonly Read[];
  /** What must be known of an artifact before it begins anew, or is waived, for this to be known behind it. */
  whenRenewed(read: Read): Read | undefined;
};

export function readsOf(workflow: Workflow): Reads {
  const names = Object.keys(workflow.definition.artifacts);
  const table = new Map<string, Read>();
  const known = (read: Read): Read => {
    const name = nameOf(read);
    const same = table.get(name) ?? read;
    table.set(name, same);
    return same;
  };
  for (const artifact of names)
    for (const type of ["good", "whole", "there", "again"] as const) known({ artifact, type });
  for (const condition of conditionsOf(workflow)) readBy(condition).forEach(known);
  const told = toldWhenOld(conditionsOf(workflow));
  const ordered = dueIn(workflow);
  const changing = new Set(names.filter((name) => mayTurn(workflow, name)));
  return {
    all: [...table.values()],
    in: (here) => [
      ...conditionsIn(workflow, here).flatMap(readBy).map(known),
      ...here.moves.flatMap(({ need }) => need).map((artifact) => known({ artifact, type: "good" })),
      ...behind(workflow, directlyIn(workflow, here)).map((artifact) => known({ artifact, type: "whole" })),
      ...names
        .filter((name) => changing.has(name) && !isTooEarly(workflow, name, { ordered, state: here.state }))
        .map((artifact) => known({ artifact, type: "again" })),
    ],
    whenRenewed: (read) =>
      isOfOld(read, told) ? known({ artifact: read.artifact, type: "there" }) : undefined,
  };
}

function readBy(condition: Condition): Read[] {
  if (condition.type === "artifact") return [{ type: "standing", artifact: condition.artifact, condition }];
  return isAboutField(condition) ? [{ type: "field", artifact: condition.artifact, condition }] : [];
}

function nameOf(read: Read): string {
  return `${read.artifact} ${read.type} ${"condition" in read ? JSON.stringify(read.condition) : ""}`;
}

/** Whether one that is good may be something else later by itself: it can come out in several ways, or somebody else may write over it. */
function mayTurn(workflow: Workflow, name: string): boolean {
  const { artifacts } = workflow.definition;
  const artifact = artifacts[name];
  if (artifact === undefined) return false;
  return (
    outcomesOf(workflow, name, artifact).length > 1 ||
    conditionsOf(workflow).some((condition) => "artifact" in condition && condition.artifact === name) ||
    Object.values(artifacts).some(({ bind }) => bind.includes(name))
  );
}

/** Artifacts of which a guard tells an old one from none at all: they matter even when they begin anew. */
export function toldWhenOld(conditions: readonly Condition[]): ReadonlySet<string> {
  const names = conditions.flatMap((condition) =>
    condition.type === "artifact" && condition.in.includes("stale") !== condition.in.includes("missing")
      ? [condition.artifact]
      : [],
  );
  return new Set(names);
}

function isOfOld(read: Read, told: ReadonlySet<string>): boolean {
  switch (read.type) {
    case "standing":
      return toldWhenOld([read.condition]).size > 0;
    case "there":
      return true;
    case "whole":
      return told.has(read.artifact);
    case "field":
    case "good":
    case "again":
      return false;
  }
}

export function conditionsIn(workflow: Workflow, { state, moves }: Here): Condition[] {
  const claims = workflow.definition.assertions.filter((assertion) => assertion.in.includes(state));
  return [
    ...moves.flatMap((move) => move.when),
    ...claims.flatMap((claim) => [...claim.when, ...claim.unless].flat()),
  ];
}

export function artifactsReadIn(workflow: Workflow, here: Here): string[] {
  const direct = directlyIn(workflow, here);
  return [...new Set([...direct, ...behind(workflow, direct)])];
}

function directlyIn(workflow: Workflow, here: Here): string[] {
  return [
    ...here.moves.flatMap((move) => move.need),
    ...conditionsIn(workflow, here).flatMap((condition) =>
      "artifact" in condition ? [condition.artifact] : [],
    ),
  ];
}

/**
 * All that these depend on. A fan-out takes its members from another artifact; what an artifact is bound to makes it stale when it changes.
 */
function behind({ definition }: Workflow, names: readonly string[]): string[] {
  const all = new Set<string>();
  const visit = (name: string): void => {
    const artifact = definition.artifacts[name];
    const lists = [artifact?.each, artifact?.every].flatMap((from) =>
      from === undefined ? [] : [from.artifact],
    );
    const reader = artifact?.reader;
    const named = reader?.type === "files" && "tasks" in reader ? [reader.tasks] : [];
    for (const other of [...(artifact?.bind ?? []), ...lists, ...named]) {
      if (all.has(other) || !Object.hasOwn(definition.artifacts, other)) continue;
      all.add(other);
      visit(other);
    }
  };
  names.forEach(visit);
  return [...all];
}
