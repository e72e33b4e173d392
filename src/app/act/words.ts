/**
 * A person's words go into the artifact that the workflow has for them, with their time, before the move is asked for: the agent that
 * is told about the move finds them there. What an earlier request said goes to the history.
 */

import { join } from "node:path";
import { failpoint } from "../../adapters/failpoint.ts";
import { placeOf } from "../../engine/submit/place.ts";
import type { Acting } from "../context.ts";
import { requireKept } from "../runs/load.ts";
import { sayUtc } from "../view/words.ts";

const NOTE_MAX = 2000;

/** Gives what is worth telling about the files. */
export async function writeWords(
  on: Acting,
  id: string,
  { into: artifact, text }: { readonly into: string; readonly text: string },
): Promise<readonly string[]> {
  const { box } = on;
  const { row, run } = await requireKept(on, id);
  const place = await placeOf(box, { run, workflow: await box.workflow(row.definition), id });
  const now = new Date(box.clock.now()).toISOString();
  const into = join(box.folders(id).archive, `${artifact}-${run.seq}`);
  const words = { artifact, slot: "", text: `${sayUtc(now)}\n\n${text}\n` };
  // Words that cannot be written must not cost the former ones.
  await box.artifacts.put(place, { ...words, isTrial: true });
  failpoint("words.before-archive");
  const archived = await box.artifacts.archive(place, { artifacts: [artifact], into });
  failpoint("words.after-archive");
  const written = await box.artifacts.put(place, words);
  failpoint("words.after-put");
  return [...archived, ...written];
}

/** The note of the move: the whole text, unless an artifact has the whole text. */
export function noteOf(text: string, into?: string): string | undefined {
  if (text === "") return undefined;
  return into !== undefined && text.length > NOTE_MAX ? `${text.slice(0, NOTE_MAX)}...` : text;
}
