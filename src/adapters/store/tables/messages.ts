/** Messages to agents in terminals. */

import type { MessageRow, Messages } from "../../../engine/ports/messages.ts";
import { upsert, type Ask, type Row, type Sql, type Work } from "../sql.ts";
import { number, text, word } from "../row.ts";
import type { RunAttempt } from "../../../engine/ports/registry.ts";

const PUT = upsert(
  "messages",
  ["run", "key"],
  ["role", "slot", "attempt", "status", "at", "acknowledged_at"],
);
const OF = "run = ? AND role = ? AND slot = ? AND attempt = ? AND status = 'told'";

export function messagesOf(ask: Ask): Messages {
  return {
    messages: ask(function* (db, run) {
      return (yield* db.all("SELECT * FROM messages WHERE run = ? ORDER BY at, key", run)).map(messageRow);
    }),
  };
}

export function putMessage(db: Sql, row: MessageRow): void {
  const { run, role, slot, attempt, key, status, at, acknowledgedAt } = row;
  db.put(PUT, run, key, role, slot, attempt, status, at, acknowledgedAt);
}

export function* isAwaited(db: Sql, { run, role, slot, attempt }: RunAttempt): Work<boolean> {
  const told = yield* db.get(`SELECT 1 FROM messages WHERE ${OF} LIMIT 1`, run, role, slot, attempt);
  return told !== undefined;
}

export function acknowledge(db: Sql, { run, role, slot, attempt }: RunAttempt, at: number): void {
  const sql = `UPDATE messages SET status = 'acknowledged', acknowledged_at = ? WHERE ${OF}`;
  db.put(sql, at, run, role, slot, attempt);
}

function messageRow(row: Row): MessageRow {
  return {
    run: text(row["run"]),
    role: text(row["role"]),
    slot: text(row["slot"]),
    attempt: number(row["attempt"]),
    key: text(row["key"]),
    status: word(row["status"], ["sending", "told", "acknowledged"]),
    at: number(row["at"]),
    acknowledgedAt: number(row["acknowledged_at"]),
  };
}
