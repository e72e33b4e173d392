/** One accepted event: everything that it writes, in one transaction. */

import type { Event } from "../../core/event.ts";
import { DEED_KINDS } from "../../engine/deed.ts";
import type { Appended, Birth, Entry } from "../../engine/ports.ts";
import { failpoint } from "../failpoint.ts";
import { digestOfRun, hashOfLink } from "./chain.ts";
import { damagedRun } from "./damage.ts";
import type { Database, Row } from "./database.ts";
import { actorText } from "./records.ts";
import { number, text } from "./row.ts";

const INSERT_EVENT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const INSERT_DEED = "INSERT INTO deeds (run, seq, i, type, json, kind) VALUES (?, ?, ?, ?, ?, ?)";
const INSERT_RUN = `INSERT INTO runs (id, workflow, goal, repo, base, definition, state, status, entry, seq, head, started_at, updated_at, digest)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const UPDATE_RUN =
  "UPDATE runs SET state = ?, entry = ?, seq = ?, head = ?, updated_at = ?, digest = ? WHERE n = ?";

/** Where a run stands in the database. */
type Standing = {
  readonly n: number;
  readonly seq: number;
  readonly head: string;
  readonly status: string;
  readonly birth: Birth;
};

export function append(db: Database, entry: Entry): Appended {
  insist(entry.events.length > 0, "an entry has at least one event");
  insist(entry.after.seq === entry.seq + entry.events.length, "every event counts one");
  failpoint("journal.before-append");
  const appended = db.write(() => written(db, entry));
  failpoint("journal.after-append");
  return appended;
}

function written(db: Database, entry: Entry): Appended {
  const { run, key, after, events } = entry;
  if (key !== undefined) {
    const known = db.get("SELECT answer FROM keys WHERE run = ? AND key = ?", run, key);
    if (known !== undefined) return { type: "repeated", answer: text(known["answer"]) };
  }
  const standing = standingOf(db, run);
  if ((standing?.seq ?? 0) !== entry.seq) return { type: "conflict", seq: standing?.seq ?? 0 };
  if (standing === undefined) refuseUnknown(db, entry);
  const birth = standing?.birth ?? bornOf(entry);
  const head = link(db, entry, { birth, head: standing?.head ?? "" });
  keepRun(db, entry, { ...standing, birth, head });
  for (const [index, event] of events.entries())
    keepQuestion(db, { run, event, at: entry.at, seq: entry.seq + 1 + index });
  if (key !== undefined)
    db.run("INSERT INTO keys VALUES (?, ?, ?, ?)", run, key, after.seq, entry.answer ?? "");
  for (const [i, deed] of entry.deeds.entries())
    db.run(INSERT_DEED, run, after.seq, i, deed.type, JSON.stringify(deed), DEED_KINDS[deed.type]);
  return { type: "written", seq: after.seq, deeds: entry.deeds.map((_, i) => `${run}:${after.seq}:${i}`) };
}

function standingOf(db: Database, run: string): Standing | undefined {
  const row = db.get("SELECT n, seq, head, status, workflow, goal, repo, base FROM runs WHERE id = ?", run);
  if (row === undefined) return undefined;
  return {
    n: number(row["n"]),
    seq: number(row["seq"]),
    head: text(row["head"]),
    status: text(row["status"]),
    birth: birthOf(row),
  };
}

function birthOf(row: Row): Birth {
  return {
    workflow: text(row["workflow"]),
    goal: text(row["goal"]),
    repo: text(row["repo"]),
    base: text(row["base"]),
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
  const { run, at, by, after, events, key = "", status } = entry;
  const actor = actorText(by);
  const { slot, attempt } = by.type === "agent" ? by : { slot: "", attempt: 0 };
  const { definition, tree } = after;
  let prev = of.head;
  for (const [index, event] of events.entries()) {
    const isFirst = index === 0;
    const seq = entry.seq + 1 + index;
    const proof = isFirst && entry.prove !== undefined ? JSON.stringify(entry.prove({ seq, prev })) : "";
    const birth = seq === 1 ? JSON.stringify(of.birth) : "";
    const own = {
      run,
      seq,
      at,
      type: event.type,
      actor,
      slot,
      attempt,
      definition,
      tree,
      proof,
      birth,
      prev,
      key: isFirst ? key : "",
      status: index === events.length - 1 ? status : "",
      body: JSON.stringify(event),
    };
    const hash = hashOfLink(own);
    db.run(
      INSERT_EVENT,
      run,
      seq,
      at,
      event.type,
      actor,
      slot,
      attempt,
      definition,
      tree,
      own.key,
      own.body,
      proof,
      birth,
      own.status,
      prev,
      hash,
    );
    prev = hash;
  }
  return prev;
}

type Keeping = {
  readonly n?: number;
  readonly status?: string;
  readonly birth: Birth;
  readonly head: string;
};

function keepRun(db: Database, entry: Entry, { n, status: before, birth, head }: Keeping): void {
  const { after, status, run: id } = entry;
  const { definition, state, entry: entered, seq, startedAt, updatedAt } = after;
  const snapshot = JSON.stringify(after);
  const digest = digestOfRun(
    { id, ...birth, definition, state, status, entry: entered, seq, head, startedAt, updatedAt },
    snapshot,
  );
  if (n === undefined) {
    const { workflow, goal, repo, base } = birth;
    db.run(
      INSERT_RUN,
      id,
      workflow,
      goal,
      repo,
      base,
      definition,
      state,
      status,
      entered,
      seq,
      head,
      startedAt,
      updatedAt,
      digest,
    );
    db.run("INSERT INTO snapshots SELECT n, ? FROM runs WHERE id = ?", snapshot, id);
    return;
  }
  db.run(UPDATE_RUN, state, entered, seq, head, updatedAt, digest, n);
  // Its index is written anew whenever the column is: most events leave it as it is.
  if (status !== before) db.run("UPDATE runs SET status = ? WHERE n = ?", status, n);
  const kept = db.run("UPDATE snapshots SET json = ? WHERE n = ?", snapshot, n);
  if (kept === 0) throw damagedRun(db.path, id, "its snapshot is missing");
}

type Asked = { readonly run: string; readonly seq: number; readonly at: string; readonly event: Event };

export function keepQuestion(db: Database, { run, seq, at, event }: Asked): void {
  if (event.type === "question-opened") {
    db.run(
      "INSERT INTO questions (run, seq, id, ask, opened_at) VALUES (?, ?, ?, ?, ?)",
      run,
      seq,
      event.id,
      event.ask,
      at,
    );
  } else if (event.type === "question-repeated") {
    db.run(
      "UPDATE questions SET repeats = repeats + 1 WHERE run = ? AND id = ? AND closed_at = ''",
      run,
      event.id,
    );
  } else if (event.type === "question-closed") {
    const { id, answer, text: said, by } = event;
    db.run(
      "UPDATE questions SET answer = ?, text = ?, by = ?, closed_at = ? WHERE run = ? AND id = ? AND closed_at = ''",
      answer,
      said,
      by,
      at,
      run,
      id,
    );
  }
}

function insist(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
