import { addEnd, addMove, blockedState, put, type Sink } from "../sink.ts";
import { produce } from "./produce.ts";
import { outOf, stageOf, type PhaseSite } from "./site.ts";

const TRIES = 3;
const MEMBERS = 10;

/** One role in many slots, then another that makes one output of the parts. */
export function eachPhase(sink: Sink, site: PhaseSite): void {
  const { id, phase, path } = site;
  const role = phase.run ?? "";
  const merger = phase.merge ?? "";
  const parts = `${id}-parts`;
  const merge = `${id}-merge`;
  put(sink, "artifacts", {
    name: parts,
    value: {
      ...outOf(phase.part),
      by: role,
      fresh: site.stage,
      each: phase.each ?? "",
      max: phase.most ?? MEMBERS,
    },
    path: path,
    inside: [...path, "part"],
  });
  put(sink, "artifacts", {
    name: id,
    value: { ...outOf(phase.out), by: [...new Set([merger, ...site.fixers])], fresh: site.stage },
    path: path,
    inside: [...path, "out"],
  });
  put(sink, "counters", {
    name: `${id}.tries`,
    value: { max: phase.tries ?? TRIES, per: "entry" },
    path: path,
    inside: [...path, "tries"],
  });
  put(sink, "states", {
    name: id,
    value: { ...stageOf(site), enter: [`start ${role} each ${parts}`] },
    path: path,
  });
  const enough = phase.failed === "tolerate" ? ["all", "some"] : ["all"];
  const tooFew = phase.failed === "tolerate" ? ["none"] : ["some", "none"];
  addMove(sink, { from: id, to: merge, by: "engine", when: { [parts]: enough }, do: [`stop ${role}`] }, path);
  addMove(
    sink,
    {
      from: id,
      to: blockedState(site.stage),
      by: "engine",
      when: { [parts]: tooFew },
      remember: true,
      do: [`stop ${role}`],
    },
    path,
  );
  addEnd(sink, { role, in: id, else: { count: `${id}.tries`, do: [`start ${role}`] } }, path);
  sink.helpers.set(merge, id);
  produce(sink, site, { state: merge, role: merger, owes: id, to: site.next });
}
