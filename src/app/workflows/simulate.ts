/** A walk through a workflow, with dice in the place of agents. */

import { simulate, type SimulatedWalk } from "../../core/check/simulate.ts";
import { sayConsequences, sayEvent } from "../../core/check/words.ts";
import type { Invocation } from "../invocation.ts";
import { success, type Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { requireWorkflow } from "./load.ts";

export async function simulateRun(
  door: Invocation,
  { workflow: wanted, seed, steps: limit, people }: InputOf<"simulate">,
): Promise<Outcome<DataOf<"simulate">>> {
  const { workflow } = await requireWorkflow(wanted, door);
  const { name, title } = workflow.definition;
  const walk = simulate(workflow, {}, { chance: diceOf(seed), steps: limit, people });
  const steps = walk.steps.map(({ event, events, run }) => ({
    event: sayEvent(workflow, run, event),
    followed: sayConsequences(events),
    state: run.state,
  }));
  const state = steps.at(-1)?.state ?? "start";
  const data = { name, title, seed, people, steps, end: walk.end, state };
  return success(sayEnding(walk, state), data, { next: `signalbox check ${wanted}` });
}

function sayEnding({ steps, end }: SimulatedWalk, state: string): string {
  const count = `${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
  switch (end) {
    case "final":
      return `It ended in ${state} after ${count}.`;
    case "limit":
      return `It was in ${state} after ${count}, which was the limit; --steps allows more.`;
    case "stranded":
      return `It was stranded in ${state} after ${count}: nothing could happen any more.`;
  }
}

/** Numbers that look like chance and are the same for the same seed on every machine: mulberry32. */
export function diceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
