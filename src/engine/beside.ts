/**
 * Whoever hands something in brings only that. What else the engine looks at goes with it, as the work does; and of an agent what its word is about,
 * where that is another text by now than the one that was taken in: nobody approves of what it has just written over.
 */

import type { Workflow } from "../core/compile.ts";
import type { Incoming, Reading } from "../core/event.ts";
import { slotKey, type Run } from "../core/run.ts";

export function withBeside(
  workflow: Workflow,
  run: Run,
  { event, readings }: { readonly event: Incoming; readonly readings: readonly Reading[] },
): Incoming {
  if (event.type !== "submitted") return event;
  const { artifacts } = workflow.definition;
  const own = event.readings ?? [];
  const others = readings.filter(({ artifact }) => !own.some((one) => one.artifact === artifact));
  const isLookedAt = ({ artifact }: Reading): boolean => artifacts[artifact]?.reader.type === "files";
  const files = others.filter(isLookedAt);
  const about = new Set(own.flatMap(({ artifact }) => artifacts[artifact]?.bind ?? []));
  const beside = others.filter((reading) => {
    const known = run.held[slotKey(reading.artifact, reading.slot)]?.reading;
    return about.has(reading.artifact) && known !== undefined && known.digest !== reading.digest;
  });
  return {
    ...event,
    ...(files.length === 0 ? {} : { readings: [...own, ...files] }),
    ...(event.by.type !== "agent" || beside.length === 0
      ? {}
      : { beside: beside.filter((reading) => !isLookedAt(reading)) }),
  };
}
