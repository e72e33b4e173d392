/**
 * Gives the branch of a workspace another name, while somebody may be at work in it.
 *
 * 1. A note in our folder says what is under way: whoever comes after us goes on.
 * 2. The new branch, where the old one is. 3. HEAD. 4. What we know of the workspace.
 * 5. The old branch goes, in one transaction with the new one's following what was committed meanwhile.
 *
 * At each of these moments HEAD names a branch that is there, and the branch that digests are made of is at the same commit.
 */

import { existsSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { writePrivate } from "../home/folders.ts";
import { UserError } from "../user-error.ts";
import { badName, branchProblem } from "./branch-problem.ts";
import { failed, git, tryGit, type Call } from "./call.ts";
import { openBench, recordBranch, type Bench, type On } from "./own.ts";
import { branchAt } from "./refs.ts";
import { tryUpdateRef } from "./update-ref.ts";

export type Renaming = {
  readonly run: string;
  readonly repo: string;
  readonly path: string;
  readonly from: string;
  readonly to: string;
};

const NOTE = "renaming";
const TRIES_MAX = 5;
const CONFLICT = 6;

/** Called under the repository's lock. */
export async function rename(on: On, renaming: Renaming): Promise<void> {
  const bench = await openBench(on, renaming.path);
  const { from, to } = renaming;
  const isBegun = textOf(join(bench.own, NOTE)) === `${from}\n${to}`;
  if (from === to && !isBegun) return;
  if (!isBegun && branchAt(bench.gitDir) === `refs/heads/${to}`) {
    // Somebody has done it already, in their own way: the old branch is theirs to keep or to remove.
    await refuseName(on, bench, to);
    recordBranch(on, bench, `refs/heads/${to}`);
    return;
  }
  if (!isBegun) await begin(on, bench, renaming);
  await carryOn(on, bench, renaming);
  rmSync(join(bench.own, NOTE), { force: true });
}

async function refuseName(on: On, bench: Bench, branch: string): Promise<void> {
  const bad = await badName({ env: on.env, commonDir: bench.commonDir }, branch);
  if (bad !== undefined) throw bad;
}

async function begin(on: On, bench: Bench, { repo, from, to }: Renaming): Promise<void> {
  const problem = await branchProblem(on.env, { repo, branch: to, path: realpathSync(bench.path) });
  if (problem !== undefined) throw problem;
  const head = branchAt(bench.gitDir);
  if (head !== `refs/heads/${from}`) throw strayed(bench, from);
  failpoint("workspace.before-rename");
  writePrivate(join(bench.own, NOTE), `${from}\n${to}\n`);
}

function strayed({ path }: Bench, from: string): UserError {
  const sentence = `The workspace ${path} is not on its branch ${from}: somebody has switched it.`;
  return new UserError("branch-strayed", sentence, {
    next: `git -C '${path}' switch ${from}`,
    exit: CONFLICT,
  });
}

async function carryOn(on: On, bench: Bench, { run, from, to }: Renaming): Promise<void> {
  const [old, young] = [`refs/heads/${from}`, `refs/heads/${to}`];
  const tip = await commitOf(on, bench, old);
  if ((await commitOf(on, bench, young)) === undefined && tip !== undefined)
    await update(on, bench, [`create ${young} ${tip}`]);
  failpoint("workspace.before-rename-head");
  if (branchAt(bench.gitDir) === old) {
    const args = ["symbolic-ref", "-m", `signalbox: the branch of run ${run} is ${to}`, "HEAD", young];
    await git(on.env, { ...inRepository(bench), gitDir: bench.gitDir, args, durable: true });
  }
  failpoint("workspace.before-rename-record");
  recordBranch(on, bench, young);
  failpoint("workspace.before-rename-drop");
  await drop(on, bench, { old, young });
  failpoint("workspace.after-rename");
}

type Pair = { readonly old: string; readonly young: string };

/** What was committed to the old one meanwhile is the new one's. */
async function drop(on: On, bench: Bench, { old, young }: Pair): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await commitOf(on, bench, old);
    const now = await commitOf(on, bench, young);
    if (before === undefined || now === undefined) return;
    const isBehind = await isAncestor(on, bench, [before, now]);
    if (!isBehind && !(await isAncestor(on, bench, [now, before]))) return;
    const moved = isBehind ? [] : [`update ${young} ${before} ${now}`];
    const answer = await tryUpdate(on, bench, [...moved, `delete ${old} ${before}`]);
    if (answer.code === 0) return;
  }
}

function inRepository({ commonDir }: Bench): Omit<Call, "args"> {
  return { cwd: commonDir, gitDir: commonDir };
}

async function commitOf(on: On, bench: Bench, ref: string): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
  const answer = await tryGit(on.env, { ...inRepository(bench), args });
  return answer.code === 0 ? answer.out.toString("utf8").trim() : undefined;
}

async function isAncestor(on: On, bench: Bench, commits: readonly [string, string]): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", ...commits];
  return (await tryGit(on.env, { ...inRepository(bench), args })).code === 0;
}

async function update(on: On, bench: Bench, updates: readonly string[]): Promise<void> {
  const answer = await tryUpdate(on, bench, updates);
  if (answer.code !== 0) throw failed({ ...inRepository(bench), args: ["update-ref", "--stdin"] }, answer);
}

async function tryUpdate(
  on: On,
  bench: Bench,
  updates: readonly string[],
): Promise<{ readonly code: number; readonly err: string }> {
  const input = ["start", ...updates, "prepare", "commit", ""].join("\n");
  const args = ["update-ref", "--stdin"];
  const call: Call = { ...inRepository(bench), args, input, durable: true };
  return tryUpdateRef(on, bench.commonDir, call);
}

function textOf(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  return unless(["ENOENT"], () => readFileSync(file, "utf8"))?.trim();
}
