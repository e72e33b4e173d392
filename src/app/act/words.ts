/**
 * A person's words go into the artifact that the workflow has for them, with their time: in the store with the move, and then in the
 * file, where the agent that is told about the move finds them. What an earlier request said goes to the archive.
 */

import type { SubmittedText } from "../../engine/submit/show-texts.ts";
import { ask, type Acting, type Done } from "../context.ts";
import type { Seen } from "../runs/find.ts";
import { sayUtc } from "../view/words.ts";

const NOTE_MAX = 2000;

export function wordsText(
  { box }: Acting,
  { run }: Seen,
  { into: artifact, text }: { readonly into: string; readonly text: string },
): SubmittedText {
  const now = new Date(box.clock.now()).toISOString();
  return { artifact, slot: "", text: `${sayUtc(now)}\n\n${text}\n`, archive: `${artifact}-${run.seq}` };
}

/** An answer carries no text of an artifact: the words are an event of their own, before it. */
export async function submitWords(
  on: Acting,
  run: string,
  { words, key }: { readonly words: readonly SubmittedText[]; readonly key: string | undefined },
): Promise<Done | undefined> {
  const [text] = words;
  if (text === undefined) return undefined;
  const ownKey = key === undefined ? {} : { key: `${key}/words` };
  return ask(on, {
    run,
    texts: words,
    ...ownKey,
    event: ({ kept: _kept, readings = [], ...known }, by) => ({
      type: "submitted",
      by,
      ...known,
      readings: readings.filter(({ artifact }) => artifact === text.artifact),
    }),
  });
}

/** The note of the move: the whole text, unless an artifact has the whole text. */
export function noteOf(text: string, into?: string): string | undefined {
  if (text === "") return undefined;
  return into !== undefined && text.length > NOTE_MAX ? `${text.slice(0, NOTE_MAX)}...` : text;
}
