/** Phases that make one artifact: by an agent, by a command, by child runs, or by handwritten states. */

import { addMove, put, type Sink, blockedState } from "../expand/sink.ts";
import { stageOf, type PhaseSite, outOf } from "./site.ts";
import { tryAgain } from "./tries.ts";
import { countFixes, mendOrAsk, mendState } from "./mend.ts";
import { present } from "../../present.ts";

/**
 * A state in which one agent must write one artifact: the run continues when it is valid, and asks a person when the attempts are
 * spent.
 */
export function produce(
  sink: Sink,
  site: PhaseSite,
  output: {
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
    name: output.state,
    value: { ...stageOf(site), enter: [`start ${output.role}`] },
    path: path,
  });
  const gate = output.when === undefined ? { need: output.owes } : { when: { [output.owes]: output.when } };
  const actions = [`stop ${output.role}`, ...(output.then ?? [])];
  const scopes = output.new === undefined ? {} : { new: output.new };
  addMove(sink, { from: output.state, to: output.to, by: "engine", ...gate, ...scopes, do: actions }, path);
  tryAgain(sink, site, { state: output.state, role: output.role });
}

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

/** A command that the engine runs, and the role that fixes its findings. */
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
    // The file's own moves handle failures in other places.
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

/** Handwritten states: they only get their stage. The file declares their moves and artifacts. */
export function handPhase({ kernel }: Sink, site: PhaseSite): void {
  const { stage, title } = stageOf(site);
  for (const [index, name] of (site.phase.hand ?? []).entries()) {
    const declared = kernel.states[name];
    if (declared === undefined) continue;
    const words = index === 0 && title !== undefined ? { title } : {};
    Object.assign(kernel.states, { [name]: { ...words, ...declared, stage } });
  }
}

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
      ...present({ with: phase.with, earlier: phase.earlier, scored: phase.scored }),
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
