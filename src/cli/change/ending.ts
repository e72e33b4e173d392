/** How the work of a door ended, and what is to be typed next. */

import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Door } from "../command.ts";
import type { Followed } from "../../app/story/follow.ts";
import { fitted } from "../fit.ts";
import { sayCause } from "../render/cause.ts";
import { sayTyped } from "../../app/view/decision/choices.ts";
import { sayReads } from "../../app/view/decision/question.ts";
import { commandFor, DOORS, sayPhase, type Doing } from "../../app/change/doors.ts";

/** What `--json` gives. */
export type ChangeData = {
  readonly change: string;
  readonly run: string;
  readonly phase: string;
  readonly state: string;
  readonly status: string;
  readonly ways: readonly string[];
};

type End = Pick<Followed, "exit" | "code" | "message" | "next" | "choices">;

/** Where the door's work is done, that it waits for the next command is no trouble. */
export function endOf(doing: Doing, data: ChangeData, end: Followed): End {
  const isDone = data.phase === DOORS[doing].until || (doing === "reopen" && data.phase === "complete");
  if (!isDone || end.code === "needs-attention" || end.code === "halted") {
    return data.phase === "rejected" ? rejectedEnd(data, end) : end;
  }
  const next = commandFor(data.phase, data.change);
  const message = `${data.change} ${sayPhase(data.phase)} (${data.phase})`;
  if (data.phase === "archived") return { exit: EXIT_OK, code: "ok", message, next: "", choices: [] };
  const document = data.phase === "challenged" ? "proposal.md" : "REVIEW.md";
  const view = { command: `less changes/${data.change}/${document}`, means: "view it" };
  const others = end.choices.filter(
    ({ command }) =>
      command !== next &&
      (!/^signalbox (?:move|accept|cancel) /.test(command) || command.includes("reproposal")),
  );
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    next,
    choices: [
      { command: next, means: data.phase === "challenged" ? "implement it" : "merge its specs" },
      view,
      ...others,
    ],
  };
}

function rejectedEnd({ phase, change }: ChangeData, end: Followed): End {
  const next = commandFor(phase, change);
  const message = `${change} ${sayPhase(phase)} (${phase})`;
  const view = { command: `less changes/${change}/challenge.json`, means: "read why" };
  return {
    ...end,
    message,
    next,
    choices: [
      view,
      { command: next, means: "when its documents were edited" },
      ...end.choices.filter(({ command }) => command !== next),
    ],
  };
}

type Said = Followed & { readonly cause: readonly string[] };

export function sayEnd({ message, choices, reads, next, cause }: Said, { paint, cwd, width }: Door): string {
  const asked = sayCause(cause, width);
  const read = sayReads(reads, cwd).map((line) => `  ${line}\n`);
  const typed = fitted(
    choices.map((choice) => [`  type: ${sayTyped(choice)}`, choice.means]),
    width,
  );
  const more = choices.length === 0 && next !== "" ? `  next: ${next}\n` : "";
  return `${paint.bold(message)}\n${asked.join("")}${read.join("")}${typed}${more}`;
}
