/**
 * Whether a commit has the work of another one, by content.
 *
 * Merging the work would change nothing: that is all that a squash, a rebase or cherry-picks leave to be seen. Of an ancestor git would
 * merge nothing in any case, also where the merge was reverted since; so its changes are merged over the commit that the run began
 * from. Work that changes nothing by itself is contained everywhere, and is a case of its own.
 */

import type { Env } from "../../home/paths.ts";
import { tryGit, type GitCall } from "../call/call.ts";

export type Containment =
  | { readonly type: "absent" }
  /** The work has no changes of its own. */
  | { readonly type: "empty" }
  /** `by` is the commit that brought it. */
  | { readonly type: "contained"; readonly by: string }
  /** `by` merged it, and `undoneBy` took some of its content out again. */
  | { readonly type: "undone"; readonly by: string; readonly undoneBy: string };

export type Ask = (args: readonly string[]) => Promise<{ readonly code: number; readonly out: string }>;

/** `call` reads the objects of both. */
export function asking(env: Env, call: Omit<GitCall, "args">): Ask {
  return async (args) => {
    const { code, out } = await tryGit(env, { ...call, args });
    return { code, out: out.toString("utf8").trim() };
  };
}

export type Ends = {
  readonly work: string;
  /** The commit that the work began from; empty where it began from nothing. */
  readonly base: string;
  readonly target: string;
};

export async function containmentOf(ask: Ask, { work, base, target }: Ends): Promise<Containment> {
  const fork = await ask(["merge-base", work, target]);
  if (fork.code !== 0) return containmentOfStranger(ask, { work, base, target });
  const isAncestor = fork.out === work;
  // Of an ancestor, the fork is the work itself: only where it began says whether it changed anything.
  const before = isAncestor ? base : fork.out;
  if (before !== "" && (await isSameTree(ask, before, work))) return { type: "empty" };
  if (isAncestor) return containmentOfAncestor(ask, { work, base, target });
  const isIn = (commit: string): Promise<boolean> => isIncluded(ask, { work, target: commit });
  if (!(await isIn(target))) return ABSENT;
  return { type: "contained", by: await bringing(ask, { work, target, fork: fork.out }, isIn) };
}

/** They have no commit in common: the history of the target was replaced since the work began. */
async function containmentOfStranger(ask: Ask, { work, base, target }: Ends): Promise<Containment> {
  if (base === "") return ABSENT;
  if (await isSameTree(ask, base, work)) return { type: "empty" };
  const isIn = (commit: string): Promise<boolean> => isIncludedOver(ask, { work, base, target: commit });
  if (!(await isIn(target))) return ABSENT;
  return { type: "contained", by: await bringing(ask, { work, target, fork: work }, isIn) };
}

/** Without a commit that the work began from, only history is asked. */
async function containmentOfAncestor(ask: Ask, { work, base, target }: Ends): Promise<Containment> {
  const isBehind = async (commit: string): Promise<boolean> =>
    (await ask(["merge-base", "--is-ancestor", work, commit])).code === 0;
  const by = await bringing(ask, { work, target, fork: work }, isBehind);
  const isKept = (commit: string): Promise<boolean> => isIncludedOver(ask, { work, base, target: commit });
  if (base === "" || (await isKept(target))) return { type: "contained", by };
  // A merge that was resolved in another way never had it.
  if (!(await isKept(by))) return { type: "undone", by, undoneBy: by };
  const isUndone = async (commit: string): Promise<boolean> => !(await isKept(commit));
  return { type: "undone", by, undoneBy: await earliest(ask, { target, after: by }, isUndone) };
}

const ABSENT: Containment = { type: "absent" };

async function isSameTree(ask: Ask, one: string, other: string): Promise<boolean> {
  const trees = await ask(["rev-parse", `${one}^{tree}`, `${other}^{tree}`]);
  const [a, b] = trees.out.split("\n");
  return trees.code === 0 && a === b;
}

/** Merging the work would change nothing. */
async function isIncluded(ask: Ask, { work, target }: Pick<Ends, "work" | "target">): Promise<boolean> {
  const merged = await ask(["merge-tree", "--write-tree", "--no-messages", target, work]);
  const tree = await ask(["rev-parse", `${target}^{tree}`]);
  return merged.code === 0 && tree.code === 0 && merged.out === tree.out;
}

/** The same as if both had been made on top of the base. */
async function isIncludedOver(ask: Ask, { work, base, target }: Ends): Promise<boolean> {
  const onTop = async (commit: string): Promise<string> =>
    (await ask(["commit-tree", `${commit}^{tree}`, "-p", base, "-m", "to compare"])).out;
  return isIncluded(ask, { work: await onTop(work), target: await onTop(target) });
}

/** The first commit of the target's own line that has it. */
async function bringing(
  ask: Ask,
  { work, target, fork }: Pick<Ends, "work" | "target"> & { readonly fork: string },
  isIn: (commit: string) => Promise<boolean>,
): Promise<string> {
  const commit = await earliest(ask, { target, after: fork }, isIn);
  const parent = await ask(["rev-parse", "--verify", "--quiet", `${commit}^1`]);
  // The target itself has moved to it.
  return parent.out === work ? work : commit;
}

/** The first commit of the target's own line for which it is so: found by halving, since for later ones it mostly is, too. */
export async function earliest(
  ask: Ask,
  { target, after }: { readonly target: string; readonly after: string },
  isSo: (commit: string) => Promise<boolean>,
): Promise<string> {
  const line = (await ask(["rev-list", "--first-parent", target, `^${after}`])).out.split("\n");
  let [has, misses] = [0, line.length];
  while (misses - has > 1) {
    const middle = Math.floor((has + misses) / 2);
    if (await isSo(line[middle] ?? "")) has = middle;
    else misses = middle;
  }
  return line[has] || target;
}

/** Short hash, committer and subject of a commit, for people. */
export async function sayCommit(ask: Ask, commit: string): Promise<{ by: string; text: string }> {
  const { out } = await ask(["log", "-1", "--format=%h%x00%cn%x00%s", commit]);
  const [hash = commit, by = "", subject = ""] = out.split("\0");
  return { by, text: `${hash} "${subject}"` };
}
