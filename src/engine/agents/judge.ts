/**
 * Judges: agents of roles that may only read the work.
 *
 * Each attempt has a checkout of its own (checkout.ts). Its artifacts are read from there, when it submits them, moves the run or
 * ends; what was accepted is then shown in the place of the run. What stands in that place is never the word of a judge.
 */

import type { Artifact } from "../../core/model/artifact.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Event, Incoming, Reading } from "../../core/model/event.ts";
import { slotKey, type Run } from "../../core/model/run.ts";
import type { Box } from "../box.ts";
import { placeOf } from "../submit/place.ts";
import type { Write } from "../ports/commit.ts";
import type { Place } from "../ports/files.ts";
import type { Kept } from "../ports/journal.ts";
import type { AgentRow } from "../ports/registry.ts";

type Author = Pick<AgentRow, "role" | "slot" | "attempt">;

export function isJudge({ definition }: Workflow, role: string): boolean {
  return definition.roles[role]?.access === "read";
}

/** The folder in which a judge works. */
export function checkoutOf({ dir }: Pick<AgentRow, "dir">): string {
  return `${dir}/work`;
}

/** Where an agent has its own artifacts; undefined for a judge whose checkout was never made. */
export async function placeFor(box: Box, { row, run }: Kept, author: Author): Promise<Place | undefined> {
  const workflow = await box.workflow(row.definition);
  if (!isJudge(workflow, author.role)) return placeOf(box, { run, workflow, id: row.id });
  const agent = await box.store.agent({ run: row.id, ...author });
  return agent === undefined || agent.dir === ""
    ? undefined
    : { root: checkoutOf(agent), run, workflow, isWorkspace: true };
}

type Reader = {
  readonly kept: Kept;
  readonly workflow: Workflow;
  /** Whose event it is: a role, a person or the engine. */
  readonly by: string;
  /** The agent, where it is one's. */
  readonly author: Author | undefined;
};

/** The artifacts of a run for an event. Of a judge, those that it may write are read in its checkout. */
export async function readFor(box: Box, reader: Reader): Promise<readonly Reading[]> {
  const { kept, workflow, by, author } = reader;
  await showAccepted(box, kept);
  const hidden = new Set(await waitingIn(box, workflow, kept.run));
  const place = await placeOf(box, { run: kept.run, workflow, id: kept.row.id });
  const readings = await box.artifacts.read(place);
  const { artifacts } = workflow.definition;
  if (author !== undefined && isJudge(workflow, author.role)) {
    const checkout = await placeFor(box, kept, author);
    const own = checkout === undefined ? [] : await box.artifacts.read(checkout);
    const others = readings.filter((reading) => !isOwn(artifacts[reading.artifact], author, reading));
    return [...others.filter((reading) => !hidden.has(keyOf(reading))), ...ownOf(workflow, author, own)];
  }
  return readings.filter(
    (reading) => !hidden.has(keyOf(reading)) || artifacts[reading.artifact]?.by.includes(by) === true,
  );
}

function keyOf({ artifact, slot }: Reading): string {
  return slotKey(artifact, slot);
}

export function ownOf(
  { definition }: Workflow,
  author: Pick<Author, "role" | "slot">,
  readings: readonly Reading[],
): readonly Reading[] {
  return readings.filter((reading) => isOwn(definition.artifacts[reading.artifact], author, reading));
}

/** Of a fan-out, an agent speaks for its own slot only. */
function isOwn(
  artifact: Artifact | undefined,
  { role, slot }: Pick<Author, "role" | "slot">,
  reading: Reading,
): boolean {
  return artifact?.by.includes(role) === true && (artifact.each === undefined || reading.slot === slot);
}

/** What the engine has put into a checkout of what its judge may write, and before which turn it did so last. */
export type Given = { readonly turn: number; readonly lines: readonly string[] };

export async function givenTo({ store }: Pick<Box, "store">, agent: AgentRow): Promise<Given> {
  const text = agent.dir === "" ? undefined : await store.projection(agent.run, checkoutOf(agent));
  const [turn = "0", ...lines] = text?.split("\n") ?? [];
  return { turn: Number(turn), lines };
}

export async function keepGiven(
  { store }: Pick<Box, "store">,
  agent: AgentRow,
  { turn, lines }: Given,
): Promise<void> {
  await store.commit([
    {
      type: "put-projection",
      run: agent.run,
      file: checkoutOf(agent),
      fields: [String(turn), ...lines].join("\n"),
    },
  ]);
}

export function lineOf({ artifact, slot, digest }: Reading): string {
  return `${digest} ${slotKey(artifact, slot)}`;
}

/** Without the copies that a judge left as it was given them: they are no word of its own. */
export async function madeBy(
  box: Box,
  agent: AgentRow,
  readings: readonly Reading[],
): Promise<readonly Reading[]> {
  const given = new Set((await givenTo(box, agent)).lines);
  return given.size === 0 ? readings : readings.filter((reading) => !given.has(lineOf(reading)));
}

/** A judge that asks for a move brings along what it has written, and not what it was given. */
export async function withoutGiven(box: Box, run: string, event: Incoming): Promise<Incoming> {
  if (event.type !== "move-asked" || event.by.type !== "agent") return event;
  const agent = await box.store.agent({ run, ...event.by });
  if (agent === undefined || event.readings === undefined) return event;
  return { ...event, readings: await madeBy(box, agent, event.readings) };
}

/** Artifacts that were accepted from a judge, and that the place of the run does not show. */
async function waitingIn(
  { store }: Pick<Box, "store">,
  workflow: Workflow,
  run: Run,
): Promise<readonly string[]> {
  const { artifacts } = workflow.definition;
  return (
    await Promise.all(
      Object.entries(run.held).map(async ([key, { by, reading }]) => {
        // A text that a judge changed and may not write was noticed, and not accepted.
        const isAccepted = isJudge(workflow, by) && artifacts[reading.artifact]?.by.includes(by) === true;
        const isShown = ((await store.projection(run.id, shownAs(key))) ?? "") === `${reading.digest}\n`;
        return isAccepted && !isShown ? [key] : [];
      }),
    )
  ).flat();
}

/** Written with these events: what they accept from judges is to be shown, also where it says what was shown before. */
export function expectShown(workflow: Workflow, { id }: Run, events: readonly Event[]): readonly Write[] {
  return events.flatMap((event): Write[] =>
    event.type === "artifact-read" && isJudge(workflow, event.by)
      ? [{ type: "put-projection", run: id, file: shownAs(keyOf(event.reading)), fields: "" }]
      : [],
  );
}

/** Under which name the store remembers what the place shows of an artifact. */
function shownAs(key: string): string {
  return `accepted ${key}`;
}

/**
 * Brings what was accepted from judges to the place of their run. Any process may do it at any time, and several at once. What cannot
 * be brought there as it is, for example half of a broken page, stays in the checkout.
 */
export async function showAccepted(box: Box, kept: Kept): Promise<void> {
  const workflow = await box.workflow(kept.row.definition);
  for (const key of await waitingIn(box, workflow, kept.run)) await showOne(box, kept, key);
}

async function showOne(box: Box, { row, run }: Kept, key: string): Promise<void> {
  const { store, artifacts, clock } = box;
  const held = run.held[key];
  if (held === undefined || held.reading.digest === "") return;
  const { artifact, slot, digest } = held.reading;
  const place = await placeOf(box, { run, workflow: await box.workflow(row.definition), id: row.id });
  const isShown = async (): Promise<boolean> => {
    const isThere = await holds(box, place, held.reading);
    if (isThere)
      await store.commit([
        { type: "put-projection", run: row.id, file: shownAs(key), fields: `${digest}\n` },
      ]);
    return isThere;
  };
  if (await isShown()) return;
  const authors = (await store.agents({ run: row.id })).filter(
    ({ role, dir }) => role === held.by && dir !== "",
  );
  for (const author of authors.toSorted((a, b) => b.attempt - a.attempt)) {
    const from = { ...place, root: checkoutOf(author), isWorkspace: true };
    if (!(await holds(box, from, held.reading))) continue;
    for (const text of await artifacts.transfer(from, place, { artifact, slot }))
      await store.commit([
        { type: "note", note: { run: row.id, at: new Date(clock.now()).toISOString(), kind: "files", text } },
      ]);
    await isShown();
    return;
  }
}

async function holds(box: Box, place: Place, { artifact, slot, digest }: Reading): Promise<boolean> {
  const readings = await box.artifacts.read(place);
  return readings.some((each) => each.artifact === artifact && each.slot === slot && each.digest === digest);
}
