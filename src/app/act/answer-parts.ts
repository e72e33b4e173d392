/** Answers to parts of a question as they are typed: `--part N=VALUE`, or `--part "N=VALUE: TEXT"`. */

import { UserError } from "../../adapters/user-error.ts";
import { answeredParts, decisive, partsOf } from "../../core/gates/question-parts.ts";
import type { Answering } from "./answer-with.ts";
import type { Seen } from "../runs/find.ts";
import { EXIT_NOT_YOURS } from "../exit-codes.ts";

type InParts = Required<Pick<Answering, "value">> & { readonly parts: NonNullable<Answering["parts"]> };

/** What is answered, and which answer that comes to with what was answered before. */
export function answeredIn({ workflow, run }: Seen, typed: readonly string[]): InParts {
  const ask = run.question?.ask ?? "";
  const known = partsOf(workflow, run, ask);
  if (known.length === 0)
    throw new UserError("not-in-map", `run ${run.id} asks nothing in parts now`, {
      next: `signalbox show ${run.id}`,
      exit: EXIT_NOT_YOURS,
    });
  const parts = typed.map((one) => partIn(one, known, run.id));
  const given = parts.map((each) => ({ by: "", ...each, text: each.text ?? "" }));
  const declared = workflow.definition.asks[ask];
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
