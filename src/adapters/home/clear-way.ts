/**
 * Makes room where something stands that is not ours: it goes into quarantine, and whoever needs the place goes on.
 *
 * One odd file must not stop everything else, so nothing here throws.
 */

import { lstatSync, renameSync } from "node:fs";
import { putAside } from "../doctor/quarantine.ts";
import { makeFolder } from "./folders.ts";
import { newName } from "./new-name.ts";
import type { Home } from "./paths.ts";

/** Whether the place is free now. */
export function clearWay(home: Home, path: string, reason: string): boolean {
  try {
    putAside(home, path, reason);
    return true;
  } catch {
    // The quarantine itself cannot be used; beside it there is room, too.
  }
  try {
    renameSync(path, `${path}.odd-${newName()}`);
    return true;
  } catch {
    // It is gone, or it cannot be moved: whoever needs the place finds out.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  }
}

/** A folder of ours at this place, whatever was there. */
export function claimFolder(home: Home, path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isDirectory()) clearWay(home, path, "it is in the place of a folder");
  makeFolder(path);
}
