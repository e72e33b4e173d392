import type { Sink } from "../expand/sink.ts";
import { stageOf, type PhaseSite } from "./site.ts";

/** States that the file has itself: they only learn where they belong. Their moves, and what they make, are the file's. */
export function handPhase({ kernel }: Sink, site: PhaseSite): void {
  const { stage, title } = stageOf(site);
  for (const [index, name] of (site.phase.hand ?? []).entries()) {
    const declared = kernel.states[name];
    if (declared === undefined) continue;
    const words = index === 0 && title !== undefined ? { title } : {};
    Object.assign(kernel.states, { [name]: { ...words, ...declared, stage } });
  }
}
