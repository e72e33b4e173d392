/** Puts a text to where an artifact is: the whole of its file, or its section. */

import type { Place } from "../../engine/ports/files.ts";
import type { Registry } from "../../engine/ports/registry.ts";
import { UserError } from "../user-error.ts";
import { decodeWhole } from "./decode.ts";
import { fillPath } from "../../engine/place.ts";
import { shownPath } from "./paths.ts";
import type { OwnWrites } from "./own-writes.ts";
import { isProjected } from "./project.ts";
import { rewrite, whyNot } from "./replace.ts";
import type { Rewriting, Rewritten } from "./replace.ts";

type Text = { readonly artifact: string; readonly slot: string; readonly text: string };
type Edit = Rewriting["edit"];

export async function putArtifact(
  { own, kept }: { readonly own: OwnWrites; readonly kept: Pick<Registry, "projection" | "keepProjection"> },
  place: Place,
  { artifact, slot, text }: Text,
): Promise<readonly string[]> {
  const of = place.workflow.definition.artifacts[artifact];
  if (of === undefined || of.file === "") throw new Error(`the artifact "${artifact}" has no file`);
  const file = fillPath(place.run, of.file, slot);
  const edit =
    of.reader.type === "section"
      ? await section(file, of.reader.heading, text)
      : () => ({ bytes: Buffer.from(text) });
  const spot = { root: place.root, file, isWorkspace: place.isWorkspace ?? false };
  const isOurs = (digest: string): boolean =>
    own.isOf(spot)(digest) || isProjected({ kept, place }, file, digest);
  const written = attempt(file, () => rewrite(spot, { edit: own.remembering(spot, edit), isOurs }));
  if (written.type === "refused") throw refusal(file, `the file ${written.reason}`);
  return written.told;
}

async function section(file: string, heading: string, text: string): Promise<Edit> {
  const { putSection } = await import("../../format/markdown/place.ts");
  return (now) => {
    const before = now === undefined ? "" : decodeWhole(now);
    if (before === undefined) throw refusal(file, "the file is not valid UTF-8");
    const placed = putSection(before, heading, text);
    if (!placed.ok) throw refusal(file, `"## ${heading}" cannot be written: ${placed.reason}`);
    return { bytes: Buffer.from(placed.text) };
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

function refusal(path: string, reason: string): UserError {
  const file = shownPath(path);
  const at = { file, line: 1, col: 1 };
  return new UserError("artifact-not-written", `${file}: ${reason}.`, {
    next: `mend ${file} and try again`,
    exit: 1,
    at,
  });
}
