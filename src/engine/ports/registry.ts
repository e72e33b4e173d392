/** The registry: the engine's notes about agents, processes, workspaces, and what people trust. */

import type { Reading } from "../../core/model/event.ts";
import type { Attempt } from "../../core/model/run.ts";

/** What identifies an agent in the state home. */
export type RunAttempt = Attempt & { readonly run: string };

export type AgentRow = RunAttempt & {
  /** SHA-256 of its token. */
  readonly token: string;
  /** Its folder in the state home: prompt, log, exit status of each turn. */
  readonly dir: string;
  readonly turn: number;
  /** *running*: a process lives. *idle*: its turn is over, and it will be told. *ended*: nothing more comes of it. */
  readonly status: "running" | "idle" | "ended";
  /** The entry of the run at which its last turn ended. */
  readonly entry: number;
  readonly startedAt: number;
};

/** A process of ours: a turn of an agent, or a check. */
export type JobRow = RunAttempt & {
  /** Path-safe and unique: also the name of its folder and of its exit file. */
  readonly id: string;
  readonly kind: "turn" | "check";
  /** Of a check: the artifact it makes, and the digest of the tree when it began. */
  readonly artifact: string;
  readonly tree: string;
  readonly dir: string;
  readonly startedAt: number;
  /** 0 for none. */
  readonly endsBy: number;
  readonly stallMs: number;
  /** Why it was killed, when we killed it. */
  readonly killed: "" | "killed" | "timed-out" | "stalled" | "halted";
  readonly status: "live" | "over";
  /** In a terminal: for this turn (*window*), or for as long as the agent lives (*resident*). */
  readonly seat: "" | "window" | "resident";
};

/** A live turn of an agent, with where its run is. */
export type LiveTurn = RunAttempt & {
  readonly seat: JobRow["seat"];
  readonly definition: string;
  readonly state: string;
  /** A message for it waits until another agent may work. */
  readonly isQueued: boolean;
};

/** In place, `path` is `repo`, and `branch` is empty: it is the person's. */
export type WorkspaceRow = {
  readonly run: string;
  readonly repo: string;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  /** *reserved*: a place that is the run's, and in which nothing has begun; or a workspace that is being set up. */
  readonly status: "reserved" | "bound" | "released";
  /** Where what was not committed is kept: a ref, and a folder for what git ignores. Empty where there was nothing. */
  readonly salvage: string;
  readonly kept: string;
};

/** A file with exactly this content, as a definition reads it. */
export type ReadingsKey = {
  readonly definition: string;
  readonly file: string;
  readonly digest: string;
};

export type Registry = {
  agents(filter: {
    readonly run?: string;
    readonly status?: AgentRow["status"];
  }): Promise<readonly AgentRow[]>;
  agent(of: RunAttempt): Promise<AgentRow | undefined>;
  /** The agent that a token belongs to, whatever its status. */
  byToken(hash: string): Promise<AgentRow | undefined>;
  /** Idle agents of runs that have moved since and need no attention. No park holds them, and nothing else is to be done for their runs. */
  idleMoved(): Promise<readonly (AgentRow & { readonly repo: string })[]>;
  liveTurns(repo: string): Promise<readonly LiveTurn[]>;
  /** Agents that are to begin a turn and that no park holds: those to be started or told something, and idle ones whose run has moved. */
  comingTurns(repo: string): Promise<readonly RunAttempt[]>;
  jobs(filter: { readonly run?: string; readonly status?: JobRow["status"] }): Promise<readonly JobRow[]>;
  job(id: string): Promise<JobRow | undefined>;
  /** Live turns of runs that a person has halted. */
  haltedJobs(): Promise<readonly JobRow[]>;
  workspace(run: string): Promise<WorkspaceRow | undefined>;
  /** The workspace that a run works in, while it has one: its own, or that of the run that it was made for. */
  boundWorkspace(run: string): Promise<WorkspaceRow | undefined>;
  /** The bound workspace that holds this real path. A checkout that runs work in belongs to no run. */
  workspaceAt(path: string): Promise<WorkspaceRow | undefined>;
  /** Those that are not released, without checkouts that runs work in. */
  workspaces(): Promise<readonly WorkspaceRow[]>;
  /** Another run that has the place of this repository; empty where there is none. */
  placeHolder(repo: string, besides: string): Promise<string>;
  /** Readings of a file with exactly this content, by this definition: parsed once. */
  readings(key: ReadingsKey): Promise<readonly Reading[] | undefined>;
  /** What `put-projection` last wrote for this file or key. */
  projection(run: string, file: string): Promise<string | undefined>;
  /** All of the run whose names begin so, by their names. */
  projectionsLike(run: string, prefix: string): Promise<ReadonlyMap<string, string>>;
  /** What a person trusted of this repository. The caller checks the signature. */
  trusted(repo: string): Promise<TrustRow | undefined>;
  /** Keys that people have signed with here, the first one first; the last one counts. */
  humanKeys(): Promise<readonly HumanKeyRow[]>;
};

export type TrustRow = {
  /** Of all content; empty where trust was taken back. */
  readonly digest: string;
  readonly at: string;
  /** Made with the human key over repository, digest and time. */
  readonly signature: string;
};

export type HumanKeyRow = {
  readonly fingerprint: string;
  readonly at: string;
  /** *named*: the key before it signed for it. *lost*: a person said that the key before it is lost. */
  readonly how: "first" | "named" | "lost";
};
