/**
 * Waking the supervisor: whoever has something for it writes to a file, and the supervisor watches the folder. A shim that has come to
 * its end leaves its exit status, and that folder is watched, too.
 *
 * A poke says nothing but "look", and one may be lost; the supervisor also looks from time to time.
 */

import { lstatSync, renameSync, statSync, watch, writeFileSync, type FSWatcher } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../files/errno.ts";
import { claimFolder, clearWay } from "../home/clear-way.ts";
import { makeFolder } from "../home/folders.ts";
import { newName } from "../home/new-name.ts";
import type { Home } from "../home/paths.ts";

const AGAIN_MS = 1000;

/** Put there and not written: what somebody has left in that place, a pipe for example, would keep us for ever. */
export function poke(home: Home): void {
  const now = join(home.pokes, "now");
  const aside = join(home.pokes, `${newName()}.new`);
  try {
    claimFolder(home, home.pokes);
    writeFileSync(aside, "\n", { mode: 0o600, flag: "wx" });
    renameSync(aside, now);
  } catch (error) {
    // A poke that is lost is no harm: the supervisor looks by itself, too.
    if (codeOf(error) === "EISDIR") clearWay(home, now, "it is no poke");
  }
}

/** Another text after every poke. */
export function lastPoke(home: Home): string {
  const stat = statSync(join(home.pokes, "now"), { throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.ino} ${stat.mtimeMs}`;
}

/** Many pokes at once may be one call. Also called when the folder was removed and made again: something may have been missed. */
export function watchPokes(home: Home, onPoke: () => void): { close(): void } {
  const watched = [home.pokes, home.exits].map((folder) => new Watched(folder, onPoke));
  return { close: () => watched.forEach((each) => each.close()) };
}

class Watched {
  readonly #folder: string;
  readonly #onPoke: () => void;
  #watcher: FSWatcher | undefined;
  #inode: number | undefined;
  #told: NodeJS.Immediate | undefined;
  #again: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(folder: string, onPoke: () => void) {
    this.#folder = folder;
    this.#onPoke = onPoke;
    this.#watch();
  }

  close(): void {
    this.#isClosed = true;
    this.#watcher?.close();
    clearImmediate(this.#told);
    clearTimeout(this.#again);
  }

  #watch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    try {
      makeFolder(this.#folder);
      this.#watcher = watch(this.#folder, (_, name) => this.#happened(name));
      this.#watcher.on("error", () => this.#retry());
      this.#inode = statSync(this.#folder).ino;
    } catch {
      // No folder, or no watches left on this machine: looking every second does as well.
      this.#retry();
    }
  }

  /** What was taken away says nothing: most of that we did ourselves. */
  #happened(name: string | null): void {
    const isMoved = statSync(this.#folder, { throwIfNoEntry: false })?.ino !== this.#inode;
    if (isMoved) this.#watch();
    if (isMoved || name === null || isThere(join(this.#folder, name))) this.#tell();
  }

  #retry(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      this.#watch();
      this.#tell();
    }, AGAIN_MS);
  }

  #tell(): void {
    if (this.#isClosed) return;
    this.#told ??= setImmediate(() => {
      this.#told = undefined;
      this.#onPoke();
    });
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
