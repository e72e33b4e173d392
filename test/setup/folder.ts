/**
 * One folder for everything that the tests make, and nothing of it is left.
 *
 * The tests make thousands of repositories and stores, each of which waits for the disk again and again. The ordinary tier keeps
 * them in memory where there is room for that; the deep one on a disk, as people do.
 */

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** Several times of what was ever in use at once, and more than must stay free for a workspace to be made. */
const ROOM_MIN = 2 * 1024 ** 3;
const PREFIX = "signalbox-tests-";
/** Longer than any run: what is older was left by one that was killed. */
const LEFT_MS = 24 * 60 * 60 * 1000;

export function setup(): () => void {
  const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;
  const folder = (isDeep ? undefined : inMemory()) ?? folderIn(tmpdir());
  process.env["TMPDIR"] = folder;
  // Most of what a process does that runs these sources is compiling them.
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled");
  return () => remove(folder);
}

/** Undefined: there is none, it is small as in many containers, or no program may be run there. */
function inMemory(): string | undefined {
  if (!existsSync(MEMORY)) return undefined;
  let folder: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < ROOM_MIN) return undefined;
    clearLeft();
    folder = folderIn(MEMORY);
    const program = join(folder, "try");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(program);
    return folder;
  } catch {
    // Whatever is wrong with it, there is a disk.
    if (folder !== undefined) remove(folder);
    return undefined;
  }
}

function clearLeft(): void {
  for (const name of readdirSync(MEMORY).filter((each) => each.startsWith(PREFIX))) {
    const { mtimeMs, uid } = statSync(join(MEMORY, name));
    if (uid === process.getuid?.() && mtimeMs < Date.now() - LEFT_MS) remove(join(MEMORY, name));
  }
}

function folderIn(parent: string): string {
  return mkdtempSync(join(realpathSync(parent), PREFIX));
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
