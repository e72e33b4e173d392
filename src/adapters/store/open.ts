/**
 * The store: one SQLite database in the state home.
 *
 * A new one is made aside and put in its place whole. So a file in that place that is empty, is no database, or is not ours is
 * damage, and never a fresh start.
 */

import { linkSync, readdirSync, rmSync, statSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Store } from "../../engine/ports/store.ts";
import { failpoint } from "../failpoint.ts";
import { closeToOthers, makeFile, makeFolder, syncFolder } from "../home/folders.ts";
import { refuseNetwork, type Mount } from "../home/network.ts";
import type { Home } from "../home/paths.ts";
import { damagedDatabase, translated } from "./recovery/damage.ts";
import { commitTo } from "./commit.ts";
import { askIn, databaseOf, promised, type Database } from "./database.ts";
import { queriesOf } from "./queries.ts";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from "./schema.ts";
import { openFile } from "./sqlite.ts";
import { requireOurs } from "./version.ts";

/** What tests put in the place of the world. */
export type Options = {
  readonly mount?: (path: string) => Mount;
  readonly now?: () => number;
};

export type SqliteStore = Store & { readonly database: Database };

export function openStore(home: Home, options: Options = {}): SqliteStore {
  const database = openDatabase(home, options);
  const now = options.now ?? Date.now;
  return {
    database,
    commit: promised((batch) => commitTo(database, batch, now)),
    ...queriesOf(askIn(database)),
    version: promised(() => String(database.get("PRAGMA data_version")?.["data_version"])),
    close: promised(() => {
      database.close();
    }),
  };
}

function openDatabase(home: Home, { mount }: Options = {}): Database {
  makeFolder(home.root);
  refuseNetwork(home.root, mount);
  const path = home.database;
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) create(home);
  else if (file.size === 0) throw damagedDatabase(path, "it is empty");
  else closeToOthers(path, file.mode);
  const db = connect(path);
  try {
    requireOurs(db);
    // What is written again and again is copied back to the database less often than by default; the log grows to 16 MB.
    db.exec("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000");
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function connect(path: string): Database {
  try {
    return databaseOf(path, openFile(path));
  } catch (error) {
    throw translated(path, error);
  }
}

function create(home: Home): void {
  const left = [join(home.root, "runs"), home.workspaces].find((folder) => isFilled(folder));
  if (left !== undefined) throw damagedDatabase(home.database, `it is missing, and ${left} is not empty`);
  const aside = `${home.database}.${process.pid}.new`;
  makeDatabase(aside);
  failpoint("store.before-create");
  try {
    linkSync(aside, home.database);
  } catch (error) {
    // Another process was faster: its database is as good.
    if (!isThere(error)) throw error;
  }
  unlinkSync(aside);
  syncFolder(dirname(home.database));
  failpoint("store.after-create");
}

/** An empty database with the tables of today, closed again. Nothing is left of one that could not be made. */
export function makeDatabase(path: string): void {
  makeFile(path);
  try {
    const db = connect(path);
    try {
      db.exec(
        `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL`,
      );
      db.write(() => db.exec(`${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}`));
    } finally {
      db.close();
    }
  } catch (error) {
    for (const suffix of ["-wal", "-shm", ""]) rmSync(path + suffix, { force: true });
    throw error;
  }
}

function isFilled(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    // A folder that is not there, or no folder, holds nothing of ours.
    return false;
  }
}

function isThere(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST";
}
