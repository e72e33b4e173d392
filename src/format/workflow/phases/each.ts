import { addEnd, addMove, blockedState, put, type Sink } from "../sink.ts";
import { produce, TRIES } from "./produce.ts";
import { listOfSplit, outOf, stageOf, type PhaseSite } from "./site.ts";

const MEMBERS = 10;

/** One role in many slots, then another that makes one output of the parts; before them, where it is said, somebody who splits the work. */
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
  const tries = `${state}.tries`;
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
  put(sink, "counters", {
    name: tries,
    value: { max: phase.tries ?? TRIES, per: "entry" },
    path: path,
    inside: [...path, "tries"],
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
  addMove(
    sink,
    {
      from: state,
      to: blockedState(site.stage),
      by: "engine",
      when: { [parts]: tooFew },
      remember: true,
      do: [`stop ${role}`],
    },
    path,
  );
  addEnd(sink, { role, in: state, else: { count: tries, do: [`start ${role}`] } }, path);
}
