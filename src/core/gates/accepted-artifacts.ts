/**
 * Accepted texts and later changes of them. An accepted text belongs to its author. If another author changes it, the text is
 * *foreign*, and nothing that is submitted about it counts until an author or a person submits it, or it is restored exactly.
 */

import type { Workflow } from "../model/compile.ts";
import type { Reading } from "../model/event.ts";
import { fillPath } from "../text/fill-path.ts";
import { slotKey, type AcceptedReading, type Run } from "../model/run.ts";
import type { Artifact } from "../model/artifact.ts";

export function isForeign({ definition }: Workflow, run: Run, name: string): boolean {
  const held = run.held[name];
  return held !== undefined && definition.artifacts[name]?.by.includes(held.by) === false;
}

/** The foreign texts that the role's work would be about and that a person can restore. The role itself can fix its own texts. */
export function foreignFor(workflow: Workflow, run: Run, role: string): readonly string[] {
  const { artifacts } = workflow.definition;
  const names = new Set<string>();
  for (const { by, bind } of Object.values(artifacts)) {
    if (!by.includes(role)) continue;
    for (const name of bind) if (isForeign(workflow, run, name)) names.add(name);
  }
  return [...names].filter((name) => {
    const authors = artifacts[name]?.by ?? [];
    if (authors.includes(role)) return false;
    return authors.includes("human") || run.held[name]?.accepted !== undefined;
  });
}

/** Names the file, its author, and the authors that may submit it. */
export function sayForeign({ definition }: Workflow, run: Run, name: string): string {
  const { file = "", by = [] } = definition.artifacts[name] ?? {};
  const what = file === "" ? name : fillPath(run, file, "*");
  const from = run.held[name]?.accepted?.by;
  const since = from === undefined ? "" : ` since it was accepted from ${person(from)}`;
  return `${what} was changed by another author${since}: ${name} counts only from ${by.map(person).join(" or ")}`;
}

export function mendForeign(run: Run, name: string): string {
  return `restore the accepted text, or a person submits the new one (signalbox submit ${run.id} ${name})`;
}

function person(name: string): string {
  return name === "human" ? "a person" : name;
}

/** Digests of the current texts that an artifact is about. */
export function inputsOf(run: Run, { bind }: Pick<Artifact, "bind">): Record<string, string> {
  const inputs: Record<string, string> = {};
  for (const bound of bind) if (bound !== "tree") inputs[bound] = run.held[bound]?.reading.digest ?? "";
  return inputs;
}

/** The content that a waiver is valid for. */
export function waivedFor(
  { definition }: Workflow,
  run: Run,
  name: string,
): { readonly tree: string; readonly inputs?: Readonly<Record<string, string>> } {
  const inputs = inputsOf(run, definition.artifacts[name] ?? { bind: [] });
  return { tree: run.tree, ...(Object.keys(inputs).length === 0 ? {} : { inputs }) };
}

/** The accepted reading that a new reading displaces, directly or through an earlier foreign one. */
export function acceptedBefore(
  { definition }: Workflow,
  run: Run,
  { artifact, slot }: Reading,
): AcceptedReading | undefined {
  const known = run.held[slotKey(artifact, slot)];
  if (known === undefined || definition.artifacts[artifact]?.by.includes(known.by) !== true)
    return known?.accepted;
  const { digest, text } = known.reading;
  const { by, tree, inputs } = known;
  return { by, digest, tree, inputs, ...(text === undefined ? {} : { text }) };
}
