/**
 * What the engine needs of the world. Adapters are functions that return these.
 *
 * The store answers at once: one file on this machine. Everything that starts a process is awaited.
 */

import type { Actor, Event, Reading } from "../core/event.ts";
import type { Run } from "../core/run.ts";
import type { Definition, Projection } from "../core/workflow.ts";
import type { Workflow } from "../core/compile.ts";
import type { Deed, DeedKind } from "./deed.ts";

/** Milliseconds since 1970. Order comes from sequence numbers, never from this. */
export type Clock = {
  now(): number;
  /** Milliseconds that only go forward, and stand still while the machine sleeps. */
  mono(): number;
};

// ---------------------------------------------------------------------------------------------- the journal

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
  | { readonly type: "conflict"; readonly seq: number };

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
  halt(run: string, halted: boolean): void;
  isHalted(run: string): boolean;
};

// ---------------------------------------------------------------------------------------------- the outbox

export type DeedRow = {
  /** `run:seq:i`. */
  readonly key: string;
  readonly run: string;
  readonly deed: Deed;
  readonly kind: DeedKind;
  readonly status: "pending" | "claimed" | "done" | "attention";
  /** How often it was claimed. More than once means that the world must be asked first. */
  readonly tries: number;
  readonly dueAt: number;
  readonly owner: number;
  readonly note: string;
};

export type Outcome =
  | { readonly type: "done"; readonly note: string }
  | { readonly type: "again"; readonly note: string; readonly dueAt: number }
  /** The run needs attention: what went wrong, and the command to try again. */
  | { readonly type: "attention"; readonly note: string; readonly next: string };

/**
 * What is still to be done.
 *
 * Contract: of one run, deeds become due in their order; one that needs attention does not hold up those after it, and a run
 * that is halted has none due except `stop-agent`. A claim by a higher fence takes over from a lower one; `settle` is ignored
 * when somebody else owns the deed.
 */
export type Outbox = {
  /** A number higher than any before it, for who holds the supervisor's lock. */
  fence(): number;
  due(now: number, limit: number): DeedRow[];
  /** When the next deed becomes due; undefined when there is none. */
  nextDue(): number | undefined;
  claim(key: string, fence: number, leaseUntil: number): DeedRow | undefined;
  settle(key: string, fence: number, outcome: Outcome): boolean;
  /** Says that a person must look at a run, and what to type; an empty text says that it is well again. */
  attend(run: string, attention: string): void;
  attentionOf(run: string): string;
  /** Puts deeds that need attention back to pending; gives their keys. */
  retry(run: string): string[];
  deeds(run: string): DeedRow[];
};

// ---------------------------------------------------------------------------------------------- agents and workspaces

export type AgentRow = {
  readonly run: string;
  readonly role: string;
  readonly slot: string;
  readonly attempt: number;
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
export type JobRow = {
  /** Path-safe and unique: also the name of its folder and of its exit file. */
  readonly id: string;
  readonly run: string;
  readonly kind: "turn" | "check";
  readonly role: string;
  readonly slot: string;
  readonly attempt: number;
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
};

export type WorkspaceRow = {
  readonly run: string;
  readonly repo: string;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  readonly status: "bound" | "released";
  /** Where what was not committed is kept: a ref, and a folder for what git ignores. Empty where there was nothing. */
  readonly salvage: string;
  readonly kept: string;
};

export type Registry = {
  agents(filter: { readonly run?: string; readonly status?: AgentRow["status"] }): AgentRow[];
  agent(of: Pick<AgentRow, "run" | "role" | "slot" | "attempt">): AgentRow | undefined;
  putAgent(row: AgentRow): void;
  /** The agent that a token belongs to, whatever its status. */
  byToken(hash: string): AgentRow | undefined;
  /** Idle agents of runs that have moved since, and need no attention. */
  idleMoved(): AgentRow[];
  jobs(filter: { readonly run?: string; readonly status?: JobRow["status"] }): JobRow[];
  job(id: string): JobRow | undefined;
  /** Live turns of runs that a person has halted. */
  haltedJobs(): JobRow[];
  putJob(row: JobRow): void;
  workspace(run: string): WorkspaceRow | undefined;
  /** The bound workspace that holds this real path. */
  workspaceAt(path: string): WorkspaceRow | undefined;
  putWorkspace(row: WorkspaceRow): void;
  /** Readings of a file with exactly this content, by this definition: parsed once. */
  readings(definition: string, file: string, digest: string): readonly Reading[] | undefined;
  keepReadings(definition: string, file: string, digest: string, readings: readonly Reading[]): void;
  /** What a projected file said when we last wrote it, by field; JSON. */
  projection(run: string, file: string): string | undefined;
  keepProjection(run: string, file: string, fields: string): void;
  /** What a person trusted of this repository. Who asks must look at the signature. */
  trusted(repo: string): TrustRow | undefined;
  trust(repo: string, row: TrustRow): void;
  /** Keys that people have signed with here, the first one first; the last one counts. */
  humanKeys(): readonly HumanKeyRow[];
  keepHumanKey(row: HumanKeyRow): void;
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

export type Store = Journal &
  Outbox &
  Registry & {
    /** Whether anything is live or due: a supervisor is needed. */
    isBusy(now: number): boolean;
    close(): void;
  };

// ---------------------------------------------------------------------------------------------- processes

export type Launch = {
  /** Path-safe and unique. */
  readonly id: string;
  /** Its folder; made if it is not there. */
  readonly dir: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing else is handed on. The marker is added. */
  readonly env: Readonly<Record<string, string>>;
  /** A file that becomes its standard input; none: nothing to read. */
  readonly stdin: string;
};

export type Process =
  /** Nobody has begun it. */
  | { readonly type: "absent" }
  /** Claimed a moment ago; its shim has not said more yet. */
  | { readonly type: "starting" }
  | { readonly type: "alive"; readonly pid: number; readonly outputAt: number }
  | { readonly type: "ended"; readonly code: number }
  /** No exit status and no process. `infrastructure`: another boot of the machine, which says nothing about the process. */
  | { readonly type: "lost"; readonly infrastructure: boolean };

/**
 * Processes that outlive us.
 *
 * Contract: `launch` may be called any number of times for one id, by any number of processes, at any moment: the program is
 * started once. `kill` ends the whole group and what left it, also a launch that is only on its way, and returns when nothing is left.
 */
export type Processes = {
  launch(launch: Launch): Promise<Process>;
  probe(dir: string): Process;
  kill(job: { readonly id: string; readonly dir: string }): Promise<void>;
  /** Ids whose exit was reported since last asked; forgets them. */
  reported(): string[];
  /** Keeps a log from growing for ever. */
  rotate(dir: string): void;
};

// ---------------------------------------------------------------------------------------------- workspaces and files

export type Workspaces = {
  /** Makes the worktree and its branch, or finds the ones that are there. */
  prepare(of: {
    readonly run: string;
    readonly repo: string;
    readonly branch: string;
    readonly base: string;
    /** Paths of artifacts: not part of the work, ignored by git. */
    readonly artifacts: readonly string[];
  }): Promise<{ readonly path: string; readonly branch: string; readonly base: string }>;
  /**
   * The digest of the work: the id of a git tree, without artifacts, and behind a `+` that of the branch's where it holds something
   * else. Touches neither index nor branch. Throws a UserError `no-workspace` where there is no work to look at.
   */
  digest(path: string, artifacts: readonly string[]): Promise<string>;
  /** Keeps the work of a digest as a commit under a ref of ours. Gives the ref. */
  snapshot(of: {
    readonly path: string;
    readonly run: string;
    readonly seq: number;
    readonly tree: string;
    readonly message: string;
  }): Promise<string>;
  /** Removes the worktree after everything in it that is not committed was kept. The branch stays. */
  release(of: {
    readonly run: string;
    readonly repo: string;
    readonly path: string;
    /** Where ignored files are moved to. */
    readonly keep: string;
  }): Promise<{ readonly salvage: string; readonly kept: string }>;
};

/** Where the files of a run are: in its workspace while one is bound, in the state home otherwise. */
export type Place = {
  readonly root: string;
  readonly run: Run;
  readonly workflow: Workflow;
  /** The root is a workspace: where it is gone, nobody makes a folder that only looks like one. */
  readonly isWorkspace?: boolean;
};

/**
 * The files of a run, which people and agents edit while we read and write them.
 *
 * Contract: nothing that a file is or holds makes these throw; what somebody wrote is never lost. What is worth telling is
 * given back in sentences. They are awaited because the parsers are loaded only when something must be parsed.
 */
export type Artifacts = {
  /** All artifacts of the run, as they are now. What cannot be read safely is a reading with a fault. */
  read(place: Place): Promise<readonly Reading[]>;
  /** Puts a text to where the artifact is: its file, or its section. Throws a UserError where the text cannot stand there. */
  put(
    place: Place,
    of: { readonly artifact: string; readonly slot: string; readonly text: string },
  ): Promise<readonly string[]>;
  /** Moves what artifacts hold to an archive folder. Nothing is lost; doing it twice is harmless. */
  archive(
    place: Place,
    of: { readonly artifacts: readonly string[]; readonly into: string },
  ): Promise<readonly string[]>;
  /** Takes files of artifacts and projections along from one root to another. Never over a file that is there. */
  carry(place: Place, to: string): Promise<readonly string[]>;
  /**
   * Loads what is needed; calling the result writes the projections, and tells edits of engine-owned fields. New files are made
   * aside; each is put in its place inside of `whileCurrent`, or not at all where that is false: then `isWhole` is false, too.
   */
  project(
    place: Place,
    of: { readonly root: unknown; readonly projections: readonly Projection[] },
  ): Promise<
    (whileCurrent: (show: () => void) => boolean) => {
      readonly told: readonly string[];
      readonly isWhole: boolean;
    }
  >;
};

// ---------------------------------------------------------------------------------------------- harnesses and people

export type Harness = {
  readonly name: string;
  /** `{model}`, `{prompt}` (path), `{session}`, `{run}`, `{role}` and `{workspace}` are filled in. */
  readonly command: readonly string[];
  /** For the second and later turns of one attempt; without it, the same command. */
  readonly again: readonly string[] | undefined;
  /** Names of variables that are handed on, beyond those that every agent gets. */
  readonly env: readonly string[];
  /** Variables with a fixed value. */
  readonly set: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly minutes: number | undefined;
  readonly stallMinutes: number | undefined;
};

export type Settings = {
  harness(name: string): Harness | undefined;
  readonly harnesses: readonly string[];
  /** Commands for checks, by name; a check whose command is no name here is run as it is written in the trusted workflow. */
  readonly checks: Readonly<Record<string, string>>;
  /** Names of variables handed on to every agent and check. */
  readonly env: readonly string[];
  readonly minutes: number;
  readonly stallMinutes: number;
  /** Run when a person is asked; empty for none. */
  readonly notify: readonly string[];
};

export type Notifier = {
  /** The command is the person's own; without one, nothing happens. */
  ask(of: {
    readonly command: readonly string[];
    readonly run: string;
    readonly id: string;
    readonly question: string;
  }): Promise<void>;
};
