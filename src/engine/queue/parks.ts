/**
 * Parks: what holds up turns of agents that have not begun.
 *
 * Every start of a turn asks for the parks with its keys. What holds it up is written with the agent, so that a supervisor knows what
 * begins when the park is lifted, and screens what each run waits for.
 */

import type { Box, Works } from "../box.ts";
import { agentId } from "../agents/job-id.ts";
import type { Kept } from "../ports/journal.ts";
import type { Park } from "../ports/parks.ts";
import type { RunAttempt } from "../ports/registry.ts";
import { NoSlot } from "./slots.ts";

type On = Pick<Box, "clock"> & { readonly store: Pick<Box["store"], "parks" | "heldTurns" | "commit"> };

/** The turn is parked: it begins when the park is lifted. */
export class Parked extends NoSlot {}

/** The keys that the turns of one agent ask for, the longest wait first where several hold. */
function keysOf(agent: RunAttempt, harness: string): readonly string[] {
  return [harnessKey(harness), `run:${agent.run}`, agentKey(agent), "day"];
}

export function harnessKey(harness: string): string {
  return `${HARNESS}${harness}`;
}

const HARNESS = "harness:";

/** The harness that a park is about; empty for a park of a run, an agent or a day. */
export function harnessIn({ key }: Pick<Park, "key">): string {
  return key.startsWith(HARNESS) ? key.slice(HARNESS.length) : "";
}

export function agentKey(agent: RunAttempt): string {
  return `agent:${agentId(agent)}`;
}

/** Whether the park still holds. One whose time has come is over, also before the supervisor has lifted it. */
export function isInForce({ until }: Pick<Park, "until">, now: number): boolean {
  return until === 0 || until > now;
}

/** The park that holds up the turns with these keys for longest; undefined where none does. */
async function parkFor({ store, clock }: On, keys: readonly string[]): Promise<Park | undefined> {
  const now = clock.now();
  const wait = ({ until }: Park): number => (until === 0 ? Number.POSITIVE_INFINITY : until);
  return (await store.parks())
    .filter((park) => keys.includes(park.key) && isInForce(park, now))
    .toSorted((a, b) => wait(b) - wait(a))[0];
}

/** Throws where a park holds up the turn, which is then held until that park is lifted. */
export async function requireUnparked(on: On, agent: RunAttempt, harness: string): Promise<void> {
  const { run, role, slot, attempt } = agent;
  for (;;) {
    const park = await parkFor(on, keysOf(agent, harness));
    if (park === undefined) return;
    const turn = { run, role, slot, attempt, key: park.key };
    const { type } = await on.store.commit([{ type: "hold", turn }]);
    if (type === "written") throw new Parked(`${role} is parked: ${park.message}`);
  }
}

/**
 * A park begins, or one that holds for longer stays; the person is notified of a new one. `row` is of the run whose turn met the reason.
 */
export async function beginPark(
  works: On & Pick<Works, "settings" | "notifier" | "log">,
  { row }: Pick<Kept, "row">,
  park: Park,
): Promise<void> {
  const before = await parkFor(works, [park.key]);
  if (before !== undefined && isLonger(before, park)) return;
  await works.store.commit([{ type: "park", park }]);
  if (before !== undefined) return;
  try {
    const { notify } = await works.settings(row.repo);
    await works.notifier.ask({ command: notify, run: row.id, id: park.class, question: sayPark(park) });
  } catch (error) {
    // The run shows it, whether or not a person could be called.
    works.log(`${row.id}: nobody could be notified: ${String(error)}`);
  }
}

function isLonger(before: Park, park: Park): boolean {
  return before.until === 0 || (park.until !== 0 && before.until >= park.until);
}

/** The reason in the words of the program, and when or how it ends. */
export function sayPark({ message, until, next }: Park): string {
  const end =
    until === 0
      ? `parked until a person acts${next === "" ? "" : `: ${next}`}`
      : `parked until ${new Date(until)
          .toISOString()
          .replace(/:\d\d\.\d+Z$/, " UTC")
          .replace("T", " ")}`;
  return `${message.replace(/\.$/, "")}; ${end}`;
}

/** Lifts the parks whose time has come: the turns that they held begin. */
export async function liftDue({ store, clock }: On): Promise<void> {
  const now = clock.now();
  const due = (await store.parks()).filter((park) => !isInForce(park, now));
  if (due.length > 0) await store.commit(due.map(({ key, at }) => ({ type: "lift", key, at })));
}
