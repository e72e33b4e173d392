/** Fixes, then a restart of the stage, then a question to a person: the same for a failed review and a failed check. */

import { listOf } from "../build/context.ts";
import type { PhaseFile, WhenFile } from "../schema/schema.ts";
import { addMove, put, type Sink } from "../expand/sink.ts";
import { cycleOf, stageOf, type PhaseSite } from "./site.ts";
import { tryAgain } from "./tries.ts";

export type Fix = NonNullable<PhaseFile["fix"]>;

export function countFixes(sink: Sink, { id, phase, path }: PhaseSite): void {
  put(sink, "counters", {
    name: `${id}.fixes`,
    value: { max: phase.fix?.max ?? 0, per: cycleOf(id) },
    path: path,
    inside: [...path, "fix"],
  });
}

/** A failed result is fixed while the budget lasts; then the stage restarts, and then a person is asked. */
export function mendOrAsk(
  sink: Sink,
  site: PhaseSite,
  { failed, stop }: { readonly failed: WhenFile; readonly stop: string[] },
): void {
  const { id, phase, path, restarts, exhausted } = site;
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
  const spent = { ...failed, [`${id}.fixes`]: "spent" };
  for (const { to, when, counter, scopes, outputs } of restarts) {
    const left = to === undefined ? {} : { [counter]: "spent" };
    if (to !== undefined)
      addMove(
        sink,
        {
          from: id,
          to,
          by: "engine",
          when: { ...spent, ...when, [counter]: "below" },
          count: counter,
          new: [...scopes],
          do: [...stop, `archive ${outputs.join(" ")}`],
        },
        path,
      );
    addMove(
      sink,
      {
        from: id,
        to: exhausted,
        by: "engine",
        when: { ...spent, ...when, ...left },
        remember: true,
        do: stop,
      },
      path,
    );
  }
}

/** A fixer without an output: its successful end, or its request, leads back to the judge. A failed fixer is started again. */
export function mendState(
  sink: Sink,
  site: PhaseSite,
  { fix, then }: { readonly fix: Fix; readonly then: readonly string[] },
): void {
  const { id, path } = site;
  const state = `${id}-fix`;
  const to = afterMending(sink, site, fix);
  readFirst(sink, fix.by, id);
  sink.helpers.set(state, id);
  put(sink, "states", { name: state, value: { ...stageOf(site), enter: [`start ${fix.by}`] }, path });
  addMove(sink, { from: state, to, by: fix.by, do: [`stop ${fix.by}`, ...then], ...anewIn(site) }, path);
  tryAgain(sink, site, { state, role: fix.by, to });
}

/**
 * The rule for an agent's end has one target, and a stage that can be disabled does not always exist: then the engine takes the
 * next move.
 */
function afterMending(sink: Sink, { id, path, phases, ...site }: PhaseSite, { to = id }: Fix): string {
  if (phases.includes(to)) return to;
  const state = `${id}-fixed`;
  sink.helpers.set(state, id);
  put(sink, "states", { name: state, value: { stage: site.stage }, path });
  addMove(sink, { from: state, to, by: "engine" }, path);
  return state;
}

/** The finding is outdated after the fix, also if the run returns to it later. */
export function anewIn({ id, phase }: PhaseSite): { new?: string } {
  return (phase.fix?.to ?? id) === id ? {} : { new: id };
}

/** The fixer gets the artifact with the findings. */
export function readFirst(sink: Sink, role: string, artifact: string): void {
  const declared = sink.kernel.roles[role];
  if (declared === undefined) return;
  const context = [...new Set([...listOf(declared.context), artifact])];
  Object.assign(sink.kernel.roles, { [role]: { ...declared, context } });
}
