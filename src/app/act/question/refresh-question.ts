/**
 * What a question shows, as it is at this moment.
 *
 * Files can be changed after the run last took them in. Whoever answers then has read something that was never shown, or has been
 * shown what is no longer there: the run takes in what there is now, and the person looks again.
 */

import type { Reading } from "../../../core/model/event.ts";
import { slotKey } from "../../../core/model/run.ts";
import { placeOf } from "../../../engine/submit/place.ts";
import { submit } from "../../../engine/submit/submit.ts";
import { seeThrough, type Acting } from "../../context.ts";
import type { Seen } from "../../runs/find.ts";

/** In words, what has changed that the open question is about; empty where nothing has. */
export async function lookAgain(on: Acting, { workflow, run }: Seen): Promise<string> {
  const { question } = run;
  const shows = question === undefined ? [] : (workflow.definition.asks[question.ask]?.shows ?? []);
  if (question === undefined || shows.length === 0) return "";
  const isChanged = ({ artifact, slot, digest }: Reading): boolean => {
    const known = run.held[slotKey(artifact, slot)]?.reading;
    // A verdict stands in the journal: rewriting its text changes nothing.
    return known !== undefined && known.verdict === undefined && known.digest !== digest;
  };
  const readings = await on.box.artifacts.read(await placeOf(on.box, { run, workflow, id: run.id }));
  const changed = readings.filter((reading) => shows.includes(reading.artifact) && isChanged(reading));
  if (changed.length === 0) return "";
  await submit(on.box, {
    run: run.id,
    by: { type: "engine" },
    facts: { readings: changed },
    event: ({ at, readings: now = [] }) => ({ type: "observed", at, readings: now }),
  });
  await seeThrough(on, run.id);
  const names = [...new Set(changed.map(({ artifact }) => artifact))].join(" and ");
  return `${names}, which ${question.id} is about, has changed since it was shown`;
}
