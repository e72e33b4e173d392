/**
 * What lies in a folder of kept files, as people read it. Files of ours beside one that was replaced are kept like everything else, but say nothing
 * that did not go on elsewhere: they are counted, once for each file.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../../adapters/files/errno.ts";
import { isSpent, replacedName } from "../../adapters/files/leftover.ts";

/** The names at the top; folders with nothing else in them are told like what they hold. */
export function keptNames(folder: string): readonly string[] {
  const spent: string[] = [];
  const names = entriesIn(folder).flatMap((entry) => {
    const own = entry.isDirectory() ? spentBelow(folder, entry.name) : spentAt(folder, entry.name);
    if (own === undefined) return [entry.name];
    spent.push(...own);
    return [];
  });
  const counted = [...Map.groupBy(spent, (name) => name)].map(
    ([name, all]) =>
      `${name}, as it was before it was replaced (${all.length === 1 ? "once" : `${all.length} times`})`,
  );
  return [...names, ...counted.toSorted()];
}

/** Whether anything was kept that is not elsewhere. */
export function holdsMore(folder: string): boolean {
  return entriesIn(folder).some(
    (entry) =>
      (entry.isDirectory() ? spentBelow(folder, entry.name) : spentAt(folder, entry.name)) === undefined,
  );
}

/** What they were called; undefined where something else is among them. */
function spentBelow(folder: string, name: string): readonly string[] | undefined {
  const below = join(folder, name);
  const all: string[] = [];
  for (const entry of entriesIn(below)) {
    const own = entry.isDirectory() ? spentBelow(below, entry.name) : spentAt(below, entry.name);
    if (own === undefined) return undefined;
    all.push(...own.map((each) => `${name}/${each}`));
  }
  // An empty folder is something that somebody made.
  return all.length === 0 ? undefined : all;
}

function spentAt(folder: string, entry: string): readonly string[] | undefined {
  return isSpent({ at: (name) => join(folder, name) }, entry) ? [replacedName(entry)] : undefined;
}

function entriesIn(folder: string): readonly { readonly name: string; isDirectory(): boolean }[] {
  const entries =
    unless(["ENOENT", "ENOTDIR", "EACCES"], () => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
