/** A disk without room: nobody's bug and no damage, wherever it shows. */

import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../files/errno.ts";
import { UserError } from "../user-error.ts";

const EXIT_FAILED = 1;
/** Less than this is too little for any write of ours to be sure of. */
const ROOM_MIN = 2 ** 20;

export function noRoom(path: string, more = ""): UserError {
  return new UserError("disk-full", `no room is left on the disk of ${path}${more}`, {
    next: `df -h ${dirname(path)}`,
    exit: EXIT_FAILED,
  });
}

/** In megabytes, on the disk of a folder that exists. */
export function freeMbAt(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return (bavail * bsize) / 2 ** 20;
}

/** Where something failed for no reason that was told. */
export function isFullAt(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    return bavail * bsize < ROOM_MIN || (files > 0 && ffree === 0);
  } catch (error) {
    // Nobody can tell, and whatever failed is told as it is.
    if (codeOf(error) === undefined) throw error;
    return false;
  }
}
