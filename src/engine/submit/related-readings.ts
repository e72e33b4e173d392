/**
 * Whoever hands something in brings only that. What else the engine looks at goes with it, as the work does; and of an agent what its word is about,
 * where that is another text by now than the one that was taken in: nobody approves of what it has just written over. A file that is read in
 * several ways is handed in for all of them.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Incoming, Reading } from "../../core/model/event.ts";
import { slotKey, type Run } from "../../core/model/run.ts";
import { othersOf } from "../../core/text/same-file.ts";

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
  const same = new Set(own.flatMap(({ artifact }) => othersOf(workflow, artifact)));
  const about = new Set(own.flatMap(({ artifact }) => artifacts[artifact]?.bind ?? []));
  const beside = others.filter((reading) => {
    const isRelated =
      same.has(reading.artifact) || (event.by.type === "agent" && about.has(reading.artifact));
    if (!isRelated || isLookedAt(reading)) return false;
    const known = run.held[slotKey(reading.artifact, reading.slot)]?.reading;
    return known !== undefined && known.digest !== reading.digest;
  });
  return {
    ...event,
    ...(files.length === 0 ? {} : { readings: [...own, ...files] }),
    ...(beside.length === 0 ? {} : { beside }),
  };
}
