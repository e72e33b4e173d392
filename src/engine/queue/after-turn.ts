/**
 * What follows a turn that did not bring what its run waits for.
 *
 * A failure that is not the agent's own counts as nothing: the agent goes on later, in the same attempt. What the program says of
 * itself decides when that is, and never a move of the run.
 */

import type { ProgramFailure } from "../../core/model/event.ts";
import type { Park } from "../ports/parks.ts";
import type { Process } from "../ports/process.ts";
import type { JobRow, RunAttempt } from "../ports/registry.ts";
import { agentKey, harnessKey } from "./parks.ts";

export type EndedTurn = {
  readonly agent: RunAttempt;
  readonly killed: JobRow["killed"];
  readonly process: Process;
  readonly failure: ProgramFailure | undefined;
  /** The turns of this attempt, up to this one, that ended one after the other with a failure of this class. */
  readonly times: number;
  readonly harness: string;
  /** What a person types to log in; empty where that is not known. */
  readonly logIn: string;
  /** The next turn would go on with the conversation of this one. */
  readonly isContinued: boolean;
  /** This turn was the one that asked for what was missing. */
  readonly isReminder: boolean;
};

export type Policy =
  /** The end of the agent: its definition counts it. */
  | { readonly type: "over" }
  | { readonly type: "park"; readonly park: Park }
  /** The run needs attention at once. */
  | { readonly type: "attention"; readonly message: string; readonly remedy: string }
  /** The agent is asked once for what is missing. */
  | { readonly type: "remind" };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A quota whose reset time is not known. */
const QUOTA_MINUTES = [15, 30, 60];
/** A service that fails is tried again after these; then the failure counts as a crash. */
const PROVIDER_MINUTES = [1, 5, 15];
const RESET_DAYS_MAX = 7;

const OVER: Policy = { type: "over" };

export function policyAfter(turn: EndedTurn, now: number): Policy {
  const { killed, process, failure, isContinued, isReminder } = turn;
  if (killed !== "" || process.type !== "ended") return OVER;
  if (process.code === 0) return isContinued && !isReminder ? { type: "remind" } : OVER;
  if (failure === undefined) return OVER;
  const { class: kind, message } = failure;
  const account = harnessKey(turn.harness);
  switch (kind) {
    case "quota":
      return park({
        key: account,
        class: kind,
        message,
        until: renewedAt(turn, failure, now),
        at: now,
        next: "",
      });
    case "login":
    case "trust":
      return park({ key: account, class: kind, message, until: 0, at: now, next: nextFor(kind, turn) });
    case "provider": {
      const minutes = PROVIDER_MINUTES[turn.times - 1];
      if (minutes === undefined) return OVER;
      const until = now + minutes * MINUTE_MS;
      return park({ key: agentKey(turn.agent), class: kind, message, until, at: now, next: "" });
    }
    case "configuration":
      return { type: "attention", message, remedy: "correct the settings" };
    case "other":
      return OVER;
  }
}

function park(of: Park): Policy {
  return { type: "park", park: of };
}

function nextFor(kind: "login" | "trust", { harness, logIn }: EndedTurn): string {
  if (kind === "trust") return `start ${harness} in the repository once, and trust the folder`;
  return logIn || `log in to ${harness}`;
}

/** A time that has passed, or is too far away, is a mistake of one of the clocks. */
function renewedAt({ times }: EndedTurn, { resetAt = 0 }: ProgramFailure, now: number): number {
  if (resetAt > now && resetAt <= now + RESET_DAYS_MAX * DAY_MS) return resetAt;
  const minutes = QUOTA_MINUTES[Math.min(times, QUOTA_MINUTES.length) - 1] ?? 15;
  return now + minutes * MINUTE_MS;
}
