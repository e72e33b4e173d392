/** One accepted event: everything that it writes, in one transaction. */

import type { BatchAnswer } from "../../../engine/ports/commit.ts";
import type { Birth, Entry } from "../../../engine/ports/journal.ts";
import { hashOf, valuesOf } from "./chain.ts";
import { damagedRun } from "../recovery/damage.ts";
import type { Sql, Work } from "../sql.ts";
import { keepDeeds, keepKey, keepQuestion, keepRun, keepText, type Shot } from "./derive.ts";
import { admitAll } from "../tables/outbox.ts";
import { takePlace } from "../tables/place.ts";
import { actorText } from "./records.ts";
import { number, text } from "../row.ts";

const STANDING = `SELECT n, seq, head, status, workflow, goal, repo, base, shot, seal,
  EXISTS (SELECT 1 FROM keys WHERE run = runs.id AND key = ?) AS used
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
  readonly isKeyUsed: boolean;
};

const NOWHERE: Standing = {
  n: undefined,
  seq: 0,
  head: "",
  status: "",
  birth: undefined,
  shot: undefined,
  isKeyUsed: false,
};

/** Inside of a transaction, which is rolled back where the answer is not `written`. */
export function* append(db: Sql, entry: Entry): Work<BatchAnswer> {
  const { run, key, after, status, deeds } = entry;
  insist(entry.events.length > 0, "an entry has at least one event");
  insist(key?.isWellFormed() !== false && key?.includes("\0") !== true, "a key is a text");
  insist(after.seq === entry.seq + entry.events.length, "every event counts one");
  // A run that has no row yet cannot be locked by it.
  if (entry.seq === 0) db.alone(`run ${run}`);
  const standing = yield* standingOf(db, run, key ?? "");
  if (standing.seq !== entry.seq || standing.head !== entry.head) {
    const known = key === undefined ? undefined : yield* answerTo(db, run, key);
    return known === undefined
      ? { type: "conflict", reason: `run ${run} is at ${standing.seq}` }
      : { type: "repeated", answer: known };
  }
  if (key !== undefined && standing.isKeyUsed) return yield* repeated(db, run, key);
  if (key !== undefined) keepKey(db, run, { key, seq: entry.seq + 1 });
  if (standing.n === undefined) yield* refuseUnknown(db, entry);
  const holder = entry.place === undefined ? "" : yield* takePlace(db, run, entry.place);
  if (holder !== "") return { type: "taken", by: holder };
  const birth = standing.birth ?? bornOf(entry);
  const head = link(db, entry, { birth, head: standing.head });
  for (const submitted of entry.texts ?? []) keepText(db, submitted);
  const { n, status: before, shot } = standing;
  keepRun(db, { n, before, run: after, birth, head, status, shot });
  for (const [index, event] of entry.events.entries())
    keepQuestion(db, { run, event, at: entry.at, seq: entry.seq + 1 + index });
  // The new deeds come after what waits for another agent to end, which may not be wanted any more.
  if (deeds.length > 0) admitAll(db, run);
  keepDeeds(db, run, { seq: after.seq, deeds });
  return { type: "written" };
}

/** The answer that was acknowledged for a key. */
export function* answerTo(db: Sql, run: string, key: string): Work<string | undefined> {
  const known = yield* db.get(ANSWER, run, key);
  return known === undefined ? undefined : text(known["answer"]);
}

function* repeated(db: Sql, run: string, key: string): Work<BatchAnswer> {
  const answer = yield* answerTo(db, run, key);
  if (answer === undefined) throw damagedRun(db.path, run, `its key ${key} leads to no record`);
  return { type: "repeated", answer };
}

function* standingOf(db: Sql, run: string, key: string): Work<Standing> {
  const row = yield* db.lock("runs", STANDING, key, run);
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
    isKeyUsed: row["used"] === 1,
  };
}

/** A run begins with its definition, and where nothing of that name was before. */
function* refuseUnknown(db: Sql, { run, after }: Entry): Work<void> {
  const known = yield* db.get("SELECT 1 FROM definitions WHERE hash = ?", after.definition);
  insist(known !== undefined, `definition ${after.definition} was not kept before run ${run} began`);
  const old = yield* db.get("SELECT 1 FROM events WHERE run = ? LIMIT 1", run);
  if (old !== undefined) throw damagedRun(db.path, run, "it has events and no row");
}

function bornOf({ birth }: Entry): Birth {
  if (birth === undefined) throw new Error("the first entry of a run says how it came to be");
  const { workflow, goal, repo, base } = birth;
  return { workflow, goal, repo, base };
}

/** Writes the events, each bound to the one before. Gives the hash of the last. */
function link(db: Sql, entry: Entry, of: { readonly birth: Birth; readonly head: string }): string {
  const { run, at, by, after, events, deeds } = entry;
  const { slot, attempt } = by.type === "agent" ? by : { slot: "", attempt: 0 };
  const { definition, tree } = after;
  const same = { run, at, actor: actorText(by), slot, attempt, definition, tree };
  const rows: (string | number)[][] = [];
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
    rows.push([...values, prev]);
  }
  db.putRows("events", rows);
  return prev;
}

function insist(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
