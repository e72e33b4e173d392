/** Runs, newest first. A damaged one is listed as damaged and hides no other. */

import type { Filter, Journal, RunRow } from "../../../engine/ports/journal.ts";
import type { Database, Row } from "../database.ts";
import { UserError } from "../../user-error.ts";
import { sealedRow } from "./records.ts";
import { BadRecord } from "../row.ts";

/** Nobody reads further: counting on would only take time. */
const MORE_MAX = 100_000;
const DAMAGED = "damaged";

type RunPage = Awaited<ReturnType<Journal["list"]>>;

export function list(db: Database, filter: Filter): RunPage {
  const { where, values } = terms(filter);
  if (filter.status === DAMAGED) return damagedOnes(db, filter);
  const found = db.all(`SELECT * FROM runs ${where} ORDER BY n DESC LIMIT ?`, ...values, filter.limit);
  const rows = found.map((row) => checked(db, row));
  if (rows.length < filter.limit) return { rows, more: 0 };
  const counted = db.get(
    `SELECT count(*) AS count FROM (SELECT 1 FROM runs ${where} LIMIT ?)`,
    ...values,
    MORE_MAX + filter.limit,
  );
  return { rows, more: Number(counted?.["count"] ?? 0) - rows.length };
}

/** Damage is in no column: every run has to be looked at. */
function damagedOnes(db: Database, filter: Filter): RunPage {
  const { status: _any, ...others } = filter;
  const { where, values } = terms(others);
  const all = db.all(`SELECT * FROM runs ${where} ORDER BY n DESC`, ...values);
  const rows = all.map((row) => checked(db, row)).filter((row) => row.status === DAMAGED);
  return { rows: rows.slice(0, filter.limit), more: Math.max(0, rows.length - filter.limit) };
}

function terms(filter: Omit<Filter, "limit">): {
  readonly where: string;
  readonly values: readonly string[];
} {
  const { repo, workflow, state, status, attention, hidden } = filter;
  const equal = Object.entries({ repo, workflow, state, status }).flatMap(([column, value]) =>
    value === undefined ? [] : [{ term: `${column} = ?`, value }],
  );
  const asked = [
    ...equal.map(({ term }) => term),
    ...(attention === undefined ? [] : [`attention ${attention ? "<>" : "="} ''`]),
    ...(hidden === true ? [] : ["hidden = 0"]),
  ];
  return {
    where: asked.length === 0 ? "" : `WHERE ${asked.join(" AND ")}`,
    values: equal.map(({ value }) => value),
  };
}

function checked(db: Database, row: Row): RunRow {
  try {
    return sealedRow({ ...row, ...db.get("SELECT json, seal FROM snapshots WHERE n = ?", row["n"] ?? null) })
      .row;
  } catch (error) {
    if (error instanceof BadRecord || error instanceof UserError) return damaged(row, error.message);
    throw error;
  }
}

/** What can still be read of it. */
function damaged(row: Row, reason: string): RunRow {
  const word = (name: string): string => String(row[name] ?? "");
  const count = (name: string): number => Number(row[name] ?? 0);
  return {
    id: word("id"),
    workflow: word("workflow"),
    goal: word("goal"),
    repo: word("repo"),
    base: word("base"),
    definition: word("definition"),
    state: word("state"),
    status: DAMAGED,
    entry: count("entry"),
    seq: count("seq"),
    head: word("head"),
    startedAt: word("started_at"),
    updatedAt: word("updated_at"),
    attention: `${reason}; try: signalbox doctor --repair`,
    halted: true,
    projected: count("projected"),
    hidden: count("hidden") === 1,
  };
}
