/** Messages to agents in terminals. */

import type { MessageRow, Messages } from "../../../engine/ports/messages.ts";
import { promised, type Database, type Row } from "../database.ts";
import { number, text, word } from "../row.ts";

const PUT = "INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
const OF = "run = ? AND role = ? AND slot = ? AND attempt = ? AND status = 'told'";

export function messagesOf(db: Database): Messages {
  return {
    messages: promised((run) =>
      db.all("SELECT * FROM messages WHERE run = ? ORDER BY at, key", run).map(messageRow),
    ),
  };
}

export function putMessage(db: Database, row: MessageRow): void {
  const { run, role, slot, attempt, key, status, at, acknowledgedAt } = row;
  db.run(PUT, run, key, role, slot, attempt, status, at, acknowledgedAt);
}

type Addressee = Pick<MessageRow, "run" | "role" | "slot" | "attempt">;

export function isAwaited(db: Database, { run, role, slot, attempt }: Addressee): boolean {
  return db.get(`SELECT 1 FROM messages WHERE ${OF} LIMIT 1`, run, role, slot, attempt) !== undefined;
}

export function acknowledge(db: Database, { run, role, slot, attempt }: Addressee, at: number): void {
  const sql = `UPDATE messages SET status = 'acknowledged', acknowledged_at = ? WHERE ${OF}`;
  db.run(sql, at, run, role, slot, attempt);
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
