/** The text of an artifact in files that were read: its file, its section with the heading, or the files of all members as JSON. */

import { ownArtifact } from "../../../core/gates/shape-of-run.ts";
import type { Reading } from "../../../core/model/event.ts";
import { fillPath } from "../../../core/text/fill-path.ts";
import type { Place } from "../../../engine/ports/files.ts";
import { decodeWhole } from "../replace/decode.ts";
import { membersIn, type ReadFiles } from "./readings.ts";
import { isRead } from "./unreadable.ts";

/** Undefined where the bytes are not text: a text that is not valid UTF-8 never counts. */
export async function collectedText(
  { run, workflow }: Place,
  { readings, bytes }: ReadFiles,
  { artifact, slot, digest }: Reading,
): Promise<string | undefined> {
  const declared = workflow.definition.artifacts[artifact];
  if (declared === undefined || declared.file === "" || digest === "" || !isRead(declared.reader))
    return undefined;
  const textAt = (member: string): string | undefined => {
    const found = bytes.get(fillPath(run, declared.file, member));
    return found === undefined ? undefined : decodeWhole(found);
  };
  if (declared.every !== undefined) {
    const members = membersIn(readings, declared.every).map((member) => [member, textAt(member)]);
    return JSON.stringify(Object.fromEntries(members));
  }
  const { reader } = ownArtifact(run.params, declared);
  const text = textAt(slot);
  if (text === undefined || reader.type !== "section") return text;
  const { cutSection } = await import("../../../format/markdown/place.ts");
  const parted = cutSection(text, reader.heading);
  return parted.ok && parted.cut !== "" ? parted.cut : undefined;
}
