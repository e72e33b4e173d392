/** Makes the rows of runs again from their events, as far as the chain of each one holds. */

import type { DatabaseSync } from "node:sqlite";
import { DEED_KINDS } from "../../../engine/effects/deed.ts";
import { finish, type Database } from "../database.ts";
import type { Row, Sql } from "../sql.ts";
import { keepDeeds, keepKey, keepQuestion, keepRun } from "../journal/derive.ts";
import { readable, withSource } from "./salvage.ts";
import { knownRuns } from "./verify.ts";
import { walk, type Step, type Walked } from "./walk.ts";

type Restored = { readonly restored: string[]; readonly lost: string[] };

/** What the old rows say and the events do not. */
type Marks = {
  readonly runs: ReadonlyMap<string, Row>;
  readonly deeds: ReadonlyMap<string, Row>;
};

const NO_MARKS: Marks = { runs: new Map(), deeds: new Map() };

export function restoreRuns(db: Database, from: string): Restored {
  const marks = withSource(from, marksOf) ?? NO_MARKS;
  const restored: string[] = [];
  const lost: string[] = [];
  // New rows are numbered as they are made: runs keep the order in which they began.
  const begun = db
    .all("SELECT run FROM events WHERE seq = 1 ORDER BY rowid")
    .map((row) => String(row["run"]));
  for (const run of new Set([...begun, ...knownRuns(db), ...marks.runs.keys()])) {
    const { told, isWhole } = restoreRun(db, run, marks);
    (isWhole ? restored : lost).push(told);
  }
  db.run("DELETE FROM queue WHERE run NOT IN (SELECT id FROM runs)");
  return { restored, lost };
}

function marksOf(source: DatabaseSync): Marks {
  const runs = new Map<string, Row>();
  const deeds = new Map<string, Row>();
  const keepRunMark = (row: Row): void => {
    runs.set(String(row["id"]), row);
  };
  const keepDeedMark = (row: Row): void => {
    deeds.set(`${String(row["run"])}:${String(row["seq"])}:${String(row["i"])}`, row);
  };
  for (const back of ["", " DESC"]) {
    readable(source, `SELECT * FROM runs ORDER BY n${back}`, keepRunMark);
    readable(source, `SELECT * FROM deeds ORDER BY run${back}, seq${back}, i${back}`, keepDeedMark);
  }
  return { runs, deeds };
}

function restoreRun(
  db: Database,
  run: string,
  marks: Marks,
): { readonly told: string; readonly isWhole: boolean } {
  const walked = finish(walk(db.sql, run, { visit: (step) => keepStep(db.sql, run, step) }));
  const { whole, bad } = walked;
  if (whole === undefined) {
    forget(db, run, 0);
    return { told: `run ${run}: ${words(walked)}, and nothing comes before it`, isWhole: false };
  }
  forget(db, run, whole.run.seq);
  keepRun(db.sql, { before: undefined, ...whole }, { type: "conflict", reason: `run ${run} has a row` });
  const old = marks.runs.get(run);
  const unsure = keepMarks(db, run, marks.deeds);
  const doubts = [
    ...(bad === undefined ? [] : [`its history ends at record ${whole.run.seq}: ${words(walked)}`]),
    ...(unsure === 0 ? [] : [`of ${unsure} of its deeds it is not known whether they were done`]),
  ];
  const attention =
    doubts.length === 0
      ? String(old?.["attention"] ?? "")
      : `${doubts.join("; ")}; look at it, then: signalbox resume ${run}`;
  const isHalted = doubts.length > 0 || Number(old?.["halted"] ?? 0) !== 0;
  const isHidden = Number(old?.["hidden"] ?? 0) !== 0;
  const sql = "UPDATE runs SET attention = ?, halted = ?, hidden = ? WHERE id = ?";
  db.run(sql, attention, Number(isHalted), Number(isHidden), run);
  if (doubts.length === 0) return { told: `run ${run}: whole, ${whole.run.seq} records`, isWhole: true };
  return { told: `run ${run}: ${doubts.join("; ")}; it is halted`, isWhole: bad === undefined };
}

function words({ bad }: Walked): string {
  return bad === undefined ? "" : `record ${bad.seq}: ${bad.reason}`;
}

/** What comes after the break stays in quarantine. */
function forget(db: Database, run: string, after: number): void {
  db.run("DELETE FROM events WHERE run = ? AND seq > ?", run, after);
}

function keepStep(db: Sql, run: string, { seq, at, event, key, deeds }: Step): undefined {
  keepQuestion(db, { run, seq, at, event });
  if (key !== "") keepKey(db, { run, key, seq }, { type: "conflict", reason: `its key ${key} was used` });
  keepDeeds(db, run, { seq, deeds });
}

/** How far each deed was. Gives the number of those of which it is not known. */
function keepMarks(db: Database, run: string, marks: Marks["deeds"]): number {
  let unsure = 0;
  for (const row of db.all("SELECT seq, i, type FROM deeds WHERE run = ?", run)) {
    const { seq = null, i = null } = row;
    const mark = marks.get(`${run}:${String(seq)}:${String(i)}`);
    if (mark === undefined) {
      unsure += 1;
      // Claimed once already: whoever does it asks the world first, and what cannot be asked about waits for a person.
      const kind = Object.entries(DEED_KINDS).find(([type]) => type === row["type"])?.[1];
      const status = kind === "probed" ? "pending" : "attention";
      db.run(
        "UPDATE deeds SET tries = 1, status = ?, note = 'restored' WHERE run = ? AND seq = ? AND i = ?",
        status,
        run,
        seq,
        i,
      );
    } else {
      const {
        status = null,
        tries = null,
        due_at: due = null,
        owner = null,
        lease = null,
        note = null,
      } = mark;
      db.run(
        "UPDATE OR IGNORE deeds SET status = ?, tries = ?, due_at = ?, owner = ?, lease = ?, note = ? WHERE run = ? AND seq = ? AND i = ?",
        status,
        tries,
        due,
        owner,
        lease,
        note,
        run,
        seq,
        i,
      );
    }
  }
  return unsure;
}
