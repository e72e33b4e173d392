/**
 * Reads the artifacts of a run. Each file is opened once, and parsed only if nobody has parsed exactly these bytes before:
 * the parsers are not even loaded for a file that has not changed.
 */

import type { Reading } from "../../core/event.ts";
import type { Reader } from "../../core/workflow.ts";
import { fillPath } from "../../engine/place.ts";
import type { Place } from "../../engine/ports/files.ts";
import type { Registry } from "../../engine/ports/registry.ts";
import { splitFrontMatter } from "../../format/front-matter-parts.ts";
import type { Read } from "../../format/reading.ts";
import { sha256 } from "../../format/sha256.ts";
import { decodeWhole } from "./decode.ts";
import type { FileOf } from "./paths.ts";
import { openAt, readableIn, unread } from "./unread.ts";

type Cache = Pick<Registry, "readings" | "keepReadings">;

export async function readAll(cache: Cache, place: Place): Promise<readonly Reading[]> {
  const readings: Reading[] = [];
  for (const [file, wanted] of Map.groupBy(readableIn(place), (each) => each.file)) {
    const opened = openAt(place.root, file);
    if (opened.type === "bytes")
      readings.push(...(await readFile({ cache, place, wanted }, file, opened.bytes)));
    else readings.push(...wanted.map((one) => unread(one, opened)));
  }
  return readings;
}

type On = { readonly cache: Cache; readonly place: Place; readonly wanted: readonly FileOf[] };

async function readFile(
  { cache, place, wanted }: On,
  file: string,
  bytes: Uint8Array,
): Promise<readonly Reading[]> {
  const { definition } = place.run;
  const digest = sha256(bytes);
  const isSections = wanted.every(({ of }) => of.reader.type === "section");
  const body = isSections ? bodyKey(bytes) : undefined;
  const told = toldIn(place, wanted);
  const known = cache.readings(definition, file, `${body ?? digest}${told}`);
  if (known !== undefined && isAbout(known, wanted)) return known;
  const read = await readerOf(wanted);
  const readings = wanted.map(({ artifact, of, slot }) => {
    const fill = (text: string): string => fillPath(place.run, text, slot);
    return read(artifact, of, { file, bytes, slot, fill });
  });
  // A file that could not be read as sections is what it is as a whole.
  const isWhole = readings.some((reading) => reading.digest === `sha256:${digest}`);
  if (body === undefined || !isWhole)
    cache.keepReadings(definition, file, `${body ?? digest}${told}`, readings);
  return readings;
}

/** What a file must say of its run: runs of one definition may share a file, and not that. */
function toldIn({ run }: Place, wanted: readonly FileOf[]): string {
  const told = wanted.flatMap(({ of: { reader }, slot }) =>
    "same" in reader ? Object.values(reader.same ?? {}).map((text) => fillPath(run, text, slot)) : [],
  );
  return told.length === 0 ? "" : `-${sha256(told.join("\n"))}`;
}

async function readerOf(wanted: readonly FileOf[]): Promise<Read> {
  const isMarkdown = wanted.every(({ of: { reader } }) => MARKDOWN.has(reader.type) && !("front" in reader));
  if (isMarkdown) return (await import("../../format/markdown/read.ts")).readMarkdown;
  return (await import("../../format/read.ts")).readArtifact;
}

const MARKDOWN: ReadonlySet<Reader["type"]> = new Set(["section", "document"]);
/** Well below what the reader of Markdown takes, so that no length of the front matter makes a difference. */
const BODY_BYTES_MAX = 128 * 1024;

/**
 * What the sections of a file depend on: everything below its front matter, and the line where that begins. We write the front
 * matter ourselves whenever the run goes on.
 */
function bodyKey(bytes: Uint8Array): string | undefined {
  const text = bytes.length > BODY_BYTES_MAX ? undefined : decodeWhole(bytes);
  if (text === undefined) return undefined;
  const { mark, head, close, body } = splitFrontMatter(text);
  if (head === "" || /\0|\r(?!\n)/.test(head)) return undefined;
  const lines = `${head}${close}`.split("\n").length;
  return `below-${lines}-${sha256(Buffer.from(`${mark}${close.trimEnd()}${body}`))}`;
}

/** Two members of a fan-out may share a file today and not tomorrow. */
function isAbout(readings: readonly Reading[], wanted: readonly FileOf[]): boolean {
  return (
    readings.length === wanted.length &&
    wanted.every(({ artifact, slot }, at) => {
      return readings[at]?.artifact === artifact && readings[at].slot === slot;
    })
  );
}
