/**
 * Texts and the files of artifacts: a file as it would be with a text, and a file that is made to show a text.
 *
 * An older text never replaces a newer one: the file is read, the caller says whether the text is still the newest, and only the bytes
 * that were read are replaced.
 */

import { dirname, join } from "node:path";
import { ownArtifact } from "../../../core/gates/shape-of-run.ts";
import type { Artifact } from "../../../core/model/artifact.ts";
import { archivedName, fillPath } from "../../../engine/submit/place.ts";
import type { Artifacts, ArtifactText, Place } from "../../../engine/ports/files.ts";
import { sha256 } from "../../../format/sha256.ts";
import { failpoint } from "../../failpoint.ts";
import { UserError } from "../../user-error.ts";
import { forgetPeoples } from "../projection/people-sections.ts";
import { projectedDigests, type Remembering } from "../projection/projected.ts";
import { decodeWhole } from "../replace/decode.ts";
import { deposit } from "../replace/move.ts";
import type { OwnWrites } from "../replace/own-writes.ts";
import { rewrite, whyNot, writeAll, type Rewritten } from "../replace/replace.ts";
import { shownPath, type FileOf } from "../../../core/text/run-files.ts";
import { openAt } from "./unreadable.ts";
import { readerFor, bytesMaxOf } from "../../../format/reading/reading.ts";

type TextToShow = Parameters<Artifacts["show"]>[1];
type Shown = Awaited<ReturnType<Artifacts["show"]>>;
type Files = { readonly own: OwnWrites } & Pick<Remembering, "store">;
/** One file with the text in it, made of the bytes that it has. */
type Placing = FileOf & { readonly edit: (now: Uint8Array | undefined) => Uint8Array };

/** Three quarters of what the reader accepts: the rest is for what the engine shows in the same file, and for what others write there. */
const SHARE = 0.75;
const TRIES_MAX = 20;
const MEND_TEXT = "mend the text, and try again";

/** The files of these texts as they would be with them. Nothing is written. */
export async function filesWith(
  place: Place,
  texts: readonly ArtifactText[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const text of texts) {
    const reader = place.workflow.definition.artifacts[text.artifact]?.reader;
    // The engine gives the reading of a check itself.
    if (reader?.type === "check") continue;
    const { file, edit } = await submittedIn(place, text);
    files.set(file, edit(files.get(file) ?? bytesAt(place, file)));
  }
  return files;
}

/** Makes the file of an artifact show a text, unless it does. */
export async function showText(on: Files, place: Place, text: TextToShow): Promise<Shown> {
  const told: string[] = [];
  // What was accepted is shown whatever its size.
  for (const placing of await placingsOf(place, text, Infinity)) {
    const shown = await showIn(on, place, { text, placing });
    told.push(...shown.told);
    if (!shown.isShown) return { told, isShown: false };
  }
  return { told, isShown: true };
}

async function showIn(
  on: Files,
  place: Place,
  { text, placing }: { readonly text: TextToShow; readonly placing: Placing },
): Promise<Shown> {
  const told: string[] = [];
  const digestIn = await digesting(placing);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const before = bytesAt(place, placing.file);
    const bytes = placing.edit(before);
    if (before !== undefined && Buffer.compare(before, bytes) === 0) return { told, isShown: true };
    const digest = before === undefined ? "" : digestIn(before);
    if (!(await text.isCurrent())) return { told, isShown: false };
    const isReplaced = !["", digestIn(bytes)].includes(digest);
    const isEdit = digest !== text.over;
    const into = isEdit ? text.edited : text.archive;
    if (isReplaced && into !== undefined && before !== undefined) {
      await forgetPeoples({ store: on.store, place }, [placing.artifact]);
      const copied = await archiveText(placing, { into, bytes: before });
      told.push(...copied.told);
      if (isEdit && copied.file !== "") told.push(sayReplaced(placing, copied.file));
    }
    failpoint("texts.before-show");
    const written = await replaceAt(on, place, { placing, before, bytes });
    failpoint("texts.after-show");
    told.push(...written.told);
    if (!written.isChanged) return { told, isShown: true };
  }
  throw refusal(placing.file, "the file is changed by somebody all the time");
}

function sayReplaced({ artifact, file }: Placing, copy: string): string {
  return `${shownPath(file)}: ${artifact} was edited, and no event has accepted the edit. A submitted text replaced it; the edit is in ${copy}`;
}

/** `isChanged`: the file holds other bytes than those that were read, and is left as it is. */
async function replaceAt(
  { own, store }: Files,
  place: Place,
  of: {
    readonly placing: Placing;
    readonly before: Uint8Array | undefined;
    readonly bytes: Uint8Array;
  },
): Promise<Rewritten & { readonly isChanged: boolean }> {
  const { file } = of.placing;
  const spot = { root: place.root, file, isWorkspace: place.isWorkspace ?? false };
  const projected = await projectedDigests({ store, place }, file);
  const isOurs = (digest: string): boolean => own.isOf(spot)(digest) || projected.has(digest);
  let isChanged = false;
  const edit = own.remembering(spot, (now) => {
    const { before } = of;
    isChanged =
      now === undefined || before === undefined ? now !== before : Buffer.compare(now, before) !== 0;
    return isChanged ? undefined : { bytes: of.bytes };
  });
  const written = attempt(file, () => rewrite(spot, { edit, isOurs }));
  if (written.type === "refused") throw refusal(file, `the file ${written.reason}`);
  return { ...written, isChanged };
}

/** A copy of what the text replaces. The same copy is made once. */
async function archiveText(
  { of, file }: Placing,
  { into, bytes }: { readonly into: string; readonly bytes: Uint8Array },
): Promise<{ readonly told: readonly string[]; readonly file: string }> {
  const old = await partOf(of, bytes);
  if (old === undefined) return { told: [], file: "" };
  const name = archivedName(of, file);
  const content = { digest: sha256(old), fill: (fd: number) => writeAll(fd, old) };
  const { at, told } = deposit({ root: into, file: name, make: true }, content, "number");
  return { told, file: at === "" ? "" : join(into, dirname(name), at) };
}

async function partOf({ reader }: Artifact, bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const text = reader.type === "section" ? decodeWhole(bytes) : undefined;
  if (reader.type !== "section" || text === undefined) return bytes;
  const { cutSection } = await import("../../../format/markdown/place.ts");
  const parted = cutSection(text, reader.heading);
  return parted.ok && parted.cut !== "" ? Buffer.from(parted.cut) : undefined;
}

/** Of an artifact, what its reader makes of these bytes; empty where it has no reader, as the output of a check. */
async function digesting(at: FileOf): Promise<(bytes: Uint8Array) => string> {
  const read = await readerFor([at]);
  const { artifact, of, file, slot } = at;
  return (bytes) => read(artifact, of, { file, bytes, slot }).digest;
}

/** What somebody submits is one file. */
async function submittedIn(place: Place, text: ArtifactText): Promise<Placing> {
  const { every, file } = place.workflow.definition.artifacts[text.artifact] ?? {};
  if (every !== undefined && file !== undefined)
    throw refusal(
      fillPath(place.run, file, "*"),
      `${text.artifact} is several files: write each of them where it belongs`,
      `signalbox submit ${text.artifact}`,
    );
  const [placing] = await placingsOf(place, text, SHARE);
  if (placing === undefined) throw new Error(`the artifact "${text.artifact}" has no file`);
  return placing;
}

/** How a text gets into the files of its artifact. */
async function placingsOf(
  place: Place,
  { artifact, slot, text }: ArtifactText,
  share: number,
): Promise<readonly Placing[]> {
  const declared = place.workflow.definition.artifacts[artifact];
  if (declared === undefined || declared.file === "")
    throw new Error(`the artifact "${artifact}" has no file`);
  const of = ownArtifact(place.run.params, declared);
  const members = declared.every === undefined ? [[slot, text] as const] : membersOf(text);
  return Promise.all(
    members.map(async ([member, own]) => {
      const file = fillPath(place.run, declared.file, member);
      const fit = fitting(file, bytesMaxOf(of.reader) * share);
      const bytes = fit(own);
      const edit =
        of.reader.type === "section"
          ? await section(file, of.reader.heading, { text: own, fit })
          : () => bytes;
      return { artifact, slot: member, of, file, edit };
    }),
  );
}

/** As it was collected: the texts of all members, as JSON. */
function membersOf(text: string): readonly (readonly [string, string])[] {
  const data: unknown = JSON.parse(text);
  const entries = typeof data === "object" && data !== null ? Object.entries(data) : [];
  return entries.flatMap(([member, own]) => (typeof own === "string" ? [[member, own] as const] : []));
}

/** Undefined where there is no file. */
function bytesAt({ root }: Place, file: string): Uint8Array | undefined {
  const opened = openAt(root, file);
  if (opened.type === "refused") throw refusal(file, `the file ${opened.reason}`);
  return opened.type === "bytes" ? opened.bytes : undefined;
}

type Fit = (text: string) => Uint8Array;

async function section(
  file: string,
  heading: string,
  { text, fit }: { readonly text: string; readonly fit: Fit },
): Promise<Placing["edit"]> {
  const { placeSection } = await import("../../../format/markdown/place.ts");
  return (now) => {
    const before = now === undefined ? "" : decodeWhole(now);
    if (before === undefined) throw refusal(file, "the file is not valid UTF-8");
    const placed = placeSection(before, heading, text);
    if (!placed.ok) throw refusal(file, `"## ${heading}" cannot be written: ${placed.reason}`, MEND_TEXT);
    return fit(placed.text);
  };
}

function fitting(file: string, bytesMax: number): Fit {
  return (text) => {
    const bytes = Buffer.from(text);
    if (bytes.length <= bytesMax) return bytes;
    throw refusal(
      file,
      `with this text it would be larger than ${bytesMax} bytes`,
      "put the long part into a file of the repository, and name that file in the text",
    );
  };
}

function attempt(file: string, run: () => Rewritten): Rewritten {
  try {
    return run();
  } catch (error) {
    const reason = whyNot(error);
    if (reason === undefined || error instanceof UserError) throw error;
    throw refusal(file, `the file ${reason}`);
  }
}

function refusal(path: string, reason: string, next?: string): UserError {
  const file = shownPath(path);
  const at = { file, line: 1, col: 1 };
  return new UserError("artifact-not-written", `${file}: ${reason}.`, {
    next: next ?? `mend ${file} and try again`,
    exit: 1,
    at,
  });
}
