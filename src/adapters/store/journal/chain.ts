/**
 * What binds a record to those before it, and a run's row to its snapshot.
 *
 * Both are over the texts exactly as they are kept, so that nothing has to be brought into an order first.
 */

import type { RunRow } from "../../../engine/ports/journal.ts";
import { sha256 } from "../../../format/sha256.ts";

/** A row of `events`, without its own hash. */
export type Link = {
  readonly run: string;
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly actor: string;
  readonly slot: string;
  readonly attempt: number;
  readonly definition: string;
  readonly tree: string;
  readonly key: string;
  readonly body: string;
  readonly proof: string;
  readonly birth: string;
  readonly answer: string;
  readonly deeds: string;
  readonly status: string;
  readonly prev: string;
};

/** In the order of the columns. */
export function valuesOf(link: Link): readonly (string | number)[] {
  const { run, seq, at, type, actor, slot, attempt, definition, tree, key } = link;
  const { body, proof, birth, answer, deeds, status, prev } = link;
  return [
    run,
    seq,
    at,
    type,
    actor,
    slot,
    attempt,
    definition,
    tree,
    key,
    body,
    proof,
    birth,
    answer,
    deeds,
    status,
    prev,
  ];
}

export function hashOf(values: readonly (string | number)[]): string {
  return sha256(JSON.stringify(values));
}

/** What the digest of a run's row is over: everything in it that its events made, and the snapshot's own. */
export type Sealed = Omit<RunRow, "attention" | "halted" | "projected" | "hidden">;

/** `seal` stands for the snapshot: see `sealOf`. */
export function digestOfRun(row: Sealed, seal: string): string {
  const { id, workflow, goal, repo, base, definition, state } = row;
  const { status, entry, seq, head, startedAt, updatedAt } = row;
  const born = [id, workflow, goal, repo, base, definition, startedAt];
  // The first line ends where it ends: what follows needs no quotes.
  const text = `${JSON.stringify([...born, state, status, entry, seq, head, updatedAt])}\n${seal}`;
  if (last.text !== text) last = { text, digest: sha256(text) };
  return last.digest;
}

/** What was just written is mostly read next: the same text has the same digest. */
let last = { text: "", digest: "" };

export function sealOf(snapshot: string): string {
  if (lastSealed.snapshot !== snapshot) lastSealed = { snapshot, seal: sha256(snapshot) };
  return lastSealed.seal;
}

let lastSealed = { snapshot: "", seal: "" };
