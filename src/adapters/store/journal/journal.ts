/** The journal: definitions, events, and the run that they made. */

import type { Write } from "../../../engine/ports/commit.ts";
import type {
  Journal,
  LoadedRun,
  Note,
  RunMarks,
  RunRow,
  Filter,
  TurnRecord,
} from "../../../engine/ports/journal.ts";
import { answerTo } from "./append.ts";
import { damagedRun, remedyFor } from "../recovery/damage.ts";
import type { Ask, Otherwise, Row, Sql, Work } from "../sql.ts";
import { definitionIn } from "./definitions.ts";
import { textIn } from "./derive.ts";
import { latestRun } from "./latest.ts";
import { question, recorded, sealedRow } from "./records.ts";
import { BOUND, boundIn, boundTo } from "../tables/registry.ts";
import { BadRecord, isEvent, number, parsed, text } from "../row.ts";
import { UserError } from "../../user-error.ts";

const LOAD = `SELECT runs.*, snapshots.json, seal, shot, ${BOUND} FROM runs LEFT JOIN snapshots USING (n)
  ${boundTo("runs.id")} WHERE runs.id = ?`;
const EVERYTHING = Number.MAX_SAFE_INTEGER;
const AFTER_ALL = "\u{10FFFF}";

export function journalOf(ask: Ask): Journal {
  return {
    definition: ask(definitionIn),
    load: ask(load),
    marks: ask(marksOf),
    answerTo: ask(answerTo),
    events: ask(function* (db, run, ...[from = 0, limit = EVERYTHING]) {
      const sql = "SELECT * FROM events WHERE run = ? AND seq >= ? ORDER BY seq LIMIT ?";
      const rows = yield* db.all(sql, run, from, limit);
      return rows.map((row) => whole(db, run, () => recorded(row)));
    }),
    reports: ask(reportsOf),
    list: ask(list),
    idsLike: ask(function* (db, prefix, limit) {
      const sql = "SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT ?";
      const rows = yield* db.all(sql, prefix, prefix + AFTER_ALL, limit);
      return rows.map((row) => text(row["id"]));
    }),
    questions: ask(function* (db, { run, open, id }) {
      return (yield* askedFor(db, { run, open, id })).map(question);
    }),
    notes: ask(function* (db, run) {
      const rows = yield* db.all("SELECT * FROM notes WHERE run = ? ORDER BY n", run);
      return rows.map((row) => ({
        run,
        at: text(row["at"]),
        kind: text(row["kind"]),
        text: text(row["text"]),
      }));
    }),
    text: ask(textIn),
    behind: ask(function* (db) {
      const rows = yield* db.all("SELECT id FROM runs WHERE projected < seq ORDER BY n");
      return rows.map((row) => text(row["id"]));
    }),
  };
}

export function putNote(db: Sql, { run, at, kind, text: said }: Note): void {
  db.put("INSERT INTO notes (run, at, kind, text) VALUES (?, ?, ?, ?)", run, at, kind, said);
}

type RunPlace = { readonly run: string; readonly seq: number };

/** The run has so many events, and gets no more before the transaction ends. */
export function expectRun(db: Sql, { run, seq }: RunPlace, otherwise: Otherwise): void {
  db.expect(otherwise, `SELECT 1 FROM runs WHERE id = ? AND seq = ? ${db.forUpdate}`, run, seq);
}

export function setProjected(db: Sql, { run, seq }: RunPlace, otherwise: Otherwise): void {
  db.expect(otherwise, "UPDATE runs SET projected = ?1 WHERE id = ?2 AND seq = ?1 RETURNING 1", seq, run);
}

export function hide(db: Sql, run: string, hidden: boolean): void {
  db.put("UPDATE runs SET hidden = ? WHERE id = ?", hidden ? 1 : 0, run);
}

/** In the column: turns are ended where it is 1, and end by themselves where it is 2. */
const HALTED = [false, true, "held"] as const;

export function halt(db: Sql, run: string, halted: boolean | "held"): void {
  db.put("UPDATE runs SET halted = ? WHERE id = ?", HALTED.indexOf(halted), run);
}

type Attend = Omit<Extract<Write, { type: "attend" }>, "type">;

export function attend(db: Sql, { run, attention, shown }: Attend, otherwise: Otherwise): void {
  const sql = "UPDATE runs SET attention = ? WHERE id = ?";
  if (shown === undefined) db.put(sql, attention, run);
  else db.expect(otherwise, `${sql} AND attention = ? RETURNING 1`, attention, run, shown);
}

function* marksOf(db: Sql, run: string): Work<RunMarks | undefined> {
  const row = yield* db.get("SELECT seq, halted, attention FROM runs WHERE id = ?", run);
  if (row === undefined) return undefined;
  const halted = HALTED[number(row["halted"])] ?? true;
  return { seq: number(row["seq"]), halted, attention: text(row["attention"]) };
}

function* load(db: Sql, run: string): Work<LoadedRun | undefined> {
  const found = yield* db.get(LOAD, run);
  if (found !== undefined) {
    try {
      const sealed = sealedRow(found);
      const latest = yield* latestRun(db, sealed, found);
      return { row: sealed.row, run: latest, workspace: yield* boundIn(db, found) };
    } catch (error) {
      throw ofRun(db, run, error);
    }
  }
  // A run whose events exist without its row is damaged, and not unknown.
  if ((yield* db.get("SELECT 1 FROM events WHERE run = ? LIMIT 1", run)) === undefined) return undefined;
  throw damagedRun(db.path, run, "it has events and no row");
}

/** Says which run a bad record belongs to. */
function whole<T>(db: Sql, run: RunRow["id"], work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw ofRun(db, run, error);
  }
}

function ofRun(db: Sql, run: RunRow["id"], error: unknown): unknown {
  return error instanceof BadRecord ? damagedRun(db.path, run, error.message) : error;
}

/** Only in these words the index of reports is used. */
const REPORTS = `SELECT events.run AS run, events.at AS at, body, repo, workflow, goal FROM events
  JOIN runs ON runs.id = events.run WHERE events.type = 'turn-reported'`;

/** A statement has a limited number of values. */
const RUNS_MAX = 500;

function* reportsOf(
  db: Sql,
  { runs, since }: { readonly runs?: readonly string[]; readonly since?: string },
): Work<TurnRecord[]> {
  if (runs?.length === 0) return [];
  if (runs !== undefined && runs.length > RUNS_MAX) {
    const wanted = new Set(runs);
    const all = yield* reportsOf(db, since === undefined ? {} : { since });
    return all.filter(({ run }) => wanted.has(run));
  }
  const terms = [
    ...(runs === undefined ? [] : [`AND events.run IN (${runs.map(() => "?").join(", ")})`]),
    ...(since === undefined ? [] : ["AND events.at >= ?"]),
  ];
  const values = [...(runs ?? []), ...(since === undefined ? [] : [since])];
  const rows = yield* db.all(
    `${REPORTS} ${terms.join(" ")} ORDER BY events.at, events.run, events.seq`,
    ...values,
  );
  return rows.flatMap((row) => {
    const run = text(row["run"]);
    const report = whole(db, run, () => parsed(text(row["body"]), isEvent));
    if (report.type !== "turn-reported") return [];
    const { repo, workflow, goal, at } = row;
    return [{ run, repo: text(repo), workflow: text(workflow), goal: text(goal), at: text(at), report }];
  });
}

type Asked = {
  readonly run: string | undefined;
  readonly open: boolean | undefined;
  readonly id: string | undefined;
};

function* askedFor(db: Sql, { run, open, id }: Asked): Work<Row[]> {
  const terms = [
    ...(run === undefined ? [] : ["run = ?"]),
    ...(id === undefined ? [] : ["id = ?"]),
    ...(open === undefined ? [] : [open ? "closed_at = ''" : "closed_at <> ''"]),
  ];
  const values = [run, id].filter((value) => value !== undefined);
  const where = terms.length === 0 ? "" : `WHERE ${terms.join(" AND ")}`;
  return yield* db.all(`SELECT * FROM questions ${where} ORDER BY opened_at, run, seq`, ...values);
}

/** Readers stop there: counting on would only take time. */
const MORE_MAX = 100_000;
const DAMAGED = "damaged";
const SEALED = "SELECT runs.*, json, seal FROM runs LEFT JOIN snapshots USING (n)";

type RunPage = Awaited<ReturnType<Journal["list"]>>;

/** Runs, newest first. A damaged one is listed as damaged and hides no other. */
function* list(db: Sql, filter: Filter): Work<RunPage> {
  const { where, values } = termsOf(filter);
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
  const { where, values } = termsOf(others);
  const all = yield* db.all(`${SEALED} ${where} ORDER BY n DESC`, ...values);
  const rows = all.map((row) => checked(row, db.path)).filter((row) => row.status === DAMAGED);
  return { rows: rows.slice(0, filter.limit), more: Math.max(0, rows.length - filter.limit) };
}

function termsOf(filter: Omit<Filter, "limit">): {
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
