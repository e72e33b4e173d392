/** One agent owes one artifact. */

import { addEnd, addMove, blockedState, put, type Sink } from "../sink.ts";
import { stageOf, type PhaseSite } from "./site.ts";

export const TRIES = 3;

/** A state in which one agent owes one artifact: it goes on when that is there, and asks when the tries are spent. */
export function produce(
  sink: Sink,
  site: PhaseSite,
  on: {
    state: string;
    role: string;
    owes: string;
    to: string;
    when?: string[];
    then?: string[];
    new?: string;
  },
): void {
  const { path } = site;
  const tries = `${on.state}.tries`;
  put(sink, "counters", {
    name: tries,
    value: { max: site.phase.tries ?? TRIES, per: "entry" },
    path: path,
    inside: [...path, "tries"],
  });
  put(sink, "states", {
    name: on.state,
    value: { ...stageOf(site), enter: [`start ${on.role}`] },
    path: path,
  });
  const gate = on.when === undefined ? { need: on.owes } : { when: { [on.owes]: on.when } };
  const actions = [`stop ${on.role}`, ...(on.then ?? [])];
  const anew = on.new === undefined ? {} : { new: on.new };
  addMove(sink, { from: on.state, to: on.to, by: "engine", ...gate, ...anew, do: actions }, path);
  addMove(
    sink,
    {
      from: on.state,
      to: blockedState(site.stage),
      by: "engine",
      when: { [tries]: "spent" },
      remember: true,
      do: [`stop ${on.role}`],
    },
    path,
  );
  addEnd(sink, { role: on.role, in: on.state, else: { count: tries, do: [`start ${on.role}`] } }, path);
}
