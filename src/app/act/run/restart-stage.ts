/**
 * A person has a run begin again somewhere: by the answer to its question, or by a move to where that is asked, and the answer there.
 *
 * Both are ordinary acts. Whoever dies in between leaves a run that waits with its question, and typing the same again goes on.
 */

import { failpoint } from "../../../adapters/failpoint.ts";
import { requirePerson } from "../../../adapters/person/who.ts";
import { UserError } from "../../../adapters/user-error.ts";
import { positionOf, waysBack, type WayBack } from "../../../core/explain/ways-back.ts";
import { scheduleOf } from "../../../core/model/compile.ts";
import { finished } from "../../../core/step/refuse.ts";
import type { Acting } from "../../context.ts";
import { answerWith } from "../question/answer-with.ts";
import { isFinished, type Seen } from "../../runs/find.ts";
import { EXIT_NOT_YOURS } from "../../exit-codes.ts";
import { seenOf } from "../../runs/load.ts";
import { moveTo } from "../move.ts";
import { refusal } from "../../refusal.ts";

/** What can be asked for, each with the answer of its own that some questions have. */
const BACK = {
  "from-phase": "",
  "retry-failed": "retry",
  "restart-stage": "restart",
  "restart-previous": "restart-previous",
} as const;

type Back = { readonly how: keyof typeof BACK; readonly phase: string };

/** Gives the answer. */
export async function goBack(on: Acting, id: string, back: Back): Promise<string> {
  const seen = await seenOf(on, id);
  const { run, workflow, row } = seen;
  if (isFinished(row)) throw refusal(finished(run));
  const own = BACK[back.how];
  const asked = workflow.definition.asks[run.question?.ask ?? ""]?.options ?? {};
  if (own !== "" && Object.hasOwn(asked, own)) return answered(on, seen, own);
  const phase = back.how === "from-phase" ? back.phase : phaseFor(seen, back);
  // Other answers of the same question are decisions, and not ways back.
  const phases = phasesIn(seen);
  if (phases.has(phase) && Object.hasOwn(asked, phase)) return answered(on, seen, phase);
  const ways = waysBack(workflow, run, {
    by: requirePerson(on.who).actor,
    at: new Date(on.box.clock.now()).toISOString(),
  });
  const options = ways.filter(({ option }) => phases.has(option));
  const through = options.find(({ option }) => option === phase)?.through;
  if (through === undefined) throw noWay(seen, phase, options);
  await moveTo(on, { run: id, to: through, from: run.state, note: `to begin again in ${phase}` });
  failpoint("resume.between-move-and-answer");
  return answered(on, await seenOf(on, id), phase);
}

function phaseFor(seen: Seen, { how }: Back): string {
  const position = positionOf(seen.workflow, seen.run);
  if (position === undefined) throw nowhere(seen, `is in no stage, so --${how} means nothing for it`);
  if (how !== "restart-previous") return how === "retry-failed" ? position.phase : position.first;
  if (position.previous !== "") return position.previous;
  throw nowhere(seen, `is in ${position.stage}, and no stage comes before that`);
}

function phasesIn({ workflow: { definition } }: Seen): ReadonlySet<string> {
  return new Set(scheduleOf(definition).map(({ phase }) => phase.id));
}

async function answered(on: Acting, seen: Seen, value: string): Promise<string> {
  await answerWith(on, { seen, value });
  return value;
}

function noWay({ run }: Seen, phase: string, ways: readonly WayBack[]): UserError {
  const options = ways.map(({ option }) => option);
  const list = options.length === 0 ? "no way leads back from there" : `there are ${options.join(", ")}`;
  return new UserError("not-in-map", `run ${run.id} in ${run.state} cannot go to "${phase}"; ${list}`, {
    next: options.length === 0 ? `signalbox why ${run.id}` : `signalbox resume ${run.id} --from-phase PHASE`,
    exit: EXIT_NOT_YOURS,
  });
}

function nowhere({ run }: Seen, what: string): UserError {
  return new UserError("not-in-map", `run ${run.id} ${what}`, {
    next: `signalbox why ${run.id}`,
    exit: EXIT_NOT_YOURS,
  });
}
