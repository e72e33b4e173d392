/** Brings a database to the tables of today: each step whole or not at all, and never from a future that is not known here. */

import { failpoint } from "../failpoint.ts";
import { newerSchema } from "./damage.ts";
import type { Database } from "./database.ts";
import type { Migration } from "./schema.ts";

export function versionOf(db: Database): number {
  return Number(db.get("PRAGMA user_version")?.["user_version"]);
}

export function migrate(db: Database, steps: readonly Migration[]): void {
  for (;;) {
    const version = versionOf(db);
    if (version === steps.length) return;
    if (version > steps.length) throw newerSchema(db.path, version, steps.length);
    failpoint("store.before-migrate");
    db.write(() => take(db, steps, version));
    failpoint("store.after-migrate");
  }
}

function take(db: Database, steps: readonly Migration[], version: number): void {
  // Another process may have taken the step while this one waited.
  if (versionOf(db) !== version) return;
  db.exec(steps[version] ?? "");
  failpoint("store.between-migrate");
  db.exec(`PRAGMA user_version = ${version + 1}`);
}
