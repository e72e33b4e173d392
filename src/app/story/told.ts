/** What agents in terminals were told, and whether they have called since: the one sign that it has reached them. */

import type { Note } from "../../engine/ports/journal.ts";
import type { MessageRow } from "../../engine/ports/messages.ts";
import type { Store } from "../../engine/ports/store.ts";
import { sayAge, sayTime } from "../view/words.ts";
import { type Attempt, isSameAttempt } from "../../core/model/run.ts";

export type Told = {
  readonly status: MessageRow["status"];
  /** When it was told, in milliseconds since 1970. */
  readonly at: number;
};

/** The last thing that this attempt was told; null where it was told nothing. */
export function toldTo(messages: readonly MessageRow[], to: Attempt): Told | null {
  const last = messages.findLast((row) => isSameAttempt(row, to));
  return last === undefined ? null : { status: last.status, at: last.at };
}

/** Nothing to say of what was heard. */
export function sayTold(told: Told | null, now: number): string {
  if (told === null || told.status === "acknowledged") return "";
  return told.status === "told"
    ? `was told ${sayAge(told.at, now)} ago and has not called since`
    : "may not have got what it was told: look at its terminal";
}

/** For a history: each message in its place, though it is no event. */
export async function toldNotes(
  store: Pick<Store, "messages" | "deeds">,
  run: string,
): Promise<readonly Note[]> {
  const messages = await store.messages(run);
  if (messages.length === 0) return [];
  const deeds = new Map((await store.deeds(run)).map(({ key, deed }) => [key, deed]));
  return messages.map((row) => {
    const deed = deeds.get(row.key);
    const what = deed?.type === "tell-agent" ? ` ${deed.message}` : "";
    const text = `${row.role} ${row.attempt} was told${what}${since(row)}`;
    return { run, at: new Date(row.at).toISOString(), kind: "told", text };
  });
}

function since({ status, acknowledgedAt }: MessageRow): string {
  switch (status) {
    case "sending":
      return ", and it may not have arrived";
    case "told":
      return ", and has not called since";
    case "acknowledged":
      return `, and called at ${sayTime(new Date(acknowledgedAt).toISOString()).slice(11)}`;
  }
}
