/**
 * What happens to a run, and what that leads to.
 *
 * An *incoming* event is a submission or an observation, with its actor, its time and the facts the edge has read.
 * Its *consequences* are decided by `step`; they carry everything that changes, so that a replay decides nothing.
 */

import type { Accepted, PartAnswer } from "./run.ts";
import type { IssueCounts, Severity, Tests, Verdict } from "./verdict.ts";
import type { ReviewText } from "./artifact.ts";
import type { Literal } from "./value.ts";
import type { Action, Place } from "./workflow.ts";

export type Actor =
  | { readonly type: "human"; readonly name?: string }
  | { readonly type: "engine" }
  | { readonly type: "agent"; readonly role: string; readonly slot: string; readonly attempt: number };

export type Fault = { readonly at: Place; readonly reason: string };

export type Moved = { readonly from: string; readonly to: string };

/** What one reader found in one artifact. Valid when found and without faults. */
export type Reading = {
  readonly artifact: string;
  /** Empty where there is no fan-out. */
  readonly slot: string;
  readonly found: boolean;
  readonly digest: string;
  readonly faults: readonly Fault[];
  readonly verdict?: Verdict;
  readonly issues?: IssueCounts;
  /** What a review says of the tests. */
  readonly tests?: Tests;
  /** The verdict as it was written, and where, of a review that must agree with itself. */
  readonly said?: { readonly word: string; readonly at: Place };
  /** The words of a review that some file shows. The journal has them where it was taken in first; a run does not carry them along. */
  readonly review?: ReviewText;
  /** Files that the issues are about, each with the highest severity; under the empty name what names none. */
  readonly files?: Readonly<Record<string, Severity>>;
  readonly fields: Readonly<Record<string, Literal>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  /** A folder of the run is somewhere else from here on, with all that is in it. */
  readonly moved?: Moved;
};

/** What the edge knows at the moment of an event: readings, the digest of the tree, resources it holds ready. */
export type Facts = {
  readonly readings?: readonly Reading[];
  readonly tree?: string;
  readonly reserved?: readonly string[];
  /** Of resources that it does not hold ready: the run that has them. */
  readonly taken?: Readonly<Record<string, string>>;
};

/** `outdated`: a judge ended by itself, and the work had changed since it was given to it. */
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
    } & Facts)
  | ({
      readonly type: "move-asked";
      readonly by: Actor;
      readonly at: string;
      readonly to: string;
      readonly note?: string;
    } & Facts)
  | ({
      readonly type: "submitted";
      readonly by: Actor;
      readonly at: string;
      /** Its text came with the call: it is new, also where it says what the last one said. */
      readonly given?: boolean;
      /** Texts that what is handed in is about, and that are others by now than those that were taken in. */
      readonly beside?: readonly Reading[];
    } & Facts)
  | ({
      readonly type: "observed";
      readonly at: string;
    } & Facts)
  | {
      readonly type: "agent-started";
      readonly at: string;
      readonly role: string;
      readonly slot: string;
      readonly attempt: number;
    }
  | ({
      readonly type: "agent-ended";
      readonly at: string;
      readonly role: string;
      readonly slot: string;
      readonly attempt: number;
      readonly cause: EndCause;
      readonly code?: number;
    } & Facts)
  | {
      readonly type: "answered";
      readonly by: Actor;
      readonly at: string;
      readonly ask: string;
      /** Of a question in parts: the one that decides, with what was answered before. */
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
    };

/** What a move means for the schedule. With `restarts`, that stage has begun anew. */
export type PhaseChange =
  | { readonly type: "begun"; readonly phase: string; readonly restarts?: string }
  | { readonly type: "failed" | "left"; readonly phase: string };

type Consequence =
  /** The work has changed: what was waived for it as it was is no longer. */
  | { readonly type: "tree-seen"; readonly tree: string; readonly drop: readonly string[] }
  /** The same work, on its branch now: what was said of the one counts for the other. */
  /** A text was seen in the hands of somebody whose word does not count. */
  | { readonly type: "artifact-seen"; readonly key: string; readonly digest: string }
  | {
      readonly type: "artifact-read";
      readonly reading: Reading;
      readonly by: string;
      readonly tree: string;
      readonly inputs: Readonly<Record<string, string>>;
      /** The same words as before, said again. */
      readonly again?: boolean;
      /** It takes the place of a text that was accepted, and does not count. */
      readonly accepted?: Accepted;
    }
  /** `rule` is the number of the move in the definition, `reset` are counters that begin again at 0, `renew` artifacts that from here on must be new. */
  | {
      readonly type: "moved";
      readonly rule: number;
      readonly from: string;
      readonly to: string;
      readonly by: string;
      readonly remember: boolean;
      readonly reset: readonly string[];
      readonly renew: readonly string[];
      /** Parameters that say this from here on. */
      readonly set?: Readonly<Record<string, string>>;
      readonly phase?: PhaseChange;
    }
  | {
      readonly type: "counted";
      readonly counter: string;
      readonly value: number;
      readonly renew: readonly string[];
    }
  | {
      readonly type: "agent-called";
      readonly role: string;
      readonly slot: string;
      readonly attempt: number;
      readonly prompt: string;
      readonly inputs: Readonly<Record<string, string>>;
      /** What was there already of what this agent is to write: finding it at its end says nothing. */
      readonly seen: Readonly<Record<string, string>>;
      readonly fan?: string;
    }
  | { readonly type: "agent-alive"; readonly role: string; readonly slot: string; readonly attempt: number }
  | { readonly type: "agent-gone"; readonly role: string; readonly slot: string; readonly attempt: number }
  | {
      readonly type: "agent-dismissed";
      readonly role: string;
      readonly slot: string;
      readonly attempt: number;
    }
  | {
      readonly type: "agent-crashed";
      readonly role: string;
      readonly slot: string;
      readonly attempt: number;
      /** It was not started: its work would be about these texts, which somebody else has changed. */
      readonly foreign?: readonly string[];
    }
  /** The end of an agent that does not count against it: the machine or terminal was lost, or the work changed while it judged it. */
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
  /** Others are still open. */
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
      /** Of a question in parts, all of them. */
      readonly parts?: readonly PartAnswer[];
    }
  | {
      readonly type: "waiver-given";
      readonly artifact: string;
      readonly reason: string;
      readonly tree: string;
      /** Texts that the artifact is about: the waiver is for them as they are. */
      readonly inputs?: Readonly<Record<string, string>>;
      readonly by: string;
      /** The phase that would have made it. */
      readonly phase?: string;
    }
  /** A result of an attempt that no longer counts: kept and shown, never applied. */
  | { readonly type: "result-kept"; readonly role: string; readonly slot: string; readonly attempt: number };

export type Event = Incoming | Consequence;

/**
 * What the world must do, keyed by the journal as `run:seq:i`. Telling an agent and asking a person cannot be looked for
 * before they are repeated; all others can.
 */
export type Effect =
  | {
      readonly type: "start-agent";
      readonly role: string;
      readonly slot: string;
      readonly attempt: number;
      readonly prompt: string;
      readonly fan?: string;
    }
  | { readonly type: "stop-agent"; readonly role: string; readonly slot: string; readonly attempt: number }
  | { readonly type: "tell-agent"; readonly role: string; readonly attempt: number; readonly message: string }
  | { readonly type: "run-check"; readonly artifact: string }
  | { readonly type: "start-tasks"; readonly artifact: string; readonly entry: number }
  | { readonly type: "start-next" }
  | { readonly type: "release-resource"; readonly resource: string }
  | { readonly type: "archive-artifacts"; readonly artifacts: readonly string[]; readonly entry: number }
  | { readonly type: "ask-person"; readonly ask: string; readonly id: string }
  /** `tree` is the work that the gate was passed for. */
  | (Extract<Action, { type: "perform" }> & { readonly tree: string; readonly entry: number });

export type RefusalCode =
  | "not-in-map"
  | "not-your-role"
  | "gate-not-met"
  | "stale"
  /** It is open only for what has changed since it was judged, and nothing has. */
  | "unchanged"
  | "budget-spent"
  | "waiting-for-person"
  | "finished"
  | "invalid";

export type Refusal = {
  readonly code: RefusalCode;
  readonly message: string;
  /** Where to look: in the artifact that fails, or in the definition. */
  readonly at?: Place;
  /** The one next thing to do. */
  readonly next: string;
};
