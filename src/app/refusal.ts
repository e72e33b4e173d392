/** Refusals as failures of a command: every kind has its exit code. */

import { shownPath } from "../core/text/run-files.ts";
import { UserError } from "../adapters/user-error.ts";
import type { Refusal, RefusalCode } from "../core/model/event.ts";
import type { Run } from "../core/model/run.ts";
import { fillPath } from "../engine/submit/place.ts";
import type { Submission } from "../engine/submit/write.ts";
import { EXIT_CONFLICT, EXIT_GATE, EXIT_NOT_YOURS, EXIT_USAGE, EXIT_WAITING } from "./exit-codes.ts";

const EXIT_OF: Readonly<Record<RefusalCode, number>> = {
  "not-in-map": EXIT_NOT_YOURS,
  "not-your-role": EXIT_NOT_YOURS,
  finished: EXIT_NOT_YOURS,
  "gate-not-met": EXIT_GATE,
  stale: EXIT_GATE,
  unchanged: EXIT_GATE,
  "budget-spent": EXIT_GATE,
  "waiting-for-person": EXIT_WAITING,
  invalid: EXIT_USAGE,
};

export function refused(
  submission: Extract<Submission, { type: "refused" | "conflict" | "unknown" }>,
  run: string,
): UserError {
  switch (submission.type) {
    case "refused":
      return refusal(submission.refusal, submission.run);
    case "conflict":
      return conflict(run, submission.message);
    case "unknown":
      return new UserError("unknown-run", `there is no run "${run}"`, "signalbox list --all");
  }
}

/** Paths are those of the run, where it is known. Where something is wrong in a file, its place belongs to the sentence. */
export function refusal({ code, message, next, at }: Refusal, run?: Run): UserError {
  const words = run === undefined ? message : fillPath(run, message, "*");
  const told = at === undefined ? words : `${words} (${shownPath(at.file)}:${at.line}:${at.col})`;
  return new UserError(code, told, { next, exit: EXIT_OF[code], ...(at === undefined ? {} : { at }) });
}

export function conflict(run: string, message: string): UserError {
  return new UserError("conflict", message, { next: `signalbox show ${run}`, exit: EXIT_CONFLICT });
}
