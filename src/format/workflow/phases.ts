/** What each kind of phase expands to. Reading one of these functions is reading what its sugar means. */

import { listOf, type Path } from "./context.ts";
import { addEnd, addMove, blockedState, put, type Sink } from "./sink.ts";
import type { ArtifactFile, PhaseFile, StageFile, WhenFile, WorkflowFile } from "./schema.ts";

export type PhaseSite = {
  readonly id: string;
  readonly phase: PhaseFile;
  readonly stage: string;
  /** The stage's first phase, its scopes and its outputs: what a restart goes back to, begins anew and archives. */
  readonly first: string;
  readonly scopes: readonly string[];
  readonly outputs: readonly string[];
  readonly next: string;
  readonly restarts: boolean;
  /** Roles that mend this phase's output after a review. */
  readonly fixers: readonly string[];
  readonly reviewed: PhaseFile | undefined;
  readonly path: Path;
};

/** The scopes of the fixes of reviews and checks: a restart of the stage, or a person's retry, begins them anew. */
export function cyclesOf({ phases }: Pick<StageFile, "phases">): string[] {
  return Object.entries(phases)
    .filter(([, { review, fix }]) => review !== undefined || fix !== undefined)
    .map(([id]) => cycleOf(id));
}

export function cyclesIn({ stages }: WorkflowFile): string[] {
  return Object.values(stages ?? {}).flatMap(cyclesOf);
}

function cycleOf(phase: string): string {
  return `${phase}.cycle`;
}

const TRIES = 3;
const MEMBERS = 10;

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

/** A review, the fixes it asks for, and the restart of the stage when they do not help. */
export function reviewPhase(sink: Sink, site: PhaseSite): void {
  const { id, phase, path, stage } = site;
  const role = phase.by ?? "";
  const out = outOf(phase.out);
  const verdicts = new Set(Object.values(out.review?.values ?? out.verdict ?? {}));
  // With a list of issues an approval may turn out to be one with notes.
  const hasNotes = verdicts.has("pass_with_notes") || out.review?.issues !== undefined;
  const approvals = hasNotes ? ["pass", "pass_with_notes"] : ["pass"];
  put(sink, "artifacts", {
    name: id,
    value: { ...out, by: role, fresh: id, bind: phase.review ?? "" },
    path: path,
    inside: [...path, "out"],
  });
  countFixes(sink, site);
  produce(sink, site, { state: id, role, owes: id, to: site.next, when: approvals });
  const stop = [`stop ${role}`];
  mendOrAsk(sink, site, { failed: { [id]: "needs_fix" }, stop });
  const person = (["needs_human", "reject"] as const).filter((verdict) => verdicts.has(verdict));
  if (person.length > 0)
    addMove(
      sink,
      {
        from: id,
        to: blockedState(stage),
        by: "engine",
        when: { [id]: [...person] },
        remember: true,
        do: stop,
      },
      path,
    );
  if (phase.fix !== undefined) fixState(sink, site, phase.fix.by);
}

function countFixes(sink: Sink, { id, phase, path }: PhaseSite): void {
  put(sink, "counters", {
    name: `${id}.fixes`,
    value: { max: phase.fix?.max ?? 0, per: cycleOf(id) },
    path: path,
    inside: [...path, "fix"],
  });
}

/** What did not pass is mended while fixes are left; then the stage begins again, and then a person is asked. */
function mendOrAsk(
  sink: Sink,
  site: PhaseSite,
  { failed, stop }: { readonly failed: WhenFile; readonly stop: string[] },
): void {
  const { id, phase, path, stage, restarts } = site;
  const left = `${stage}.restarts`;
  if (phase.fix !== undefined)
    addMove(
      sink,
      {
        from: id,
        to: `${id}-fix`,
        by: "engine",
        when: { ...failed, [`${id}.fixes`]: "below" },
        count: `${id}.fixes`,
        do: stop,
      },
      path,
    );
  if (restarts) {
    const again = {
      when: { ...failed, [`${id}.fixes`]: "spent", [left]: "below" },
      count: left,
      new: [...site.scopes],
    };
    addMove(
      sink,
      {
        from: id,
        to: site.first,
        by: "engine",
        ...again,
        do: [...stop, `archive ${site.outputs.join(" ")}`],
      },
      path,
    );
  }
  const nothingLeft = { ...failed, [`${id}.fixes`]: "spent", ...(restarts ? { [left]: "spent" } : {}) };
  addMove(
    sink,
    { from: id, to: blockedState(stage), by: "engine", when: nothingLeft, remember: true, do: stop },
    path,
  );
}

function fixState(sink: Sink, site: PhaseSite, role: string): void {
  const state = `${site.id}-fix`;
  // The output as the fixer left it: it counts only when it has changed since the fixer was called.
  put(sink, "artifacts", {
    name: state,
    value: { ...outOf(site.reviewed?.out), by: role, fresh: state },
    path: site.path,
    inside: [...site.path.slice(0, -1), site.phase.review ?? "", "out"],
  });
  sink.helpers.set(state, site.id);
  produce(sink, site, { state, role, owes: state, to: site.id });
}

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
    return mendState(sink, site, fix.by);
  }
  addMove(
    sink,
    { from: id, to: blockedState(site.stage), by: "engine", when: { [id]: "needs_fix" }, remember: true },
    path,
  );
}

/** Whoever mends for a check owes no file: its end, or its own word, has the check run again, and that judges. */
function mendState(sink: Sink, site: PhaseSite, role: string): void {
  const { id, path } = site;
  const state = `${id}-fix`;
  const declared = sink.kernel.roles[role];
  if (declared !== undefined) {
    const context = [...new Set([...listOf(declared.context), id])];
    Object.assign(sink.kernel.roles, { [role]: { ...declared, context } });
  }
  sink.helpers.set(state, id);
  put(sink, "states", { name: state, value: { ...stageOf(site), enter: [`start ${role}`] }, path });
  addMove(sink, { from: state, to: id, by: role, do: [`stop ${role}`] }, path);
  addEnd(sink, { role, in: state, try: id, else: {} }, path);
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
      ...(phase.most === undefined ? {} : { most: phase.most }),
      ...(phase.with === undefined ? {} : { with: phase.with }),
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

/** A state in which one agent owes one artifact: it goes on when that is there, and asks when the tries are spent. */
function produce(
  sink: Sink,
  site: PhaseSite,
  on: { state: string; role: string; owes: string; to: string; when?: string[] },
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
  addMove(sink, { from: on.state, to: on.to, by: "engine", ...gate, do: [`stop ${on.role}`] }, path);
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

function outOf(out: PhaseFile["out"]): ArtifactFile {
  if (out === undefined) return {};
  return typeof out === "string" ? { in: out, file: true } : out;
}

/** Where the phase is drawn, and its words for people. */
function stageOf({ stage, phase }: PhaseSite): { stage: string; title?: string } {
  return { stage, ...(phase.title === undefined ? {} : { title: phase.title }) };
}
