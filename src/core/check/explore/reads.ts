/**
 * The properties of an artifact that moves and assertions can distinguish.
 *
 * Two runs are the same if they differ only in properties that are never read again. For example, the result of a check does not
 * matter if every later guard only reads whether it passed.
 */

import type { Workflow } from "../../model/compile.ts";
import { artifactsIn } from "../../model/status.ts";
import type { Condition } from "../../model/workflow.ts";
import { dueIn, isTooEarly } from "../defects/orders.ts";
import { conditionsOf, isAboutField, outcomesOf, type AboutField } from "./outcomes.ts";
import type { Here } from "./places.ts";

export type ArtifactRead = { readonly artifact: string } & (
  | { readonly type: "standing"; readonly condition: AboutStanding }
  | { readonly type: "field"; readonly condition: AboutField }
  /** Whether the artifact opens a gate. */
  | { readonly type: "good" }
  /** Every property: another artifact is about this one, or takes its members from it. */
  | { readonly type: "whole" }
  /** Whether the artifact exists: only then can it become an old one. */
  | { readonly type: "there" }
  /** The artifact may be read again: a waiver stays, independent of the new content. */
  | { readonly type: "again" }
);

type AboutStanding = Extract<Condition, { type: "artifact" }>;

export type ArtifactReads = {
  readonly all: readonly ArtifactRead[];
  in(here: Here): readonly ArtifactRead[];
  /**
   * What must be known of an artifact before its scope starts again, or before a waiver, so that this property is known
   * afterwards.
   */
  whenRenewed(read: ArtifactRead): ArtifactRead | undefined;
};

export function readsOf(workflow: Workflow): ArtifactReads {
  const names = Object.keys(workflow.definition.artifacts);
  const table = new Map<string, ArtifactRead>();
  const known = (read: ArtifactRead): ArtifactRead => {
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

function readBy(condition: Condition): ArtifactRead[] {
  if (condition.type === "artifact") return [{ type: "standing", artifact: condition.artifact, condition }];
  return isAboutField(condition) ? [{ type: "field", artifact: condition.artifact, condition }] : [];
}

function nameOf(read: ArtifactRead): string {
  return `${read.artifact} ${read.type} ${"condition" in read ? JSON.stringify(read.condition) : ""}`;
}

/** Whether a valid artifact may get another status by itself: it has several outcomes, or another author may change it. */
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

/** Artifacts for which a guard distinguishes an old one from a missing one: they matter even when their scope starts again. */
export function toldWhenOld(conditions: readonly Condition[]): ReadonlySet<string> {
  const names = conditions.flatMap((condition) =>
    condition.type === "artifact" && condition.in.includes("stale") !== condition.in.includes("missing")
      ? [condition.artifact]
      : [],
  );
  return new Set(names);
}

function isOfOld(read: ArtifactRead, told: ReadonlySet<string>): boolean {
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
  const need = here.moves.flatMap((move) => move.need);
  return [...artifactsIn({ need, when: conditionsIn(workflow, here) })];
}

/**
 * All dependencies of these artifacts. A fan-out takes its members from another artifact; a change of an artifact makes those
 * stale that are bound to it.
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
