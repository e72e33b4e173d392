/** A failed agent is started again until the attempts of the phase are spent; then a person is asked. */

import type { WhenFile } from "../schema/schema.ts";
import { addEnd, addMove, blockedState, put, type Sink } from "../expand/sink.ts";
import type { PhaseSite } from "./site.ts";

const TRIES = 3;

export function tryAgain(
  sink: Sink,
  { stage, phase, path }: PhaseSite,
  attempt: {
    readonly state: string;
    readonly role: string;
    /** The target of its successful end, if it has no output. */
    readonly to?: string;
    /** The condition for asking a person; for a single agent, that its attempts are spent. */
    readonly stuck?: WhenFile;
  },
): void {
  const { state, role, to, stuck } = attempt;
  const tries = `${state}.tries`;
  put(sink, "counters", {
    name: tries,
    value: { max: phase.tries ?? TRIES, per: "entry" },
    path,
    inside: [...path, "tries"],
  });
  addMove(
    sink,
    {
      from: state,
      to: blockedState(stage),
      by: "engine",
      when: stuck ?? { [tries]: "spent" },
      remember: true,
      do: [`stop ${role}`],
    },
    path,
  );
  const own = to === undefined ? {} : { try: to };
  addEnd(sink, { role, in: state, ...own, else: { count: tries, do: [`start ${role}`] } }, path);
}
