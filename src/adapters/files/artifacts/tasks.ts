/** The tasks of a list, and whole texts of a data file. */

import type { Listed, Place, Artifacts } from "../../../engine/ports/files.ts";
import { decodeWhole } from "../replace/decode.ts";
import { inFolder } from "../replace/folder.ts";
import { openFile } from "../replace/open.ts";
import { filesOf, shownPath, type FileOf } from "../../../core/text/run-files.ts";
import { sha256 } from "../../../format/sha256.ts";
import { decode } from "../../../format/reading/text.ts";

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

export async function textsIn(
  place: Place,
  of: Parameters<Artifacts["texts"]>[1],
): Promise<Readonly<Record<string, string>>> {
  const wanted = filesOf(place).find((each) => each.artifact === of.artifact);
  const type = wanted?.of.reader.type;
  if (wanted === undefined || (type !== "json" && type !== "yaml" && type !== "document"))
    throw new Error(`${of.artifact} is no data file`);
  const { file } = wanted;
  const inside = inFolder({ root: place.root, file }, openFile);
  const opened = inside.type === "done" ? inside.value : inside;
  const bytes = opened.type === "bytes" ? opened.bytes : undefined;
  if (bytes === undefined) throw new Error(`${shownPath(file)} cannot be read any more`);
  // A document may hold what others write into it: the caller has compared what was read of it.
  if (type !== "document" && (await digestOf(wanted, bytes)) !== of.digest)
    throw new Error(`${shownPath(file)} is not what it was when it was handed in`);
  const decoded = decode(shownPath(file), bytes, bytes.length);
  if (type === "document") {
    const { textIn } = await import("../../../format/front-matter/document.ts");
    const text = decoded.ok ? decoded.text : "";
    return Object.fromEntries(
      of.fields.map((name) => [
        name,
        textAt({ [name]: textIn(shownPath(file), text, name) }, name, shownPath(file)),
      ]),
    );
  }
  const { dataIn } = await import("../../../format/json/read.ts");
  const data = decoded.ok ? dataIn(type, shownPath(file), decoded.text) : {};
  return Object.fromEntries(of.fields.map((field) => [field, textAt(data, field, shownPath(file))]));
}

/** Of a file in which something is the engine's, what the rest is. */
async function digestOf({ artifact, of, file, slot }: FileOf, bytes: Uint8Array): Promise<string> {
  if (!("shown" in of.reader)) return `sha256:${sha256(bytes)}`;
  const { readArtifact } = await import("../../../format/reading/read.ts");
  return readArtifact(artifact, of, { file: shownPath(file), bytes, slot }).digest;
}

function textAt(data: Readonly<Record<string, unknown>>, field: string, file: string): string {
  const value = Object.hasOwn(data, field) ? data[field] : undefined;
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new Error(`${file} has no text "${field}"`);
}
