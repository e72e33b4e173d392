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

import { gitRecords, type GitCall } from "../call/call.ts";
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

/**
 * Names of files that the target changed since the base, that the work knows of by its history, and that lose the target's change: they
 * get the content of the base, or the merge that took the target's history in kept only the work's side of them. A merge that combines
 * both sides is work, and so is a later commit that changes the target's lines.
 */
export async function undoneBy(on: Git, call: Omit<GitCall, "args">, of: Merger): Promise<readonly string[]> {
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
  const still = known.filter((name) => now.has(name)).slice(0, COMPARED_MAX);
  const { out } = await ask(["rev-list", "--ancestry-path", "--reverse", `${fork.out}..${work}`]);
  const [taking = work] = out.split("\n");
  const isLost = async (name: string): Promise<boolean> =>
    (await keepsOwnSide(ask, { name, merge: taking })) &&
    (await lacksChange(ask, { name, base, changed: fork.out, tree: taking })) &&
    lacksChange(ask, { name, base, changed: fork.out, tree });
  const undone: string[] = [];
  for (const name of still) if (!after.has(name) || (await isLost(textOfName(name)))) undone.push(name);
  return undone.map(textOfName);
}

/** Each file is read from up to four commits. */
const COMPARED_MAX = 200;

/** Whether a merge commit has no line in a file that its first parent does not have: nothing was combined. */
async function keepsOwnSide(
  ask: Ask,
  { name, merge }: { readonly name: string; readonly merge: string },
): Promise<boolean> {
  if ((await ask(["rev-parse", "--verify", "--quiet", `${merge}^2`])).code !== 0) return false;
  const own = await linesIn(ask, `${merge}^1`, name);
  return (await linesIn(ask, merge, name)).every((line) => own.includes(line));
}

/** Whether nothing of what a commit added to a file is in a tree; of a commit that only removed lines, whether all of them are back. */
async function lacksChange(
  ask: Ask,
  of: { readonly name: string; readonly base: string; readonly changed: string; readonly tree: string },
): Promise<boolean> {
  const [before, changed, now] = [
    await linesIn(ask, of.base, of.name),
    await linesIn(ask, of.changed, of.name),
    await linesIn(ask, of.tree, of.name),
  ];
  const added = changed.filter((line) => !before.includes(line));
  const removed = before.filter((line) => !changed.includes(line));
  if (added.length > 0) return !added.some((line) => now.includes(line));
  return removed.length > 0 && removed.every((line) => now.includes(line));
}

async function linesIn(ask: Ask, tree: string, name: string): Promise<readonly string[]> {
  const { out } = await ask(["cat-file", "blob", `${tree}:${name}`]);
  return [...new Set(out.split("\n").map((line) => line.trim()))].filter((line) => line !== "");
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
  call: Omit<GitCall, "args">,
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
