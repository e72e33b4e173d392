/** The question that a run waits with, as a page: what is asked, why, and what can be typed. */

import type { Seen } from "../runs/find.ts";
import { causeOf } from "../view/decision/cause.ts";
import { sayTyped } from "../view/decision/choices.ts";
import { choicesOf, questionOf, sayParts, sayReads } from "../view/decision/question.ts";

/** Empty where nothing is asked. */
export function askingIn(seen: Seen): string {
  const asked = questionOf(seen);
  if (asked === undefined) return "";
  const typed = choicesOf(asked).flatMap((choice) => [sayTyped(choice), `    ${choice.means}`]);
  const about = [...sayReads(asked.reads, ""), ...sayParts({ run: seen.run.id, ...asked })];
  return [[`${asked.id}: ${asked.question}`], causeOf(seen), about, typed]
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}
