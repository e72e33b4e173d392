/** Fixes, then a restart of the stage, then a person: the same for a review and a check that did not pass. */

import { addMove, blockedState, put, type Sink } from "../sink.ts";
import type { WhenFile } from "../schema.ts";
import { cycleOf, type PhaseSite } from "./site.ts";

export function countFixes(sink: Sink, { id, phase, path }: PhaseSite): void {
  put(sink, "counters", {
    name: `${id}.fixes`,
    value: { max: phase.fix?.max ?? 0, per: cycleOf(id) },
    path: path,
    inside: [...path, "fix"],
  });
}

/** What did not pass is mended while fixes are left; then the stage begins again, and then a person is asked. */
export function mendOrAsk(
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
