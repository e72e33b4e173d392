/** Ending a run early: by what its workflow marks as cancelling, or else by the move of a person that leads to such an end. */

import { UserError } from "../../../adapters/user-error.ts";
import { targetOf } from "../../../core/gates/gate.ts";
import { finished } from "../../../core/step/refuse.ts";
import { why } from "../../../core/explain/why.ts";
import { answeredBefore, eventKey, runOf, type Acting } from "../../context.ts";
import { EXIT_NOT_YOURS } from "../../exit-codes.ts";
import { refusal } from "../../refusal.ts";
import type { InputOf } from "../../schemas.ts";
import { seenOf } from "../../runs/load.ts";
import type { Seen } from "../../runs/find.ts";
import { answerCommand } from "../../view/decision/question.ts";
import { acknowledge } from "../acknowledged.ts";
import { moveTo } from "../move.ts";
import { requireEntry } from "../one-decision.ts";
import { carryOut, hasVerb, type VerbOutcome } from "../verbs.ts";

/** An agent cannot move its run more often than this while one command is carried out. */
const TRIES_MAX = 5;

/** A person who does not say which state they saw cancels the run as it is: a move by an agent at that moment is no reason to refuse. */
export async function cancel(on: Acting, input: InputOf<"cancel">): Promise<VerbOutcome> {
  for (let tries = 1; ; tries += 1)
    try {
      return await cancelOnce(on, input);
    } catch (error) {
      const isConflict = error instanceof UserError && error.code === "conflict";
      if (!isConflict || input.entry !== undefined || tries === TRIES_MAX) throw error;
    }
}

async function cancelOnce(
  on: Acting,
  { run: word, text, entry, key: given }: InputOf<"cancel">,
): Promise<VerbOutcome> {
  const run = await runOf(on, word);
  const key = eventKey(on, given);
  const seen = await seenOf(on, run);
  const isKnown = (await answeredBefore(on, run, key)) !== undefined;
  if (isKnown || hasVerb(seen, "cancel")) return carryOut(on, { verb: "cancel", run, text, entry, key });
  requireEntry(seen, entry);
  return acknowledge(await moveTo(on, { run, to: targetFrom(seen), note: text, key }));
}

function targetFrom({ workflow, run }: Seen): string {
  const { definition, movesFrom } = workflow;
  if (definition.states[run.state]?.final !== undefined) throw refusal(finished(run));
  // Where a workflow knows no such end, giving up is the one that is left.
  const early = (["cancelled", "failed"] as const).flatMap((final) =>
    (movesFrom[run.state] ?? []).filter(
      ({ by, to }) => by.includes("human") && definition.states[to]?.final === final,
    ),
  );
  const asked = early.filter(({ answer }) => answer === undefined);
  const open = new Set(why(workflow, run).flatMap((way) => (way.open ? way.to : [])));
  // Where none is open, the first says what it needs.
  const move = asked.find((one) => open.has(targetOf(run, one))) ?? asked[0];
  if (move !== undefined) return targetOf(run, move);
  // Some states are left only by answering.
  const answer = early[0]?.answer;
  const end = why(workflow, run).find(
    (way) => way.open && way.by.includes("human") && definition.states[way.to]?.final !== undefined,
  );
  const other = end === undefined ? `signalbox why ${run.id}` : `signalbox move ${run.id} ${end.to}`;
  const next = answer === undefined ? other : answerCommand(workflow, run, answer);
  const how = answer === undefined ? "no move of a person ends" : "only an answer ends";
  throw new UserError("not-in-map", `${how} the run early from ${run.state}`, { next, exit: EXIT_NOT_YOURS });
}
