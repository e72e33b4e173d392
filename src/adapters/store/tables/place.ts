/** Who has the checkout of a repository: at most one run at a time, from the write that moves it there. */

import type { Sql, Work } from "../sql.ts";
import { text } from "../row.ts";

/** Who is not in the journal any more has nothing. */
const HOLDER = `SELECT run FROM workspaces JOIN runs ON runs.id = workspaces.run
  WHERE path = ? AND path = workspaces.repo AND workspaces.status IN ('reserved', 'bound') AND run <> ?`;
const OWN = "SELECT 1 FROM workspaces WHERE run = ? AND path = ? AND status IN ('reserved', 'bound')";
const LEAVING = `SELECT 1 FROM deeds WHERE run = ? AND type = 'release-resource' AND status <> 'done'`;
const RESERVE = `INSERT INTO workspaces VALUES (?1, ?2, ?2, '', '', 'reserved', '', '')
  ON CONFLICT (run) DO UPDATE SET repo = ?2, path = ?2, status = 'reserved'`;

const LEAVE_PLACE = `UPDATE workspaces SET status = 'released'
  WHERE run = ?1 AND path = repo AND (status = 'bound' OR (status = 'reserved' AND ?2 = 'any'))`;

export function* holderOf(db: Sql, repo: string, besides: string): Work<string> {
  const row = yield* db.get(HOLDER, repo, besides);
  return row === undefined ? "" : text(row["run"]);
}

/**
 * Inside of a transaction. What the run is about to give back is reserved anew: whoever does that sees that it is wanted again. Gives
 * the run that has it; empty where it is ours.
 */
export function* takePlace(db: Sql, run: string, repo: string): Work<string> {
  db.alone(`place ${repo}`);
  const holder = yield* holderOf(db, repo, run);
  if (holder !== "") return holder;
  const isOurs = (yield* db.get(OWN, run, repo)) !== undefined;
  if (!isOurs || (yield* db.get(LEAVING, run)) !== undefined) db.put(RESERVE, run, repo);
  return "";
}

export function leavePlace(db: Sql, run: string, of: "bound" | "any"): void {
  db.put(LEAVE_PLACE, run, of);
}
