/** The journal: what happened to runs, and what is derived from that in the same transaction. */

import type { Actor, Event } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Deed } from "../effects/deed.ts";

/** How a run came to be: never changes. */
export type Birth = {
  readonly workflow: string;
  readonly goal: string;
  /** Real path of the repository's main working tree. */
  readonly repo: string;
  /** The commit it began from, and the branch that its work is for. */
  readonly base: string;
};

/** Who really acted: for people, what speaks for it. Kept in the chain, shown by `history`, checked by `verify`. */
export type Proof = {
  readonly user: string;
  readonly terminal: string;
  readonly ancestry: readonly string[];
  readonly cgroup: string;
  /** Agents of the run whose attempt was not over, `role running` or `role idle`. */
  readonly agents?: readonly string[];
  /** Made with the human key over run, sequence number, previous hash and event. Empty for agents and the engine. */
  readonly signature: string;
};

/** The whole of what one accepted event writes: all of it or nothing, durable before it is acknowledged. */
export type Entry = {
  readonly run: string;
  /** The sequence number that the decision was made on. */
  readonly seq: number;
  readonly at: string;
  readonly by: Actor;
  readonly events: readonly Event[];
  readonly after: Run;
  /** `running`, `waiting`, `done`, `cancelled`, `failed`. */
  readonly status: string;
  readonly deeds: readonly Deed[];
  /** The repository whose checkout must be given to the run in the same write; while another run has it, nothing is written. */
  readonly place?: string;
  /** With the first entry of a run only. */
  readonly birth?: Birth;
  /** The same key twice gives the same answer once. */
  readonly key?: string;
  /** What is acknowledged, as JSON; kept with the key. */
  readonly answer?: string;
  /** Asked for when the hash of the previous event is known. */
  readonly prove?: (link: { readonly seq: number; readonly prev: string }) => Proof;
};

export type Appended =
  | { readonly type: "written"; readonly seq: number; readonly deeds: readonly string[] }
  | { readonly type: "repeated"; readonly answer: string }
  | { readonly type: "conflict"; readonly seq: number }
  /** Another run has the place. */
  | { readonly type: "taken" };

export type RunRow = Birth & {
  readonly id: string;
  readonly definition: string;
  readonly state: string;
  readonly status: string;
  readonly entry: number;
  readonly seq: number;
  readonly head: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** Why a person must look, and what to type; empty when all is well. */
  readonly attention: string;
  /** Set where a person has halted the run: nothing is done for it until it is resumed. */
  readonly halted: boolean;
  /** The sequence number that its files show. */
  readonly projected: number;
  /** Set where a person does not want to see the run any more. */
  readonly hidden: boolean;
};

export type Kept = { readonly row: RunRow; readonly run: Run };

/** An event as it was written. */
export type Recorded = {
  readonly run: string;
  readonly seq: number;
  readonly at: string;
  readonly by: Actor;
  readonly definition: string;
  readonly tree: string;
  readonly key: string;
  readonly event: Event;
  readonly proof?: Proof;
  readonly prev: string;
  readonly hash: string;
};

export type Question = {
  readonly run: string;
  readonly id: string;
  readonly ask: string;
  readonly openedAt: string;
  readonly repeats: number;
  /** Empty while it is open. */
  readonly answer: string;
  readonly text: string;
  readonly by: string;
  readonly closedAt: string;
};

/** Something worth telling that is no event: a hand-edit, a late result, an effect that failed. */
export type Note = {
  readonly run: string;
  readonly at: string;
  readonly kind: string;
  readonly text: string;
};

export type Filter = {
  readonly repo?: string;
  readonly workflow?: string;
  readonly state?: string;
  readonly status?: string;
  readonly attention?: boolean;
  /** Those that a person has put away, too. */
  readonly hidden?: boolean;
  readonly limit: number;
};

/**
 * The journal of all runs, and what is derived from it in the same transaction.
 *
 * Contract: `append` writes everything in the entry in one durable transaction, or nothing: `conflict` when the run is no
 * longer at `seq`, `repeated` when the key is known. `load` gives the run as its events made it, and throws a UserError with
 * exit 8 when row and chain do not agree. Nothing is ever deleted.
 */
export type Journal = {
  define(hash: string, definition: Definition): void;
  definition(hash: string): Definition | undefined;
  append(entry: Entry): Appended;
  /** All that `work` reads and writes is of one moment and one durable step: for moments, because everybody waits. */
  together<T>(work: () => T): T;
  load(run: string): Kept | undefined;
  /** The acknowledged answer to a key, if it was used for this run. */
  answerTo(run: string, key: string): string | undefined;
  events(run: string, from?: number, limit?: number): Recorded[];
  /** Newest first. `more` is how many the limit left out. */
  list(filter: Filter): { readonly rows: readonly RunRow[]; readonly more: number };
  /** Ids that begin so; at most `limit`. */
  idsLike(prefix: string, limit: number): string[];
  questions(filter: { readonly run?: string; readonly open?: boolean; readonly id?: string }): Question[];
  note(note: Note): void;
  notes(run: string): Note[];
  /** Does this only if the run is still there, and nobody writes anything meanwhile: for moments, because everybody waits. */
  whileAt(run: string, seq: number, work: () => void): boolean;
  /** Says that the run's files show this sequence number; `write` happens only if the run is still there. */
  project(run: string, seq: number, write: () => void): boolean;
  /** Runs whose files are behind. */
  behind(): string[];
  /** *held*: nothing more is begun for it, and whoever is at work comes to an end. */
  halt(run: string, halted: boolean | "held"): void;
  /** Held, too. */
  isHalted(run: string): boolean;
  isHeld(run: string): boolean;
};
