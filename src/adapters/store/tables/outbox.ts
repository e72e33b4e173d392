/**
 * What is still to be done, and who is at it.
 *
 * Of one run only the first open deed is ever due. A run that is halted has no line but that of its `stop-agent` deeds. An agent that
 * waits until another one has ended must not keep its run from stopping that one, or from telling it what it waits for.
 */

import type { Write } from "../../../engine/ports/commit.ts";
import type { DeedRow, Outbox } from "../../../engine/ports/outbox.ts";
import { isHeldIn } from "./parks.ts";
import type { Ask, Otherwise, Row, Sql, Work } from "../sql.ts";
import { isDeed, number, parsed, text, word } from "../row.ts";

/** In `due_at`, of a deed that waits until another agent may work. */
export const QUEUED = Number.MAX_SAFE_INTEGER;
const AGENT = (deed: string): string =>
  `(json_extract(${deed}.json, '$.role'), coalesce(json_extract(${deed}.json, '$.slot'), ''))`;
/** The agent that an effect starts, or to which it sends a message. */
export const agentOf = (deed: string): Parameters<typeof isHeldIn>[0] => ({
  run: `${deed}.run`,
  role: `json_extract(${deed}.json, '$.role')`,
  slot: `coalesce(json_extract(${deed}.json, '$.slot'), '')`,
  attempt: `CAST(json_extract(${deed}.json, '$.attempt') AS INTEGER)`,
});
/** The first in the line of each run. Through the index of open deeds: what is done costs nothing. A start that is parked delays no other. */
const HEADS = `
  FROM deeds AS d JOIN runs ON runs.id = d.run
  WHERE d.status IN ('pending', 'claimed') AND (runs.halted = 0 OR d.type = 'stop-agent')
  AND NOT EXISTS (
    SELECT 1 FROM deeds AS e
    WHERE e.run = d.run AND e.status IN ('pending', 'claimed') AND (e.seq, e.i) < (d.seq, d.i)
    AND (runs.halted = 0 OR e.type = 'stop-agent') AND NOT (
      (d.type = 'stop-agent' OR d.type = 'tell-agent' AND e.type IN ('start-agent', 'tell-agent')) AND ${AGENT("d")} IS DISTINCT FROM ${AGENT("e")}
      AND EXISTS (
        SELECT 1 FROM deeds AS q WHERE q.run = d.run AND q.status IN ('pending', 'claimed') AND q.due_at = ${QUEUED} AND (q.seq, q.i) <= (e.seq, e.i)
      ) OR d.type = 'start-agent' AND e.type = 'start-agent' AND e.due_at = ${QUEUED} AND ${isHeldIn(agentOf("e"))}
    )
  )`;
const FENCE = "(SELECT value FROM meta WHERE name = 'fence')";
/** By the age of the run: what is tried again must not wait for everything that begins meanwhile. */
const DUE = `SELECT d.* ${HEADS} AND d.due_at <= ? AND (d.status = 'pending' OR d.owner < ${FENCE} OR d.lease <= ?)
  ORDER BY runs.n LIMIT ?`;
const NEXT_DUE = `SELECT min(CASE WHEN d.status = 'claimed' AND d.owner >= ${FENCE} AND d.lease > d.due_at THEN d.lease ELSE d.due_at END) AS next ${HEADS}`;
const QUEUED_DEEDS = `SELECT d.run, d.seq, d.i, runs.repo FROM deeds AS d JOIN runs ON runs.id = d.run
  WHERE d.status IN ('pending', 'claimed') AND d.due_at = ${QUEUED} AND runs.halted = 0 AND NOT ${isHeldIn(agentOf("d"))} ORDER BY runs.n, d.seq, d.i`;
const ONE = "SELECT * FROM deeds WHERE run = ? AND seq = ? AND i = ?";

export function outboxOf(ask: Ask): Outbox {
  return {
    fence: ask(fenceOf),
    due: ask(function* (db, at, limit) {
      return (yield* db.all(DUE, at, at, limit)).map(deedRow);
    }),
    nextDue: ask(function* (db) {
      const next = (yield* db.get(NEXT_DUE))?.["next"];
      return typeof next === "number" ? next : undefined;
    }),
    queuedDeeds: ask(function* (db) {
      const rows = yield* db.all(QUEUED_DEEDS);
      return rows.map((row) => ({ key: keyOf(row), repo: text(row["repo"]) }));
    }),
    deeds: ask(function* (db, run) {
      return (yield* db.all("SELECT * FROM deeds WHERE run = ? ORDER BY seq, i", run)).map(deedRow);
    }),
  };
}

/** Expects that no other supervisor has taken the number. */
export function takeFence(db: Sql, fence: number, otherwise: Otherwise): void {
  const sql = "UPDATE meta SET value = ? WHERE name = 'fence' AND value = ? RETURNING 1";
  db.expect(otherwise, sql, fence, fence - 1);
}

export function admit(db: Sql, key: string): void {
  const sql = `UPDATE deeds SET due_at = 0 WHERE run = ? AND seq = ? AND i = ? AND due_at = ${QUEUED}`;
  db.put(sql, ...placeOf(key));
}

/** Inside of a transaction. All deeds of a run that wait until another agent may work are tried again. */
export function admitAll(db: Sql, run: string): void {
  const sql = `UPDATE deeds SET due_at = 0 WHERE run = ? AND status IN ('pending', 'claimed') AND due_at = ${QUEUED}`;
  db.put(sql, run);
}

/**
 * What is looked for before it is repeated may be repeated after a power cut, too: who is at it, and that it was done, need not be on
 * the disk at once. Whatever is written next takes it along.
 */
export function* isRepeatable(db: Sql, key: string): Work<boolean> {
  return (yield* db.get(ONE, ...placeOf(key)))?.["kind"] === "probed";
}

function* fenceOf(db: Sql): Work<number> {
  return number((yield* db.get("SELECT value FROM meta WHERE name = 'fence'"))?.["value"]);
}

type Claim = Extract<Write, { type: "claim" }>;

/** A supervisor that has lost its lock begins nothing, and a person may have halted the run since the deed was found to be due. */
const CLAIM = `UPDATE deeds SET status = 'claimed', owner = ?1, lease = ?2, tries = tries + 1
  WHERE run = ?3 AND seq = ?4 AND i = ?5 AND tries = ?6 AND ?1 >= ${FENCE}
  AND (status = 'pending' OR status = 'claimed' AND (owner < ?1 OR lease <= ?7))
  AND (type = 'stop-agent' OR EXISTS (SELECT 1 FROM runs WHERE id = ?3 AND halted = 0)) RETURNING 1`;

/** Expects that the deed is this supervisor's to begin. */
export function claim(
  db: Sql,
  { key, tries, fence, leaseUntil }: Claim,
  { now, otherwise }: { readonly now: number; readonly otherwise: Otherwise },
): void {
  db.expect(otherwise, CLAIM, fence, leaseUntil, ...placeOf(key), tries, now);
}

type Settle = Extract<Write, { type: "settle" }>;

const SETTLE = `UPDATE deeds SET status = ?, due_at = ?, note = ?, lease = 0
  WHERE run = ? AND seq = ? AND i = ? AND status = 'claimed' AND owner = ? RETURNING 1`;

/** Expects that the deed is this supervisor's. */
export function settle(db: Sql, { key, fence, outcome }: Settle, otherwise: Otherwise): void {
  const at = placeOf(key);
  const [status, dueAt] =
    outcome.type === "again"
      ? ["pending", outcome.dueAt]
      : outcome.type === "queued"
        ? ["pending", QUEUED]
        : [outcome.type, 0];
  db.expect(otherwise, SETTLE, status, dueAt, outcome.note, ...at, fence);
  if (outcome.type === "attention") {
    const attention = `${outcome.note}; try again: ${outcome.next}`;
    // What went wrong first is what must be mended first: the rest may only follow from it.
    db.put("UPDATE runs SET attention = ? WHERE id = ? AND attention = ''", attention, at[0]);
  }
}

export function retry(db: Sql, run: string): void {
  db.put("UPDATE deeds SET status = 'pending', due_at = 0 WHERE run = ? AND status = 'attention'", run);
  db.put("UPDATE runs SET attention = '' WHERE id = ? AND attention <> ''", run);
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
