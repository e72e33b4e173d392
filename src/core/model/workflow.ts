/**
 * A workflow as data: the result of parsing a definition and expanding its stages to states and moves.
 *
 * States, moves, gates, counters, roles, artifacts and questions decide what a run does. `stages`, `projections`, `archive` and
 * `places` describe the run for people and for the files that show it. Everything is plain JSON, so that a definition can be
 * hashed, stored and compared. `format` builds it from a file; `core` only reads it.
 */

import type { Artifact, ListName } from "./artifact.ts";
import type { Literal, Value } from "./value.ts";
import type { Verdict } from "./verdict.ts";

/** A position in a file; lines and columns count from 1. */
export type SourcePlace = { readonly file: string; readonly line: number; readonly col: number };

export type Param = ParamKind & {
  /** The path of keys in the settings of the workflow, separated by dots. Default: the parameter's own name. */
  readonly setting?: string;
};

type ParamKind =
  | { readonly type: "int"; readonly min: number; readonly max: number; readonly default: number }
  /** `about` describes each value to people who start a run. */
  | {
      readonly type: "enum";
      readonly values: readonly string[];
      readonly default: string;
      readonly about?: Readonly<Record<string, string>>;
    }
  | { readonly type: "bool"; readonly default: boolean }
  /**
   * Information only: no guard reads it. `set` lists who may change it later; `named` is the text parameter that its name is
   * derived from. A `kept` parameter is set by the run's own moves; only a parent run that creates a child run may start it with
   * another value.
   */
  | {
      readonly type: "text";
      readonly default: string;
      readonly set: readonly string[];
      readonly named?: string;
      readonly kept?: true;
      /** Its value names the run in its repository. At most one parameter of a definition does. */
      readonly identifies?: true;
    };

/** `per` is `run`, `entry` (of any state), a state (its entry), or a scope that a move can start again. */
export type Counter = { readonly max: Value<number>; readonly per: string };

export type Role = {
  readonly session: "fresh" | "persistent";
  readonly access: "read" | "write";
  readonly prompt: string;
  /** The prompt for the second and later attempts. */
  readonly again: string;
  readonly harness: Value<string>;
  readonly model: Value<string>;
  /** How hard the model thinks, as one of `EFFORTS`; empty or missing: as the harness says. */
  readonly effort?: Value<string>;
  readonly minutes: Value<number>;
  readonly stallMinutes: Value<number>;
  /** Artifacts that must exist before the role starts. The prompt refers to them by path. */
  readonly context: readonly string[];
  /** Those artifacts of `context` that may be missing. The prompt then leaves them out. */
  readonly optional?: readonly string[];
  /** Artifacts whose newest archived version the role also gets, until a new version is written. */
  readonly earlier?: readonly string[];
  /** A JSON file that the engine writes before each turn of the role. `{slot}` is replaced by the slot of a fan-out. */
  readonly input?: Input;
};

export type Input = { readonly file: string; readonly data: DataTree };

export type State = {
  readonly final?: "done" | "cancelled" | "failed";
  readonly stage?: string;
  /** The name that people see for this part of the run. */
  readonly phase?: string;
  /** The question that is open while the run is in this state. */
  readonly ask?: string;
  /** Whether the run waits for a person here. */
  readonly waits: boolean;
  readonly title: string;
  /** Actions at every entry, after the actions of the move. */
  readonly enter: readonly Action[];
};

/** A named group of states. Only moves change a run: stages serve people who look at it, and the agents' input. */
export type Stage = {
  readonly name: string;
  /** Whether the stage is part of the run. */
  readonly enabled: Value<boolean>;
  /** Its artifacts; the main result is the last one. */
  readonly makes: readonly string[];
  /** Artifacts that summarise the stage's other artifacts, each written in the state of the same name, if `when` holds. */
  readonly summaries?: readonly { readonly artifact: string; readonly when: Value<boolean> }[];
  /** States in which the stage's last question is open. */
  readonly blocked?: readonly string[];
  /** The phases of all stages, in order, are the schedule. */
  readonly phases?: readonly Phase[];
};

/** One step of a stage, as people see it. Its states say what a run does there. */
export type Phase = {
  readonly id: string;
  readonly title: string;
  /** Several agents or runs, one agent, a review, a command of the engine, a question to a person. */
  readonly type: "dispatch" | "inline" | "review" | "command" | "question";
  /** Artifacts that must be valid when the run leaves the phase. */
  readonly makes: readonly string[];
  /** The states of the phase; the first one is its start. */
  readonly states: readonly string[];
};

export type ArtifactStatus =
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
  | { readonly type: "artifact"; readonly artifact: string; readonly in: readonly ArtifactStatus[] }
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
  /**
   * `from` names the artifact whose texts are used, `without` a parameter with patterns to leave out, `as` a parameter with the
   * name of a tag.
   */
  | {
      readonly type: "perform";
      readonly name: string;
      readonly from?: string;
      readonly without?: string;
      readonly as?: string;
    };

/** A person's intention, the same in every workflow. The definition marks the move or answer that it means. */
export type Verb = (typeof VERBS)[number];

/** In the order that people are offered them: a question of an agent is answered first, and ending the run comes last. */
export const VERBS = ["answer", "accept", "send-back", "retry", "cancel"] as const;

/** Whether a text goes with a move or an answer. */
export type WithText = "none" | "optional" | "required";

/** Marks a move, or a path of several moves, as a verb of people. */
type Marked = {
  readonly verb: Verb;
  readonly text: WithText;
  /** The artifact that the text becomes with the move. */
  readonly into?: string;
  /** The reviewed commit is delivered before the last move. */
  readonly deliver?: true;
};

/** A verb that needs several moves, or that returns to the state that the run came from. */
export type VerbPath = Marked & {
  readonly in: string;
  readonly path: readonly PathStep[];
  readonly at: SourcePlace;
};

/** `origin` is the state that the current one remembers. */
export type PathStep =
  | { readonly type: "state"; readonly state: string }
  | { readonly type: "origin" }
  | { readonly type: "answer"; readonly answer: string };

/** Commands of Signalbox that a workflow can give a name of its own. */
export const CALLS = [
  "create",
  "list",
  "show",
  "next",
  "why",
  "history",
  "follow",
  "logs",
  "attach",
  "start",
  "update",
  "complete",
  "move",
  "accept",
  "send-back",
  "retry",
  "answer",
  "waive",
  "stop",
  "resume",
  "respawn",
  "cancel",
  "delete",
] as const;

/** What a command does where a run waits: a verb of people, or nothing but following the run. */
export const STEPS = [...VERBS, "follow"] as const;

/**
 * A command that a workflow declares. `call` is another name for a command of Signalbox, with options that are always given. `in` has, by
 * state or phase, what a person does there before the run is followed.
 */
export type DeclaredCommand = {
  /** One line for people; empty where the called command says it. */
  readonly about: string;
  /** It can be typed without the name of the workflow. */
  readonly short: boolean;
} & (
  | { readonly call: (typeof CALLS)[number]; readonly with: Readonly<Record<string, string>> }
  | {
      readonly in: Readonly<Record<string, (typeof STEPS)[number]>>;
      /** A run that does not exist is begun. */
      readonly begin: boolean;
    }
);

/** Whether `create` without a workflow begins a run of this one: its own `create` can be typed without its name. */
export function isBegunByDefault({ commands = {} }: Definition): boolean {
  const create = commands["create"];
  return create?.short === true && "call" in create && create.call === "create";
}

/** `from` of a move that creates a run. */
export const START = "start";
/** `to` of a move that returns to the state that the run came from. */
export const ORIGIN = "origin";

export type Move = {
  readonly from: string;
  readonly to: string;
  /** `engine` takes the move by itself when everything holds; `human` and roles request it. */
  readonly by: readonly string[];
  /** The move is taken only when a person answers the state's question with this option (`option` or `option/route`). */
  readonly answer?: string;
  readonly when: readonly Condition[];
  readonly need: readonly string[];
  readonly count: readonly string[];
  readonly renew: readonly string[];
  readonly remember: boolean;
  readonly reserve: readonly string[];
  readonly waive: readonly string[];
  /** New values of text parameters. */
  readonly set?: Readonly<Record<string, Value<string>>>;
  readonly do: readonly Action[];
  /** The verb of people that means this move. */
  readonly mark?: Marked;
  readonly at: SourcePlace;
};

/** What follows the end of an agent: try a move, otherwise count and act. */
export type EndRule = {
  readonly role: string;
  readonly in: string;
  readonly try?: string;
  readonly then: readonly Action[];
  readonly count?: string;
  readonly do: readonly Action[];
  readonly at: SourcePlace;
};

export type AskOption = {
  readonly text: WithText;
  /** The verb of people that means this answer. */
  readonly verb?: Verb;
  readonly routes: readonly string[];
  readonly label: string;
  /** With this answer, the person approves the commands in these artifacts as shown. */
  readonly vouch?: readonly string[];
};

export type AskRule = {
  readonly id: string;
  readonly question: string;
  /** Artifacts whose content the answer is bound to. */
  readonly shows: readonly string[];
  readonly options: Readonly<Record<string, AskOption>>;
  /** The counter for answers that are not one of the options. */
  readonly reask?: string;
  /** A list whose members are answered one by one. Members without an answer are asked again, or cancelled. */
  readonly parts?: ListName & { readonly rest: "ask" | "cancel"; readonly more?: readonly ListName[] };
};

export type Assertion = {
  readonly type: "always" | "never" | "eventually";
  readonly in: readonly string[];
  /** Any of these lists of conditions. */
  readonly when: readonly (readonly Condition[])[];
  readonly unless: readonly (readonly Condition[])[];
  readonly text: string;
  readonly at: SourcePlace;
};

export type DataTree =
  | Literal
  | null
  | {
      readonly from: string | readonly string[];
      readonly cases?: { readonly [word: string]: DataTree };
      readonly else?: DataTree;
    }
  | { readonly join: readonly DataTree[] }
  | { readonly each: string | readonly string[]; readonly give: DataTree }
  | { readonly each: string | readonly string[]; readonly key: string; readonly give: DataTree }
  | readonly DataTree[]
  | { readonly [key: string]: DataTree };

export type Projection = TreeProjection | ReviewProjection;

export type TreeProjection = {
  readonly file: string;
  readonly as: "front-matter" | "json" | "yaml" | "lines" | "sections" | "task-status";
  readonly data: DataTree;
};

/** A review for people: a separate file, or a block for each round at the end of a file that others write. */
export type ReviewProjection = {
  readonly file: string;
  readonly as: "review" | "review-block";
  readonly of: string;
};

/** The files that an archived run installs, and the folder that it moves away. */
export type Archive = {
  /** The list whose members have one text each. */
  readonly each: { readonly artifact: string; readonly list: string };
  /** Paths with `{slot}` for the member: the source of its new text, and the file that the text replaces. */
  readonly from: string;
  readonly into: string;
  /** A file that gets an entry: the text below a heading of a document, or a field. */
  readonly log?: { readonly file: string; readonly artifact: string; readonly name: string };
  readonly folder: string;
  /** `{date}` is the day. */
  readonly to: string;
};

/** A prompt's text and its file. */
export type Prompt = { readonly file: string; readonly text: string };

export type Definition = {
  readonly name: string;
  readonly title: string;
  readonly params: Readonly<Record<string, Param>>;
  readonly counters: Readonly<Record<string, Counter>>;
  readonly artifacts: Readonly<Record<string, Artifact>>;
  readonly roles: Readonly<Record<string, Role>>;
  readonly states: Readonly<Record<string, State>>;
  /** In order; undefined if the file has none. */
  readonly stages?: readonly Stage[];
  readonly moves: readonly Move[];
  /** In order: the first open path is taken. Undefined if the file has none. */
  readonly verbs?: readonly VerbPath[];
  /** By name. Undefined if the file has none. */
  readonly commands?: Readonly<Record<string, DeclaredCommand>>;
  readonly ends: readonly EndRule[];
  readonly asks: Readonly<Record<string, AskRule>>;
  readonly prompts: Readonly<Record<string, Prompt>>;
  readonly assertions: readonly Assertion[];
  readonly projections: readonly Projection[];
  /** Undefined if the file has none. */
  readonly archive?: Archive;
  /** Positions in the file, by `kind.name`. They do not change the meaning of the definition. */
  readonly places: Readonly<Record<string, SourcePlace>>;
};
