/**
 * What an earlier attempt left: the archive has it, and whoever begins again is given a copy in the workspace, where every agent can
 * read. It is named in prompts, never copied into them.
 */

import type { Works } from "../box.ts";
import { placeOf } from "../submit/place.ts";
import type { Kept } from "../ports/journal.ts";
import { noteAll } from "../notes.ts";

/** Paths in the workspace; none where nothing was archived, or all of it has been written anew. */
export async function recalled(
  works: Works,
  { row, run }: Kept,
  artifacts: readonly string[] = [],
): Promise<readonly string[]> {
  if (artifacts.length === 0) return [];
  const place = await placeOf(works, { run, workflow: await works.workflow(row.definition), id: row.id });
  const { archive } = works.folders(row.id);
  const { files, told } = await works.artifacts.recall(place, { artifacts, from: archive });
  await noteAll(works, { run: row.id }, told);
  return files;
}

export function withEarlier(text: string, files: readonly string[]): string {
  if (files.length === 0) return text;
  const lines = files.map((file) => `- ${file}`).join("\n");
  return `${text.trimEnd()}\n\n## From an earlier attempt\n\nThis was tried before, and begins again. What was found then:\n\n${lines}\n`;
}
