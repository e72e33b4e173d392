import { listOf } from "../build/context.ts";
import type { ArtifactFile, PhaseFile } from "../schema/schema.ts";
import { addMove, blockedState, put, type Sink } from "../expand/sink.ts";
import { anewIn, countFixes, mendOrAsk, mendState, type Fix, readFirst } from "./mend.ts";
import { produce } from "./produce.ts";
import { outOf, type PhaseSite, stageOf } from "./site.ts";
import { FILES } from "../../../core/gates/fan-out-groups.ts";
import { tryAgain } from "./tries.ts";

/** A review, the fixes that it asks for, and the restart of the stage when the fixes are spent. */
export function reviewPhase(sink: Sink, site: PhaseSite): void {
  const { id, phase, path, stage } = site;
  const role = phase.by ?? "";
  const out = locatedIn(phase);
  const verdicts = new Set(Object.values(out.review?.values ?? out.verdict ?? {}));
  // With a list of issues an approval may become one with notes.
  const hasNotes = verdicts.has("pass_with_notes") || out.review?.issues !== undefined;
  const approvals = hasNotes ? ["pass", "pass_with_notes"] : ["pass"];
  put(sink, "artifacts", {
    name: id,
    value: { ...out, by: role, fresh: id, bind: [...listOf(phase.review)] },
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
  if (phase.fix !== undefined) fixState(sink, site, phase.fix);
}

/** Issues that are distributed by file must name their file. */
function locatedIn({ out, fix }: PhaseFile): ArtifactFile {
  const artifact = outOf(out);
  if (fix?.each === undefined || artifact.review?.issues === undefined) return artifact;
  return { ...artifact, review: { location: "location", ...artifact.review } };
}

/**
 * A fixer of one output must change that output; a fixer of the work has no output. Then the review is archived: the reviewer
 * judges again, and the fixer can read the review until then.
 */
function fixState(sink: Sink, site: PhaseSite, fix: Fix): void {
  const { id, path, reviewed } = site;
  if (fix.each !== undefined) return mendEach(sink, site, fix);
  const then = [`archive ${id}`];
  if (reviewed === undefined) return mendState(sink, site, { fix, then });
  const state = `${id}-fix`;
  put(sink, "artifacts", {
    name: state,
    value: { ...outOf(reviewed.out), by: fix.by, fresh: state },
    path,
    inside: [...path.slice(0, -1), ...listOf(site.phase.review), "out"],
  });
  sink.helpers.set(state, id);
  produce(sink, site, { state, role: fix.by, owes: state, to: fix.to ?? id, then, ...anewIn(site) });
}

/** The maximum number of fixers at the same time. Each gets the issues of one file, so that no two write the same file. */
const AT_ONCE = 10;

/** Each fixer leaves a note. If at least one did, the reviewer judges again; otherwise a person is asked. */
function mendEach(sink: Sink, site: PhaseSite, fix: Fix): void {
  const { id, path, phase } = site;
  const state = `${id}-fix`;
  const note = fix.part ?? noteBeside(outOf(phase.out).in ?? "", state);
  put(sink, "artifacts", {
    name: state,
    value: { ...outOf(note), by: fix.by, fresh: state, each: `${id}.${FILES}`, max: AT_ONCE },
    path,
    inside: [...path, "fix", "part"],
  });
  readFirst(sink, fix.by, id);
  sink.helpers.set(state, id);
  put(sink, "states", {
    name: state,
    value: { ...stageOf(site), enter: [`start ${fix.by} each ${state}`] },
    path,
  });
  const mended = {
    when: { [state]: ["all", "some"] },
    do: [`stop ${fix.by}`, `archive ${id} ${state}`],
    ...anewIn(site),
  };
  addMove(sink, { from: state, to: fix.to ?? id, by: "engine", ...mended }, path);
  tryAgain(sink, site, { state, role: fix.by, stuck: { [state]: "none" } });
}

/** In the folder of the review. */
function noteBeside(review: string, name: string): string {
  return `${review.slice(0, review.lastIndexOf("/") + 1)}${name}.{slot}.md`;
}
