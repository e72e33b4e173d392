/** Puts a text to where an artifact is: the whole of its file, or its section. */

import type { Artifacts, Place } from "../../../engine/ports/files.ts";
import { UserError } from "../../user-error.ts";
import { decodeWhole } from "../replace/decode.ts";
import { fillPath } from "../../../engine/submit/place.ts";
import { ownArtifact } from "../../../core/gates/shape-of-run.ts";
import { shownPath, type FileOf } from "./paths.ts";
import { readerOf } from "./readings.ts";
import type { OwnWrites } from "../replace/own-writes.ts";
import { projectedDigests, type Remembering } from "../projection/projected.ts";
import { rewrite, whyNot } from "../replace/replace.ts";
import type { Rewriting, Rewritten } from "../replace/replace.ts";

type Text = Parameters<Artifacts["put"]>[1];
type Edit = Rewriting["edit"];

/** Three quarters of what the reader accepts: the rest is for what the engine shows in the same file, and for what others write there. */
const SHARE = 0.75;
/** As many more faults are named. */
const OTHERS_MAX = 4;
const EXIT_GATE = 5;
const MEND_TEXT = "mend the text, and try again";

export async function putArtifact(
  { own, store }: { readonly own: OwnWrites } & Pick<Remembering, "store">,
  place: Place,
  { artifact, slot, text, isTrial = false }: Text,
): Promise<readonly string[]> {
  const of = place.workflow.definition.artifacts[artifact];
  if (of === undefined || of.file === "") throw new Error(`the artifact "${artifact}" has no file`);
  const file = fillPath(place.run, of.file, slot);
  if (of.every !== undefined)
    throw refusal(
      fillPath(place.run, of.file, "*"),
      `${artifact} is several files: write each of them where it belongs`,
      `signalbox submit ${artifact}`,
    );
  const { bytesMaxOf } = await import("../../../format/reading/reading.ts");
  const fit = fitting(file, bytesMaxOf(of.reader) * SHARE);
  const bytes = fit(text);
  const edit =
    of.reader.type === "section" ? await section(file, of.reader.heading, { text, fit }) : () => ({ bytes });
  const valid = await keepingValid(edit, {
    artifact,
    slot,
    file,
    of: ownArtifact(place.run.params, of),
    id: place.run.id,
  });
  const tried: Edit = (now) => {
    const next = valid(now);
    return isTrial ? undefined : next;
  };
  const spot = { root: place.root, file, isWorkspace: place.isWorkspace ?? false };
  const projected = await projectedDigests({ store, place }, file);
  const isOurs = (digest: string): boolean => own.isOf(spot)(digest) || projected.has(digest);
  const written = attempt(file, () => rewrite(spot, { edit: own.remembering(spot, tried), isOurs }));
  if (written.type === "refused") throw refusal(file, `the file ${written.reason}`);
  return written.told;
}

type Fit = (text: string) => Uint8Array;

async function section(
  file: string,
  heading: string,
  { text, fit }: { readonly text: string; readonly fit: Fit },
): Promise<Edit> {
  const { putSection } = await import("../../../format/markdown/place.ts");
  return (now) => {
    const before = now === undefined ? "" : decodeWhole(now);
    if (before === undefined) throw refusal(file, "the file is not valid UTF-8");
    const placed = putSection(before, heading, text);
    if (!placed.ok) throw refusal(file, `"## ${heading}" cannot be written: ${placed.reason}`, MEND_TEXT);
    return { bytes: fit(placed.text) };
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

/** A text that the reader rejects does not replace one that it accepts: the engine would refuse the submission, and the text be lost. */
async function keepingValid(edit: Edit, at: FileOf & { readonly id: string }): Promise<Edit> {
  const { artifact, slot, file, of, id } = at;
  const read = await readerOf([at]);
  const readIn = (bytes: Uint8Array) => read(artifact, of, { file, bytes, slot });
  return (now) => {
    const next = edit(now);
    if (next === undefined || now === undefined) return next;
    const [fault, ...others] = readIn(next.bytes).faults;
    const before = fault === undefined ? undefined : readIn(now);
    if (fault === undefined || before === undefined || !before.found || before.faults.length > 0) return next;
    const also = others.slice(0, OTHERS_MAX).map(({ reason }) => `; also: ${reason}`);
    throw new UserError(
      "gate-not-met",
      `${artifact} is invalid: ${fault.reason}${also.join("")}. The former text stays.`,
      { next: `fix the text, then: signalbox submit ${id} ${artifact} FILE`, exit: EXIT_GATE },
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
