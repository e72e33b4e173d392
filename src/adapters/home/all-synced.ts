/** Several files or folders are made durable at once: that takes the disk as long as one of them. */

import { closeSync, fsync, openSync } from "node:fs";
import { promisify } from "node:util";

const sync = promisify(fsync);

/** Begun before anything else gets its turn: whoever is next may take a while. */
export async function allSynced(paths: readonly string[]): Promise<void> {
  await openSynced(paths.map((path) => openSync(path, "r")));
}

/** Those that are open, and closes them. */
export async function openSynced(files: readonly number[]): Promise<void> {
  try {
    await Promise.all(files.map((file) => sync(file)));
  } finally {
    for (const file of files) closeSync(file);
  }
}
