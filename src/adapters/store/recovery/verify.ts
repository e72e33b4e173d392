/**
 * Whether a run is what its history says: the chain, the replay, and everything that is kept beside them.
 *
 * What is wrong is told by the first record that is bad. Nothing is changed.
 */

import { isDeepStrictEqual } from "node:util";
import type { Run } from "../../../core/model/run.ts";
import type { Recorded } from "../../../engine/ports/journal.ts";
import { hashOf as hashOfDefinition } from "../../../format/workflow/hash.ts";
import { UserError } from "../../user-error.ts";
import type { Database } from "../database.ts";
import { replayedRun } from "../journal/latest.ts";
import { sealedRow } from "../journal/records.ts";
import { BadRecord, isDefinition, parsed, text } from "../row.ts";
import { walk, type Bad, type Step, type Whole } from "./walk.ts";

export type Verified =
  | { readonly ok: true; readonly run: string; readonly seq: number }
  | ({ readonly ok: false; readonly run: string } & Bad);

/** Every run of which anything is kept, also one whose row or whose events are gone. */
export function knownRuns(db: Database): string[] {
  // One look-up for each run, however long its history is.
  const sql = `WITH RECURSIVE found (run) AS (
      SELECT min(run) FROM events
      UNION ALL SELECT (SELECT min(run) FROM events WHERE run > found.run) FROM found WHERE found.run IS NOT NULL
    ) SELECT run FROM found WHERE run IS NOT NULL UNION SELECT id FROM runs ORDER BY 1`;
  return db.all(sql).map((row) => text(row["run"]));
}

export function verifyRun(
  db: Database,
  run: string,
  checkProof?: (recorded: Recorded) => string | undefined,
): Verified {
  return db.read(() => verify(db, run, checkProof));
}

function verify(
  db: Database,
  run: string,
  checkProof: ((recorded: Recorded) => string | undefined) | undefined,
): Verified {
  let missing: Bad | undefined;
  let ordered = 0;
  const visit = (step: Step): void => {
    missing ??= besides(db, run, step);
    ordered += step.deeds.length;
  };
  const { whole, bad } = walk(db, run, { checkProof, visit });
  const wrong =
    earlier(missing, bad) ??
    (whole === undefined ? undefined : (rowOf(db, run, whole) ?? foisted(db, run, ordered)));
  if (wrong !== undefined) return { ok: false, run, ...wrong };
  return { ok: true, run, seq: whole?.run.seq ?? 0 };
}

function earlier(one: Bad | undefined, other: Bad | undefined): Bad | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.seq <= other.seq ? one : other;
}

/** The question, the idempotency key and the deeds of a record, as they must be kept beside it. */
function besides(db: Database, run: string, step: Step): Bad | undefined {
  const { seq, key, deeds } = step;
  const asked = question(db, run, step);
  if (asked !== undefined) return asked;
  if (key !== "") {
    const known = db.get("SELECT seq FROM keys WHERE run = ? AND key = ?", run, key);
    if (known?.["seq"] !== seq) return { seq, reason: `its key ${key} is not kept` };
  }
  for (const [i, deed] of deeds.entries()) {
    const kept = db.get("SELECT json FROM deeds WHERE run = ? AND seq = ? AND i = ?", run, seq, i);
    if (kept?.["json"] !== JSON.stringify(deed))
      return { seq, reason: `its deed ${run}:${seq}:${i} is not kept as it was ordered` };
  }
  return undefined;
}

/** A question that is asked and not kept would never be found by its name. */
function question(db: Database, run: string, { seq, event }: Step): Bad | undefined {
  if (event.type !== "question-opened" && event.type !== "question-closed") return undefined;
  const isOpened = event.type === "question-opened";
  const kept = isOpened
    ? db.get("SELECT 1 FROM questions WHERE run = ? AND seq = ? AND id = ?", run, seq, event.id)
    : db.get("SELECT 1 FROM questions WHERE run = ? AND id = ? AND closed_at <> ''", run, event.id);
  if (kept !== undefined) return undefined;
  return { seq, reason: `its question ${event.id} is not kept as ${isOpened ? "it was asked" : "answered"}` };
}

/** A deed that nothing in the history orders would be done all the same. */
function foisted(db: Database, run: string, ordered: number): Bad | undefined {
  const kept = db.get("SELECT count(*) AS count FROM deeds WHERE run = ?", run)?.["count"];
  return kept === ordered
    ? undefined
    : { seq: 0, reason: `it has ${String(kept)} deeds, and its history orders ${ordered}` };
}

/** The row and its snapshot against what the history makes of them. */
function rowOf(db: Database, id: string, whole: Whole): Bad | undefined {
  try {
    const found = db.get("SELECT * FROM runs LEFT JOIN snapshots USING (n) WHERE id = ?", id);
    if (found === undefined) return { seq: 0, reason: "it has events and no row" };
    const { row, snapshot } = sealedRow(found);
    const { seq, head, status, workflow, goal, repo, base } = row;
    if (seq !== whole.run.seq || head !== whole.head)
      return {
        seq: Math.min(seq, whole.run.seq) + 1,
        reason: `the row ends at ${seq}, the history at ${whole.run.seq}`,
      };
    if (status !== whole.status || !isDeepStrictEqual({ workflow, goal, repo, base }, whole.birth))
      return { seq: 0, reason: "the row says something else than the history" };
    if (!isDeepStrictEqual(plain(replayedRun(db, row, snapshot)), plain(whole.run)))
      return { seq: 0, reason: "the snapshot is not what the history makes" };
    return definition(db, whole.run.definition);
  } catch (error) {
    if (error instanceof BadRecord || error instanceof UserError) return { seq: 0, reason: error.message };
    throw error;
  }
}

/** Without what JSON does not keep. */
function plain(run: Run): unknown {
  return JSON.parse(JSON.stringify(run));
}

function definition(db: Database, hash: string): Bad | undefined {
  const kept = db.get("SELECT json FROM definitions WHERE hash = ?", hash);
  if (kept === undefined) return { seq: 0, reason: `its definition ${hash} is missing` };
  const isWhole = hashOfDefinition(parsed(text(kept["json"]), isDefinition))() === hash;
  return isWhole ? undefined : { seq: 0, reason: `its definition is not the one with hash ${hash}` };
}
