/**
 * What a check runs: its own commands, and those of lists that a person vouches for, that settings have, or that are its own. Where there is another one, or nothing at
 * all, nothing is run, and a person is asked.
 */

import type { Reading } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import {
  isPlain,
  listedIn,
  plainly,
  vouchedIn,
  type ListedCommands,
} from "../../core/gates/vouched-commands.ts";
import { sha256 } from "../../format/sha256.ts";
import type { Works } from "../box.ts";
import { commandsOf, type Check } from "./commands.ts";
import { placeOf } from "../submit/place.ts";
import type { Kept } from "../ports/journal.ts";
import { submit } from "../submit/submit.ts";

export type Planned = {
  readonly commands: readonly string[];
  readonly manual: number;
  /** Why nothing of it is run, a reason for each. */
  readonly objections: readonly string[];
  /** Other commands have another one; empty where none can be others. */
  readonly stamp: string;
};

/**
 * The run, with the lists as they are at this moment: it takes in what somebody has changed since it last looked. A check that is planned by what is
 * no longer there would have a result about nothing, and the run would wait for another one.
 */
export async function withListsNow(works: Works, kept: Kept, reader: Check): Promise<Kept> {
  if (reader.from === undefined) return kept;
  const { row, run } = kept;
  const place = await placeOf(works, { run, workflow: await works.workflow(row.definition), id: row.id });
  const changed = changedLists(run, reader, await works.artifacts.read(place));
  if (changed.length === 0) return kept;
  await submit(works, {
    run: row.id,
    by: { type: "engine" },
    facts: { readings: changed },
    event: ({ at, readings = [] }) => ({ type: "observed", at, readings }),
  });
  return (await works.store.load(row.id)) ?? kept;
}

/** Of what was read, the lists of a check that are not as the run has them. */
export function changedLists(run: Run, { from = [] }: Check, readings: readonly Reading[]): Reading[] {
  const sources = new Set(from.map(({ artifact }) => artifact));
  return readings.filter(
    ({ artifact, digest }) => sources.has(artifact) && (run.held[artifact]?.reading.digest ?? "") !== digest,
  );
}

export async function plannedFor(works: Works, kept: Kept, reader: Check): Promise<Planned> {
  const { row, run } = kept;
  const { checks: named } = await works.settings(row.repo);
  const own = commandsOf(run, reader, named);
  if (reader.from === undefined) return { commands: own, manual: 0, objections: [], stamp: "" };
  const listed = listedIn(run, reader.from);
  const events = (await works.store.events(row.id)).map(({ event }) => event);
  const vouched = vouchedIn(await works.workflow(row.definition), events);
  const allowed = listed.commands.map((each) => allowedOf(each, { own, named, vouched }));
  const commands = [...new Set([...own, ...allowed.flatMap(({ command }) => command ?? [])])];
  const objections = [...listed.objections, ...allowed.flatMap(({ why }) => why ?? [])];
  const none = commands.length + objections.length === 0 ? ["there is nothing to run"] : [];
  return {
    commands,
    manual: listed.manual,
    objections: [...new Set([...objections, ...none])],
    stamp: sha256(JSON.stringify(commands)).slice(0, 16),
  };
}

type Allowed = { readonly command?: string; readonly why?: string };

function allowedOf(
  { command, content }: ListedCommands["commands"][number],
  on: {
    readonly own: readonly string[];
    readonly named: Readonly<Record<string, string>>;
    readonly vouched: ReadonlySet<string>;
  },
): Allowed {
  const { own, named, vouched } = on;
  // It is run in any case: listed once more, to the letter, it adds nothing that somebody could object to.
  if (own.includes(command)) return { command };
  if (Object.hasOwn(named, command)) return { command: named[command] ?? "" };
  if (Object.values(named).includes(command)) return { command };
  // A person may have overlooked what cannot be seen.
  if (!isPlain(command)) return { why: `"${plainly(command)}" is empty, or holds signs that cannot be seen` };
  return vouched.has(content) ? { command } : { why: `nobody has approved of "${command}"` };
}
