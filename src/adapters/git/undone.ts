/**
 * Files of the target that a merge would silently set back to where the work began.
 *
 * A merge keeps what the target changed, because the work did not touch it. That fails where the history of the work has the target's
 * commits and its files do not: after `git reset --soft` to a newer commit, or a merge that kept one side only. Git then takes the old
 * content for what the author wants.
 */

import { gitRecords, type Call } from "./call.ts";
import { asking } from "./containment.ts";
import type { On } from "./own.ts";

export type Merger = {
  /** The commit that the run began from; empty where it began from nothing. */
  readonly base: string;
  readonly target: string;
  readonly work: string;
  /** The tree that the merge gives. */
  readonly tree: string;
};

/** Names of files that the target changed since the base, that the work knows of by its history, and that get the content of the base. */
export async function undoneBy(on: On, call: Omit<Call, "args">, of: Merger): Promise<readonly string[]> {
  const { base, target, work, tree } = of;
  if (base === "") return [];
  const ask = asking(on.env, call);
  const fork = await ask(["merge-base", target, work]);
  if (fork.code !== 0 || fork.out === base) return [];
  // Of a target that was rewritten, the work may have more than the target: that sets nothing back.
  if ((await ask(["merge-base", "--is-ancestor", base, fork.out])).code !== 0) return [];
  const changed = (to: string): Promise<readonly string[]> =>
    gitRecords(on.env, {
      ...call,
      args: ["diff-tree", "-r", "-z", "--name-only", "--no-renames", `${base}^{tree}`, to],
    });
  const known = await changed(`${fork.out}^{tree}`);
  if (known.length === 0) return [];
  const [now, after] = [new Set(await changed(`${target}^{tree}`)), new Set(await changed(tree))];
  return known
    .filter((name) => now.has(name) && !after.has(name))
    .map((name) => Buffer.from(name, "latin1").toString("utf8"));
}
