import { put, type Sink } from "../expand/sink.ts";
import { produce } from "./produce.ts";
import { outOf, type PhaseSite } from "./site.ts";

/** One role produces one output. */
export function runPhase(sink: Sink, site: PhaseSite): void {
  const { id, phase, path } = site;
  const role = phase.run ?? "";
  put(sink, "artifacts", {
    name: id,
    value: { ...outOf(phase.out), by: [...new Set([role, ...site.fixers])], fresh: site.stage },
    path: path,
    inside: [...path, "out"],
  });
  produce(sink, site, { state: id, role, owes: id, to: site.next });
}
