/**
 * Mends what can be mended: the files of the state home first, then the journal, then what is made from it.
 *
 * Nothing is deleted: what cannot be used is put into quarantine, with the reason beside it.
 */

import { chmodSync, existsSync } from "node:fs";
import { failpoint } from "../failpoint.ts";
import { makeFolder } from "../home/folders.ts";
import { homeOf, type Home } from "../home/paths.ts";
import { requireRoot } from "../home/root.ts";
import { repair as repairStore, type RepairReport } from "../store/recovery/repair.ts";
import { endSupervisor } from "../supervisor/end.ts";
import { UserError } from "../user-error.ts";
import type { DoctorPlace } from "./examine.ts";
import { openToRead } from "./journal.ts";
import { foldersOf, misfitsIn, type Misfit } from "./home.ts";
import { brokenFiles } from "./leftovers.ts";
import { putAside } from "./quarantine.ts";
import { remake } from "./remake.ts";

export type Repaired = {
  /** Each in one sentence, with the path of what was put aside. */
  readonly did: readonly string[];
  /** What could not be done, and what is gone. */
  readonly lost: readonly string[];
};

export async function repair({ cwd, env }: DoctorPlace): Promise<Repaired> {
  const home = homeOf(env);
  if (home === undefined || !existsSync(home.root)) return { did: [], lost: [] };
  requireRoot(home, env);
  const other = otherVersion(home);
  if (other !== undefined) return untouched(other);
  const files = mendFiles(home);
  // Nobody else writes while the journal is mended; the next command starts a supervisor again.
  const lock = await endSupervisor(home);
  try {
    const journal = mendJournal(home);
    const isUsable = journal.refused === undefined && existsSync(home.database);
    const made = isUsable ? await remake({ home, cwd, env }) : { did: [], lost: [] };
    return { did: [...files, ...journal.did, ...made.did], lost: [...journal.lost, ...made.lost] };
  } finally {
    lock?.release();
  }
}

/** The state home of another version is not ours to repair: not even a folder or a lock is made in it. */
function otherVersion(home: Home): UserError | undefined {
  try {
    openToRead(home)?.close();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    if (error.code === "older-schema" || error.code === "newer-schema") return error;
  }
  return undefined;
}

function untouched({ message, next }: UserError): Repaired {
  return { did: [], lost: [`nothing was done to the database: ${message}; ${next}`] };
}

function mendFiles(home: Home): readonly string[] {
  const did = misfitsIn(home).map((misfit) => mend(home, misfit));
  for (const { path, reason } of brokenFiles(home))
    did.push(
      `put ${path} into ${putAside(home, path, reason)}: ${reason}; it is made again when it is needed`,
    );
  if (!existsSync(home.database)) return did;
  for (const folder of foldersOf(home).filter((path) => !existsSync(path) && path !== home.quarantine)) {
    failpoint("doctor.before-folder");
    makeFolder(folder);
    failpoint("doctor.after-folder");
    did.push(`made ${folder}, which was missing`);
  }
  return did;
}

function mend(home: Home, { path, kind, reason, text }: Misfit): string {
  failpoint("doctor.before-mend");
  switch (reason) {
    case "open":
    case "shut":
      chmodSync(path, kind === "folder" ? 0o700 : 0o600);
      failpoint("doctor.after-mend");
      return `${text}: now it is for you alone`;
    case "other-kind": {
      const aside = putAside(home, path, text);
      if (kind === "folder") makeFolder(path);
      failpoint("doctor.after-mend");
      return `${text}: put into ${aside}`;
    }
  }
}

/** `refused`: a database that must not be touched, as one of a newer signalbox, or one that is in use. */
function mendJournal(home: Home): Repaired & { readonly refused?: UserError } {
  let report: RepairReport;
  try {
    report = repairStore(home);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...untouched(error), refused: error };
  }
  const { changed, found, restored, lost, quarantine } = report;
  if (!changed) return { did: [], lost: [] };
  const whole = restored.length;
  return {
    did: [
      `found: ${found.join("; ")}`,
      `kept the database as it was in ${quarantine}, and made a new one of what could be read`,
      ...(whole === 0 ? [] : [`restored ${whole} ${whole === 1 ? "run" : "runs"}: ${restored.join("; ")}`]),
    ],
    lost: lost.map((what) => `${what} (as it was: ${quarantine})`),
  };
}
