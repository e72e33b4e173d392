/**
 * Reads the artifacts of a run. Each file is opened once, and parsed only if exactly these bytes were not parsed before:
 * the parsers are not even loaded for a file that has not changed.
 */

import type { Reading } from "../../../core/model/event.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import { fillPath } from "../../../core/text/fill-path.ts";
import { ownArtifact } from "../../../core/gates/shape-of-run.ts";
import type { Place } from "../../../engine/ports/files.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { splitFrontMatter } from "../../../format/front-matter/parts.ts";
import { readArtifacts } from "../../../format/reading/reading.ts";
import { sha256 } from "../../../format/sha256.ts";
import { decodeWhole } from "../replace/decode.ts";
import { readNamed } from "./named-files.ts";
import type { FileOf } from "../../../core/text/run-files.ts";
import { openAt, readableIn, unread, isRead } from "./unreadable.ts";
import { isBlank } from "../../../core/text/blank.ts";
import { leadsIn } from "./link-target.ts";

type Cache = Pick<Store, "readings" | "commit">;

/** The readings, and the bytes that they were made of. */
export type ReadFiles = {
  readonly readings: readonly Reading[];
  readonly bytes: ReadonlyMap<string, Uint8Array>;
};

/** Files in `instead` are read as if they held these bytes. */
export async function readAll(
  cache: Cache,
  place: Place,
  instead: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<ReadFiles> {
  const readings: Reading[] = [];
  const bytes = new Map(instead);
  const single = readableIn(place).filter(({ of }) => of.every === undefined);
  for (const [file, wanted] of Map.groupBy(single, (each) => each.file))
    readings.push(...(await readOne({ cache, place, wanted, bytes }, file)));
  for (const [artifact, of] of Object.entries(place.workflow.definition.artifacts)) {
    if (of.every === undefined) continue;
    const members = membersIn(readings, of.every);
    const parts: Reading[] = [];
    for (const slot of members) {
      const file = fillPath(place.run, of.file, slot);
      // Others may read the same file one by one: each has its own memory of it.
      const wanted = [{ artifact, of: ownArtifact(place.run.params, of), slot, file }];
      parts.push(...(await readOne({ cache, place, wanted, bytes, within: ` in ${artifact}` }, file)));
    }
    readings.push(together(artifact, of.every, parts));
  }
  const all = [...withThere(place, readings), ...(await readNamed({ cache, place }, readings))];
  return { readings: all, bytes };
}

async function readOne(on: On, file: string): Promise<readonly Reading[]> {
  const known = on.bytes.get(file);
  if (known !== undefined) return readFile(on, file, known);
  const opened = openAt(on.place.root, file);
  if (opened.type !== "bytes") return on.wanted.map((one) => unread(one, opened));
  on.bytes.set(file, opened.bytes);
  return readFile(on, file, opened.bytes);
}

/** As the list is now: its author may have written the files of new members as well. */
function membersIn(readings: readonly Reading[], { artifact, list }: List): readonly string[] {
  return [...new Set(readings.find((each) => each.artifact === artifact)?.lists[list])];
}

/** There, when any of them is; good, when every one is. Its digest tells which there are, and what each of them says. */
function together(artifact: string, { artifact: source, list }: List, parts: readonly Reading[]): Reading {
  const found = parts.some((part) => part.found);
  const faults = parts.flatMap((part) => part.faults);
  const at = { file: source, line: 1, col: 1 };
  return {
    artifact,
    slot: "",
    found,
    digest: found ? `sha256:${sha256(parts.map(({ slot, digest }) => `${slot}\0${digest}\n`).join(""))}` : "",
    faults: parts.length > 0 ? faults : [{ at, reason: `${source} names no ${list} yet` }],
    fields: {},
    lists: {},
  };
}

type List = NonNullable<Artifact["every"]>;
type On = {
  readonly cache: Cache;
  readonly place: Place;
  readonly wanted: readonly FileOf[];
  /** Of members of a list: the artifact that they are read for, which has a memory of its own. */
  readonly within?: string;
  /** What was read so far. */
  readonly bytes: Map<string, Uint8Array>;
};

async function readFile(
  { cache, place, wanted, within = "" }: On,
  file: string,
  bytes: Uint8Array,
): Promise<readonly Reading[]> {
  const { definition } = place.run;
  const digest = sha256(bytes);
  const isSections = wanted.every(({ of }) => of.reader.type === "section");
  const body = isSections ? bodyKey(bytes) : undefined;
  const key = `${body ?? digest}${stampOf(place, wanted)}`;
  const at = { definition, file: `${file}${within}`, digest: key };
  const known = await cache.readings(at);
  if (known !== undefined && isAbout(known, wanted)) return known;
  const readings = await readArtifacts(wanted, { file, bytes });
  // A file that could not be read as sections is what it is as a whole.
  const isWhole = readings.some((reading) => reading.digest === `sha256:${digest}`);
  if (body === undefined || !isWhole) await cache.commit([{ type: "put-readings", ...at, readings }]);
  return readings;
}

/** What is allowed in a file may depend on what the run was started with. */
function stampOf({ workflow }: Place, wanted: readonly FileOf[]): string {
  const own = wanted.filter(({ artifact, of }) => workflow.definition.artifacts[artifact] !== of);
  return own.length === 0 ? "" : `-${sha256(JSON.stringify(own.map(({ of }) => of.reader)))}`;
}

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

/** The text of an artifact: its file, its section with the heading, or the files of all members as JSON. Undefined where the bytes are not UTF-8. */
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

/**
 * Artifacts that require other files of the work: an answer without the page that it refers to, or with a blank one, does not count.
 *
 * The fault is a part of the digest, so that the same answer counts as new when it is submitted again with the page.
 */
function withThere(place: Place, readings: readonly Reading[]): readonly Reading[] {
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

/** An answer that refuses needs no page. */
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
