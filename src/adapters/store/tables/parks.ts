/** Parks, and the turns that they hold up. */

import type { HeldTurn, Park, Parks } from "../../../engine/ports/parks.ts";
import type { RunAttempt } from "../../../engine/ports/registry.ts";
import { upsert, type Ask, type Otherwise, type Row, type Sql } from "../sql.ts";
import { number, text, word } from "../row.ts";

const PUT_PARK = upsert("parks", ["key"], ["class", "message", "until", "at", "next"]);
const PUT_HELD = upsert("held", ["run", "role", "slot", "attempt"], ["key"]);
const CLASSES = ["quota", "login", "trust", "provider", "budget", "settings"] as const;

const OWN = "held.run = ? AND held.role = ? AND held.slot = ? AND held.attempt = ?";
const RELEASE_PARK = `DELETE FROM parks WHERE until = 0
  AND EXISTS (SELECT 1 FROM held WHERE held.key = parks.key AND ${OWN})
  AND NOT EXISTS (SELECT 1 FROM held WHERE held.key = parks.key AND NOT (${OWN}))`;

/** Whether the next turn of an agent is held up. The columns are those of `agents`, or expressions for another table. */
export function isHeldIn(agent: { readonly [K in "run" | "role" | "slot" | "attempt"]: string }): string {
  const { run, role, slot, attempt } = agent;
  return `EXISTS (SELECT 1 FROM held WHERE held.run = ${run} AND held.role = ${role} AND held.slot = ${slot} AND held.attempt = ${attempt})`;
}

/** The same, by a park that only a person lifts. */
export function isLeftToPersonIn(agent: Parameters<typeof isHeldIn>[0]): string {
  const { run, role, slot, attempt } = agent;
  return `EXISTS (SELECT 1 FROM held JOIN parks ON parks.key = held.key WHERE held.run = ${run}
    AND held.role = ${role} AND held.slot = ${slot} AND held.attempt = ${attempt} AND parks.until = 0)`;
}

export function parksOf(ask: Ask): Parks {
  return {
    parks: ask(function* (db) {
      return (yield* db.all("SELECT * FROM parks ORDER BY at, key")).map(parkRow);
    }),
    heldTurns: ask(function* (db, run) {
      const where = run === undefined ? "" : "WHERE run = ?";
      const sql = `SELECT * FROM held ${where} ORDER BY run, role, slot, attempt`;
      return (yield* db.all(sql, ...(run === undefined ? [] : [run]))).map(heldRow);
    }),
  };
}

export function putPark(db: Sql, { key, class: kind, message, until, at, next }: Park): void {
  db.put(PUT_PARK, key, kind, message, until, at, next);
}

/** Expects that the park has not been lifted. */
export function hold(db: Sql, { run, role, slot, attempt, key }: HeldTurn, otherwise: Otherwise): void {
  db.expect(otherwise, `SELECT 1 FROM parks WHERE key = ? ${db.forUpdate}`, key);
  db.put(PUT_HELD, run, role, slot, attempt, key);
}

export function lift(db: Sql, { key, at }: Pick<Park, "key" | "at">): void {
  db.put("DELETE FROM parks WHERE key = ? AND at = ?", key, at);
  db.put(
    "DELETE FROM held WHERE key = ? AND NOT EXISTS (SELECT 1 FROM parks WHERE parks.key = held.key)",
    key,
  );
}

/** A park that waits for a person, and holds up no turn any more, is lifted with the last one. */
export function release(db: Sql, { run, role, slot, attempt }: RunAttempt): void {
  db.put(RELEASE_PARK, run, role, slot, attempt, run, role, slot, attempt);
  db.put(`DELETE FROM held WHERE ${OWN}`, run, role, slot, attempt);
}

function parkRow(row: Row): Park {
  return {
    key: text(row["key"]),
    class: word(row["class"], CLASSES),
    message: text(row["message"]),
    until: number(row["until"]),
    at: number(row["at"]),
    next: text(row["next"]),
  };
}

function heldRow(row: Row): HeldTurn {
  return {
    run: text(row["run"]),
    role: text(row["role"]),
    slot: text(row["slot"]),
    attempt: number(row["attempt"]),
    key: text(row["key"]),
  };
}
