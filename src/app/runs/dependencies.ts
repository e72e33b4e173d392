/** Tasks that must be done before another one starts: of the same project, and never in a circle. */

import { UserError } from "../../adapters/user-error.ts";
import { dependencyProblem } from "../../engine/queue/position.ts";
import type { Acting } from "../context.ts";
import { taskOf } from "./task.ts";

const HELP = "signalbox create --help";

/** Whole ids, out of what was typed: several options, or several ids in one, with commas between them. */
export async function dependenciesOf(
  on: Acting,
  of: { readonly given: readonly string[]; readonly repo: string; readonly run: string },
): Promise<string[]> {
  const { store } = on.box;
  const words = of.given.flatMap((each) => each.split(",")).map((word) => word.trim());
  const ids = [...new Set(await Promise.all(words.map((word) => named(on, word))))];
  const problem = await dependencyProblem(store, of, ids);
  if (problem === undefined) return ids;
  throw new UserError(problem.code, problem.message, "signalbox list --all");
}

async function named(on: Acting, word: string): Promise<string> {
  if (word === "") throw new UserError("bad-usage", "--depends-on needs the id of a task", HELP);
  return taskOf(on, word);
}
