/** One accepted event: everything that it writes, in one transaction. */

import type { BatchAnswer } from "../../../engine/ports/commit.ts";
import type { Birth, Entry } from "../../../engine/ports/journal.ts";
import { hashOf, valuesOf } from "./chain.ts";
import { damagedRun } from "../recovery/damage.ts";
import type { Database } from "../database.ts";
import { keepDeed, keepKey, keepQuestion, keepRun, type Shot } from "./derive.ts";
import { admitAll } from "../tables/outbox.ts";
import { takePlace } from "../tables/place.ts";
import { actorText } from "./records.ts";
import { number, text } from "../row.ts";

const INSERT_EVENT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const STANDING = `SELECT n, seq, head, status, workflow, goal, repo, base, shot, seal
  FROM runs LEFT JOIN snapshots USING (n) WHERE id = ?`;
const ANSWER = "SELECT answer FROM keys JOIN events USING (run, seq) WHERE run = ? AND keys.key = ?";

/** Where a run stands in the database. */
type Standing = {
  readonly n: number | undefined;
  readonly seq: number;
  readonly head: string;
  readonly status: string;
  readonly birth: Birth | undefined;
  readonly shot: Shot | undefined;
};

const NOWHERE: Standing = { n: undefined, seq: 0, head: "", status: "", birth: undefined, shot: undefined };

/** Inside of a transaction, which is rolled back where the answer is not `written`. */
export function append(db: Database, entry: Entry): BatchAnswer {
  const { run, key, after, status, deeds } = entry;
  insist(entry.events.length > 0, "an entry has at least one event");
  insist(key?.isWellFormed() !== false && key?.includes("\0") !== true, "a key is a text");
  insist(after.seq === entry.seq + entry.events.length, "every event counts one");
  const standing = standingOf(db, run);
  if (standing.seq !== entry.seq || standing.head !== entry.head) {
    const known = key === undefined ? undefined : answerTo(db, run, key);
    return known === undefined
      ? { type: "conflict", reason: `run ${run} is at ${standing.seq}` }
      : { type: "repeated", answer: known };
  }
  // Most keys are new: that one was used before is found out by writing it, before anything else is written.
  if (key !== undefined && !keepKey(db, run, { key, seq: entry.seq + 1 })) return repeated(db, run, key);
  if (standing.n === undefined) refuseUnknown(db, entry);
  const holder = entry.place === undefined ? "" : takePlace(db, run, entry.place);
  if (holder !== "") return { type: "taken", by: holder };
  const birth = standing.birth ?? bornOf(entry);
  const head = link(db, entry, { birth, head: standing.head });
  const { n, status: before, shot } = standing;
  keepRun(db, { n, before, run: after, birth, head, status, shot });
  for (const [index, event] of entry.events.entries())
    keepQuestion(db, { run, event, at: entry.at, seq: entry.seq + 1 + index });
  // The new deeds come after what waits for another agent to end, which may not be wanted any more.
  if (deeds.length > 0) admitAll(db, run);
  for (const [i, deed] of deeds.entries()) keepDeed(db, run, { seq: after.seq, i, deed });
  return { type: "written" };
}

/** The answer that was acknowledged for a key. */
export function answerTo(db: Database, run: string, key: string): string | undefined {
  const known = db.get(ANSWER, run, key);
  return known === undefined ? undefined : text(known["answer"]);
}

function repeated(db: Database, run: string, key: string): BatchAnswer {
  const answer = answerTo(db, run, key);
  if (answer === undefined) throw damagedRun(db.path, run, `its key ${key} leads to no record`);
  return { type: "repeated", answer };
}

function standingOf(db: Database, run: string): Standing {
  const row = db.get(STANDING, run);
  if (row === undefined) return NOWHERE;
  if (row["seal"] === null) throw damagedRun(db.path, run, "its snapshot is missing");
  return {
    n: number(row["n"]),
    seq: number(row["seq"]),
    head: text(row["head"]),
    status: text(row["status"]),
    birth: {
      workflow: text(row["workflow"]),
      goal: text(row["goal"]),
      repo: text(row["repo"]),
      base: text(row["base"]),
    },
    shot: { seq: number(row["shot"]), seal: text(row["seal"]) },
  };
}

/** A run begins with its definition, and where nothing of that name was before. */
function refuseUnknown(db: Database, { run, after }: Entry): void {
  const known = db.get("SELECT 1 FROM definitions WHERE hash = ?", after.definition);
  insist(known !== undefined, `definition ${after.definition} was not kept before run ${run} began`);
  const old = db.get("SELECT 1 FROM events WHERE run = ? LIMIT 1", run);
  if (old !== undefined) throw damagedRun(db.path, run, "it has events and no row");
}

function bornOf({ birth }: Entry): Birth {
  if (birth === undefined) throw new Error("the first entry of a run says how it came to be");
  const { workflow, goal, repo, base } = birth;
  return { workflow, goal, repo, base };
}

/** Writes the events, each bound to the one before. Gives the hash of the last. */
function link(db: Database, entry: Entry, of: { readonly birth: Birth; readonly head: string }): string {
  const { run, at, by, after, events, deeds } = entry;
  const { slot, attempt } = by.type === "agent" ? by : { slot: "", attempt: 0 };
  const { definition, tree } = after;
  const same = { run, at, actor: actorText(by), slot, attempt, definition, tree };
  let prev = of.head;
  for (const [index, event] of events.entries()) {
    const seq = entry.seq + 1 + index;
    const isFirst = index === 0;
    const isLast = index === events.length - 1;
    const values = valuesOf({
      ...same,
      seq,
      type: event.type,
      body: JSON.stringify(event),
      key: isFirst ? (entry.key ?? "") : "",
      answer: isFirst ? (entry.answer ?? "") : "",
      proof: isFirst && entry.proof !== undefined ? JSON.stringify(entry.proof) : "",
      birth: seq === 1 ? JSON.stringify(of.birth) : "",
      deeds: isLast && deeds.length > 0 ? JSON.stringify(deeds) : "",
      status: isLast ? entry.status : "",
      prev,
    });
    prev = hashOf(values);
    db.run(INSERT_EVENT, ...values, prev);
  }
  return prev;
}

function insist(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
