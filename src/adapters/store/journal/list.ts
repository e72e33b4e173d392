/** Runs, newest first. A damaged one is listed as damaged and hides no other. */

import type { Filter, Journal, RunRow } from "../../../engine/ports/journal.ts";
import type { Row, Sql, Work } from "../sql.ts";
import { UserError } from "../../user-error.ts";
import { remedyFor } from "../recovery/damage.ts";
import { sealedRow } from "./records.ts";
import { BadRecord } from "../row.ts";

/** Nobody reads further: counting on would only take time. */
const MORE_MAX = 100_000;
const DAMAGED = "damaged";
const SEALED = "SELECT runs.*, json, seal FROM runs LEFT JOIN snapshots USING (n)";

type RunPage = Awaited<ReturnType<Journal["list"]>>;

export function* list(db: Sql, filter: Filter): Work<RunPage> {
  const { where, values } = terms(filter);
  if (filter.status === DAMAGED) return yield* damagedOnes(db, filter);
  const found = yield* db.all(`${SEALED} ${where} ORDER BY n DESC LIMIT ?`, ...values, filter.limit);
  const rows = found.map((row) => checked(row, db.path));
  if (rows.length < filter.limit) return { rows, more: 0 };
  const counted = yield* db.get(
    `SELECT count(*) AS count FROM (SELECT 1 FROM runs ${where} LIMIT ?) AS found`,
    ...values,
    MORE_MAX + filter.limit,
  );
  return { rows, more: Number(counted?.["count"] ?? 0) - rows.length };
}

/** Damage is in no column: every run has to be looked at. */
function* damagedOnes(db: Sql, filter: Filter): Work<RunPage> {
  const { status: _any, ...others } = filter;
  const { where, values } = terms(others);
  const all = yield* db.all(`${SEALED} ${where} ORDER BY n DESC`, ...values);
  const rows = all.map((row) => checked(row, db.path)).filter((row) => row.status === DAMAGED);
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

function checked(row: Row, path: string): RunRow {
  try {
    return sealedRow(row).row;
  } catch (error) {
    if (error instanceof BadRecord || error instanceof UserError) return damaged(row, path, error.message);
    throw error;
  }
}

/** What can still be read of it. */
function damaged(row: Row, path: string, reason: string): RunRow {
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
    attention: `${reason}; try: ${remedyFor(path)}`,
    halted: true,
    projected: count("projected"),
    hidden: count("hidden") === 1,
  };
}
