/** What was written last into a file that shows a run: remembered, so that an edit by hand is known from what we wrote ourselves. */

import { pathBefore } from "../../../core/text/fill-path.ts";
import type { Projection } from "../../../core/model/workflow.ts";
import type { Place } from "../../../engine/ports/files.ts";
import type { Write } from "../../../engine/ports/commit.ts";
import type { Store } from "../../../engine/ports/store.ts";

export type Fields = Readonly<Record<string, unknown>>;
/** What a file said, whole and by field; of one that we wrote, also its front matter. */
type Said = { readonly digest: string; readonly fields: Fields; readonly head?: string };
/** `was` is from before the last write: a crash may have come in between. `told`: of a file that cannot be edited. */
export type Memory = { readonly last?: Said; readonly was?: Said; readonly told?: string };

export type Remembering = {
  readonly store: Pick<Store, "projection" | "commit">;
  readonly place: Place;
  /** The file may show a run that has gone on. */
  readonly isAnyState?: boolean;
};

/** Under which name it is remembered: the blocks in a file are one thing, its front matter another. */
export function slotOf({ file, as }: Projection): string {
  return as === "review-block" ? `${file} reviews` : file;
}

/** False where the run has gone on since it was loaded: then nothing is remembered. */
export async function remember(
  { store, place: { run }, isAnyState = false }: Remembering,
  file: string,
  memory: Memory,
): Promise<boolean> {
  const batch: readonly Write[] = [
    ...(isAnyState ? [] : [{ type: "expect-run", run: run.id, seq: run.seq } as const]),
    { type: "put-projection", run: run.id, file, fields: JSON.stringify(memory) },
  ];
  return (await store.commit(batch)).type === "written";
}

export async function recall({ store, place }: Remembering, file: string): Promise<Memory> {
  // What was written before the folder was moved is there still.
  const text =
    (await store.projection(place.run.id, file)) ??
    (await store.projection(place.run.id, pathBefore(place.run, file)));
  if (text === undefined) return {};
  const memory: unknown = JSON.parse(text);
  return isMemory(memory) ? memory : {};
}

/** What we have a file say. Where our last write may not have come about, that is also what it said before, whatever else was written since. */
export function fieldsBefore({ last, was }: Memory, said: Fields): Fields {
  const stayed = Object.entries(was?.fields ?? {}).filter(
    ([key, value]) => JSON.stringify(value) === JSON.stringify(said[key]),
  );
  return { ...last?.fields, ...Object.fromEntries(stayed) };
}

/** Digests of the file as the engine projected it last. */
export async function projectedDigests(of: Remembering, file: string): Promise<ReadonlySet<string>> {
  const slots = [file, slotOf({ file, as: "review-block", of: "" })];
  const memories = await Promise.all(slots.map((slot) => recall(of, slot)));
  return new Set(memories.flatMap(({ last }) => (last === undefined ? [] : [last.digest])));
}

/** Only `remember` writes it. */
function isMemory(value: unknown): value is Memory {
  return isRecord(value) && (value["last"] === undefined || isRecord(value["last"]));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
