/**
 * What a question is about, as a short word that a person can repeat.
 *
 * Whoever looks sees the word; whoever answers with it is refused when something else is shown by now.
 */

import type { Workflow } from "../../../core/model/compile.ts";
import type { Run } from "../../../core/model/run.ts";
import { shownBy } from "../../../core/step/events/answer.ts";
import { sha256 } from "../../../format/sha256.ts";

const LENGTH = 8;

/** Empty where the question shows nothing. */
export function shownWord(workflow: Workflow, run: Run): string {
  const { question } = run;
  const shown = question === undefined ? "" : shownBy(workflow, run, question.ask);
  if (shown === "") return "";
  return sha256(shown).slice(0, LENGTH);
}
