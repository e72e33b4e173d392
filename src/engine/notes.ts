/** Notes of a run: what people should know of it and no event says. */

import type { Box } from "./box.ts";

type Notebook = Pick<Box, "store" | "clock">;

/** The kind is *files* unless it is given. */
type Subject = { readonly run: string; readonly kind?: string };

export async function noteAll(
  { store, clock }: Notebook,
  { run, kind = "files" }: Subject,
  texts: readonly string[],
): Promise<void> {
  const at = new Date(clock.now()).toISOString();
  await store.commit(texts.map((text) => ({ type: "note", note: { run, at, kind, text } })));
}

/** Without notes that the run already has: what a process does again after a crash is noted once. */
export async function noteNew(on: Notebook, of: Subject, texts: readonly string[]): Promise<void> {
  if (texts.length === 0) return;
  const { run, kind = "files" } = of;
  const all = await on.store.notes(run);
  const isNew = (text: string): boolean => !all.some((note) => note.kind === kind && note.text === text);
  await noteAll(on, of, texts.filter(isNew));
}
