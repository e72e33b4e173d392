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
  /** How the earlier turns of this attempt failed since its run last moved, the latest first; undefined where one did not. */
  readonly before: readonly (ProgramFailure["class"] | undefined)[];
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
/** How long a park lasts at least, by how often turns of the attempt were parked: a program that names a near time each time is not believed again. */
const AT_LEAST_MINUTES = [0, 1, 5, 15, 60];
/** So often the turns of an attempt are parked before a person looks. */
const PARKS_MAX = 8;

/** The shell tells a death by signal as a number above this. */
const SIGNALLED = 128;

const OVER: Policy = { type: "over" };

export function policyAfter(turn: EndedTurn, now: number): Policy {
  const { killed, process, failure, isContinued, isReminder } = turn;
  if (killed !== "" || process.type !== "ended") return OVER;
  if (process.code === 0) return isContinued && !isReminder ? { type: "remind" } : OVER;
  // A program that was killed has not ended its turn: what is last in its log may be of anybody.
  if (failure === undefined || process.code > SIGNALLED) return OVER;
  const { class: kind, message } = failure;
  const account = harnessKey(turn.harness);
  const parks = parksBefore(turn) + 1;
  const atLeast = now + minutesOf(AT_LEAST_MINUTES, parks) * MINUTE_MS;
  const times = timesInRow(turn, kind);
  switch (kind) {
    case "quota": {
      if (parks > PARKS_MAX) return tooOften(message);
      const until = Math.max(renewedAt(times, failure, now), atLeast);
      return park({ key: account, class: kind, message, until, at: now, next: "" });
    }
    case "login":
    case "trust":
      return park({ key: account, class: kind, message, until: 0, at: now, next: nextFor(kind, turn) });
    case "provider": {
      const minutes = PROVIDER_MINUTES[times - 1];
      if (minutes === undefined) return OVER;
      if (parks > PARKS_MAX) return tooOften(message);
      const until = Math.max(now + minutes * MINUTE_MS, atLeast);
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

function tooOften(message: string): Policy {
  const why = `${message.replace(/\.$/, "")}; it was parked ${PARKS_MAX} times, and no turn brought anything`;
  return { type: "attention", message: why, remedy: "look at the account and the service of the program" };
}

const PARKED: ReadonlySet<ProgramFailure["class"] | undefined> = new Set([
  "quota",
  "provider",
  "login",
  "trust",
]);

function parksBefore({ before }: EndedTurn): number {
  return before.filter((kind) => PARKED.has(kind)).length;
}

/** How many turns, up to this one, failed in this way one after the other. */
function timesInRow({ before }: EndedTurn, kind: ProgramFailure["class"]): number {
  const other = before.findIndex((each) => each !== kind);
  return (other < 0 ? before.length : other) + 1;
}

/** The last one, from then on. */
function minutesOf(minutes: readonly number[], times: number): number {
  return minutes[Math.min(times, minutes.length) - 1] ?? 0;
}

function nextFor(kind: "login" | "trust", { harness, logIn }: EndedTurn): string {
  if (kind === "trust") return `start ${harness} in the repository once, and trust the folder`;
  return logIn || `log in to ${harness}`;
}

/** A time that has passed, or is too far away, is a mistake of one of the clocks. */
function renewedAt(times: number, { resetAt = 0 }: ProgramFailure, now: number): number {
  if (resetAt > now && resetAt <= now + RESET_DAYS_MAX * DAY_MS) return resetAt;
  return now + minutesOf(QUOTA_MINUTES, times) * MINUTE_MS;
}
