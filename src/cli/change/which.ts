/**
 * Which run is the change that is meant. A change is known by its name in a repository: the same name is the same run, found without looking
 * at any other, until it was dropped. Then the name is free again.
 */

import { UserError } from "../../adapters/user-error.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { idOf } from "../beginning.ts";

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

export function changeNamed(store: Pick<Store, "load">, repo: string, name: string): Change {
  if (!NAME.test(name))
    throw new UserError(
      "bad-change-id",
      `"${name}" is no name for a change: a-z, 0-9 and - are, at most 64 of them, with a letter or a digit at both ends`,
      'signalbox plan add-login "Users can log in"',
    );
  for (let life = 1; life <= LIVES; life += 1) {
    const key = life === 1 ? `change:${name}` : `change:${name}:${life}`;
    const kept = store.load(idOf(repo, key));
    if (kept?.row.status !== "cancelled") return { name, key, kept };
  }
  throw new UserError("too-many-lives", `${name} was dropped ${LIVES} times`, "choose another name");
}
