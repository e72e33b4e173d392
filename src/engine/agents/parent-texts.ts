/**
 * Texts of the run that a run was made for: its agents work and judge by what was accepted there. Where somebody has written over such a text since,
 * nobody is started with it: who is judged would write what it is judged by.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Reading } from "../../core/model/event.ts";
import { slotKey, type HeldReading, type Run } from "../../core/model/run.ts";
import type { Artifact } from "../../core/model/artifact.ts";
import type { Works } from "../box.ts";
import { fillPath, placeOf } from "../submit/place.ts";
import type { Kept } from "../ports/journal.ts";
import { needsPerson } from "../supervise/later.ts";

type Altered = { readonly file: string; readonly artifact: string; readonly from: string };

/** `files`: those that the agent is to read first. */
export async function requireUnaltered(
  works: Works,
  { row }: Kept,
  { role, files }: { readonly role: string; readonly files: readonly string[] },
): Promise<void> {
  const { store, artifacts } = works;
  if (files.length === 0) return;
  for (let of = await parentOf(store, row.id); of !== undefined; of = await parentOf(store, of.row.id)) {
    const { run } = of;
    const { id, definition } = of.row;
    const workflow = await works.workflow(definition);
    const readings = await artifacts.read(await placeOf(works, { run, workflow, id }));
    const altered = alteredIn(workflow, run, { files, readings });
    if (altered === undefined) continue;
    const { file, artifact, from } = altered;
    const whose = from === "human" ? "a person" : from;
    const message = `${role} must read ${file} first, which was changed by another author since it was accepted from ${whose}`;
    const next = `put back what was there, or say that it is yours: signalbox submit ${id} ${artifact}; then: signalbox resume ${row.id}`;
    throw needsPerson(message, next);
  }
}

async function parentOf(store: Works["store"], run: string): Promise<Kept | undefined> {
  const parent = (await store.childAs(run))?.parent;
  return parent === undefined ? undefined : store.load(parent);
}

/** The first of these files that says something else now. One file may be read in several ways: where one of them finds what it was, it is that. */
export function alteredIn(
  { definition }: Workflow,
  run: Run,
  { files, readings }: { readonly files: readonly string[]; readonly readings: readonly Reading[] },
): Altered | undefined {
  for (const file of new Set(files)) {
    const readers = Object.entries(definition.artifacts).flatMap(([name, artifact]) => {
      const accepted = acceptedOf(run.held[name], artifact);
      return accepted !== undefined && fillPath(run, artifact.file, "") === file
        ? [{ file, artifact: name, ...accepted }]
        : [];
    });
    const isSame = readers.some(({ artifact, digest }) =>
      readings.some(
        (reading) => slotKey(reading.artifact, reading.slot) === artifact && reading.digest === digest,
      ),
    );
    const [first] = readers;
    if (first !== undefined && !isSame) return first;
  }
  return undefined;
}

/** Whose text it was that counted last. The words of a verdict are in the journal, and nobody goes by its file. */
function acceptedOf(
  held: HeldReading | undefined,
  { by, reader }: Artifact,
): { readonly digest: string; readonly from: string } | undefined {
  if (held === undefined || ("review" in reader && reader.review !== undefined)) return undefined;
  if (by.includes(held.by))
    return held.reading.found ? { digest: held.reading.digest, from: held.by } : undefined;
  const { accepted } = held;
  return accepted === undefined ? undefined : { digest: accepted.digest, from: accepted.by };
}
