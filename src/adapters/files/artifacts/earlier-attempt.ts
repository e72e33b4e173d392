/**
 * What an earlier attempt left is brought back as a copy, beside where the artifact would be: agents may be allowed to read nothing
 * outside of their workspace. The archive itself is not touched.
 */

import { readdirSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { archivedName, copyPath, earlierIn, fillPath } from "../../../engine/submit/place.ts";
import type { Place } from "../../../engine/ports/files.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { unless } from "../errno.ts";
import { inFolder } from "../replace/folder.ts";
import { digestAt } from "../replace/leftover.ts";
import { copy, deposit } from "../replace/move.ts";
import { filesOf, type FileOf } from "../../../core/text/run-files.ts";
import { presentIn } from "./present.ts";
import { readAll } from "./readings.ts";

type Recalled = { readonly files: readonly string[]; readonly told: readonly string[] };

export async function recallAll(
  store: Pick<Store, "readings" | "commit">,
  place: Place,
  of: { readonly artifacts: readonly string[]; readonly from: string },
): Promise<Recalled> {
  const attempts = attemptsIn(of.from);
  const wanted = filesOf(place).filter(({ artifact }) => of.artifacts.includes(artifact));
  if (attempts.length === 0 || wanted.length === 0) return { files: [], told: [] };
  const isSection = wanted.some((each) => each.of.reader.type === "section");
  const readings = isSection ? (await readAll(store, place)).readings : [];
  const isThere = ({ artifact, slot, file, of: { reader } }: FileOf): boolean =>
    reader.type === "section"
      ? readings.some((each) => each.artifact === artifact && each.slot === slot && each.found)
      : presentIn(place, [file]).length > 0;
  const all = wanted
    .filter((each) => !isThere(each))
    .map((each) => recallOne(place, { from: of.from, attempts, name: archivedName(each.of, each.file) }));
  return { files: all.flatMap(({ files }) => files), told: all.flatMap(({ told }) => told) };
}

/** Their numbers, the newest first. */
function attemptsIn(folder: string): readonly number[] {
  const names = unless(["ENOENT", "ENOTDIR"], () => readdirSync(folder)) ?? [];
  return names
    .flatMap((name) => /^attempt-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => b - a);
}

function recallOne(
  place: Place,
  on: { readonly from: string; readonly attempts: readonly number[]; readonly name: string },
): Recalled {
  for (const attempt of on.attempts) {
    const kept = join(on.from, `attempt-${attempt}`);
    const file = copyPath(on.name, String(attempt));
    const done = inFolder({ root: kept, file: on.name }, (folder, name) => {
      const entry = newestOf(folder.at("."), name);
      const digest = entry === undefined ? "" : digestAt(folder, entry);
      if (entry === undefined || digest === "") return undefined;
      // It is a whole copy, in which somebody may have made notes.
      if (presentIn(place, [file]).length > 0) return [];
      const fill = (fd: number): void => copy(folder, entry, fd);
      return deposit({ root: place.root, file, make: "below" }, { digest, fill }, "keep").told;
    });
    if (done.type === "done" && done.value !== undefined)
      return { files: presentIn(place, [file]), told: done.value };
  }
  return { files: [], told: [] };
}

/** Of several with the same name, the one with the highest number was archived last. */
function newestOf(folder: string, name: string): string | undefined {
  const { name: base, ext } = parse(name);
  const numberOf = (entry: string): number => {
    if (entry === name) return 0;
    if (!entry.startsWith(`${base}.`) || !entry.endsWith(ext)) return -1;
    const between = entry.slice(base.length + 1, entry.length - ext.length);
    return /^[1-9]\d*$/.test(between) ? Number(between) : -1;
  };
  const all = readdirSync(folder).filter((entry) => numberOf(entry) >= 0);
  return all.toSorted((a, b) => numberOf(b) - numberOf(a))[0];
}

/** The copies that are in a place. */
export function copiesIn({ root, run, workflow: { definition } }: Place): readonly string[] {
  return earlierIn(definition).flatMap((artifact) => {
    const of = definition.artifacts[artifact];
    if (of === undefined || of.file === "" || of.each !== undefined) return [];
    const name = archivedName(of, fillPath(run, of.file));
    return attemptsIn(join(root, dirname(name))).map((attempt) => copyPath(name, String(attempt)));
  });
}
