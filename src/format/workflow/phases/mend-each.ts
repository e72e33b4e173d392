/** What a review found is mended by several at the same time: each has the issues of one file, so that no two write the same. */

import { FILES } from "../../../core/groups.ts";
import { addEnd, addMove, blockedState, put, type Sink } from "../sink.ts";
import { anewIn, readFirst, type Fix } from "./mend.ts";
import { TRIES } from "./produce.ts";
import { outOf, stageOf, type PhaseSite } from "./site.ts";

const AT_ONCE = 10;

/** Each leaves a note. As long as one did, the reviewer judges what has become of it; where none did, a person is asked. */
export function mendEach(sink: Sink, site: PhaseSite, fix: Fix): void {
  const { id, path, phase } = site;
  const state = `${id}-fix`;
  const tries = `${state}.tries`;
  const note = fix.part ?? noteBeside(outOf(phase.out).in ?? "", state);
  put(sink, "artifacts", {
    name: state,
    value: { ...outOf(note), by: fix.by, fresh: state, each: `${id}.${FILES}`, max: AT_ONCE },
    path,
    inside: [...path, "fix", "part"],
  });
  put(sink, "counters", {
    name: tries,
    value: { max: phase.tries ?? TRIES, per: "entry" },
    path,
    inside: [...path, "tries"],
  });
  readFirst(sink, fix.by, id);
  sink.helpers.set(state, id);
  const stop = `stop ${fix.by}`;
  put(sink, "states", {
    name: state,
    value: { ...stageOf(site), enter: [`start ${fix.by} each ${state}`] },
    path,
  });
  const mended = {
    when: { [state]: ["all", "some"] },
    do: [stop, `archive ${id} ${state}`],
    ...anewIn(site),
  };
  addMove(sink, { from: state, to: fix.to ?? id, by: "engine", ...mended }, path);
  const stuck = { when: { [state]: "none" }, remember: true, do: [stop] };
  addMove(sink, { from: state, to: blockedState(site.stage), by: "engine", ...stuck }, path);
  addEnd(sink, { role: fix.by, in: state, else: { count: tries, do: [`start ${fix.by}`] } }, path);
}

/** In the folder of the review. */
function noteBeside(review: string, name: string): string {
  return `${review.slice(0, review.lastIndexOf("/") + 1)}${name}.{slot}.md`;
}
