/** Puts a text to where an artifact is: the whole of its file, or its section. */

import type { Place } from "../../../engine/ports/files.ts";
import type { Registry } from "../../../engine/ports/registry.ts";
import { UserError } from "../../user-error.ts";
import { decodeWhole } from "../replace/decode.ts";
import { fillPath } from "../../../engine/submit/place.ts";
import { shownPath } from "./paths.ts";
import type { OwnWrites } from "../replace/own-writes.ts";
import { isProjected } from "../projection/projected.ts";
import { rewrite, whyNot } from "../replace/replace.ts";
import type { Rewriting, Rewritten } from "../replace/replace.ts";

type Text = { readonly artifact: string; readonly slot: string; readonly text: string };
type Edit = Rewriting["edit"];

/** Readers take 1 MiB. What we put leaves room for what the engine shows in the same file, and for what others write there. */
const BYTES_MAX = 768 * 1024;
const MEND_TEXT = "mend the text, and try again";

export async function putArtifact(
  { own, kept }: { readonly own: OwnWrites; readonly kept: Pick<Registry, "projection" | "keepProjection"> },
  place: Place,
  { artifact, slot, text }: Text,
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
  const bytes = fitting(file, text);
  const edit =
    of.reader.type === "section" ? await section(file, of.reader.heading, text) : () => ({ bytes });
  const spot = { root: place.root, file, isWorkspace: place.isWorkspace ?? false };
  const isOurs = (digest: string): boolean =>
    own.isOf(spot)(digest) || isProjected({ kept, place }, file, digest);
  const written = attempt(file, () => rewrite(spot, { edit: own.remembering(spot, edit), isOurs }));
  if (written.type === "refused") throw refusal(file, `the file ${written.reason}`);
  return written.told;
}

async function section(file: string, heading: string, text: string): Promise<Edit> {
  const { putSection } = await import("../../../format/markdown/place.ts");
  return (now) => {
    const before = now === undefined ? "" : decodeWhole(now);
    if (before === undefined) throw refusal(file, "the file is not valid UTF-8");
    const placed = putSection(before, heading, text);
    if (!placed.ok) throw refusal(file, `"## ${heading}" cannot be written: ${placed.reason}`, MEND_TEXT);
    return { bytes: fitting(file, placed.text) };
  };
}

function fitting(file: string, text: string): Uint8Array {
  const bytes = Buffer.from(text);
  if (bytes.length <= BYTES_MAX) return bytes;
  throw refusal(
    file,
    `with this text it would be larger than ${BYTES_MAX} bytes`,
    "put the long part into a file of the repository, and name that file in the text",
  );
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
