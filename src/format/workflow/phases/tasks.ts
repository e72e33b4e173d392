import { addMove, blockedState, put, type Sink } from "../expand/sink.ts";
import { stageOf, type PhaseSite } from "./site.ts";

/** Child runs, one for each task of a list. */
export function tasksPhase(sink: Sink, site: PhaseSite): void {
  const { id, phase, path } = site;
  const tolerated = phase.failed === "tolerate";
  put(sink, "artifacts", {
    name: id,
    value: {
      children: phase.tasks ?? "",
      fresh: id,
      ...(phase.workflow === undefined ? {} : { workflow: phase.workflow }),
      ...(phase.most === undefined ? {} : { most: Number(phase.most) }),
      ...(phase.with === undefined ? {} : { with: phase.with }),
      ...(phase.earlier === undefined ? {} : { earlier: phase.earlier }),
      ...(phase.scored === undefined ? {} : { scored: phase.scored }),
    },
    path: path,
  });
  put(sink, "states", {
    name: id,
    value: { ...stageOf(site), enter: [`start tasks ${phase.tasks ?? ""}`] },
    path: path,
  });
  addMove(
    sink,
    { from: id, to: site.next, by: "engine", when: { [id]: tolerated ? ["all", "some"] : "all" } },
    path,
  );
  addMove(
    sink,
    {
      from: id,
      to: blockedState(site.stage),
      by: "engine",
      when: { [id]: tolerated ? "none" : ["some", "none"] },
      remember: true,
    },
    path,
  );
}
