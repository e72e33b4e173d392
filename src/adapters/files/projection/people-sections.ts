/**
 * Sections that only people may write, in a file that agents rewrite as a whole.
 *
 * What such a section said is remembered. Where somebody has taken it out, it is put back; where it says something else now, what it
 * said before goes to the archive. Who did it, nobody can tell: a person may edit it at any time, and then nothing is lost either.
 *
 * The file is looked at only where the run has seen the section change, and where it has not seen yet what was put back.
 */

import { join } from "node:path";
import type { Place } from "../../../engine/ports/files.ts";
import type { PlacedText } from "../../../format/markdown/place.ts";
import { sha256 } from "../../../format/sha256.ts";
import { failpoint } from "../../failpoint.ts";
import { decodeWhole } from "../replace/decode.ts";
import { deposit } from "../replace/move.ts";
import type { OwnWrites } from "../replace/own-writes.ts";
import type { Remembering } from "./projected.ts";
import { filesOf, shownPath, type FileOf } from "../../../core/text/run-files.ts";
import { rewrite, whyNot, writeAll } from "../replace/replace.ts";
import type { Rewritten } from "../replace/replace.ts";

type Memories = Pick<Remembering, "store" | "place">;
type On = Memories & { readonly own: OwnWrites; readonly into: string };
type Section = FileOf & { readonly heading: string };
/** What the run had seen of it, and the section with its heading; empty where nothing is to be put back. */
type Memory = { readonly digest: string; readonly text: string };

const NOTHING: Memory = { digest: "", text: "" };

export async function keepPeoples(on: On): Promise<readonly string[]> {
  const told: string[] = [];
  for (const section of peoplesOf(on.place)) {
    const digest = on.place.run.seen[section.artifact] ?? "";
    const memory = await recall(on, section.artifact);
    // What was put back, and nobody has read since, may have been taken out once more.
    const isUnread = digest === "" && memory.text !== "";
    if (digest !== memory.digest || isUnread) told.push(...(await look(on, section, { digest, memory })));
  }
  return told;
}

/** Before we take sections out ourselves: these are not to be put back. */
export async function forgetPeoples({ store, place }: Memories, artifacts: readonly string[]): Promise<void> {
  for (const { artifact } of peoplesOf(place))
    if (artifacts.includes(artifact)) await remember({ store, place }, artifact, NOTHING);
}

function peoplesOf(place: Place): readonly Section[] {
  return filesOf(place).flatMap((file) => {
    const { reader, by } = file.of;
    const isPeoples = by.length > 0 && by.every((name) => name === "human");
    return isPeoples && reader.type === "section" ? [{ ...file, heading: reader.heading }] : [];
  });
}

async function look(
  on: On,
  section: Section,
  { digest, memory }: { readonly digest: string; readonly memory: Memory },
): Promise<readonly string[]> {
  const { cutSection, putSection } = await import("../../../format/markdown/place.ts");
  const { root, isWorkspace = false } = on.place;
  const { artifact, file, heading } = section;
  const spot = { root, file, isWorkspace };
  let found: string | undefined;
  const edit = (now: Uint8Array | undefined): { bytes: Uint8Array } | undefined => {
    found = undefined;
    const text = now === undefined ? "" : decodeWhole(now);
    const parted = text === undefined ? undefined : cutSection(text, heading);
    if (text === undefined || parted === undefined || !parted.ok) return undefined;
    found = parted.cut;
    const placed: PlacedText | undefined =
      found === "" && memory.text !== "" ? putSection(text, heading, memory.text) : undefined;
    return placed?.ok === true ? { bytes: Buffer.from(placed.text) } : undefined;
  };
  failpoint("files.before-put-back");
  const written = attempt(() =>
    rewrite(spot, { edit: on.own.remembering(spot, edit), isOurs: on.own.isOf(spot) }),
  );
  failpoint("files.after-put-back");
  // What cannot be read is told where the file is shown; what we remember stays as it is.
  if (written === undefined || written.type === "refused" || found === undefined) return [];
  if (found === "" && memory.text !== "") {
    await remember(on, artifact, { digest, text: memory.text });
    return [
      ...written.told,
      `${shownPath(file)}: somebody has taken out "## ${heading}", which is a person's; it is back`,
    ];
  }
  const told = plain(found) === plain(memory.text) ? [] : aside(on, section, memory.text);
  await remember(on, artifact, { digest, text: found });
  return [...written.told, ...told];
}

/** Line ends and what follows the last line are nobody's words. */
function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").trimEnd();
}

function attempt(write: () => Rewritten): Rewritten | undefined {
  try {
    return write();
  } catch (error) {
    if (whyNot(error) === undefined) throw error;
    return undefined;
  }
}

/** What the section said before it was changed. */
function aside(on: On, { file, heading }: Section, text: string): readonly string[] {
  if (text === "") return [];
  const bytes = Buffer.from(text);
  const name = `${file}.${heading.replaceAll(/[/\0]/g, "-")}.md`;
  const to = { root: on.into, file: name, make: true };
  const { told } = deposit(to, { digest: sha256(bytes), fill: (fd) => writeAll(fd, bytes) }, "number");
  return [
    ...told,
    `${shownPath(file)}: "## ${heading}", which is a person's, was changed; what it said before is in ${join(on.into, name)}`,
  ];
}

/** Beside what projected files said; no file has such a name. */
function keyOf(artifact: string): string {
  return `//section/${artifact}`;
}

async function recall({ store, place }: Memories, artifact: string): Promise<Memory> {
  const text = await store.projection(place.run.id, keyOf(artifact));
  return text === undefined ? NOTHING : memoryIn(text);
}

function memoryIn(text: string): Memory {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !("digest" in value) || !("text" in value))
    return NOTHING;
  return { digest: String(value.digest), text: String(value.text) };
}

async function remember({ store, place }: Memories, artifact: string, memory: Memory): Promise<void> {
  const fields = JSON.stringify(memory);
  await store.commit([{ type: "put-projection", run: place.run.id, file: keyOf(artifact), fields }]);
}
