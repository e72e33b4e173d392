/** One run of a workflow, as data: what replaying its journal gives. */

import type { PhaseChange, Reading } from "./event.ts";
import type { Literal } from "./value.ts";

/** A reading that was taken in, with what it was about at that moment. */
export type Held = {
  readonly reading: Reading;
  readonly by: string;
  readonly tree: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** Of a text that somebody else has changed: what was accepted, and from whom. */
  readonly accepted?: Accepted;
};

export type Accepted = {
  readonly digest: string;
  readonly by: string;
  readonly tree: string;
  readonly inputs: Readonly<Record<string, string>>;
};

export type Agent = {
  readonly role: string;
  readonly slot: string;
  readonly attempt: number;
  /** *called*: its start was ordered. *stopping*: its end was ordered. *crashed*: it waits for a person. */
  readonly status: "called" | "alive" | "stopping" | "crashed";
  /** The tree and the artifacts it was given, by digest. */
  readonly tree: string;
  readonly inputs: Readonly<Record<string, string>>;
  /** What was there already of what it is to write, by digest. */
  readonly seen: Readonly<Record<string, string>>;
  /** The fan-out it is a member of. */
  readonly fan?: string;
};

/** One part of a question. The answer is empty where nobody gave one. */
export type PartAnswer = {
  readonly part: string;
  readonly answer: string;
  readonly text: string;
  readonly by: string;
};

type Question = {
  readonly ask: string;
  readonly id: string;
  readonly repeats: number;
  /** Those that are answered, while others are open. */
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
  /** Of a question in parts. */
  readonly parts?: readonly PartAnswer[];
};

type Waiver = {
  readonly artifact: string;
  readonly reason: string;
  readonly tree: string;
  /** Of texts that the artifact is about, what they said. */
  readonly inputs?: Readonly<Record<string, string>>;
  readonly by: string;
  readonly at: string;
};

/** A stage that began anew: the how-manieth time, by which move, and from which phase to which. */
export type Restart = {
  readonly stage: string;
  readonly from: string;
  readonly to: string;
  readonly restart: number;
  readonly rule: number;
  readonly at: string;
};

/** How far a run is through the schedule. There is one pointer; what stands before and behind it follows from it. */
export type Progress = {
  readonly phase: string;
  readonly is: PhaseChange["type"];
  /** The stage that began anew with the phase, if one did. */
  readonly restarts?: string;
  /** The move that led there, and when. */
  readonly rule: number;
  readonly since: string;
  /** How often each was begun, and whether a person answered for it the last time. */
  readonly phases: Readonly<Record<string, { readonly times: number; readonly waived?: true }>>;
  /** The last of them. */
  readonly restarted: readonly Restart[];
};

export type Run = {
  readonly id: string;
  /** The hash of the definition it was started with; it never changes. */
  readonly definition: string;
  readonly state: string;
  /** How often a state was entered. */
  readonly entry: number;
  readonly seq: number;
  readonly params: Readonly<Record<string, Literal>>;
  readonly counters: Readonly<Record<string, number>>;
  /** Key: artifact, or `artifact/slot`. */
  readonly held: Readonly<Record<string, Held>>;
  /** The digest an artifact had when its scope began. A reading with this digest is not new. */
  readonly baseline: Readonly<Record<string, string>>;
  readonly tree: string;
  /** The digest that was last seen of an artifact, whoever wrote it. Key as in `held`. */
  readonly seen: Readonly<Record<string, string>>;
  /** Key: role, or `role/slot`. */
  readonly agents: Readonly<Record<string, Agent>>;
  readonly attempts: Readonly<Record<string, number>>;
  readonly slots: Readonly<Record<string, Readonly<Record<string, "open" | "done" | "failed">>>>;
  /** Where the run came from, for states that remember it. */
  readonly frames: readonly { readonly state: string; readonly from: string }[];
  readonly question?: Question | undefined;
  readonly decisions: readonly Decision[];
  readonly waivers: Readonly<Record<string, Waiver>>;
  readonly infrastructure: number;
  /** Only where there is a schedule. */
  readonly progress?: Progress;
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

/** The key of one of several: an agent of a role, a reading of an artifact. */
export function slotKey(name: string, slot: string): string {
  return slot === "" ? name : `${name}/${slot}`;
}
