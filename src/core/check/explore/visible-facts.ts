/**
 * The changes of files and of the work that the engine can observe in a state, in each distinguishable variant.
 *
 * Contents are abstract: a changed file has one of the outcomes that a guard reads.
 */

import { isUp } from "../../step/act.ts";
import type { Workflow } from "../../model/compile.ts";
import type { Incoming, Reading } from "../../model/event.ts";
import type { Run } from "../../model/run.ts";
import { outcomesOf, type ArtifactOutcome } from "./outcomes.ts";
import type { StateSite } from "./site.ts";

type SituatedRun = { readonly workflow: Workflow; readonly run: Run; readonly site: StateSite };

/**
 * Changed files of the work, in each distinguishable variant. They matter only while an artifact is about them, or a guard reads
 * them.
 */
export function changedFiles({ workflow, run, site }: SituatedRun): Reading[][] {
  const { artifacts } = workflow.definition;
  const isNow = (file: string, inputs: Readonly<Record<string, string>> | undefined): boolean =>
    inputs?.[file] !== undefined && inputs[file] === run.held[file]?.reading.digest;
  const isAbout = (file: string, name: string): boolean => {
    const { bind = [], by = [] } = artifacts[name] ?? {};
    if (!bind.includes(file)) return false;
    return (
      isNow(file, run.held[name]?.inputs) ||
      isNow(file, run.waivers[name]?.inputs) ||
      by.some((role) => isUpNow(run, role) && isNow(file, run.agents[role]?.inputs))
    );
  };
  const changed = site.named.filter(
    (file) =>
      Object.keys(artifacts).some((name) => isAbout(file, name)) ||
      (run.held[file] !== undefined && waysOf(workflow, file).length > 1),
  );
  return changed.length === 0 ? [] : lookedAt(workflow, run, changed);
}

function waysOf(workflow: Workflow, name: string): readonly ArtifactOutcome[] {
  const artifact = workflow.definition.artifacts[name];
  return artifact === undefined ? [] : outcomesOf(workflow, name, artifact);
}

/** The combined observations of these files. */
function lookedAt(workflow: Workflow, run: Run, names: readonly string[]): Reading[][] {
  let all: Reading[][] = [[]];
  for (const artifact of names)
    all = all.flatMap((seen) =>
      waysOf(workflow, artifact).map((way) => [...seen, readingOf(run, { artifact, slot: "" }, way)]),
    );
  return all;
}

/** Together with a list of tasks the engine reads the files that the list names, and other files with the first event. */
export function withNamed<T extends { readonly event: Incoming }>(
  { workflow, run, site }: SituatedRun,
  happenings: readonly T[],
): readonly T[] {
  if (site.named.length === 0) return happenings;
  const { artifacts } = workflow.definition;
  return happenings.flatMap((happening) => {
    const { event } = happening;
    if (!hasFacts(event)) return [happening];
    const given = event.readings ?? [];
    const named = site.named.filter((name) => {
      const reader = artifacts[name]?.reader;
      if (reader?.type !== "files") return false;
      return "tasks" in reader
        ? given.some(({ artifact }) => artifact === reader.tasks)
        : run.held[name] === undefined && !given.some(({ artifact }) => artifact === name);
    });
    if (named.length === 0) return [happening];
    return lookedAt(workflow, run, named).map((seen) => ({
      ...happening,
      event: { ...event, readings: [...given, ...seen] },
    }));
  });
}

type WithFacts = Extract<Incoming, { type: "move-asked" | "submitted" | "observed" | "agent-ended" }>;

function hasFacts(event: Incoming): event is WithFacts {
  const { type } = event;
  return type === "move-asked" || type === "submitted" || type === "observed" || type === "agent-ended";
}

/** The work may change at any time; this matters only while something is bound to it. */
export function isBoundNow({ workflow, run, site }: SituatedRun): boolean {
  return site.bound.some((name) => {
    if (run.held[name]?.tree === run.tree || run.waivers[name]?.tree === run.tree) return true;
    const by = workflow.definition.artifacts[name]?.by ?? [];
    return by.some((role) => isUpNow(run, role) && run.agents[role]?.tree === run.tree);
  });
}

function isUpNow(run: Run, role: string): boolean {
  const agent = run.agents[role];
  return agent !== undefined && isUp(agent);
}

/** A reading with a digest that has never occurred before. */
export function readingOf(
  run: Run,
  target: { artifact: string; slot: string },
  outcome: ArtifactOutcome,
): Reading {
  return { ...target, found: true, digest: `d${run.seq}`, faults: [], ...outcome };
}
