/**
 * A workflow as data, after stages are expanded to states and moves.
 *
 * Everything here is plain JSON, so that a definition can be hashed, stored and compared. `format` makes it
 * from a file; `core` only reads it.
 */

import type { Artifact, ListName } from "./artifact.ts";
import type { Literal, Value } from "./value.ts";
import type { Verdict } from "./verdict.ts";

/** Where something stands in a file; lines and columns count from 1. */
export type Place = { readonly file: string; readonly line: number; readonly col: number };

export type Param = Kind & {
  /** Where people set it, below the name of the workflow, with dots between the keys; its own name unless said. */
  readonly setting?: string;
};

type Kind =
  | { readonly type: "int"; readonly min: number; readonly max: number; readonly default: number }
  /** `about` is what people are told of a value when a run begins with it. */
  | {
      readonly type: "enum";
      readonly values: readonly string[];
      readonly default: string;
      readonly about?: Readonly<Record<string, string>>;
    }
  | { readonly type: "bool"; readonly default: boolean }
  /**
   * Information only: no guard reads it. `set` names who may change it later, `named` the text of which it is a name. What is `kept`, the run
   * itself says of how it goes: nobody begins one with another word for it, but who makes it of a task.
   */
  | {
      readonly type: "text";
      readonly default: string;
      readonly set: readonly string[];
      readonly named?: string;
      readonly kept?: true;
    };

/** `per` is `run`, `entry` (of any state), a state (its entry), or a scope that some move begins anew. */
export type Counter = { readonly max: Value<number>; readonly per: string };

export type Role = {
  readonly session: "fresh" | "persistent";
  readonly access: "read" | "write";
  readonly prompt: string;
  /** The prompt for the second and later attempts. */
  readonly again: string;
  readonly harness: Value<string>;
  readonly model: Value<string>;
  readonly minutes: Value<number>;
  readonly stallMinutes: Value<number>;
  /** Artifacts that must be there before the role is started, handed over as file references. */
  readonly context: readonly string[];
  /** Those of them that may be missing, and are then not handed over. */
  readonly optional?: readonly string[];
  /** Artifacts of which the newest that was archived is handed over as well, unless it has been written anew. */
  readonly earlier?: readonly string[];
  /** What it is given as data: a JSON file that is written before each of its turns. `{slot}` stands for the slot of a fan-out. */
  readonly input?: Input;
};

export type Input = { readonly file: string; readonly data: Tree };

export type State = {
  readonly final?: "done" | "cancelled" | "failed";
  readonly stage?: string;
  /** What people call the stretch that the run is in here. */
  readonly phase?: string;
  /** The question that is open while the run is here. */
  readonly ask?: string;
  /** Set where the run waits for a person. */
  readonly waits: boolean;
  readonly title: string;
  /** Done on every entry, after the actions of the move. */
  readonly enter: readonly Action[];
};

/** A group of states that is told as one. What moves a run is in the moves alone: this is for those who look, and for what is handed over. */
export type Stage = {
  readonly name: string;
  /** Whether it is part of the run. */
  readonly enabled: Value<boolean>;
  /** Its artifacts, the last one last. */
  readonly makes: readonly string[];
  /** Those of its artifacts that sum up what else it made, each in the state of its name, where `when` holds. */
  readonly summaries?: readonly { readonly artifact: string; readonly when: Value<boolean> }[];
  /** Where its last question is open. */
  readonly blocked?: readonly string[];
  /** In their order: with those of the other stages, the schedule. */
  readonly phases?: readonly Phase[];
};

/** One step of a stage, as it is told: what a run does there is in its states. */
export type Phase = {
  readonly id: string;
  readonly title: string;
  /** Several agents or runs, one agent, a review, a command of the engine's, a question to a person. */
  readonly type: "dispatch" | "inline" | "review" | "command" | "question";
  /** What must be good when it is left. */
  readonly makes: readonly string[];
  /** Where a run is while it is in it; it begins in the first. */
  readonly states: readonly string[];
};

export type Standing =
  | Verdict
  | "missing"
  | "invalid"
  | "stale"
  | "valid"
  | "holds"
  | "waived"
  | "all"
  | "some"
  | "none";

export type Condition =
  | { readonly type: "artifact"; readonly artifact: string; readonly in: readonly Standing[] }
  | {
      readonly type: "field";
      readonly artifact: string;
      readonly field: string;
      readonly in: readonly Literal[];
    }
  | { readonly type: "least"; readonly artifact: string; readonly field: string; readonly min: number }
  | { readonly type: "most"; readonly artifact: string; readonly field: string; readonly max: number }
  | { readonly type: "counter"; readonly counter: string; readonly is: "below" | "spent" }
  | { readonly type: "param"; readonly param: string; readonly in: readonly Literal[] }
  | { readonly type: "origin"; readonly in: readonly string[] };

export type Action =
  | { readonly type: "start"; readonly role: string; readonly prompt?: string }
  | { readonly type: "start-each"; readonly role: string; readonly artifact: string }
  | { readonly type: "start-tasks"; readonly artifact: string }
  | { readonly type: "start-next" }
  | { readonly type: "stop"; readonly role: string }
  | { readonly type: "stop-all" }
  | { readonly type: "tell"; readonly role: string; readonly message: string; readonly orStart?: string }
  | { readonly type: "mark"; readonly role: string }
  | { readonly type: "run"; readonly check: string }
  | { readonly type: "release"; readonly resource: string }
  | { readonly type: "archive"; readonly artifacts: readonly string[] }
  /** `from` names the artifact whose texts are used, `without` a parameter with patterns of what is left out, `as` one with the name of a tag. */
  | {
      readonly type: "perform";
      readonly name: string;
      readonly from?: string;
      readonly without?: string;
      readonly as?: string;
    };

/** What a person wants, in any workflow. Which move or answer it means is marked in the definition. */
export type Verb = (typeof VERBS)[number];

export const VERBS = ["accept", "send-back", "retry", "cancel", "answer"] as const;

/** Whether words go with a move or an answer. */
export type WithText = "none" | "optional" | "required";

/** What marks a move, or a path of several, as a verb of people. */
type Marked = {
  readonly verb: Verb;
  readonly text: WithText;
  /** The artifact that the words are written to before the last move. */
  readonly into?: string;
  /** The reviewed commit is delivered before the last move. */
  readonly deliver?: true;
};

/** A verb that takes several moves, or one that goes back to where the run came from. */
export type VerbPath = Marked & {
  readonly in: string;
  readonly path: readonly PathStep[];
  readonly at: Place;
};

/** `origin` is the state that the present one remembers. */
export type PathStep =
  | { readonly type: "state"; readonly state: string }
  | { readonly type: "origin" }
  | { readonly type: "answer"; readonly answer: string };

/** `from` of a move that makes a run. */
export const START = "start";
/** `to` of a move that goes back to where the run came from. */
export const ORIGIN = "origin";

export type Move = {
  readonly from: string;
  readonly to: string;
  /** `engine` fires by itself when everything holds; `human` and roles ask. */
  readonly by: readonly string[];
  /** Taken only by answering the state's question with this option (`option` or `option/route`). */
  readonly answer?: string;
  readonly when: readonly Condition[];
  readonly need: readonly string[];
  readonly count: readonly string[];
  readonly renew: readonly string[];
  readonly remember: boolean;
  readonly reserve: readonly string[];
  readonly waive: readonly string[];
  /** Text parameters, with what they say from here on. */
  readonly set?: Readonly<Record<string, Value<string>>>;
  readonly do: readonly Action[];
  /** Set where a verb of people means this move. */
  readonly mark?: Marked;
  readonly at: Place;
};

/** What follows the death of an agent: try a move, else count and act. */
export type End = {
  readonly role: string;
  readonly in: string;
  readonly try?: string;
  readonly then: readonly Action[];
  readonly count?: string;
  readonly do: readonly Action[];
  readonly at: Place;
};

export type Option = {
  readonly text: WithText;
  /** The verb of people that means this answer. */
  readonly verb?: Verb;
  readonly routes: readonly string[];
  readonly label: string;
  /** Whoever answers so approves of the commands that these artifacts list, as they are shown. */
  readonly vouch?: readonly string[];
};

export type Ask = {
  readonly id: string;
  readonly question: string;
  /** Artifacts whose content the answer is bound to. */
  readonly shows: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** Counts answers that are not one of the options. */
  readonly reask?: string;
  /** A list whose members are answered one by one; what of them is left open is asked on, or cancelled. */
  readonly parts?: ListName & { readonly rest: "ask" | "cancel"; readonly more?: readonly ListName[] };
};

export type Assertion = {
  readonly type: "always" | "never" | "eventually";
  readonly in: readonly string[];
  /** Any of these lists of conditions. */
  readonly when: readonly (readonly Condition[])[];
  readonly unless: readonly (readonly Condition[])[];
  readonly text: string;
  readonly at: Place;
};

export type Tree =
  | Literal
  | null
  | {
      readonly from: string | readonly string[];
      readonly cases?: { readonly [word: string]: Tree };
      readonly else?: Tree;
    }
  | { readonly join: readonly Tree[] }
  | { readonly each: string | readonly string[]; readonly give: Tree }
  | { readonly each: string | readonly string[]; readonly key: string; readonly give: Tree }
  | readonly Tree[]
  | { readonly [key: string]: Tree };

export type Projection = TreeProjection | ReviewProjection;

export type TreeProjection = {
  readonly file: string;
  readonly as: "front-matter" | "json" | "yaml" | "lines" | "sections" | "task-status";
  readonly data: Tree;
};

/** A review for people: a file of its own, or a block for each round at the end of a file that others write. */
export type ReviewProjection = {
  readonly file: string;
  readonly as: "review" | "review-block";
  readonly of: string;
};

/** What is put in place when a run is archived, and the folder that is moved away then. */
export type Archive = {
  /** Whose members: each has one text. */
  readonly each: { readonly artifact: string; readonly list: string };
  /** Paths with `{slot}` for the member: its new text, and what that replaces. */
  readonly from: string;
  readonly into: string;
  /** A file that gets an entry: the text under a heading of a document, or of a field. */
  readonly log?: { readonly file: string; readonly artifact: string; readonly name: string };
  readonly folder: string;
  /** `{date}` is the day. */
  readonly to: string;
};

/** A prompt's text and the variables it names, each with its place. */
export type Prompt = { readonly file: string; readonly text: string };

export type Definition = {
  readonly name: string;
  readonly title: string;
  readonly params: Readonly<Record<string, Param>>;
  readonly counters: Readonly<Record<string, Counter>>;
  readonly artifacts: Readonly<Record<string, Artifact>>;
  readonly roles: Readonly<Record<string, Role>>;
  readonly states: Readonly<Record<string, State>>;
  /** In their order; not there where the file has none. */
  readonly stages?: readonly Stage[];
  readonly moves: readonly Move[];
  /** In their order: of those that are open, the first is taken. Not there where the file has none. */
  readonly verbs?: readonly VerbPath[];
  readonly ends: readonly End[];
  readonly asks: Readonly<Record<string, Ask>>;
  readonly prompts: Readonly<Record<string, Prompt>>;
  readonly assertions: readonly Assertion[];
  readonly projections: readonly Projection[];
  /** Not there where the file has none. */
  readonly archive?: Archive;
  /** Where things stand in the file, by `kind.name`; not part of what the definition means. */
  readonly places: Readonly<Record<string, Place>>;
};
