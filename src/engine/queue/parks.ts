/**
 * Parks: what holds up turns of agents that have not begun.
 *
 * Every start of a turn asks for the parks with its keys. What holds it up is written with the agent, so that a supervisor knows what
 * begins when the park is lifted, and screens what each run waits for.
 */

import type { Box } from "../box.ts";
import { agentId } from "../agents/job-id.ts";
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

function harnessKey(harness: string): string {
  return `${HARNESS}${harness}`;
}

const HARNESS = "harness:";

function agentKey(agent: RunAttempt): string {
  return `agent:${agentId(agent)}`;
}

/** Whether the park still holds. One whose time has come is over, also before the supervisor has lifted it. */
function isInForce({ until }: Pick<Park, "until">, now: number): boolean {
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

/** Lifts the parks whose time has come: the turns that they held begin. */
export async function liftDue({ store, clock }: On): Promise<void> {
  const now = clock.now();
  const due = (await store.parks()).filter((park) => !isInForce(park, now));
  if (due.length > 0) await store.commit(due.map(({ key, at }) => ({ type: "lift", key, at })));
}
