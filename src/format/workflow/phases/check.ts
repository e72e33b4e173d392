import { addMove, blockedState, put, type Sink } from "../expand/sink.ts";
import { countFixes, mendOrAsk, mendState } from "./mend.ts";
import { outOf, stageOf, type PhaseSite } from "./site.ts";

/** A command that the engine runs, and whoever mends what it found. */
export function checkPhase(sink: Sink, site: PhaseSite): void {
  const { id, phase, path } = site;
  const { in: file } = outOf(phase.out);
  put(sink, "artifacts", {
    name: id,
    value: { check: phase.check ?? "", bind: "tree", fresh: id, ...(file === undefined ? {} : { in: file }) },
    path: path,
  });
  put(sink, "states", { name: id, value: { ...stageOf(site), enter: [`run ${id}`] }, path: path });
  addMove(sink, { from: id, to: site.next, by: "engine", when: { [id]: "pass" } }, path);
  const { fix } = phase;
  if (fix !== undefined) {
    // What failed elsewhere is left to moves that the file itself has.
    const where = fix.failing === undefined ? {} : { [`${id}.failing`]: fix.failing };
    countFixes(sink, site);
    mendOrAsk(sink, site, { failed: { [id]: "needs_fix", ...where }, stop: [] });
    return mendState(sink, site, { fix, then: [] });
  }
  addMove(
    sink,
    { from: id, to: blockedState(site.stage), by: "engine", when: { [id]: "needs_fix" }, remember: true },
    path,
  );
}
