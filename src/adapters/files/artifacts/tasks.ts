/** The tasks of a list, for whoever starts them. */

import type { Listed, Place } from "../../../engine/ports/files.ts";
import { decodeWhole } from "../replace/decode.ts";
import { inFolder } from "../replace/folder.ts";
import { openFile } from "../replace/open.ts";
import { filesOf, shownPath } from "../../../core/text/run-files.ts";

export async function tasksIn(place: Place, artifact: string): Promise<readonly Listed[]> {
  const wanted = filesOf(place).find((each) => each.artifact === artifact);
  const reader = wanted?.of.reader;
  if (wanted === undefined || reader?.type !== "tasks") throw new Error(`${artifact} is no list of tasks`);
  const { file } = wanted;
  const inside = inFolder({ root: place.root, file }, openFile);
  const opened = inside.type === "done" ? inside.value : inside;
  const text = opened.type === "bytes" ? decodeWhole(opened.bytes) : undefined;
  if (text === undefined) throw new Error(`${shownPath(file)} cannot be read any more`);
  const { readTasks } = await import("../../../format/tasks/read.ts");
  const { tasks, faults } = readTasks(reader.style, shownPath(file), text);
  const [fault] = faults;
  if (fault !== undefined)
    throw new Error(`${fault.at.file}:${fault.at.line}:${fault.at.col}: ${fault.reason}`);
  // They come in the order of their layers.
  const layers = [...new Set(tasks.map(({ layer }) => layer))];
  return tasks.map(({ id, title, files, dependsOn, complexity, layer, keys, text: told = "" }) => ({
    id,
    title,
    files,
    dependsOn,
    text: told,
    ...(complexity === undefined ? {} : { complexity }),
    ...(keys === undefined ? {} : { keys }),
    ...(layer === undefined ? {} : { layer: layers.indexOf(layer) }),
  }));
}
