/** Tasks that must be done before another one starts: of the same project, and never in a circle. */

import { UserError } from "../../adapters/user-error.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Acting } from "../acting.ts";
import { taskOf } from "./which.ts";

const HELP = "signalbox task create --help";

/** Whole ids, out of what was typed: several options, or several ids in one, with commas between them. */
export function dependenciesOf(
  on: Acting,
  of: { readonly given: readonly string[]; readonly repo: string; readonly run: string },
): string[] {
  const { store } = on.box;
  const words = of.given.flatMap((each) => each.split(",")).map((word) => word.trim());
  const ids = [...new Set(words.map((word) => named(on, word)))];
  for (const id of ids) {
    const row = store.load(id)?.row;
    if (row !== undefined && row.repo !== of.repo)
      throw new UserError(
        "other-project",
        `${id} is a task of another repository, ${row.repo}, and nothing here can wait for it`,
        "signalbox task list --all",
      );
    if (of.run !== "" && reaches(store, id, of.run))
      throw new UserError(
        "circle",
        id === of.run
          ? `${id} cannot wait for itself`
          : `${id} waits for ${of.run}: neither would ever start`,
        `signalbox task show ${id}`,
      );
  }
  return ids;
}

function named(on: Acting, word: string): string {
  if (word === "") throw new UserError("bad-usage", "--depends-on needs the id of a task", HELP);
  return taskOf(on, word);
}

function reaches(store: Store, from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === to) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...store.depends(id));
  }
  return false;
}
