import type { MovedFolder } from "../model/event.ts";
import type { Run } from "../model/run.ts";
import type { Literal } from "../model/value.ts";

/** A path of the definition with its variables replaced; if the run's folder was moved, the path in the new folder. */
export function fillPath(run: Run, file: string, slot = ""): string {
  const path = filledIn(run, file, slot);
  const moved = movedIn(run);
  return moved === undefined ? path : inFolder(path, moved.from, moved.to);
}

/** The same path before its folder was moved. */
export function pathBefore(run: Run, path: string): string {
  const moved = movedIn(run);
  return moved === undefined ? path : inFolder(path, moved.to, moved.from);
}

function inFolder(path: string, from: string, to: string): string {
  return path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path;
}

function movedIn({ held }: Run): MovedFolder | undefined {
  for (const key in held) {
    const moved = held[key]?.reading.moved;
    if (moved !== undefined) return moved;
  }
  return undefined;
}

function filledIn(run: Run, file: string, slot: string): string {
  return file.replaceAll(/\{(run|session|change|slot)\}/g, (_whole, word: string) => {
    // An artifact that combines the files of all members.
    if (word === "slot") return slot === "" ? "*" : nameOf(slot);
    return nameOf(word === "run" ? run.id : (run.params[word] ?? run.id));
  });
}

/** One path segment: a value with slashes becomes a name that no file can have, so opening it fails. */
function nameOf(value: Literal): string {
  return String(value).replaceAll("/", "\0");
}
