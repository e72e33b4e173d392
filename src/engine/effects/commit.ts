/** The work of a run is committed: exactly what its gates were passed for. */

import { isGood } from "../../core/gates/artifact-status.ts";
import { explainedStatus } from "../../core/gates/status-reason.ts";
import { PERFORMABLE } from "../../core/model/vocabulary.ts";
import type { Works } from "../box.ts";
import type { Of } from "./deed.ts";
import { artifactPaths, placeOf } from "../submit/place.ts";
import type { Kept } from "../ports/journal.ts";
import { noteNew } from "../notes.ts";
import { tellFact } from "../supervise/submit-fact.ts";
import { needsPerson } from "../supervise/later.ts";

export async function commit({ works, kept, deed, key }: Of<"perform">): Promise<string> {
  const { row, run } = kept;
  if (await isCalledOff(works, kept, deed.entry)) return "the run was cancelled before";
  const workspace = await works.store.boundWorkspace(row.id);
  if (workspace === undefined)
    throw whyNot(`${row.id} has no workspace whose work could be committed`, row.id);
  const { commitMessage = "" } = await textsFor(works, kept, deed);
  const exclude = deed.without === undefined ? "" : String(run.params[deed.without] ?? "");
  const { repo, path } = workspace;
  const artifacts = artifactPaths(await works.workflow(row.definition), run);
  const of = { run: row.id, repo, path, tree: deed.tree, artifacts, exclude, message: commitMessage };
  const { commit: oid, made } = await works.completion.commit(of);
  const text = made
    ? `the work is committed as ${oid}`
    : `there was nothing to commit: the branch is at ${oid}`;
  await noteNew(works, { run: row.id, kind: "commit" }, [text]);
  await tellFact(works, { run: row.id, fact: "committed", key, fields: { commit: oid, made } });
  return text;
}

/** The run was cancelled, or failed, after the deed was ordered. */
export async function isCalledOff(works: Works, { row, run }: Kept, entry: number): Promise<boolean> {
  const { final } = (await works.workflow(row.definition)).definition.states[run.state] ?? {};
  return (final === "cancelled" || final === "failed") && run.entry !== entry;
}

export function whyNot(message: string, run: string): Error {
  return needsPerson(message, `signalbox why ${run}`);
}

type Ordered = Of<"perform">["deed"];

/** The texts that the deed takes, out of an artifact that counts. */
export async function textsFor(
  works: Works,
  { row, run }: Kept,
  { name, from = "" }: Ordered,
): Promise<Readonly<Record<string, string>>> {
  const workflow = await works.workflow(row.definition);
  const digest = run.held[from]?.reading.digest;
  const { standing, reason } = explainedStatus(workflow, run, from);
  if (digest === undefined || !isGood(standing) || standing === "waived")
    throw whyNot(
      `there is no text for ${name}: ${reason === "" ? `${from} is ${standing}` : reason}`,
      row.id,
    );
  const place = await placeOf(works, { run, workflow, id: row.id });
  const fields = PERFORMABLE[name]?.texts ?? [];
  try {
    return await works.artifacts.texts(place, { artifact: from, digest, fields });
  } catch (error) {
    throw whyNot(error instanceof Error ? error.message : String(error), row.id);
  }
}
