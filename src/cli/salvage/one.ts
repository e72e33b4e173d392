/** The salvage that somebody names: a run, the beginning of its name, its branch, or something in quarantine that no run is known for. */

import { basename } from "node:path";
import type { On } from "../../adapters/git/own.ts";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/closest.ts";
import type { Store } from "../../engine/ports/store.ts";
import { findAll, type Found } from "./find.ts";
import type { Door } from "../command.ts";
import { repoHere } from "../project/which.ts";

const LISTED = 10;

export type Naming = {
  readonly on: On;
  readonly store: Store | undefined;
  readonly door: Door;
};

export async function salvageNamed({ on, store, door }: Naming, word: string): Promise<Found> {
  // Also where the journal knows nothing of it: the repository that somebody stands in.
  const here = repoHere(store, door.cwd);
  const { found, others } = await findAll({ on, store, also: here === undefined ? [] : [here] });
  const named = word === "" ? [] : found;
  const begun = named.filter(({ run }) => run.startsWith(word));
  const like =
    begun.length > 0 ? begun : named.filter(({ repo, branch }) => repo === here && branch === word);
  const exact = like.find(({ run }) => run === word) ?? (like.length === 1 ? like[0] : undefined);
  if (exact !== undefined) return exact;
  const other = others.find(({ path }) => basename(path) === word);
  if (other !== undefined)
    return {
      run: word,
      row: undefined,
      repo: "",
      commonDir: "",
      branch: "",
      base: "",
      ref: "",
      forgotten: "",
      stranded: "",
      kept: [],
      aside: [other],
      at: other.at,
    };
  if (like.length > 1)
    throw new UserError(
      "ambiguous-run",
      `"${word}" may be ${like
        .slice(0, LISTED)
        .map(({ run }) => run)
        .join(", ")}${like.length > LISTED ? " and more" : ""}`,
      begun.length > 0 ? "give more of its name" : "give the run's own name",
    );
  throw unknown(word, { store, found });
}

function unknown(
  word: string,
  { store, found }: { readonly store: Store | undefined; readonly found: readonly Found[] },
): UserError {
  const next = "signalbox salvage list --all";
  const [run] = word === "" ? [] : (store?.idsLike(word, 1) ?? []);
  const workspace = run === undefined ? undefined : store?.workspace(run);
  if (run !== undefined && workspace?.status === "bound")
    return new UserError(
      "no-salvage",
      `nothing was kept of run ${run} yet: its work is still in ${workspace.path}`,
      `signalbox show ${run}`,
    );
  if (run !== undefined)
    return new UserError("no-salvage", `nothing was kept of run ${run}: all its work is on its branch`, next);
  const near = closest(
    word,
    found.map((each) => each.run),
  );
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return new UserError("unknown-salvage", `nothing was kept of "${word}"${hint}`, next);
}
