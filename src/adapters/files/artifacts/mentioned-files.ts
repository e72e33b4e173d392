/**
 * Artifacts that tell of other files of the work: an answer that speaks of a page which is not there, or says nothing, does not count.
 *
 * What the artifact itself says has its digest; with that of the fault it is another one, so that whoever brings the page and hands the same
 * answer in again is heard.
 */

import { isBlank } from "../../../core/text/blank.ts";
import type { Reading } from "../../../core/model/event.ts";
import { fillPath } from "../../../core/text/fill-path.ts";
import type { Place } from "../../../engine/ports/files.ts";
import { decodeWhole } from "../replace/decode.ts";
import { leadsIn } from "./link-target.ts";
import { openAt } from "./unreadable.ts";

export function withThere(place: Place, readings: readonly Reading[]): readonly Reading[] {
  if (place.isWorkspace !== true) return readings;
  const { artifacts } = place.workflow.definition;
  return readings.map((reading) => {
    const { there, file = "" } = artifacts[reading.artifact] ?? {};
    if (there === undefined || !reading.found || isRefusal(reading)) return reading;
    const files = there.map((each) => fillPath(place.run, each));
    if (says(place.root, files)) return reading;
    const at = { file: fillPath(place.run, file, reading.slot), line: 1, col: 1 };
    const reason = `it needs one of these files, with something in it: ${files.join(", ")}`;
    return { ...reading, digest: `${reading.digest}:alone`, faults: [...reading.faults, { at, reason }] };
  });
}

/** Who cannot go on says so, whatever is there. */
function isRefusal({ verdict }: Reading): boolean {
  return verdict !== undefined && verdict !== "pass" && verdict !== "pass_with_notes";
}

/** What is too large for a text of ours, or is none, says something all the same. */
function says(root: string, files: readonly string[]): boolean {
  return leadsIn({ root }, files).some((lead) => {
    if (!("to" in lead)) return false;
    const opened = openAt(root, lead.to);
    if (opened.type !== "bytes") return opened.type === "refused";
    return !isBlank(decodeWhole(opened.bytes) ?? "x");
  });
}
