/** One accepted event: everything that it writes, in one transaction. */

import type { BatchAnswer } from "../../../engine/ports/commit.ts";
import type { Birth, Entry } from "../../../engine/ports/journal.ts";
import { hashOf, valuesOf } from "./chain.ts";
import { damagedRun } from "../recovery/damage.ts";
import type { KeptRow, Sql, Work } from "../sql.ts";
import { keepDeeds, keepKey, keepQuestion, keepRun, keepText } from "./derive.ts";
import { admitAll } from "../tables/outbox.ts";
import { takePlace } from "../tables/place.ts";
import { actorText, keptRow } from "./records.ts";
import { text } from "../row.ts";

const ROW = `SELECT workflow, goal, repo, base, status, shot, seal, digest
  FROM runs LEFT JOIN snapshots USING (n) WHERE id = ? AND seq = ? AND head = ?`;
const DEFINED = "SELECT 1 FROM definitions WHERE hash = ?";
const WITHOUT_EVENTS = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM events WHERE run = ?)";
const ANSWER = "SELECT answer FROM keys JOIN events USING (run, seq) WHERE run = ? AND keys.key = ?";

/** Inside of a transaction, which is rolled back where the answer is not `written`. */
export function* append(db: Sql, entry: Entry): Work<BatchAnswer> {
  const { run, key, after, status, deeds } = entry;
  insist(entry.events.length > 0, "an entry has at least one event");
  insist(key?.isWellFormed() !== false && key?.includes("\0") !== true, "a key is a text");
  insist(after.seq === entry.seq + entry.events.length, "every event counts one");
  insist(entry.seq > 0 || entry.head === "", "nothing comes before a new run");
  const late = (): Work<BatchAnswer> => lateAnswer(db, entry);
  const before = yield* rowBefore(db, entry);
  if (before === undefined && entry.seq > 0) return yield* late();
  const birth = before?.birth ?? bornOf(entry);
  const { rows, head } = linked(entry, birth);
  keepRun(db, { before, run: after, birth, head, status }, late);
  if (before === undefined) expectUnknown(db, entry);
  if (key !== undefined) keepKey(db, { run, key, seq: entry.seq + 1 }, () => repeated(db, run, key));
  const holder = entry.place === undefined ? "" : yield* takePlace(db, run, entry.place);
  if (holder !== "") return { type: "taken", by: holder };
  db.putRows("events", rows);
  for (const submitted of entry.texts ?? []) keepText(db, submitted);
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

/** The run is not where the decision was made. */
function* lateAnswer(db: Sql, { run, key }: Entry): Work<BatchAnswer> {
  const answer = key === undefined ? undefined : yield* answerTo(db, run, key);
  if (answer !== undefined) return { type: "repeated", answer };
  const row = yield* db.get("SELECT seq FROM runs WHERE id = ?", run);
  return { type: "conflict", reason: `run ${run} is at ${Number(row?.["seq"] ?? 0)}` };
}

function* repeated(db: Sql, run: string, key: string): Work<BatchAnswer> {
  const answer = yield* answerTo(db, run, key);
  if (answer === undefined) throw damagedRun(db.path, run, `its key ${key} leads to no record`);
  return { type: "repeated", answer };
}

/** The row on which the decision was made: undefined for a new run, and for one that is no longer there. */
function* rowBefore(db: Sql, { run, seq, head }: Entry): Work<KeptRow | undefined> {
  if (seq === 0) return undefined;
  const last = db.latest.get(run);
  if (last?.head === head && last.run.seq === seq) return last.kept;
  const row = yield* db.get(ROW, run, seq, head);
  if (row === undefined) return undefined;
  if (row["seal"] === null) throw damagedRun(db.path, run, "its snapshot is missing");
  return keptRow(row);
}

/** Expects that the definition of the new run is kept, and that nothing of its name was before. */
function expectUnknown(db: Sql, { run, after: { definition } }: Entry): void {
  const undefinedOne = (): never => {
    throw new Error(`definition ${definition} was not kept before run ${run} began`);
  };
  const damagedOne = (): never => {
    throw damagedRun(db.path, run, "it has events and no row");
  };
  db.expect(undefinedOne, DEFINED, definition);
  db.expect(damagedOne, WITHOUT_EVENTS, run);
}

function bornOf({ birth }: Entry): Birth {
  if (birth === undefined) throw new Error("the first entry of a run says how it came to be");
  const { workflow, goal, repo, base } = birth;
  return { workflow, goal, repo, base };
}

type LinkedEvents = { readonly rows: readonly (readonly (string | number)[])[]; readonly head: string };

/** The rows of the events, each bound to the one before, and the hash of the last. */
function linked(entry: Entry, born: Birth): LinkedEvents {
  const { run, at, by, after, events, deeds } = entry;
  const { slot, attempt } = by.type === "agent" ? by : { slot: "", attempt: 0 };
  const { definition, tree } = after;
  const same = { run, at, actor: actorText(by), slot, attempt, definition, tree };
  const rows: (string | number)[][] = [];
  let prev = entry.head;
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
      birth: seq === 1 ? JSON.stringify(born) : "",
      deeds: isLast && deeds.length > 0 ? JSON.stringify(deeds) : "",
      status: isLast ? entry.status : "",
      prev,
    });
    prev = hashOf(values);
    rows.push([...values, prev]);
  }
  return { rows, head: prev };
}

function insist(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
