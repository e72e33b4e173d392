/**
 * Reads the artifacts of a run for an event, and keeps their texts at hand: what the event accepts goes into the store with it.
 *
 * Of a judge, the artifacts that it may write are read in its checkout.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Incoming, Reading } from "../../core/model/event.ts";
import { slotKey, type Run, type Attempt } from "../../core/model/run.ts";
import { checkoutOf, isJudge, isOwn, ownOf } from "../agents/judge.ts";
import type { Box } from "../box.ts";
import type { ArtifactText, Artifacts, Place } from "../ports/files.ts";
import type { Kept } from "../ports/journal.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import { placeWith } from "./place.ts";
import { digestOfText, showTexts } from "./show-texts.ts";

export type Collected = Awaited<ReturnType<Artifacts["collect"]>>;

type EventAuthor = {
  readonly kept: Kept;
  readonly workflow: Workflow;
  readonly workspace: WorkspaceRow | undefined;
  /** Whose event it is: a role, a person or the engine. */
  readonly by: string;
  /** The agent, where it is one's. */
  readonly author: Attempt | undefined;
  /** Texts that the author submits: they are read as if they were in their files. */
  readonly texts: readonly ArtifactText[];
};

export async function collectFor(box: Box, of: EventAuthor): Promise<Collected> {
  const { kept, workflow, workspace, by, author, texts } = of;
  const marks = await showTexts(box, kept);
  const hidden = new Set(marks.map(({ key }) => key));
  const isHidden = (reading: Reading): boolean => hidden.size > 0 && hidden.has(keyOf(reading));
  const place = await placeWith(box, { run: kept.run, workflow, id: kept.row.id, workspace });
  const judge = author !== undefined && isJudge(workflow, author.role) ? author : undefined;
  const { artifacts } = workflow.definition;
  const shared = await box.artifacts.collect(place, judge === undefined ? texts : []);
  if (judge !== undefined) {
    const checkout = await judgePlace(box, { ...place, run: kept.run }, judge);
    const own = checkout === undefined ? undefined : await box.artifacts.collect(checkout, texts);
    const isJudged = (reading: Reading): boolean => isOwn(artifacts[reading.artifact], judge, reading);
    const others = shared.readings.filter((reading) => !isJudged(reading) && !isHidden(reading));
    return {
      readings: [...others, ...ownOf(workflow, judge, own?.readings ?? [])],
      textOf: async (reading) => (isJudged(reading) ? own?.textOf(reading) : shared.textOf(reading)),
    };
  }
  // A text that is submitted replaces one that waits; a file that does not show the latter yet says nothing new.
  const behind = new Set(marks.flatMap(({ key, text }) => (text === "" ? [] : [key])));
  for (const { artifact, slot } of texts) behind.delete(slotKey(artifact, slot));
  const readings = shared.readings.filter((reading) => {
    if (!isHidden(reading)) return true;
    return !behind.has(keyOf(reading)) && artifacts[reading.artifact]?.by.includes(by) === true;
  });
  return { ...shared, readings };
}

/** Where a judge has its own artifacts; undefined where its checkout was never made. */
async function judgePlace(
  { store }: Box,
  place: Place,
  { role, slot, attempt }: Attempt,
): Promise<Place | undefined> {
  const agent = await store.agent({ run: place.run.id, role, slot, attempt });
  if (agent === undefined || agent.dir === "") return undefined;
  return { ...place, root: checkoutOf(agent), isWorkspace: true };
}

function keyOf({ artifact, slot }: Reading): string {
  return slotKey(artifact, slot);
}

/** An event whose readings name their texts, and these texts. */
export type EventWithTexts = { readonly event: Incoming; readonly texts: readonly string[] };

/** Names the text of every reading that the run does not hold yet. A text that was given is kept as it was given. */
export async function withTexts(
  asked: Incoming,
  of: {
    readonly run: Run;
    readonly collected: Collected;
    readonly given: readonly ArtifactText[];
  },
): Promise<EventWithTexts> {
  const given = new Map(of.given.map(({ artifact, slot, text }) => [slotKey(artifact, slot), text]));
  const texts: string[] = [];
  const named = async (reading: Reading): Promise<Reading> => {
    const key = keyOf(reading);
    const held = of.run.held[key]?.reading;
    const known = given.has(key) || held?.digest !== reading.digest ? undefined : held.text;
    const text = known === undefined ? (given.get(key) ?? (await of.collected.textOf(reading))) : undefined;
    if (text !== undefined) texts.push(text);
    const digest = text === undefined ? known : digestOfText(text);
    return digest === undefined ? reading : { ...reading, text: digest };
  };
  const event = await withReadings(asked, named);
  const isCarried = event.type === "submitted" || event.type === "move-asked" || event.type === "run-started";
  const keys = [...given.keys()];
  return { event: isCarried && keys.length > 0 ? { ...event, given: keys } : event, texts };
}

async function withReadings(
  event: Incoming,
  named: (reading: Reading) => Promise<Reading>,
): Promise<Incoming> {
  const all = (readings: readonly Reading[]): Promise<readonly Reading[]> => Promise.all(readings.map(named));
  const isBeside = event.type === "submitted" && event.beside !== undefined;
  const beside = isBeside ? { beside: await all(event.beside) } : {};
  if (!("readings" in event) || event.readings === undefined) return { ...event, ...beside };
  return { ...event, ...beside, readings: await all(event.readings) };
}
