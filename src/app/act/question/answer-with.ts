/** One event that answers the open question of a run: for `answer`, and for every verb and option that means an answer. */

import { UserError } from "../../../adapters/user-error.ts";
import { answeredParts, decisive, partsOf } from "../../../core/gates/question-parts.ts";
import type { Incoming } from "../../../core/model/event.ts";
import { shownBy } from "../../../core/step/events/answer.ts";
import type { Submission } from "../../../engine/submit/write.ts";
import { ask, voiceOf, type Acting, type Done } from "../../context.ts";
import { EXIT_NOT_YOURS } from "../../exit-codes.ts";
import type { Seen } from "../../runs/find.ts";

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
    // A question that was opened again is another one, also where it shows the same.
    expected: { entry: run.entry },
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

/** Answers to parts of a question as they are typed: `N=VALUE`, or `N=VALUE: TEXT`. */
type InParts = Required<Pick<Answering, "value">> & { readonly parts: NonNullable<Answering["parts"]> };

/** What is answered, and which answer that comes to with what was answered before. */
export function answeredIn({ workflow, run }: Seen, typed: readonly string[]): InParts {
  const name = run.question?.ask ?? "";
  const known = partsOf(workflow, run, name);
  if (known.length === 0)
    throw new UserError("not-in-map", `run ${run.id} asks nothing in parts now`, {
      next: `signalbox show ${run.id}`,
      exit: EXIT_NOT_YOURS,
    });
  const parts = typed.map((one) => partIn(one, known, run.id));
  const given = parts.map((each) => ({ by: "", ...each, text: each.text ?? "" }));
  const declared = workflow.definition.asks[name];
  const all = answeredParts(known, run.question?.parts ?? [], given);
  return { parts, value: declared === undefined ? "" : decisive(declared, all) };
}

function partIn(typed: string, known: readonly string[], run: string): InParts["parts"][number] {
  const [, number = "", answer = "", text = ""] = /^(\d+)=([^:]*)(?::\s*(.*))?$/s.exec(typed) ?? [];
  const part = known[Number(number) - 1];
  if (number === "" || answer.trim() === "")
    throw new UserError("bad-usage", `"${typed}" is no N=VALUE`, "signalbox answer --help");
  if (part === undefined)
    throw new UserError(
      "bad-usage",
      `there is no part ${number}: there ${known.length === 1 ? "is one" : `are ${known.length}`}`,
      {
        next: `signalbox show ${run}`,
      },
    );
  return { part, answer: answer.trim(), ...(text === "" ? {} : { text }) };
}
