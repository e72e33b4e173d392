/**
 * What is still to be done, and who is at it.
 *
 * Of one run only the first open deed is ever due. A run that is halted has no line but that of its `stop-agent` deeds. An agent that
 * waits until another one has ended must not keep its run from stopping that one, or from telling it what it waits for.
 */

import type { DeedRow, Outbox, Outcome } from "../../../engine/ports/outbox.ts";
import { failpoint } from "../../failpoint.ts";
import type { Database, Row } from "../database.ts";
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

export function outboxOf(db: Database, now: () => number): Outbox {
  return {
    fence: () =>
      db.write(() => {
        db.run("UPDATE meta SET value = value + 1 WHERE name = 'fence'");
        return fence(db);
      }),
    due: (at, limit) => db.all(DUE, at, at, limit).map(deedRow),
    nextDue() {
      const next = db.get(NEXT_DUE)?.["next"];
      return typeof next === "number" ? next : undefined;
    },
    claim(key, owner, leaseUntil) {
      failpoint("outbox.before-claim");
      const work = (): DeedRow | undefined => claim(db, key, { owner, leaseUntil, now: now() });
      const claimed = isRepeatable(db, key) ? db.writeSoon(work) : db.write(work);
      failpoint("outbox.after-claim");
      return claimed;
    },
    settle(key, owner, outcome) {
      failpoint("outbox.before-settle");
      const work = (): boolean => settle(db, key, { owner, outcome });
      const isSoon = outcome.type === "done" && isRepeatable(db, key);
      const isSettled = isSoon ? db.writeSoon(work) : db.write(work);
      failpoint("outbox.after-settle");
      return isSettled;
    },
    queuedDeeds: () =>
      db
        .all(
          `SELECT d.run, d.seq, d.i, runs.repo FROM deeds AS d JOIN runs ON runs.id = d.run
           WHERE d.status IN ('pending', 'claimed') AND d.due_at = ${QUEUED} AND runs.halted = 0 ORDER BY runs.n, d.seq, d.i`,
        )
        .map((row) => ({ key: keyOf(row), repo: text(row["repo"]) })),
    admit: (key) =>
      db.writeSoon(() => {
        const sql = `UPDATE deeds SET due_at = 0 WHERE run = ? AND seq = ? AND i = ? AND due_at = ${QUEUED}`;
        db.run(sql, ...placeOf(key));
      }),
    attend: (run, attention) =>
      db.write(() => void db.run("UPDATE runs SET attention = ? WHERE id = ?", attention, run)),
    attentionOf: (run) => text(db.get("SELECT attention FROM runs WHERE id = ?", run)?.["attention"] ?? ""),
    retry: (run) => db.write(() => retry(db, run)),
    deeds: (run) => db.all("SELECT * FROM deeds WHERE run = ? ORDER BY seq, i", run).map(deedRow),
  };
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
function isRepeatable(db: Database, key: string): boolean {
  return db.get(ONE, ...placeOf(key))?.["kind"] === "probed";
}

function fence(db: Database): number {
  return number(db.get("SELECT value FROM meta WHERE name = 'fence'")?.["value"]);
}

type Claim = { readonly owner: number; readonly leaseUntil: number; readonly now: number };

function claim(db: Database, key: string, { owner, leaseUntil, now }: Claim): DeedRow | undefined {
  const at = placeOf(key);
  const row = db.get(ONE, ...at);
  // Whoever has lost the supervisor's lock begins nothing any more.
  if (row === undefined || owner < fence(db)) return undefined;
  const isFree = row["status"] === "pending" || (row["status"] === "claimed" && isLeft(row, owner, now));
  if (!isFree || isHeld(db, row)) return undefined;
  db.run(
    "UPDATE deeds SET status = 'claimed', owner = ?, lease = ?, tries = tries + 1 WHERE run = ? AND seq = ? AND i = ?",
    owner,
    leaseUntil,
    ...at,
  );
  return deedRow({ ...row, status: "claimed", owner, tries: number(row["tries"]) + 1 });
}

function isLeft(row: Row, owner: number, now: number): boolean {
  return number(row["owner"]) < owner || number(row["lease"]) <= now;
}

/** A person may have halted the run since the deed was found to be due. */
function isHeld(db: Database, row: Row): boolean {
  if (row["type"] === "stop-agent") return false;
  return db.get("SELECT halted FROM runs WHERE id = ?", row["run"] ?? null)?.["halted"] !== 0;
}

function settle(
  db: Database,
  key: string,
  of: { readonly owner: number; readonly outcome: Outcome },
): boolean {
  const { owner, outcome } = of;
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
    owner,
  );
  if (changed === 0) return false;
  if (outcome.type === "attention") {
    const attention = `${outcome.note}; try again: ${outcome.next}`;
    // What went wrong first is what must be mended first: the rest may only follow from it.
    db.run("UPDATE runs SET attention = ? WHERE id = ? AND attention = ''", attention, at[0]);
  }
  return true;
}

function retry(db: Database, run: string): string[] {
  const waiting = db.all("SELECT * FROM deeds WHERE run = ? AND status = 'attention' ORDER BY seq, i", run);
  db.run("UPDATE deeds SET status = 'pending', due_at = 0 WHERE run = ? AND status = 'attention'", run);
  db.run("UPDATE runs SET attention = '' WHERE id = ? AND attention <> ''", run);
  return waiting.map((row) => deedRow(row).key);
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
