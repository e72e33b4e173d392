/** What is kept beside the events because it is asked for all the time. All of it can be made again from them. */

import type { Event } from "../../../core/model/event.ts";
import type { Run } from "../../../core/model/run.ts";
import { DEED_KINDS, type Deed } from "../../../engine/effects/deed.ts";
import { PERMISSION, type Birth } from "../../../engine/ports/journal.ts";
import { sha256 } from "../../../format/sha256.ts";
import { digestOfRun, sealOf } from "./chain.ts";
import type { KeptRow, Otherwise, Sql, Work } from "../sql.ts";
import { remember } from "./latest.ts";

const INSERT_RUN = `INSERT INTO runs (id, workflow, goal, repo, base, definition, state, status, entry, seq, head, started_at, updated_at, digest)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1`;
const CHANGED = "state = ?, entry = ?, seq = ?, head = ?, updated_at = ?, digest = ?";
const SAME = "WHERE id = ? AND digest = ? RETURNING 1";
const UPDATE_RUN = `UPDATE runs SET ${CHANGED} ${SAME}`;
const UPDATE_RUN_AND_STATUS = `UPDATE runs SET ${CHANGED}, status = ? ${SAME}`;
const INSERT_SHOT = "INSERT INTO snapshots (n, json, shot, seal) SELECT n, ?, ?, ? FROM runs WHERE id = ?";
const UPDATE_SHOT =
  "UPDATE snapshots SET json = ?, shot = ?, seal = ? WHERE n = (SELECT n FROM runs WHERE id = ?)";
const DEEDS = "deeds (run, seq, i, type, json, kind)";
const OPEN = "WHERE run = ? AND id = ? AND closed_at = ''";

export type Keeping = {
  /** Its row as it is kept now; none for a new run. */
  readonly before: KeptRow | undefined;
  readonly run: Run;
  readonly birth: Birth;
  readonly head: string;
  readonly status: string;
};

/** Whoever loads the run goes through so many records at most. */
const SINCE_MAX = 16;

/** Expects that the row is still as it was, or that a new run has none. */
export function keepRun(db: Sql, { before, run, birth, head, status }: Keeping, otherwise: Otherwise): void {
  const { id, definition, state, entry, seq, startedAt, updatedAt } = run;
  const isNear = before !== undefined && seq - before.shot < SINCE_MAX;
  const snapshot = isNear ? undefined : JSON.stringify(run);
  const { shot, seal } =
    snapshot === undefined && before !== undefined ? before : { shot: seq, seal: sealOf(snapshot ?? "") };
  const sealed = { id, ...birth, definition, state, status, entry, seq, head, startedAt, updatedAt };
  const digest = digestOfRun(sealed, seal);
  remember(db, { head, run, kept: { birth, status, shot, seal, digest } });
  if (before === undefined) {
    const { workflow, goal, repo, base } = birth;
    const born = [id, workflow, goal, repo, base, definition];
    db.expect(otherwise, INSERT_RUN, ...born, state, status, entry, seq, head, startedAt, updatedAt, digest);
    db.put(INSERT_SHOT, snapshot ?? "", seq, seal, id);
    return;
  }
  const changed = [state, entry, seq, head, updatedAt, digest];
  const same = [id, before.digest];
  // Its index is written anew whenever the column is: most events leave it as it is.
  if (status === before.status) db.expect(otherwise, UPDATE_RUN, ...changed, ...same);
  else db.expect(otherwise, UPDATE_RUN_AND_STATUS, ...changed, status, ...same);
  if (snapshot !== undefined) db.put(UPDATE_SHOT, snapshot, seq, seal, id);
}

type KeyUse = { readonly run: string; readonly key: string; readonly seq: number };

type Asked = { readonly run: string; readonly seq: number; readonly at: string; readonly event: Event };

export function keepQuestion(db: Sql, { run, seq, at, event }: Asked): void {
  if (event.type === "question-opened" || event.type === "permission-asked") {
    const { id } = event;
    const ask = event.type === "question-opened" ? event.ask : PERMISSION;
    db.put(
      "INSERT INTO questions (run, seq, id, ask, opened_at) VALUES (?, ?, ?, ?, ?)",
      run,
      seq,
      id,
      ask,
      at,
    );
  } else if (event.type === "question-repeated") {
    db.put(`UPDATE questions SET repeats = repeats + 1 ${OPEN}`, run, event.id);
  } else if (event.type === "question-closed" || event.type === "permission-closed") {
    const { id, answer, by } = event;
    const text = event.type === "question-closed" ? event.text : "";
    db.put(
      `UPDATE questions SET answer = ?, text = ?, by = ?, closed_at = ? ${OPEN}`,
      answer,
      text,
      by,
      at,
      run,
      id,
    );
  }
}

const KEEP_KEY = "INSERT INTO keys VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1";

/** Expects that the key was not used before. */
export function keepKey(db: Sql, { run, key, seq }: KeyUse, otherwise: Otherwise): void {
  db.expect(otherwise, KEEP_KEY, run, key, seq);
}

/** The same text is kept once, whoever submits it. */
export function keepText(db: Sql, submitted: string): void {
  const bytes = Buffer.from(submitted);
  db.put("INSERT INTO texts VALUES (?, ?) ON CONFLICT DO NOTHING", `sha256:${sha256(bytes)}`, bytes);
}

/** Undefined also where the bytes are not those of the digest. */
export function* textIn(db: Sql, digest: string): Work<string | undefined> {
  const bytes = (yield* db.get("SELECT bytes FROM texts WHERE digest = ?", digest))?.["bytes"];
  if (!(bytes instanceof Uint8Array) || `sha256:${sha256(bytes)}` !== digest) return undefined;
  return Buffer.from(bytes).toString();
}

type Ordered = { readonly seq: number; readonly deeds: readonly Deed[] };

export function keepDeeds(db: Sql, run: string, { seq, deeds }: Ordered): void {
  const rows = deeds.map((deed, i) => [run, seq, i, deed.type, JSON.stringify(deed), DEED_KINDS[deed.type]]);
  db.putRows(DEEDS, rows);
}
