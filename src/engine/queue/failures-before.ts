/**
 * How the turns of one attempt failed since its run last moved, by the journal.
 *
 * A move is what bounds them: a definition counts its rounds. Whatever else a turn does, it begins no new count.
 */

import type { ProgramFailure } from "../../core/model/event.ts";
import { isSameAttempt } from "../../core/model/run.ts";
import type { RunAttempt } from "../ports/registry.ts";
import type { Store } from "../ports/store.ts";

type FailureClass = ProgramFailure["class"];

/** So many events are read at a time, backwards. */
const STRETCH = 256;

/** The turns before this one, the latest first: with the class of their failure, or undefined where they ended in another way. */
export async function failuresBefore(
  store: Pick<Store, "load" | "events">,
  agent: RunAttempt,
  turn: number,
): Promise<readonly (FailureClass | undefined)[]> {
  const failures: (FailureClass | undefined)[] = [];
  const seq = (await store.load(agent.run))?.run.seq ?? 0;
  for (let end = seq; end > 0; end -= STRETCH) {
    const from = Math.max(1, end - STRETCH + 1);
    for (const { event } of (await store.events(agent.run, from, end - from + 1)).toReversed()) {
      if (event.type === "moved") return failures;
      if (event.type === "turn-reported" && isSameAttempt(event, agent) && event.turn < turn)
        failures.push(event.failure?.class);
    }
  }
  return failures;
}
