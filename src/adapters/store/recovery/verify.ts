/**
 * Whether a run is what its history says: the chain, the replay, and everything that is kept beside them.
 *
 * What is wrong is told by the first record that is bad. Nothing is changed.
 */

import { isDeepStrictEqual } from "node:util";
import type { Event } from "../../../core/model/event.ts";
import type { Run } from "../../../core/model/run.ts";
import type { RecordCheck, Verified } from "../../../engine/ports/histories.ts";
import { hashOf as hashOfDefinition } from "../../../format/workflow/hash.ts";
import { UserError } from "../../user-error.ts";
import { finish, type Database } from "../database.ts";
import type { Sql, Work } from "../sql.ts";
import { textIn } from "../journal/derive.ts";
import { replayedRun } from "../journal/latest.ts";
import { sealedRow } from "../journal/records.ts";
import { BadRecord, isDefinition, parsed, text } from "../row.ts";
import { walk, type Bad, type Step, type Whole } from "./walk.ts";

/** Every run of which anything is kept, also one whose row or whose events are gone. */
export function* runsKept(db: Sql): Work<string[]> {
  // One look-up for each run, however long its history is.
  const sql = `WITH RECURSIVE found (run) AS (
      SELECT min(run) FROM events
      UNION ALL SELECT (SELECT min(run) FROM events WHERE run > found.run) FROM found WHERE found.run IS NOT NULL
    ) SELECT run FROM found WHERE run IS NOT NULL UNION SELECT id FROM runs ORDER BY 1`;
  return (yield* db.all(sql)).map((row) => text(row["run"]));
}

export function knownRuns({ sql }: Database): string[] {
  return finish(runsKept(sql));
}

export function verifyRun(db: Database, run: string, check?: RecordCheck): Verified {
  return db.read(() => finish(verifying(db.sql, run, check)));
}

/** All of it must see one moment. */
export function* verifying(db: Sql, run: string, check?: RecordCheck): Work<Verified> {
  let missing: Bad | undefined;
  let ordered = 0;
  const visit = function* (step: Step): Work<void> {
    missing ??= yield* besides(db, run, step);
    ordered += step.deeds.length;
  };
  const { whole, bad } = yield* walk(db, run, { check, visit });
  const wrong =
    earlier(missing, bad) ??
    (whole === undefined
      ? undefined
      : ((yield* rowOf(db, run, whole)) ?? (yield* foisted(db, run, ordered))));
  if (wrong !== undefined) return { ok: false, run, ...wrong };
  return { ok: true, run, seq: whole?.run.seq ?? 0 };
}

function earlier(one: Bad | undefined, other: Bad | undefined): Bad | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.seq <= other.seq ? one : other;
}

/** The question, the idempotency key, the text and the deeds of a record, as they must be kept beside it. */
function* besides(db: Sql, run: string, step: Step): Work<Bad | undefined> {
  const { seq, key, deeds } = step;
  const asked = yield* question(db, run, step);
  if (asked !== undefined) return asked;
  if (key !== "") {
    const known = yield* db.get("SELECT seq FROM keys WHERE run = ? AND key = ?", run, key);
    if (known?.["seq"] !== seq) return { seq, reason: `its key ${key} is not kept` };
  }
  const { event } = step;
  for (const digest of textsOf(event))
    if ((yield* textIn(db, digest)) === undefined)
      return { seq, reason: `its text ${digest} is not kept as it was submitted` };
  for (const [i, deed] of deeds.entries()) {
    const kept = yield* db.get("SELECT json FROM deeds WHERE run = ? AND seq = ? AND i = ?", run, seq, i);
    if (kept?.["json"] !== JSON.stringify(deed))
      return { seq, reason: `its deed ${run}:${seq}:${i} is not kept as it was ordered` };
  }
  return undefined;
}

/** The digests of the texts that an event names. */
function textsOf(event: Event): readonly string[] {
  const readings = [
    ...("readings" in event ? (event.readings ?? []) : []),
    ...("reading" in event ? [event.reading] : []),
  ];
  return readings.flatMap((reading) => (reading.text === undefined ? [] : [reading.text]));
}

/** A question that is asked and not kept would never be found by its name. */
function* question(db: Sql, run: string, { seq, event }: Step): Work<Bad | undefined> {
  const isOpened = event.type === "question-opened" || event.type === "permission-asked";
  if (!isOpened && event.type !== "question-closed" && event.type !== "permission-closed") return undefined;
  const kept = isOpened
    ? yield* db.get("SELECT 1 FROM questions WHERE run = ? AND seq = ? AND id = ?", run, seq, event.id)
    : yield* db.get("SELECT 1 FROM questions WHERE run = ? AND id = ? AND closed_at <> ''", run, event.id);
  if (kept !== undefined) return undefined;
  return { seq, reason: `its question ${event.id} is not kept as ${isOpened ? "it was asked" : "answered"}` };
}

/** A deed that nothing in the history orders would be done all the same. */
function* foisted(db: Sql, run: string, ordered: number): Work<Bad | undefined> {
  const kept = (yield* db.get("SELECT count(*) AS count FROM deeds WHERE run = ?", run))?.["count"];
  return kept === ordered
    ? undefined
    : { seq: 0, reason: `it has ${String(kept)} deeds, and its history orders ${ordered}` };
}

/** The row and its snapshot against what the history makes of them. */
function* rowOf(db: Sql, id: string, whole: Whole): Work<Bad | undefined> {
  try {
    const found = yield* db.get("SELECT * FROM runs LEFT JOIN snapshots USING (n) WHERE id = ?", id);
    if (found === undefined) return { seq: 0, reason: "it has events and no row" };
    const sealed = sealedRow(found);
    const { row } = sealed;
    const { seq, head, status, workflow, goal, repo, base } = row;
    if (seq !== whole.run.seq || head !== whole.head)
      return {
        seq: Math.min(seq, whole.run.seq) + 1,
        reason: `the row ends at ${seq}, the history at ${whole.run.seq}`,
      };
    if (status !== whole.status || !isDeepStrictEqual({ workflow, goal, repo, base }, whole.birth))
      return { seq: 0, reason: "the row says something else than the history" };
    if (!isDeepStrictEqual(plain(yield* replayedRun(db, sealed)), plain(whole.run)))
      return { seq: 0, reason: "the snapshot is not what the history makes" };
    return yield* definition(db, whole.run.definition);
  } catch (error) {
    if (error instanceof BadRecord || error instanceof UserError) return { seq: 0, reason: error.message };
    throw error;
  }
}

/** Without what JSON does not keep. */
function plain(run: Run): unknown {
  return JSON.parse(JSON.stringify(run));
}

function* definition(db: Sql, hash: string): Work<Bad | undefined> {
  const kept = yield* db.get("SELECT json FROM definitions WHERE hash = ?", hash);
  if (kept === undefined) return { seq: 0, reason: `its definition ${hash} is missing` };
  const isWhole = hashOfDefinition(parsed(text(kept["json"]), isDefinition))() === hash;
  return isWhole ? undefined : { seq: 0, reason: `its definition is not the one with hash ${hash}` };
}
