/** Files of a run that nobody can read, as its readers would say it: they are not loaded for that. */

import type { Reading } from "../../../core/model/event.ts";
import type { Reader } from "../../../core/model/artifact.ts";
import type { Place } from "../../../engine/ports/files.ts";
import { inFolder } from "../replace/folder.ts";
import { openFile, type Opened } from "../replace/open.ts";
import { filesOf, shownPath, type FileOf } from "../../../core/text/run-files.ts";

/** Artifacts whose file is something else than a file, or one that is not taken: each with what it is. */
export function refusedIn(place: Place): readonly Reading[] {
  return [...Map.groupBy(readableIn(place), ({ file }) => file)].flatMap(([file, wanted]) => {
    const opened = openAt(place.root, file);
    return opened.type === "refused" ? wanted.map((one) => unread(one, opened)) : [];
  });
}

/** The files that are read at all. */
export function readableIn(place: Place): readonly FileOf[] {
  return filesOf(place).filter(({ of }) => isRead(of.reader));
}

export function isRead({ type }: Reader): boolean {
  return type !== "check" && type !== "fact" && type !== "children" && type !== "files";
}

export function openAt(root: string, file: string): Opened {
  const inside = inFolder({ root, file }, openFile);
  return inside.type === "done" ? inside.value : inside;
}

export function unread(
  { artifact, of, slot, file }: FileOf,
  opened: Exclude<Opened, { type: "bytes" }>,
): Reading {
  const { reader } = of;
  const purpose = reader.type === "section" ? `; it must have the section "## ${reader.heading}"` : "";
  const reason = opened.type === "missing" ? `the file is missing${purpose}` : `the file ${opened.reason}`;
  const faults = [{ at: { file: shownPath(file), line: 1, col: 1 }, reason }];
  return { artifact, slot, found: false, digest: "", faults, fields: {}, lists: {} };
}
