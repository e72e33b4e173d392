/** Where things go that cannot be used: under a name of their own, with the reason beside them. */

import { existsSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { freeName } from "../../core/text/generated-names.ts";
import { failpoint } from "../failpoint.ts";
import { makeFolder, syncFolder, writePrivate } from "../home/folders.ts";
import type { Home } from "../home/paths.ts";

/** Gives the folder that it is in now. */
export function putAside(home: Home, path: string, reason: string): string {
  const stamp = new Date().toISOString().replaceAll(":", "").replace(/\.\d+/, "");
  // Something in the place of the quarantine itself has nowhere to go but beside it.
  const passing = path === home.quarantine ? freeName(`${path}-${stamp}`, existsSync) : path;
  if (passing !== path) renameSync(path, passing);
  makeFolder(home.quarantine);
  const folder = freeName(join(home.quarantine, `${stamp}-${basename(path)}`), existsSync);
  makeFolder(folder);
  writePrivate(join(folder, "reason.txt"), `${path}: ${reason}\n`);
  failpoint("doctor.before-aside");
  renameSync(passing, join(folder, basename(path)));
  syncFolder(dirname(path));
  failpoint("doctor.after-aside");
  return folder;
}
