import type { Run } from "./run.ts";
import type { Literal } from "./workflow.ts";

/** A path of the definition, with everything in braces filled in. */
export function fillPath(run: Run, file: string, slot = ""): string {
  return file.replaceAll(/\{(run|session|change|slot)\}/g, (_whole, word: string) => {
    if (word === "slot") return nameOf(slot);
    return nameOf(word === "run" ? run.id : (run.params[word] ?? run.id));
  });
}

/** One name in a path: what would be several becomes one that no file can have, and is refused where it is opened. */
function nameOf(value: Literal): string {
  return String(value).replaceAll("/", "\0");
}
