/** The tasks that runs are made of. They are made only of a list that counts, and of no other than was read: somebody else may have written into its file since. */

import type { Event } from "../../core/model/event.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { unmadeList } from "../../core/model/entry.ts";
import type { Run } from "../../core/model/run.ts";
import { isGood, standingOf, valueOf } from "../../core/gates/artifact-status.ts";
import { cut } from "../../core/tasks/view.ts";
import type { Children } from "../../core/model/artifact.ts";
import type { Listed } from "../ports/files.ts";
import type { Kept } from "../ports/journal.ts";
import type { Works } from "../box.ts";
import { placeOf } from "../submit/place.ts";

/** Those of the list, or the one that is in none. */
export async function tasksOf(works: Works, kept: Kept, reader: Children): Promise<readonly Listed[]> {
  const { row, run } = kept;
  if (reader.only !== undefined) {
    const title = String(valueOf(run, reader.only.title)).replaceAll(/\s+/g, " ");
    return [{ id: reader.only.id, title: cut(title, TITLE_MAX), files: [], dependsOn: [] }];
  }
  await requireListed(works, kept, reader.tasks);
  const place = await placeOf(works, { run, workflow: await works.workflow(row.definition), id: row.id });
  return works.artifacts.tasks(place, reader.tasks);
}

const TITLE_MAX = 200;

async function requireListed(works: Works, { row, run }: Kept, artifact: string): Promise<void> {
  const workflow = await works.workflow(row.definition);
  const standing = standingOf(workflow, run, artifact);
  const file = workflow.definition.artifacts[artifact]?.file ?? artifact;
  if (!isGood(standing) && !isBrought(workflow, run, artifact))
    throw unheard(row.id, `${file} does not count: it is ${standing}`);
  const readings = await works.artifacts.read(await placeOf(works, { run, workflow, id: row.id }));
  const now = readings.find((reading) => reading.artifact === artifact)?.digest;
  const said =
    standing === "waived"
      ? await digestAtWaiver(works, row.id, artifact)
      : run.held[artifact]?.reading.digest;
  if (said !== undefined && now !== undefined && said !== now)
    throw unheard(
      row.id,
      `${file} is another one than was ${standing === "waived" ? "answered for" : "taken in"}`,
    );
}

/** Whoever leaves out the stage that makes it, and brings one along, answers for it, though it is older than the run. */
function isBrought({ definition }: Workflow, { held, params }: Run, artifact: string): boolean {
  const { by, reading } = held[artifact] ?? {};
  const isRead = reading?.found === true && reading.faults.length === 0;
  return by === "human" && isRead && unmadeList(definition, params)?.list === artifact;
}

/** A waiver holds for the content as it was when it was given; what nobody had seen by then is what is there first. */
async function digestAtWaiver({ store }: Works, run: string, artifact: string): Promise<string | undefined> {
  let digest: string | undefined;
  let isGiven = false;
  for (const { event } of await store.events(run, 1, (await store.load(run))?.row.seq ?? 0)) {
    if (event.type === "waiver-given" && event.artifact === artifact) isGiven = true;
    const seen = digestIn(event, artifact);
    if (seen === undefined) continue;
    if (isGiven && digest !== undefined) break;
    digest = seen;
  }
  return digest;
}

function digestIn(event: Event, artifact: string): string | undefined {
  if (event.type === "artifact-seen" && event.key === artifact) return event.digest;
  return event.type === "artifact-read" && event.reading.artifact === artifact
    ? event.reading.digest
    : undefined;
}

function unheard(run: string, message: string): Error {
  return Object.assign(new Error(`no task is begun: ${message}`), {
    next: `signalbox show ${run} --verbose, then signalbox resume ${run} --restart-previous, or put the file right and signalbox resume ${run}`,
  });
}
