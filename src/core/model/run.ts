/** One run of a workflow, as data: the result of replaying its journal. */

import type { PhaseChange, Reading } from "./event.ts";
import type { Literal } from "./value.ts";

/** An accepted reading, with what it was about at that moment. */
export type HeldReading = {
  readonly reading: Reading;
  readonly by: string;
  readonly tree: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** For a text that another author has changed: the accepted reading and its author. */
  readonly accepted?: AcceptedReading;
};

export type AcceptedReading = {
  readonly digest: string;
  /** The digest of its text in the store. */
  readonly text?: string;
  readonly by: string;
  readonly tree: string;
  readonly inputs: Readonly<Record<string, string>>;
};

/** What identifies an agent in its run. */
export type Attempt = { readonly role: string; readonly slot: string; readonly attempt: number };

export function isSameAttempt(a: Attempt, b: Attempt): boolean {
  return a.role === b.role && a.slot === b.slot && a.attempt === b.attempt;
}

export type Agent = Attempt & {
  /** *called*: the engine was asked to start it. *stopping*: the engine was asked to stop it. *crashed*: it waits for a person. */
  readonly status: "called" | "alive" | "stopping" | "crashed";
  /** The tree and the digests of the artifacts that it got. */
  readonly tree: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** Digests of its outputs that existed before its start. */
  readonly seen: Readonly<Record<string, string>>;
  /** The fan-out that it is a member of. */
  readonly fan?: string;
};

/** One part of a question. The answer is empty if the person gave none. */
export type PartAnswer = {
  readonly part: string;
  readonly answer: string;
  readonly text: string;
  readonly by: string;
};

type OpenQuestion = {
  readonly ask: string;
  readonly id: string;
  readonly repeats: number;
  /** Answered parts, while other parts are open. */
  readonly parts?: readonly PartAnswer[];
};

type Decision = {
  readonly id: string;
  readonly ask: string;
  readonly answer: string;
  readonly text: string;
  readonly by: string;
  readonly state: string;
  readonly at: string;
  /** For a question in parts. */
  readonly parts?: readonly PartAnswer[];
};

type Waiver = {
  readonly artifact: string;
  readonly reason: string;
  readonly tree: string;
  /** Digests of the artifacts that the waived artifact is about. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly by: string;
  readonly at: string;
};

/** *always*: for the rest of the run, every call of the same tool. */
export type PermissionAnswer = "allow" | "always" | "deny";
export const PERMISSION_ANSWERS: readonly PermissionAnswer[] = ["allow", "always", "deny"];

/** A tool that an agent may not use without a person, who has not answered yet. */
export type Permission = Attempt & {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  readonly at: string;
};

/** A restart of a stage: its number, its move, and the phases before and after it. */
export type StageRestart = {
  readonly stage: string;
  readonly from: string;
  readonly to: string;
  readonly restart: number;
  readonly rule: number;
  readonly at: string;
};

/** How far a run has come in the schedule. There is one pointer; the status of all phases follows from it. */
export type ScheduleProgress = {
  readonly phase: string;
  readonly is: PhaseChange["type"];
  /** The stage that was restarted with this phase, if any. */
  readonly restarts?: string;
  /** The move that led to the phase, and its time. */
  readonly rule: number;
  readonly since: string;
  /** The number of times that each phase has started, and whether a person waived its last result. */
  readonly phases: Readonly<Record<string, { readonly times: number; readonly waived?: true }>>;
  /** The most recent restarts. */
  readonly restarted: readonly StageRestart[];
};

export type Run = {
  readonly id: string;
  /** The hash of the definition that the run started with; it never changes. */
  readonly definition: string;
  readonly state: string;
  /** The number of states entered so far. */
  readonly entry: number;
  readonly seq: number;
  readonly params: Readonly<Record<string, Literal>>;
  readonly counters: Readonly<Record<string, number>>;
  /** Key: artifact, or `artifact/slot`. */
  readonly held: Readonly<Record<string, HeldReading>>;
  /** The digest of an artifact when its scope started. A reading with this digest is not new. */
  readonly baseline: Readonly<Record<string, string>>;
  readonly tree: string;
  /** The digest of an artifact at the last event, from any author. Keys as in `held`. */
  readonly seen: Readonly<Record<string, string>>;
  /** Key: role, or `role/slot`. */
  readonly agents: Readonly<Record<string, Agent>>;
  readonly attempts: Readonly<Record<string, number>>;
  readonly slots: Readonly<Record<string, Readonly<Record<string, "open" | "done" | "failed">>>>;
  /** The state that the run came from, for each state that remembers it. */
  readonly frames: readonly { readonly state: string; readonly from: string }[];
  readonly question?: OpenQuestion | undefined;
  readonly decisions: readonly Decision[];
  readonly waivers: Readonly<Record<string, Waiver>>;
  readonly infrastructure: number;
  /** Requests of agents that a person has not answered, the oldest first. */
  readonly permissions?: readonly Permission[];
  /** Tools that a person has allowed for the rest of the run. */
  readonly granted?: readonly string[];
  /** Only for workflows with a schedule. */
  readonly progress?: ScheduleProgress;
  readonly startedAt: string;
  readonly updatedAt: string;
};

export const NO_RUN: Run = {
  id: "",
  definition: "",
  state: "start",
  entry: 0,
  seq: 0,
  params: {},
  counters: {},
  held: {},
  baseline: {},
  tree: "",
  seen: {},
  agents: {},
  attempts: {},
  slots: {},
  frames: [],
  decisions: [],
  waivers: {},
  infrastructure: 0,
  startedAt: "",
  updatedAt: "",
};

export const QUESTION_DEPTH_MAX = 2;
export const INFRASTRUCTURE_MAX = 5;
export const RESTARTS_KEPT = 50;
/** An agent that asks for more at once is refused. */
export const PERMISSIONS_MAX = 20;

/** The key of one agent of a role or one reading of an artifact. */
export function slotKey(name: string, slot: string): string {
  return slot === "" ? name : `${name}/${slot}`;
}
