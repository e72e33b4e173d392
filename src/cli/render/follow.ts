/** What commands print that follow a run: each line as it happens, and at the end where the run is and what you can type. */

import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { Emit, Outcome, Stream } from "../../app/outcome.ts";
import type { Followed } from "../../app/story/follow.ts";
import { sayTyped } from "../../app/view/decision/choices.ts";
import { sayReads } from "../../app/view/decision/question.ts";
import { answerOf } from "../acted.ts";
import type { Answer, Door } from "../command.ts";
import { fitted, sayCause, wrapped } from "../fit.ts";

/** Behind the time of day. */
const HANGING = 10;

/** What the document at the end says of a run that is not followed. */
export const NOT_FOLLOWED = { ways: [], choices: [], reads: [] };

type FollowedRun = {
  readonly follow: NonNullable<Outcome<unknown>["follow"]>;
  /** What the document says of the run, besides where it is. */
  readonly about: () => Promise<object> | object;
};

/** Programs get one document, at the end. */
export function followStream(door: Door, { options }: Given, { follow, about }: FollowedRun): Stream {
  const [isJson, isQuiet] = [options["json"] !== undefined, options["quiet"] !== undefined];
  return async (emit, signal) => {
    const each: Emit =
      isJson || isQuiet
        ? () => undefined
        : (piece) => emit({ ...piece, text: wrapped(piece.text, door.width, HANGING) });
    const end = await follow(each, signal);
    const { exit, code, message, state, status, seq, ways, choices, reads, next } = end;
    const data = { state, status, seq, ...(await about()), ways, choices, reads };
    const document = { ok: exit === EXIT_OK, code, message, ...data, next };
    emit({ text: isQuiet ? "" : sayEnd(end, door), data: document });
    return exit;
  };
}

/** `text` comes first; what to type next is said at the end. */
export function followedAnswer(
  outcome: Outcome<{ readonly run: string; readonly workflow: string }>,
  { given, door, text }: { readonly given: Given; readonly door: Door; readonly text: string },
): Answer {
  const { follow, data } = outcome;
  const { run, workflow } = data;
  const answer = answerOf({ ...outcome, next: "" }, () => text);
  return follow === undefined
    ? answer
    : { ...answer, stream: followStream(door, given, { follow, about: () => ({ run, workflow }) }) };
}

function sayEnd(
  { message, asked, choices, reads, left, next }: Followed,
  { paint, cwd, width }: Door,
): string {
  const questions = sayCause(asked, width);
  const read = sayReads(reads, cwd).map((line) => `  ${line}\n`);
  const rows = left.rows.map(([what, said]) => `  ${what}: ${said}\n`);
  const all = [...choices, ...left.choices];
  const typed = fitted(
    all.map((choice) => [`  type: ${sayTyped(choice)}`, choice.means]),
    width,
  );
  const more = choices.length === 0 ? `  next: ${next}\n` : "";
  return `${paint.bold(wrapped(message, width))}\n${[...questions, ...read, ...rows].join("")}${typed}${more}`;
}
