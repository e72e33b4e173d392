/**
 * The events of a run and the effects that they cause.
 *
 * An *incoming* event is a submission or an observation, with its actor, its time and the facts that the edge has read. `step`
 * decides its *consequences*. Consequences contain everything that changes, so a replay decides nothing.
 */

import type { AcceptedReading, Attempt, PartAnswer, PermissionAnswer } from "./run.ts";
import type { IssueCounts, Severity, Tests, Verdict } from "./verdict.ts";
import type { ReviewText } from "./artifact.ts";
import type { Literal } from "./value.ts";
import type { Action, SourcePlace } from "./workflow.ts";

export type Actor =
  | { readonly type: "human"; readonly name?: string }
  | { readonly type: "engine" }
  | ({ readonly type: "agent" } & Attempt);

export type Fault = { readonly at: SourcePlace; readonly reason: string };

export type MovedFolder = { readonly from: string; readonly to: string };

/** The result of one reader for one artifact. The artifact is valid if it was found and has no faults. */
export type Reading = {
  readonly artifact: string;
  /** Empty for an artifact without a fan-out. */
  readonly slot: string;
  readonly found: boolean;
  readonly digest: string;
  readonly faults: readonly Fault[];
  readonly verdict?: Verdict;
  readonly issues?: IssueCounts;
  /** The test counts that a review reports. */
  readonly tests?: Tests;
  /** The verdict as written, with its position, for a review that must be consistent. */
  readonly said?: { readonly word: string; readonly at: SourcePlace };
  /** The texts of a review that a projection shows. The event of the first reading has them; the run does not keep them. */
  readonly review?: ReviewText;
  /** Files named by issues, each with its highest severity. The empty name collects issues without a file. */
  readonly files?: Readonly<Record<string, Severity>>;
  readonly fields: Readonly<Record<string, Literal>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** A folder of the run was moved to another path. */
  readonly moved?: MovedFolder;
  /** The digest of the text that was read. The store keeps the text with the first event that carries the reading. */
  readonly text?: string;
};

/** Facts that the edge collects for an event: readings, the digest of the tree, the resources that are reserved. */
export type Facts = {
  readonly readings?: readonly Reading[];
  readonly tree?: string;
  readonly reserved?: readonly string[];
  /** The run that holds each resource that could not be reserved. */
  readonly taken?: Readonly<Record<string, string>>;
};

/** Artifacts whose text came with the call, by slot key. Such a text counts as new even if it equals the last one. */
type WithTexts = { readonly given?: readonly string[] };

/**
 * Why a turn failed, as its program says. It explains what a person reads and opens no gate: an agent could print the same.
 *
 * `message` is the sentence of the program or its provider. `resetAt` is the time, in milliseconds since 1970, at which a quota is renewed.
 */
export type ProgramFailure = {
  /**
   * *quota*: used up. *login*: not logged in. *trust*: it asks whether the folder is trusted. *configuration*: an unknown model or option.
   * *provider*: its service failed.
   */
  readonly class: "quota" | "login" | "trust" | "configuration" | "provider" | "other";
  readonly message: string;
  readonly resetAt?: number;
};

/** What a turn used, in tokens. `cached` is a part of `input`. */
export type TokenUsage = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Only a part of what the program printed could be read: it used at least this much. */
  readonly isPart?: true;
};

/** In dollars. *reported*: by the program. *estimated*: the tokens at the price of the model. */
export type TurnCost = { readonly usd: number; readonly basis: "reported" | "estimated" };

/**
 * What is known of a turn that is over. What is missing is unknown, and never zero.
 *
 * It explains what a person reads and counts towards budgets; it opens no gate, because an agent could print the same.
 */
export type TurnReport = {
  /** The settings that the turn was started with; empty if unknown. */
  readonly harness: string;
  readonly model: string;
  /** The program's name of the conversation; empty if unknown. */
  readonly conversation: string;
  readonly usage?: TokenUsage;
  readonly cost?: TurnCost;
  /** Wall time in milliseconds. */
  readonly ms: number;
  /** *exited*: by itself. *lost*: nobody knows how. *halted*: a person stopped the run. The others as for an attempt. */
  readonly end: "exited" | "killed" | "timed-out" | "stalled" | "halted" | "lost";
  readonly failure?: ProgramFailure;
  /** Tools that the program did not let the agent use. */
  readonly refused: readonly string[];
};

/** `outdated`: a judge exited by itself, and the work had changed since its start. */
type EndCause = "exited" | "killed" | "timed-out" | "stalled" | "infrastructure" | "outdated";

export type Incoming =
  | ({
      readonly type: "run-started";
      readonly by: Actor;
      readonly at: string;
      readonly run: string;
      readonly definition: string;
      readonly to?: string;
      readonly params: Readonly<Record<string, Literal>>;
    } & Facts &
      WithTexts)
  | ({
      readonly type: "move-asked";
      readonly by: Actor;
      readonly at: string;
      readonly to: string;
      /** States that a person passes through on the way to `to`, in one decision: all moves are taken or none. */
      readonly through?: readonly string[];
      readonly note?: string;
    } & Facts &
      WithTexts)
  | ({
      readonly type: "submitted";
      readonly by: Actor;
      readonly at: string;
      /** Artifacts that the submission is about and that have changed since they were accepted. */
      readonly beside?: readonly Reading[];
    } & Facts &
      WithTexts)
  | ({
      readonly type: "observed";
      readonly at: string;
    } & Facts)
  | ({ readonly type: "agent-started"; readonly at: string } & Attempt)
  | ({
      readonly type: "agent-ended";
      readonly at: string;
      readonly cause: EndCause;
      readonly code?: number;
    } & Attempt &
      Facts)
  /** Recorded once for each turn. It moves nothing. */
  | ({ readonly type: "turn-reported"; readonly at: string; readonly turn: number } & Attempt & TurnReport)
  | {
      readonly type: "answered";
      readonly by: Actor;
      readonly at: string;
      readonly ask: string;
      /** For a question in parts: the answer that results from all parts answered so far. */
      readonly answer: string;
      readonly text?: string;
      readonly shown: string;
      /** Only these parts of the question are answered. */
      readonly parts?: readonly { readonly part: string; readonly answer: string; readonly text?: string }[];
    }
  | {
      readonly type: "waived";
      readonly by: Actor;
      readonly at: string;
      readonly artifact: string;
      readonly reason: string;
      readonly tree?: string;
    }
  | { readonly type: "respawn-asked"; readonly by: Actor; readonly at: string; readonly role: string }
  | {
      readonly type: "param-set";
      readonly by: Actor;
      readonly at: string;
      readonly name: string;
      readonly value: string;
    }
  /** An agent's program asks whether it may use a tool, and waits. `tool` is what *always* allows; `input` is what this call would do. */
  | {
      readonly type: "permission-asked";
      readonly by: Actor;
      readonly at: string;
      readonly id: string;
      readonly tool: string;
      readonly input: string;
    }
  | {
      readonly type: "permission-answered";
      readonly by: Actor;
      readonly at: string;
      readonly id: string;
      readonly answer: PermissionAnswer;
    }
  /** The turn of the agent has ended: no answer reaches it. */
  | ({ readonly type: "permissions-dropped"; readonly at: string } & Attempt);

/** What a move means for the schedule. With `restarts`, the move restarts that stage. */
export type PhaseChange =
  | { readonly type: "begun"; readonly phase: string; readonly restarts?: string }
  | { readonly type: "failed" | "left"; readonly phase: string };

type Consequence =
  /** The work has changed, so waivers for the earlier content are dropped. */
  | { readonly type: "tree-seen"; readonly tree: string; readonly drop: readonly string[] }
  /** An author whose submissions do not count has changed a text. */
  | { readonly type: "artifact-seen"; readonly key: string; readonly digest: string }
  | {
      readonly type: "artifact-read";
      readonly reading: Reading;
      readonly by: string;
      readonly tree: string;
      readonly inputs: Readonly<Record<string, string>>;
      /** The same text was submitted again. */
      readonly again?: boolean;
      /** The reading replaces an accepted text, and does not count itself. */
      readonly accepted?: AcceptedReading;
    }
  /**
   * `rule` is the index of the move in the definition, `reset` lists counters that are set to 0, `renew` lists artifacts that
   * must change from now on.
   */
  | {
      readonly type: "moved";
      readonly rule: number;
      readonly from: string;
      readonly to: string;
      readonly by: string;
      readonly remember: boolean;
      readonly reset: readonly string[];
      readonly renew: readonly string[];
      /** New values of text parameters. */
      readonly set?: Readonly<Record<string, string>>;
      readonly phase?: PhaseChange;
    }
  | {
      readonly type: "counted";
      readonly counter: string;
      readonly value: number;
      readonly renew: readonly string[];
    }
  | ({
      readonly type: "agent-called";
      readonly prompt: string;
      readonly inputs: Readonly<Record<string, string>>;
      /** Digests of the agent's outputs that existed before its start: finding them again at its end proves nothing. */
      readonly seen: Readonly<Record<string, string>>;
      readonly fan?: string;
    } & Attempt)
  | ({ readonly type: "agent-alive" } & Attempt)
  | ({ readonly type: "agent-gone" } & Attempt)
  | ({ readonly type: "agent-dismissed" } & Attempt)
  | ({
      readonly type: "agent-crashed";
      /** The agent was not started: its work would be about these texts, which another author has changed. */
      readonly foreign?: readonly string[];
    } & Attempt)
  /**
   * The end of an agent that does not count as its failure: the machine or terminal was lost, or the work changed during a
   * judge's turn.
   */
  | { readonly type: "infrastructure-lost"; readonly times: number; readonly cause?: "outdated" }
  | { readonly type: "slots-opened"; readonly artifact: string; readonly slots: readonly string[] }
  | {
      readonly type: "slot-settled";
      readonly artifact: string;
      readonly slot: string;
      readonly outcome: "done" | "failed";
    }
  | { readonly type: "question-opened"; readonly ask: string; readonly id: string }
  | { readonly type: "question-repeated"; readonly ask: string; readonly id: string; readonly reason: string }
  /** Other parts are still open. */
  | {
      readonly type: "parts-answered";
      readonly ask: string;
      readonly id: string;
      readonly parts: readonly PartAnswer[];
    }
  | {
      readonly type: "question-closed";
      readonly ask: string;
      readonly id: string;
      readonly answer: string;
      readonly text: string;
      readonly by: string;
      /** All parts, for a question in parts. */
      readonly parts?: readonly PartAnswer[];
    }
  | {
      readonly type: "waiver-given";
      readonly artifact: string;
      readonly reason: string;
      readonly tree: string;
      /** Digests of the artifacts that this artifact is about. The waiver is valid only for them. */
      readonly inputs?: Readonly<Record<string, string>>;
      readonly by: string;
      /** The phase that should have made the artifact. */
      readonly phase?: string;
    }
  /** The answer is empty where nobody gave one: the agent no longer waits. */
  | {
      readonly type: "permission-closed";
      readonly id: string;
      readonly tool: string;
      readonly answer: PermissionAnswer | "";
      readonly by: string;
    }
  /** The result of an attempt that no longer counts. It is recorded and shown, but never applied. */
  | ({ readonly type: "result-kept" } & Attempt);

export type Event = Incoming | Consequence;

/**
 * What the engine must do. The journal identifies each effect by `run:seq:i`. Before a repetition, the engine can look for the
 * result of every effect except messages to agents and questions to people.
 */
export type Effect =
  | ({ readonly type: "start-agent"; readonly prompt: string; readonly fan?: string } & Attempt)
  | ({ readonly type: "stop-agent" } & Attempt)
  | { readonly type: "tell-agent"; readonly role: string; readonly attempt: number; readonly message: string }
  | { readonly type: "run-check"; readonly artifact: string }
  | { readonly type: "start-tasks"; readonly artifact: string; readonly entry: number }
  | { readonly type: "start-next" }
  | { readonly type: "release-resource"; readonly resource: string }
  | { readonly type: "archive-artifacts"; readonly artifacts: readonly string[]; readonly entry: number }
  | { readonly type: "ask-person"; readonly ask: string; readonly id: string }
  /** `tree` is the work for which the gate opened. */
  | (Extract<Action, { type: "perform" }> & { readonly tree: string; readonly entry: number });

export type RefusalCode =
  | "not-in-map"
  | "not-your-role"
  | "gate-not-met"
  | "stale"
  /** The move requires a change since the last verdict, and nothing has changed. */
  | "unchanged"
  | "budget-spent"
  | "waiting-for-person"
  | "finished"
  | "invalid";

export type Refusal = {
  readonly code: RefusalCode;
  readonly message: string;
  /** The position of the problem: in the artifact that fails, or in the definition. */
  readonly at?: SourcePlace;
  /** The one command or act that comes next. */
  readonly next: string;
};
