/**
 * Restores what the history allows, and says what it could not.
 *
 * The database as it is goes to quarantine first, whole. Then a new one is made of every record that can still be read and
 * whose chain holds, and takes its place in one step. Nothing is deleted.
 */

import { copyFileSync, existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { failpoint } from "../../failpoint.ts";
import { makeFolder, syncFile, syncFolder, writePrivate } from "../../home/folders.ts";
import type { Home } from "../../home/paths.ts";
import { UserError } from "../../user-error.ts";
import { isBusy, sqliteCode } from "./damage.ts";
import { databaseOf, type Database } from "../database.ts";
import { makeDatabase } from "../open.ts";
import { restoreRuns } from "./restore.ts";
import { copyRows } from "./salvage.ts";
import { APPLICATION_ID, TABLES } from "../schema.ts";
import { openFile } from "../sqlite.ts";
import { knownRuns, verifyRun } from "./verify.ts";
import { refuseOtherVersions } from "../version.ts";

export type RepairReport = {
  /** False when nothing was wrong, and nothing was done. */
  readonly changed: boolean;
  /** What was found to be wrong, each in a sentence. */
  readonly found: readonly string[];
  /** Runs that are as they were, and those whose history ends earlier now, each with its words. */
  readonly restored: readonly string[];
  /** What is gone from the database, and where it may still be found. */
  readonly lost: readonly string[];
  /** The folder with everything as it was; empty when nothing was done. */
  readonly quarantine: string;
};

const NOTHING: RepairReport = { changed: false, found: [], restored: [], lost: [], quarantine: "" };
/** More would hide what matters. */
const FAULTS_MAX = 20;

/** Needs the state home for itself: the supervisor and all commands must have ended. */
export function repair(home: Home, now: () => number = Date.now): RepairReport {
  const { database: path } = home;
  if (!existsSync(path)) return without(home, now);
  const found = faultsOf(path);
  if (found.length === 0) return NOTHING;
  const folder = quarantine(home, found, now);
  release(path);
  const aside = `${path}.${process.pid}.repaired`;
  makeDatabase(aside);
  const { restored, lost } = rebuild(aside, path);
  takePlace(path, aside, folder);
  return {
    changed: true,
    found,
    restored,
    lost: [...lost, ...orphans(home, restored, lost)],
    quarantine: folder,
  };
}

/** Without a database there is nothing to restore; what is in the folders of runs stays there. */
function without(home: Home, now: () => number): RepairReport {
  const left = folders(home);
  if (left.length === 0) return NOTHING;
  const found = [`${home.database} is missing`];
  const folder = quarantine(home, found, now);
  const aside = `${home.database}.${process.pid}.repaired`;
  makeDatabase(aside);
  takePlace(home.database, aside, folder);
  const lost = left.map(
    (run) => `the history of run ${run}; its files are in ${join(home.root, "runs", run)}`,
  );
  return { changed: true, found, restored: [], lost, quarantine: folder };
}

function faultsOf(path: string): readonly string[] {
  if (statSync(path).size === 0) return ["the database is empty"];
  try {
    return reading(path, (db) => {
      refuseOtherVersions(db);
      if (db.get("PRAGMA application_id")?.["application_id"] !== APPLICATION_ID)
        return ["it does not say that it is a database of signalbox"];
      const pages = db
        .all(`PRAGMA integrity_check(${FAULTS_MAX})`)
        .map((row) => String(row["integrity_check"]));
      const faults = pages
        .filter((line) => line !== "ok")
        .map((line) => `the database: ${line.replaceAll("\n", " ")}`);
      if (faults.length > 0) return faults;
      const there = new Set(db.all("SELECT name FROM sqlite_schema").map((row) => row["name"]));
      const gone = TABLES.filter((table) => !there.has(table)).map(
        (table) => `the table ${table} is missing`,
      );
      return gone.length > 0 ? gone : runFaults(db);
    });
  } catch (error) {
    if (error instanceof UserError && error.code === "damaged") return [error.message];
    throw error;
  }
}

function runFaults(db: Database): readonly string[] {
  return knownRuns(db).flatMap((run) => {
    const verified = verifyRun(db, run);
    if (verified.ok) return [];
    return [`run ${run}: ${verified.seq === 0 ? "" : `record ${verified.seq}: `}${verified.reason}`];
  });
}

/** Copies, not moves: until the new database has taken its place, the old one is where it was. */
function quarantine(home: Home, found: readonly string[], now: () => number): string {
  const stamp = new Date(now()).toISOString().replaceAll(":", "").replace(/\.\d+/, "");
  makeFolder(home.quarantine);
  const folder = freeName(join(home.quarantine, `${stamp}-database`));
  makeFolder(folder);
  failpoint("repair.before-quarantine");
  for (const suffix of ["", "-wal"]) {
    const from = `${home.database}${suffix}`;
    if (!existsSync(from)) continue;
    const to = join(folder, basename(from));
    copyFileSync(from, to);
    syncFile(to);
  }
  writePrivate(join(folder, "reason.txt"), `${found.join("\n")}\n`);
  syncFolder(home.quarantine);
  failpoint("repair.after-quarantine");
  return folder;
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let n = 2; existsSync(name); n += 1) name = `${wanted}-${n}`;
  return name;
}

/** Nobody else may have it open, and no log may be left that would be played into its successor. */
function release(path: string): void {
  try {
    const db = openFile(path);
    try {
      db.exec("PRAGMA busy_timeout = 500; PRAGMA journal_mode = DELETE");
    } finally {
      db.close();
    }
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error;
    // What SQLite cannot open at all, nobody else has open either.
    if (isBusy(error))
      throw new UserError("in-use", `${path} is in use, and cannot be repaired meanwhile`, {
        next: "end the supervisor and all signalbox commands, then try again: signalbox doctor --repair",
        exit: 6,
      });
  }
}

function rebuild(path: string, from: string): Pick<RepairReport, "restored" | "lost"> {
  const db = databaseOf(path, openFile(path));
  try {
    return db.write(() => {
      const lost = copyRows(db, from);
      const runs = restoreRuns(db, from);
      return { restored: runs.restored, lost: [...lost, ...runs.lost] };
    });
  } finally {
    db.close();
  }
}

function takePlace(path: string, aside: string, folder: string): void {
  for (const suffix of ["-wal", "-shm"])
    if (existsSync(path + suffix)) renameSync(path + suffix, join(folder, `left${suffix}`));
  failpoint("repair.before-replace");
  renameSync(aside, path);
  syncFolder(dirname(path));
  failpoint("repair.after-replace");
}

/** Runs of which nothing but their folder is left. */
function orphans(home: Home, restored: readonly string[], lost: readonly string[]): readonly string[] {
  const told = [...restored, ...lost].join("\n");
  return folders(home)
    .filter((run) => !told.includes(run))
    .map((run) => `the history of run ${run}; its files are in ${join(home.root, "runs", run)}`);
}

function folders(home: Home): readonly string[] {
  const runs = join(home.root, "runs");
  return existsSync(runs) ? readdirSync(runs) : [];
}

function reading<T>(path: string, work: (db: Database) => T): T {
  const db = databaseOf(path, openFile(path));
  try {
    return work(db);
  } finally {
    db.close();
  }
}
