/** One agent owes one artifact. */

import { addMove, put, type Sink } from "../expand/sink.ts";
import { stageOf, type PhaseSite } from "./site.ts";
import { tryAgain } from "./tries.ts";

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
  put(sink, "states", {
    name: on.state,
    value: { ...stageOf(site), enter: [`start ${on.role}`] },
    path: path,
  });
  const gate = on.when === undefined ? { need: on.owes } : { when: { [on.owes]: on.when } };
  const actions = [`stop ${on.role}`, ...(on.then ?? [])];
  const anew = on.new === undefined ? {} : { new: on.new };
  addMove(sink, { from: on.state, to: on.to, by: "engine", ...gate, ...anew, do: actions }, path);
  tryAgain(sink, site, { state: on.state, role: on.role });
}
