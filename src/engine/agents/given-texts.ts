/**
 * Given texts: artifacts that an agent may write and that exist when its turn begins, without an event that accepted them.
 *
 * If such a text is unchanged when the agent asks for a move or ends, the agent did not write it: a person edited it between turns, or the
 * engine copied it there. A text that changes during a turn counts as the agent's, because an edit of a person looks the same.
 */

import type { Incoming, Reading } from "../../core/model/event.ts";
import { slotKey, type Run } from "../../core/model/run.ts";
import type { Workflow } from "../../core/model/compile.ts";
import type { Box, Works } from "../box.ts";
import type { Kept } from "../ports/journal.ts";
import type { AgentRow } from "../ports/registry.ts";
import { placeOf } from "../submit/place.ts";
import { noteNew } from "../notes.ts";
import { ownOf } from "./judge.ts";

/** Each line is a `lineOf` a reading: the digest of its text, and its artifact. */
export type GivenLines = {
  /** The turn before which the engine last looked for given texts. */
  readonly turn: number;
  readonly lines: readonly string[];
  /** What the agent left when its last turn ended: in the next turn it counts as the agent's. Undefined where that end was not seen. */
  readonly left?: readonly string[];
};

const NOTHING: GivenLines = { turn: 0, lines: [] };

export async function givenTo({ store }: Pick<Box, "store">, agent: AgentRow): Promise<GivenLines> {
  const text = agent.dir === "" ? undefined : await store.projection(agent.run, recordOf(agent));
  const data: unknown = text === undefined ? NOTHING : JSON.parse(text);
  return isGiven(data) ? data : NOTHING;
}

/** One field is enough to check, because only `keepGiven` writes this record. */
function isGiven(data: unknown): data is GivenLines {
  return typeof data === "object" && data !== null && "lines" in data;
}

export async function keepGiven(
  { store }: Pick<Box, "store">,
  agent: AgentRow,
  given: GivenLines,
): Promise<void> {
  const fields = JSON.stringify(given);
  await store.commit([{ type: "put-projection", run: agent.run, file: recordOf(agent), fields }]);
}

/** The key of the record among the projections of the run; no path of a projection begins like this. */
function recordOf({ dir }: AgentRow): string {
  return `given ${dir}`;
}

export function lineOf({ artifact, slot, digest }: Reading): string {
  return `${digest} ${slotKey(artifact, slot)}`;
}

/** Records the given texts before a turn of an agent that is not a judge. Edits are archived first. Doing it twice is harmless. */
export async function noteGiven(works: Works, kept: Kept, agent: AgentRow): Promise<void> {
  const { turn, role } = agent;
  const { row, run } = kept;
  const known = await givenTo(works, agent);
  if (known.turn === turn) return;
  const workflow = await works.workflow(row.definition);
  const readings = await ownReadings(works, { workflow, run, agent });
  const isOwn = (line: string): boolean =>
    turn > 1 && (known.left === undefined || known.left.includes(line));
  const foreign = readings.filter((reading) => !isAccepted(run, reading) && !isOwn(lineOf(reading)));
  const edited = foreign.filter(
    (reading) => run.held[keyOf(reading)] !== undefined && !known.lines.includes(lineOf(reading)),
  );
  // The agent may overwrite these edits from now on.
  if (edited.length > 0) {
    const into = `${works.folders(row.id).archive}/edited`;
    const place = await placeOf(works, { run, workflow, id: row.id });
    const artifacts = edited.map(({ artifact }) => artifact);
    const told = await works.artifacts.archive(place, { artifacts, into, isCopy: true });
    await noteNew(works, { run: row.id }, [
      ...told,
      ...artifacts.map((name) => sayEdited(name, { role, into })),
    ]);
  }
  await keepGiven(works, agent, { turn, lines: [...known.lines, ...foreign.map(lineOf)] });
}

/** Records after a turn what the agent left. What changes before its next turn is not the agent's. */
export async function noteLeft(works: Works, { row, run }: Kept, agent: AgentRow): Promise<void> {
  const workflow = await works.workflow(row.definition);
  const left = (await ownReadings(works, { workflow, run, agent })).map(lineOf);
  await keepGiven(works, agent, { ...(await givenTo(works, agent)), left });
}

async function ownReadings(
  works: Works,
  { workflow, run, agent }: { readonly workflow: Workflow; readonly run: Run; readonly agent: AgentRow },
): Promise<readonly Reading[]> {
  const place = await placeOf(works, { run, workflow, id: run.id });
  return ownOf(workflow, agent, await works.artifacts.read(place)).filter(({ digest }) => digest !== "");
}

/** An event has accepted this text from an author that may write it. */
function isAccepted(run: Run, reading: Reading): boolean {
  const held = run.held[keyOf(reading)];
  return held?.reading.digest === reading.digest && held.accepted === undefined;
}

function keyOf({ artifact, slot }: Reading): string {
  return slotKey(artifact, slot);
}

function sayEdited(
  artifact: string,
  { role, into }: { readonly role: string; readonly into: string },
): string {
  return `${artifact} was edited while no ${role} was at work: the edit does not count as the ${role}'s. A copy is in ${into}`;
}

/** Without given texts that the agent did not change. */
export async function madeBy(
  box: Box,
  agent: AgentRow,
  readings: readonly Reading[],
): Promise<readonly Reading[]> {
  const given = new Set((await givenTo(box, agent)).lines);
  return given.size === 0 ? readings : readings.filter((reading) => !given.has(lineOf(reading)));
}

/** An agent's request for a move carries what the agent wrote, without given texts that it did not change. */
export async function withoutGiven(box: Box, run: string, event: Incoming): Promise<Incoming> {
  if (event.type !== "move-asked" || event.by.type !== "agent" || event.readings === undefined) return event;
  const agent = await box.store.agent({ run, ...event.by });
  if (agent === undefined) return event;
  return { ...event, readings: await madeBy(box, agent, event.readings) };
}
