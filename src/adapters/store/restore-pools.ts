/**
 * Pools and queue fit the runs again, once those are restored.
 *
 * A worktree that is somebody's must be in its pool, or the next task gets it, and what is in it is swept aside.
 */

import { basename } from "node:path";
import type { Database } from "./database.ts";
import { text } from "./row.ts";

/** A checkout that a run works in itself is in no pool. */
const UNPOOLED = `SELECT run, repo, path FROM workspaces
  WHERE status = 'bound' AND path <> repo AND run NOT IN (SELECT run FROM pool)`;

export function restorePools(db: Database): void {
  for (const row of db.all(UNPOOLED)) {
    const name = basename(text(row["path"]));
    const n = /--(\d+)$/.exec(name)?.[1];
    if (n === undefined) continue;
    const sql = "INSERT OR IGNORE INTO pool VALUES (?, ?, ?, ?)";
    db.run(sql, name, text(row["repo"]), Number(n), text(row["run"]));
  }
  db.run("DELETE FROM queue WHERE run NOT IN (SELECT id FROM runs)");
}
