/** The database as what it is for: it opens, it is whole, and every run in it is what its history says. Only reads. */

import { statSync } from "node:fs";
import { join } from "node:path";
import type { Verified } from "../../engine/ports/histories.ts";
import type { Home } from "../home/paths.ts";
import { damagedDatabase, translated } from "../store/recovery/damage.ts";
import { databaseOf, type Database } from "../store/database.ts";
import { SCHEMA_VERSION, TABLES } from "../store/schema.ts";
import { openFile } from "../store/sqlite.ts";
import { knownRuns, verifyRun } from "../store/recovery/verify.ts";
import { requireOurs } from "../store/version.ts";
import { damaged, looked, note, ok, REPAIR, type Finding } from "./finding.ts";
import { namesIn } from "./home.ts";

/** Histories may be long: after this time the rest is only counted, and said to be. */
const VERIFY_MS = 5000;
const SHOWN = 20;

/** Undefined where nothing was ever started. Throws a UserError where it cannot be used. */
export function openToRead(home: Home): Database | undefined {
  const path = home.database;
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) {
    const left = [join(home.root, "runs"), home.workspaces].find((folder) => namesIn(folder).length > 0);
    if (left === undefined) return undefined;
    throw damagedDatabase(path, `it is missing, and ${left} is not empty`);
  }
  if (!file.isFile()) throw damagedDatabase(path, "it is no file");
  if (file.size === 0) throw damagedDatabase(path, "it is empty");
  const db = connect(path);
  try {
    requireOurs(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function connect(path: string): Database {
  try {
    return databaseOf(path, openFile(path, { readOnly: true }));
  } catch (error) {
    throw translated(path, error);
  }
}

export function lookAtJournal(db: Database): readonly Finding[] {
  return [
    ...looked("database", () => integrityOf(db)),
    ...looked("runs", () => runsIn(db)),
    ...looked("runs", () => attentionIn(db)),
  ];
}

function integrityOf(db: Database): readonly Finding[] {
  const there = new Set(db.all("SELECT name FROM sqlite_schema").map((row) => row["name"]));
  const gone = TABLES.filter((table) => !there.has(table));
  if (gone.length > 0) throw damagedDatabase(db.path, `it has no table ${gone.join(", ")}`);
  const said = db.all("PRAGMA integrity_check(3)").map((row) => String(row["integrity_check"]));
  if (said.length === 1 && said[0] === "ok")
    return [ok("database", `${db.path}, schema ${SCHEMA_VERSION}, whole`)];
  const text = `${db.path} is damaged: ${said.join("; ").replaceAll("\n", " ")}`;
  return [damaged("database", text, REPAIR)];
}

function runsIn(db: Database): readonly Finding[] {
  const { bad, seen, known } = verifyAll(db);
  const counted = `${known} ${known === 1 ? "run" : "runs"}`;
  const rest = seen === known ? "" : `, ${seen} of them looked through; for the others: signalbox verify RUN`;
  const shown = bad.slice(0, SHOWN).map(badRun);
  const more = bad.length - shown.length;
  return [
    ...(bad.length === 0 ? [ok("runs", `${counted}, each as its history says${rest}`)] : []),
    ...shown,
    ...(more > 0 ? [damaged("runs", `${more} more are damaged`, REPAIR)] : []),
  ];
}

function attentionIn(db: Database): readonly Finding[] {
  const ids = db.all("SELECT id FROM runs WHERE attention <> '' ORDER BY n").map((row) => String(row["id"]));
  if (ids.length === 0) return [];
  const text = `${ids.length} ${ids.length === 1 ? "run needs" : "runs need"} attention: ${ids.slice(0, SHOWN).join(", ")}`;
  return [note("runs", text, "signalbox inbox")];
}

function badRun({ run, seq, reason }: Extract<Verified, { ok: false }>): Finding {
  const where = seq === 0 ? "" : `record ${seq}: `;
  return damaged(`run ${run}`, `${where}${reason}`, REPAIR);
}

function verifyAll(db: Database): {
  readonly bad: readonly Extract<Verified, { ok: false }>[];
  readonly seen: number;
  readonly known: number;
} {
  const runs = knownRuns(db);
  const bad: Extract<Verified, { ok: false }>[] = [];
  const until = performance.now() + VERIFY_MS;
  let seen = 0;
  for (const run of runs) {
    if (performance.now() > until) break;
    const verified = verifyRun(db, run);
    if (!verified.ok) bad.push(verified);
    seen += 1;
  }
  return { bad, seen, known: runs.length };
}
