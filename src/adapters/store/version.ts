/** Whether a database is ours, and of a version that this program can use. */

import { dirname } from "node:path";
import { UserError } from "../user-error.ts";
import { damagedDatabase, EXIT_DAMAGED } from "./recovery/damage.ts";
import type { Database } from "./database.ts";
import { APPLICATION_ID, APPLICATION_ID_0_1, SCHEMA_VERSION } from "./schema.ts";

/** Throws a UserError where this program cannot use the database. */
export function requireOurs(db: Database): void {
  refuseOtherVersions(db);
  if (idOf(db) !== APPLICATION_ID) throw damagedDatabase(db.path, "it is not a database of signalbox");
}

/** Another version of this program made it: nothing is wrong with it, and nothing here may change it. */
export function refuseOtherVersions(db: Database): void {
  if (idOf(db) === APPLICATION_ID_0_1) throw tooOld(dirname(db.path));
  const version = Number(db.get("PRAGMA user_version")?.["user_version"]);
  if (version > SCHEMA_VERSION) throw tooNew(db.path, version);
}

function idOf(db: Database): unknown {
  return db.get("PRAGMA application_id")?.["application_id"];
}

function tooOld(root: string): UserError {
  return new UserError(
    "older-schema",
    `the state home ${root} was made by version 0.1, which this version does not support`,
    { next: `mv '${root}' '${root}-0.1'`, exit: EXIT_DAMAGED },
  );
}

function tooNew(path: string, found: number): UserError {
  return new UserError(
    "newer-schema",
    `${path} was written by a newer signalbox: it has schema ${found}, and this program knows ${SCHEMA_VERSION}`,
    { next: "upgrade signalbox: npm install -g signalbox@latest", exit: EXIT_DAMAGED },
  );
}
