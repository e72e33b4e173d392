/** The run replaces words in braces in a path; an unknown word would become part of the file name. */

import type { Path } from "../../problem.ts";
import { closest } from "../../../core/text/closest.ts";
import { report, type BuildContext } from "../build/context.ts";

const FILLED = ["session", "run", "change"] as const;

export function isFilledIn(word: string): boolean {
  return FILLED.some((each) => each === word);
}

export function checkFile(
  context: BuildContext,
  file: string,
  {
    path,
    isEach,
    isDated = false,
  }: { readonly path: Path; readonly isEach: boolean; readonly isDated?: boolean },
): void {
  const known = [...FILLED, ...(isEach ? ["slot"] : []), ...(isDated ? ["date"] : [])];
  for (const [whole, word = ""] of file.matchAll(/\{([^{}]*)\}/g)) {
    if (known.some((each) => each === word)) continue;
    const near = closest(word, known);
    const message =
      word === "slot"
        ? `{slot} is a member of a fan-out: only an artifact with "each" or "every" has it`
        : `nothing fills in ${whole}: a path may have ${known.map((each) => `{${each}}`).join(", ")}`;
    report(context, context.placeOf(path), {
      code: "unknown-placeholder",
      message,
      suggestion: near === undefined || word === "slot" ? undefined : `{${near}}`,
    });
  }
}
