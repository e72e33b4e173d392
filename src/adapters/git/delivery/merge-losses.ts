/**
 * What a merge without conflicts would lose, of the target or of the work.
 *
 * Of the target, files that would be set back to where the work began. A merge keeps what the target changed, because the work did not touch it. That fails where the history of the work has the target's
 * commits and its files do not: after `git reset --soft` to a newer commit, or a merge that kept one side only. Git then takes the old
 * content for what the author wants.
 *
 * Of the work, what an earlier handover brought to the target and the target took out again. Git does not merge commits twice: it takes
 * the target's content for what the author wants.
 */

import { gitRecords, type Call } from "../call/call.ts";
import { mirrorOf } from "../mirror/names.ts";
import { refsOfRun } from "../mirror/run-refs.ts";
import { textOfName } from "../snapshot/paths.ts";
import type { Git } from "../workspace/bench.ts";
import { asking, containmentOf, earliest, type Ask } from "./containment.ts";

export type Merger = {
  /** The commit that the run began from; empty where it began from nothing. */
  readonly base: string;
  readonly target: string;
  readonly work: string;
  /** The tree that the merge gives. */
  readonly tree: string;
};

/** Names of files that the target changed since the base, that the work knows of by its history, and that get the content of the base. */
export async function undoneBy(on: Git, call: Omit<Call, "args">, of: Merger): Promise<readonly string[]> {
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
  return known.filter((name) => now.has(name) && !after.has(name)).map(textOfName);
}

export type TakenOut = {
  /** The commit of the target that brought the earlier part, and the one that took it out again. */
  readonly by: string;
  readonly undoneBy: string;
  readonly files: readonly string[];
};

/** An earlier part of the work that the merge would not bring back; undefined where all of the work arrives. */
export async function takenOutBefore(
  on: Git,
  call: Omit<Call, "args">,
  of: Merger & { readonly run: string; readonly repo: string },
): Promise<TakenOut | undefined> {
  const { run, repo, base, target, work, tree } = of;
  const ask = asking(on.env, call);
  const { out: fork } = await ask(["merge-base", target, work]);
  if (base === "" || fork === base) return undefined;
  const { works } = await refsOfRun(on, { mirror: mirrorOf(on.home, repo), run });
  if (!(await hasAny(ask, { target, commits: works.filter((each) => each !== base) }))) return undefined;
  const found = await containmentOf(ask, { work: fork, base, target });
  if (found.type !== "undone") return undefined;
  const kept = new Set(await absentFrom(ask, { base, part: fork, tree: `${work}^{tree}` }));
  const lacking = async (there: string): Promise<readonly string[]> =>
    (await absentFrom(ask, { base, part: fork, tree: there })).filter((name) => !kept.has(name));
  const files = await lacking(tree);
  if (files.length === 0) return undefined;
  const isTakenOut = async (commit: string): Promise<boolean> =>
    (await lacking(`${commit}^{tree}`)).length > 0;
  return { by: found.by, undoneBy: await earliest(ask, { target, after: found.by }, isTakenOut), files };
}

/** Whether the target has one of these commits. */
async function hasAny(
  ask: Ask,
  { target, commits }: { readonly target: string; readonly commits: readonly string[] },
): Promise<boolean> {
  if (commits.length === 0) return false;
  const { out } = await ask(["rev-list", ...commits, "--not", target]);
  const others = new Set(out.split("\n"));
  return commits.some((commit) => !others.has(commit));
}

type WorkPart = {
  readonly base: string;
  /** A commit whose changes since the base are looked for. */
  readonly part: string;
  readonly tree: string;
};

/** Names of files whose changes a tree does not have: taking them out of it, as `git revert` does, changes nothing. */
async function absentFrom(ask: Ask, { base, part, tree }: WorkPart): Promise<readonly string[]> {
  const commitOf = async (content: string, parents: readonly string[]): Promise<string> =>
    (await ask(["commit-tree", content, ...parents, "-m", "to compare"])).out;
  const start = await commitOf(`${part}^{tree}`, []);
  const [now, without] = [
    await commitOf(tree, ["-p", start]),
    await commitOf(`${base}^{tree}`, ["-p", start]),
  ];
  const merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", now, without];
  const [merged = "", ...conflicts] = (await ask(merge)).out.split("\0");
  const namesIn = async (one: string, other: string): Promise<readonly string[]> => {
    const { out } = await ask(["diff-tree", "-r", "-z", "--name-only", "--no-renames", one, other]);
    return out.split("\0").filter((name) => name !== "");
  };
  const changed = new Set([...(await namesIn(`${now}^{tree}`, merged)), ...conflicts]);
  return (await namesIn(`${base}^{tree}`, `${part}^{tree}`)).filter((name) => !changed.has(name));
}
