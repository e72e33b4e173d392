/**
 * What is still to be done, and who is at it.
 *
 * Of one run only the first open deed is ever due. A run that is halted has no line but that of its `stop-agent` deeds. An agent that
 * waits until another one has ended must not keep its run from stopping that one, or from telling it what it waits for.
 */

import type { Write } from "../../../engine/ports/commit.ts";
import type { DeedRow, Outbox, Outcome } from "../../../engine/ports/outbox.ts";
import { promised, type Database, type Row } from "../database.ts";
import { isDeed, number, parsed, text, word } from "../row.ts";

/** In `due_at`, of a deed that waits until another agent may work. */
export const QUEUED = Number.MAX_SAFE_INTEGER;
const AGENT = (deed: string): string =>
  `(json_extract(${deed}.json, '$.role'), coalesce(json_extract(${deed}.json, '$.slot'), ''))`;
/** The first in the line of each run. Through the index of open deeds: what is done costs nothing. */
const HEADS = `
  FROM deeds AS d JOIN runs ON runs.id = d.run
  WHERE d.status IN ('pending', 'claimed') AND (runs.halted = 0 OR d.type = 'stop-agent')
  AND NOT EXISTS (
    SELECT 1 FROM deeds AS e
    WHERE e.run = d.run AND e.status IN ('pending', 'claimed') AND (e.seq, e.i) < (d.seq, d.i)
    AND (runs.halted = 0 OR e.type = 'stop-agent') AND NOT (
      (d.type = 'stop-agent' OR d.type = 'tell-agent' AND e.type IN ('start-agent', 'tell-agent')) AND ${AGENT("d")} IS NOT ${AGENT("e")}
      AND EXISTS (
        SELECT 1 FROM deeds AS q WHERE q.run = d.run AND q.status IN ('pending', 'claimed') AND q.due_at = ${QUEUED} AND (q.seq, q.i) <= (e.seq, e.i)
      )
    )
  )`;
const FENCE = "(SELECT value FROM meta WHERE name = 'fence')";
/** By the age of the run: what is tried again must not wait for everything that begins meanwhile. */
const DUE = `SELECT d.* ${HEADS} AND d.due_at <= ? AND (d.status = 'pending' OR d.owner < ${FENCE} OR d.lease <= ?)
  ORDER BY runs.n LIMIT ?`;
const NEXT_DUE = `SELECT min(CASE WHEN d.status = 'claimed' AND d.owner >= ${FENCE} THEN max(d.due_at, d.lease) ELSE d.due_at END) AS next ${HEADS}`;
const ONE = "SELECT * FROM deeds WHERE run = ? AND seq = ? AND i = ?";

export function outboxOf(db: Database): Outbox {
  return {
    fence: promised(() => fenceOf(db)),
    due: promised((at, limit) => db.all(DUE, at, at, limit).map(deedRow)),
    nextDue: promised(() => {
      const next = db.get(NEXT_DUE)?.["next"];
      return typeof next === "number" ? next : undefined;
    }),
    queuedDeeds: promised(() =>
      db
        .all(
          `SELECT d.run, d.seq, d.i, runs.repo FROM deeds AS d JOIN runs ON runs.id = d.run
           WHERE d.status IN ('pending', 'claimed') AND d.due_at = ${QUEUED} AND runs.halted = 0 ORDER BY runs.n, d.seq, d.i`,
        )
        .map((row) => ({ key: keyOf(row), repo: text(row["repo"]) })),
    ),
    deeds: promised((run) => db.all("SELECT * FROM deeds WHERE run = ? ORDER BY seq, i", run).map(deedRow)),
  };
}

/** False where another supervisor has taken the number. */
export function takeFence(db: Database, fence: number): boolean {
  if (fenceOf(db) !== fence - 1) return false;
  db.run("UPDATE meta SET value = ? WHERE name = 'fence'", fence);
  return true;
}

export function admit(db: Database, key: string): void {
  const sql = `UPDATE deeds SET due_at = 0 WHERE run = ? AND seq = ? AND i = ? AND due_at = ${QUEUED}`;
  db.run(sql, ...placeOf(key));
}

/** Inside of a transaction. All deeds of a run that wait until another agent may work are tried again. */
export function admitAll(db: Database, run: string): void {
  const sql = `UPDATE deeds SET due_at = 0 WHERE run = ? AND status IN ('pending', 'claimed') AND due_at = ${QUEUED}`;
  db.run(sql, run);
}

/**
 * What is looked for before it is repeated may be repeated after a power cut, too: who is at it, and that it was done, need not be on
 * the disk at once. Whatever is written next takes it along.
 */
export function isRepeatable(db: Database, key: string): boolean {
  return db.get(ONE, ...placeOf(key))?.["kind"] === "probed";
}

function fenceOf(db: Database): number {
  return number(db.get("SELECT value FROM meta WHERE name = 'fence'")?.["value"]);
}

type Claim = Extract<Write, { type: "claim" }>;

/** False where the deed is not this supervisor's to begin. */
export function claim(db: Database, { key, tries, fence, leaseUntil }: Claim, now: number): boolean {
  const at = placeOf(key);
  const row = db.get(ONE, ...at);
  // A supervisor that has lost its lock begins nothing any more.
  if (row === undefined || fence < fenceOf(db) || row["tries"] !== tries) return false;
  const isFree = row["status"] === "pending" || (row["status"] === "claimed" && isLeft(row, fence, now));
  if (!isFree || isHeld(db, row)) return false;
  db.run(
    "UPDATE deeds SET status = 'claimed', owner = ?, lease = ?, tries = tries + 1 WHERE run = ? AND seq = ? AND i = ?",
    fence,
    leaseUntil,
    ...at,
  );
  return true;
}

function isLeft(row: Row, owner: number, now: number): boolean {
  return number(row["owner"]) < owner || number(row["lease"]) <= now;
}

/** A person may have halted the run since the deed was found to be due. */
function isHeld(db: Database, row: Row): boolean {
  if (row["type"] === "stop-agent") return false;
  return db.get("SELECT halted FROM runs WHERE id = ?", row["run"] ?? null)?.["halted"] !== 0;
}

/** False where another supervisor has the deed. */
export function settle(
  db: Database,
  key: string,
  of: { readonly fence: number; readonly outcome: Outcome },
): boolean {
  const { fence, outcome } = of;
  const at = placeOf(key);
  const [status, dueAt] =
    outcome.type === "again"
      ? ["pending", outcome.dueAt]
      : outcome.type === "queued"
        ? ["pending", QUEUED]
        : [outcome.type, 0];
  const changed = db.run(
    "UPDATE deeds SET status = ?, due_at = ?, note = ?, lease = 0 WHERE run = ? AND seq = ? AND i = ? AND status = 'claimed' AND owner = ?",
    status,
    dueAt,
    outcome.note,
    ...at,
    fence,
  );
  if (changed === 0) return false;
  if (outcome.type === "attention") {
    const attention = `${outcome.note}; try again: ${outcome.next}`;
    // What went wrong first is what must be mended first: the rest may only follow from it.
    db.run("UPDATE runs SET attention = ? WHERE id = ? AND attention = ''", attention, at[0]);
  }
  return true;
}

export function retry(db: Database, run: string): void {
  db.run("UPDATE deeds SET status = 'pending', due_at = 0 WHERE run = ? AND status = 'attention'", run);
  db.run("UPDATE runs SET attention = '' WHERE id = ? AND attention <> ''", run);
}

function placeOf(key: string): readonly [string, number, number] {
  const words = key.split(":");
  const [seq, i] = words.splice(-2);
  return [words.join(":"), Number(seq), Number(i)];
}

function keyOf(row: Row): string {
  return `${text(row["run"])}:${number(row["seq"])}:${number(row["i"])}`;
}

function deedRow(row: Row): DeedRow {
  const run = text(row["run"]);
  return {
    key: keyOf(row),
    run,
    deed: parsed(text(row["json"]), isDeed),
    kind: word(row["kind"], ["probed", "once"]),
    status: word(row["status"], ["pending", "claimed", "done", "attention"]),
    tries: number(row["tries"]),
    dueAt: number(row["due_at"]),
    isQueued: row["status"] === "pending" && row["due_at"] === QUEUED,
    owner: number(row["owner"]),
    note: text(row["note"]),
  };
}
