/** What was written last into a file that shows a run: remembered, so that an edit by hand is known from what we wrote ourselves. */

import { pathBefore } from "../../../core/text/fill-path.ts";
import type { Projection } from "../../../core/model/workflow.ts";
import type { Place } from "../../../engine/ports/files.ts";
import type { Registry } from "../../../engine/ports/registry.ts";

export type Fields = Readonly<Record<string, unknown>>;
/** What a file said, whole and by field; of one that we wrote, also its front matter. */
type Said = { readonly digest: string; readonly fields: Fields; readonly head?: string };
/** `was` is from before the last write: a crash may have come in between. `told`: of a file that cannot be edited. */
export type Memory = { readonly last?: Said; readonly was?: Said; readonly told?: string };

type Kept = Pick<Registry, "projection" | "keepProjection">;
export type Remembering = { readonly kept: Kept; readonly place: Place };

/** Under which name it is remembered: the blocks in a file are one thing, its front matter another. */
export function slotOf({ file, as }: Projection): string {
  return as === "review-block" ? `${file} reviews` : file;
}

export function remember({ kept, place }: Remembering, file: string, memory: Memory): void {
  kept.keepProjection(place.run.id, file, JSON.stringify(memory));
}

export function recall({ kept, place }: Remembering, file: string): Memory {
  // What was written before the folder was moved is there still.
  const text =
    kept.projection(place.run.id, file) ?? kept.projection(place.run.id, pathBefore(place.run, file));
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

/** Whether a file says exactly what we projected last. */
export function isProjected(of: Remembering, file: string, digest: string): boolean {
  return [file, slotOf({ file, as: "review-block", of: "" })].some(
    (slot) => recall(of, slot).last?.digest === digest,
  );
}

/** Only `remember` writes it. */
function isMemory(value: unknown): value is Memory {
  return isRecord(value) && (value["last"] === undefined || isRecord(value["last"]));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
