/**
 * Which run is the change that is meant. A change is known by its name in a repository: the same name is the same run, found without looking
 * at any other, until it was dropped. Then the name is free again.
 */

import { dirname } from "node:path";
import { UserError } from "../../adapters/user-error.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { idOf } from "../start/run-id.ts";

/** The workflow that these commands are about. */
export const WORKFLOW = "change";

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
/** So often may a name be dropped and taken again. */
const LIVES = 1000;

export type Change = {
  readonly name: string;
  /** The key that its run is begun with. */
  readonly key: string;
  readonly kept: Kept | undefined;
};

/** The run that is called so in a folder or in one above it; where the name was dropped, the one that had it last. */
export function runOfName(store: Pick<Store, "load">, cwd: string, name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const { kept, last } = lifeOf(store, folder, name);
    const found = kept?.run.id ?? last;
    if (found !== undefined || folder === dirname(folder)) return found;
  }
}

export function changeNamed(store: Pick<Store, "load">, repo: string, name: string): Change {
  if (!NAME.test(name))
    throw new UserError(
      "bad-change-id",
      `"${name}" is no name for a change: a-z, 0-9 and - are, at most 64 of them, with a letter or a digit at both ends`,
      'signalbox plan add-login "Users can log in"',
    );
  const { key, kept } = lifeOf(store, repo, name);
  if (key !== "") return { name, key, kept };
  throw new UserError("too-many-lives", `${name} was dropped ${LIVES} times`, "choose another name");
}

/** Whether a run is what a door finds by this name, in one of its lives. */
export function isRunOfName(
  { id, repo }: { readonly id: string; readonly repo: string },
  name: string,
): boolean {
  if (!NAME.test(name)) return false;
  for (let life = 1; life <= LIVES; life += 1) if (idOf(repo, keyOf(name, life)) === id) return true;
  return false;
}

function keyOf(name: string, life: number): string {
  return life === 1 ? `change:${name}` : `change:${name}:${life}`;
}

type Life = {
  /** Empty where all are used up. */
  readonly key: string;
  /** The run of this life; undefined where the name is free. */
  readonly kept: Kept | undefined;
  /** The run of the life before. */
  readonly last: string | undefined;
};

function lifeOf(store: Pick<Store, "load">, repo: string, name: string): Life {
  let last: string | undefined;
  for (let life = 1; life <= LIVES; life += 1) {
    const key = keyOf(name, life);
    const kept = store.load(idOf(repo, key));
    if (kept?.row.status !== "cancelled") return { key, kept, last };
    last = kept.run.id;
  }
  return { key: "", kept: undefined, last };
}
