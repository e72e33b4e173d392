/** One event that answers the open question of a run: for `answer`, and for every verb and option that means an answer. */

import type { UserError } from "../../adapters/user-error.ts";
import type { Incoming } from "../../core/model/event.ts";
import { shownBy } from "../../core/step/events/answer.ts";
import type { Submission } from "../../engine/submit/write.ts";
import { ask, voiceOf, type Acting, type Done } from "../context.ts";
import type { Seen } from "../runs/find.ts";

export type Answering = {
  /** As it was looked at: the answer is about what the question shows there. */
  readonly seen: Seen;
  readonly value: string;
  readonly text?: string | undefined;
  readonly key?: string | undefined;
  /** Only these parts are answered; `value` is what they come to. */
  readonly parts?: Extract<Incoming, { type: "answered" }>["parts"];
  readonly refusedAs?: (refused: Extract<Submission, { type: "refused" }>) => UserError | undefined;
};

export async function answerWith(
  on: Acting,
  { seen, value, text, key, parts, refusedAs }: Answering,
): Promise<Done> {
  const { workflow, run } = seen;
  const shown = run.question === undefined ? "" : shownBy(workflow, run, run.question.ask);
  return ask(on, {
    run: run.id,
    voice: await voiceOf(on, run.id),
    ...(key === undefined ? {} : { key }),
    facts: {},
    event: ({ at }, by) => ({
      type: "answered",
      by,
      at,
      ask: run.question?.ask ?? "",
      answer: value,
      shown,
      ...(text === undefined ? {} : { text }),
      ...(parts === undefined ? {} : { parts }),
    }),
    ...(refusedAs === undefined ? {} : { refusedAs }),
  });
}
