import { addMove, put, type Sink } from "../expand/sink.ts";
import { produce } from "./produce.ts";
import { listOfSplit, outOf, stageOf, type PhaseSite } from "./site.ts";
import { tryAgain } from "./tries.ts";

const MEMBERS = 10;

/** A role works in several slots, then another role combines their results; with `split`, a role first divides the work. */
export function eachPhase(sink: Sink, site: PhaseSite): void {
  const { id, phase, path } = site;
  const { split } = phase;
  const state = split === undefined ? id : `${id}-each`;
  const merge = `${id}-merge`;
  if (split !== undefined) {
    put(sink, "artifacts", {
      name: listOfSplit(id),
      value: { ...outOf(split.out), by: split.by, fresh: site.stage },
      path: path,
      inside: [...path, "split", "out"],
    });
    produce(sink, site, { state: id, role: split.by, owes: listOfSplit(id), to: state });
    sink.helpers.set(state, id);
  }
  fanOut(sink, site, { state, merge });
  put(sink, "artifacts", {
    name: id,
    value: {
      ...outOf(phase.out),
      by: [...new Set([phase.merge ?? "", ...site.fixers])],
      fresh: site.stage,
    },
    path: path,
    inside: [...path, "out"],
  });
  sink.helpers.set(merge, id);
  produce(sink, site, { state: merge, role: phase.merge ?? "", owes: id, to: site.next });
}

function fanOut(sink: Sink, site: PhaseSite, { state, merge }: { state: string; merge: string }): void {
  const { id, phase, path } = site;
  const role = phase.run ?? "";
  const parts = `${id}-parts`;
  put(sink, "artifacts", {
    name: parts,
    value: {
      ...outOf(phase.part),
      by: role,
      fresh: site.stage,
      each: phase.split === undefined ? (phase.each ?? "") : `${listOfSplit(id)}.${phase.each ?? ""}`,
      max: phase.most ?? MEMBERS,
    },
    path: path,
    inside: [...path, "part"],
  });
  put(sink, "states", {
    name: state,
    value: { ...stageOf(site), enter: [`start ${role} each ${parts}`] },
    path: path,
  });
  const enough = phase.failed === "tolerate" ? ["all", "some"] : ["all"];
  const tooFew = phase.failed === "tolerate" ? ["none"] : ["some", "none"];
  addMove(
    sink,
    { from: state, to: merge, by: "engine", when: { [parts]: enough }, do: [`stop ${role}`] },
    path,
  );
  tryAgain(sink, site, { state, role, stuck: { [parts]: tooFew } });
}
