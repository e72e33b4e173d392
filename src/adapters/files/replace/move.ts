/**
 * Moves files of a run: to the archive of an attempt, or along to another root.
 *
 * Always a durable copy first, and only then is the file taken from where it was. Nothing is ever written over.
 */

import { closeSync, constants, openSync, readSync, realpathSync } from "node:fs";
import { parse } from "node:path";
import type { Place } from "../../../engine/ports/files.ts";
import type { Cut } from "../../../format/markdown/place.ts";
import { failpoint } from "../../failpoint.ts";
import { unless } from "../errno.ts";
import { decodeWhole } from "./decode.ts";
import type { Folder, Spot } from "./folder.ts";
import { inFolder } from "./folder.ts";
import {
  besideName,
  digestAt,
  isUnderWay,
  keep,
  linkInto,
  mend,
  newToken,
  remove,
  statOf,
} from "./leftover.ts";
import { wait } from "./open.ts";
import { archivedName, fillPath } from "../../../engine/submit/place.ts";
import { filesOf } from "../../../core/text/run-files.ts";
import { sha256 } from "../../../format/sha256.ts";
import { create, rewrite, withdraw, writeAll } from "./replace.ts";

const TRIES_MAX = 20;
const WAIT_MS = 10;
const CHUNK = 64 * 1024;

export async function archiveAll(
  place: Place,
  of: { readonly artifacts: readonly string[]; readonly into: string; readonly isCopy?: boolean },
): Promise<readonly string[]> {
  const { isCopy = false } = of;
  const told: string[] = [];
  for (const {
    artifact,
    of: { reader },
    file,
  } of filesOf(place)) {
    if (!of.artifacts.includes(artifact)) continue;
    failpoint("files.before-archive");
    const spot = { root: place.root, file };
    if (reader.type === "section") {
      const { cutSection } = await import("../../../format/markdown/place.ts");
      const to = { root: of.into, file: archivedName({ reader }, file), make: true };
      const cut = (text: string): Cut => cutSection(text, reader.heading);
      told.push(...archiveSection(spot, to, { cut, isCopy }));
    } else told.push(...moveFile(spot, { root: of.into, file, make: true }, { taken: "number", isCopy }));
    failpoint("files.after-archive");
  }
  return told;
}

const NO_TEXT = { ok: false, reason: "is not valid UTF-8" } as const;

function archiveSection(
  from: Spot,
  to: Spot,
  { cut, isCopy }: { readonly cut: (text: string) => Cut; readonly isCopy: boolean },
): readonly string[] {
  // Looking must not make the folder.
  if (inFolder(from, () => undefined).type === "missing") return [];
  let told: readonly string[] = [];
  const written = rewrite(from, {
    edit: (now) => {
      told = [];
      if (now === undefined) return undefined;
      const text = decodeWhole(now);
      const parted = text === undefined ? NO_TEXT : cut(text);
      if (!parted.ok) told = [`${from.file}: ${parted.reason}, so that it is not archived`];
      if (!parted.ok || parted.cut === "") return undefined;
      const bytes = Buffer.from(parted.cut);
      deposit(to, { digest: sha256(bytes), fill: (fd) => writeAll(fd, bytes) }, "number");
      return isCopy ? undefined : { bytes: Buffer.from(parted.text) };
    },
  });
  const refused =
    written.type === "refused" ? [`${from.file}: ${written.reason}, so that it is not archived`] : [];
  return [...written.told, ...told, ...refused];
}

/** Everything that belongs to the run, whether it is an artifact, was one, or shows the run. */
export function carryAll(place: Place, to: string, copies: readonly string[]): readonly string[] {
  const { root, run, workflow } = place;
  if (realOf(root) === realOf(to)) return [];
  const shown = workflow.definition.projections.map(({ file }) => fillPath(run, file));
  const files = new Set([...filesOf(place).map(({ file }) => file), ...shown, ...copies]);
  return Array.from(files).flatMap((file) => {
    failpoint("files.before-carry");
    const told = moveFile({ root, file }, { root: to, file, make: true }, { taken: "keep", isCopy: false });
    failpoint("files.after-carry");
    return told;
  });
}

function realOf(path: string): string {
  return unless(["ENOENT"], () => realpathSync(path)) ?? path;
}

/** What happens when there is a file already: the next number is taken, or that file is kept beside it and told. */
type Taken = "number" | "keep";

function moveFile(
  from: Spot,
  to: Spot,
  { taken, isCopy }: { readonly taken: Taken; readonly isCopy: boolean },
): readonly string[] {
  const moved = inFolder(from, (folder, name) => {
    const told = [...mend(folder, name)];
    let isMissing = false;
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const stat = statOf(folder, name);
      if (stat === undefined) {
        // Another process replaces the file at this moment, or has just finished: a second look tells.
        const isReplaced = isUnderWay(folder, name);
        if (isMissing && !isReplaced) return told;
        isMissing = !isReplaced;
        if (isReplaced) {
          wait(WAIT_MS);
          told.push(...mend(folder, name, { force: tries === TRIES_MAX - 1 }));
        }
        continue;
      }
      if (!stat.isFile() || stat.nlink !== 1n)
        return [...told, `${from.file}: is no ordinary file of its own, so that it stays where it is`];
      const digest = digestAt(folder, name);
      const copied = deposit(to, { digest, fill: (fd) => copy(folder, name, fd) }, taken);
      told.push(...copied.told);
      if (copied.type === "refused" || isCopy) return told;
      const gone = withdraw(folder, name, digest);
      told.push(...gone.told);
      if (gone.isDone) return told;
      // Somebody saved in between: what was copied is not the file any more.
      if (copied.entry !== "") inFolder(to, (target) => withdraw(target, copied.entry, digest));
    }
    return [...told, `${from.file}: is changed by somebody all the time, so that it stays where it is`];
  });
  if (moved.type === "done") return moved.value;
  return moved.type === "missing" ? [] : [`${from.file}: ${moved.reason}, so that it stays where it is`];
}

type Content = { readonly digest: string; readonly fill: (fd: number) => void };
/** `entry` is the file that was made, if one was; `at` is the one that has the content. */
type Deposited = {
  readonly type: "done" | "refused";
  readonly entry: string;
  readonly at: string;
  readonly told: readonly string[];
};

/** Puts a durable copy there, unless one with the same content is there. */
export function deposit(to: Spot, content: Content, taken: Taken): Deposited {
  const done = inFolder(to, (folder, name): Deposited => {
    mend(folder, name);
    const told: string[] = [];
    for (let number = 0; ; number += 1) {
      const entry = taken === "keep" || number === 0 ? name : numbered(name, number);
      if (isThere(folder, entry) && digestAt(folder, entry) === content.digest)
        return { type: "done", entry: "", at: entry, told };
      if (isThere(folder, entry) && taken === "number") continue;
      const fresh = besideName("new", newToken(), name);
      failpoint("files.before-copy");
      create(folder, fresh, content.fill);
      if (isThere(folder, entry)) told.push(...keep(folder, name, { entry, why: "another file was there" }));
      const isPut = linkInto(folder, fresh, entry);
      remove(folder, fresh);
      folder.sync();
      failpoint("files.after-copy");
      if (isPut) return { type: "done", entry, at: entry, told };
    }
  });
  if (done.type === "done") return done.value;
  const reason = done.type === "missing" ? "has no folder" : done.reason;
  return {
    type: "refused",
    entry: "",
    at: "",
    told: [`${to.file}: ${reason}, so that nothing is put there`],
  };
}

function numbered(name: string, number: number): string {
  const { name: base, ext } = parse(name);
  return `${base}.${number}${ext}`;
}

function isThere(folder: Folder, entry: string): boolean {
  return statOf(folder, entry) !== undefined;
}

export function copy(folder: Folder, name: string, to: number): void {
  const from = openSync(folder.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const chunk = Buffer.alloc(CHUNK);
    for (let read = readSync(from, chunk); read > 0; read = readSync(from, chunk))
      writeAll(to, chunk.subarray(0, read));
  } finally {
    closeSync(from);
  }
}
