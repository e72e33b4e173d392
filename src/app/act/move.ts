/** Asking for a move: for `move`, and for everything that is one by another name. */

import type { UserError } from "../../adapters/user-error.ts";
import type { Submission } from "../../engine/submit/write.ts";
import { ask, eventKey, runOf, type Acting, type Done, type Voice } from "../context.ts";
import type { Outcome } from "../outcome.ts";
import type { InputOf } from "../schemas.ts";
import { acknowledge, type Acknowledgement } from "./acknowledged.ts";
import { conflict } from "../refusal.ts";
import { sayWaived } from "./waived.ts";

export type Moving = {
  readonly run: string;
  readonly to: string;
  /** States on the way to it: all moves are taken in one event, or none. */
  readonly through?: readonly string[] | undefined;
  readonly note?: string | undefined;
  readonly key?: string | undefined;
  readonly seq?: number | undefined;
  readonly from?: string | undefined;
  readonly voice?: Voice;
};

export async function askForMove(on: Acting, input: InputOf<"move">): Promise<Outcome<Acknowledgement>> {
  const { run: word, to, note, from, seq } = input;
  const key = eventKey(on, input.key);
  return acknowledge(await moveTo(on, { run: await runOf(on, word), to, note, key, from, seq }));
}

export async function moveTo(on: Acting, moving: Moving): Promise<Done> {
  const { run, to, through = [], note, key, seq, from, voice } = moving;
  const done = await ask(on, {
    run,
    event: ({ kept: _kept, ...known }, by) => ({
      type: "move-asked",
      by,
      to,
      ...(through.length === 0 ? {} : { through }),
      ...(note === undefined ? {} : { note }),
      ...known,
    }),
    ...(key === undefined ? {} : { key }),
    expected: {
      ...(seq === undefined ? {} : { seq }),
      ...(from === undefined ? {} : { state: from }),
    },
    ...(voice === undefined ? {} : { voice }),
    isEnd: await isEndFor(on, run, to),
    refusedAs: (refused) => alreadyThere(refused, to),
  });
  return { ...done, told: [...(await notesOn(on, done)), ...done.told] };
}

/** A person should know what they answer for by the move, and what it does not do although the verb does. */
async function notesOn({ box }: Acting, { run, accepted }: Done): Promise<readonly string[]> {
  if (accepted === undefined) return [];
  const workflow = await box.workflow(accepted.run.definition);
  return accepted.events.flatMap((event) => {
    if (event.type === "waiver-given") return [sayWaived(workflow, accepted.before, event.artifact)];
    const mark = event.type === "moved" ? workflow.definition.moves[event.rule]?.mark : undefined;
    return mark?.deliver === true && event.type === "moved" && event.by === "human"
      ? [`nothing was merged: signalbox accept ${run} delivers the work`]
      : [];
  });
}

async function isEndFor({ who, box }: Acting, run: string, to: string): Promise<boolean> {
  const definition = (await box.store.load(run))?.row.definition;
  if (who.type !== "person" || definition === undefined) return false;
  return (await box.workflow(definition)).definition.states[to]?.final !== undefined;
}

/** Of two who ask for one move, the second finds the run where it wanted it, and by another hand. */
function alreadyThere(
  { run, refusal }: Extract<Submission, { type: "refused" }>,
  to: string,
): UserError | undefined {
  if (run.state !== to || (refusal.code !== "not-in-map" && refusal.code !== "finished")) return undefined;
  return conflict(run.id, `run ${run.id} is in ${to} already: somebody was faster`);
}
