/** What a review found is mended by several at the same time: each has the issues of one file, so that no two write the same. */

import { FILES } from "../../../core/gates/fan-out-groups.ts";
import { addMove, put, type Sink } from "../expand/sink.ts";
import { anewIn, readFirst, type Fix } from "./mend.ts";
import { outOf, stageOf, type PhaseSite } from "./site.ts";
import { tryAgain } from "./tries.ts";

const AT_ONCE = 10;

/** Each leaves a note. As long as one did, the reviewer judges what has become of it; where none did, a person is asked. */
export function mendEach(sink: Sink, site: PhaseSite, fix: Fix): void {
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
