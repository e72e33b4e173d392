/** The journal: what happened to runs, and what is derived from that in the same write. */

import type { Actor, Event, Incoming } from "../../core/model/event.ts";
import type { Run } from "../../core/model/run.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Deed } from "../effects/deed.ts";
import type { WorkspaceRow } from "./registry.ts";

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

/**
 * The whole of what one accepted event writes.
 *
 * It is a conflict where the run is no longer at `seq` and `head`, and repeated where the key is known. Another run in the place is `taken`.
 */
export type Entry = {
  readonly run: string;
  /** The sequence number and the hash of the last event that the decision was made on; 0 and empty for a new run. */
  readonly seq: number;
  readonly head: string;
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
  /** Of the first event; its signature covers `seq` + 1 and `head`. */
  readonly proof?: Proof;
  /** Texts that readings of the event name by their digest. The store keeps each of them by its digest. */
  readonly texts?: readonly string[];
};

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

/** With the workspace that the run works in, as `boundWorkspace` finds it at the same moment. */
export type LoadedRun = Kept & { readonly workspace: WorkspaceRow | undefined };

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

/** A question of a workflow, or the request of an agent for permission. */
export type Question = {
  readonly run: string;
  readonly id: string;
  /** The name of the question in the workflow; `PERMISSION` for a request. */
  readonly ask: string;
  readonly openedAt: string;
  readonly repeats: number;
  /** Empty while it is open. */
  readonly answer: string;
  readonly text: string;
  readonly by: string;
  readonly closedAt: string;
};

/** What a turn used, with the run that it was of. */
export type TurnRecord = {
  readonly run: string;
  readonly repo: string;
  readonly workflow: string;
  readonly goal: string;
  /** When it was over. */
  readonly at: string;
  readonly report: Extract<Incoming, { type: "turn-reported" }>;
};
export const PERMISSION = "(permission)";

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

/** What a person or the engine has set for a run besides its events. */
export type RunMarks = {
  readonly seq: number;
  /** *held*: no effect of the run is begun, and turns that are under way end by themselves. */
  readonly halted: boolean | "held";
  /** Empty when all is well. */
  readonly attention: string;
};

/**
 * The journal of all runs, and what is derived from it in the same write.
 *
 * Contract: `load` gives the run as its events made it, and throws a UserError with exit 8 when row and chain do not agree. Nothing is
 * ever deleted.
 */
export type Journal = {
  definition(hash: string): Promise<Definition | undefined>;
  load(run: string): Promise<LoadedRun | undefined>;
  /** The marks alone: cheap, also for a damaged run. */
  marks(run: string): Promise<RunMarks | undefined>;
  /** The acknowledged answer to a key, if it was used for this run. */
  answerTo(run: string, key: string): Promise<string | undefined>;
  events(run: string, from?: number, limit?: number): Promise<readonly Recorded[]>;
  /** Reports of turns, oldest first: of these runs, or of all; those since a time, or all. */
  reports(filter: {
    readonly runs?: readonly string[];
    readonly since?: string;
  }): Promise<readonly TurnRecord[]>;
  /** Newest first. `more` is how many the limit left out. */
  list(filter: Filter): Promise<{ readonly rows: readonly RunRow[]; readonly more: number }>;
  /** Ids that begin so; at most `limit`. */
  idsLike(prefix: string, limit: number): Promise<readonly string[]>;
  questions(filter: {
    readonly run?: string;
    readonly open?: boolean;
    readonly id?: string;
  }): Promise<readonly Question[]>;
  notes(run: string): Promise<readonly Note[]>;
  /** A submitted text by its digest, `sha256:...`. */
  text(digest: string): Promise<string | undefined>;
  /** Runs whose files are behind. */
  behind(): Promise<readonly string[]>;
};
