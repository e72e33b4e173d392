/** Texts out of a data file, whole, for whoever hands them on. */

import type { Artifacts, Place } from "../../../engine/ports/files.ts";
import { sha256 } from "../../../format/sha256.ts";
import { decode } from "../../../format/reading/text.ts";
import { inFolder } from "../replace/folder.ts";
import { openFile } from "../replace/open.ts";
import { filesOf, shownPath, type FileOf } from "../../../core/text/run-files.ts";

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
  // A document may hold what others write into it: whoever asks has compared what was read of it.
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
