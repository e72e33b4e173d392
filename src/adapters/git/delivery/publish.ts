/**
 * The run's branch in the user's repository: the only thing there that is the engine's.
 *
 * It follows each handover, so that people can look at the work with their own tools. A branch that is checked out, or that has
 * commits of a person, is left as it is.
 */

import { join } from "node:path";
import { failpoint } from "../../failpoint.ts";
import { UserError } from "../../user-error.ts";
import { git } from "../call/call.ts";
import { inRepository } from "../call/commits.ts";
import { addedOnTop, giveObjects } from "../mirror/loose-objects.ts";
import { inMirror, transfer, type CommitTransfer } from "../mirror/mirror.ts";
import { mirrorOf, runRef } from "../mirror/names.ts";
import { commitsOfRun } from "../mirror/run-refs.ts";
import { syncObjects } from "../mirror/write-objects.ts";
import { holderOf } from "../repository/branch-problem.ts";
import { commonDirIn, unwritableOf } from "../repository/locate.ts";
import { isTabled, refAt } from "../repository/refs.ts";
import { tryUpdateRef, writeRefs } from "../repository/update-ref.ts";
import type { Git } from "../workspace/bench.ts";

export type Publishing = {
  readonly run: string;
  readonly repo: string;
  readonly branch: string;
  readonly commit: string;
};

/** Gives what a person should know. What is wrong with the user's repository stops no run. Call under the repository's lock. */
export async function publish(on: Git, of: Publishing): Promise<readonly string[]> {
  try {
    const problem = await update(on, of);
    return problem === "" ? [] : [notUpdated(of, problem)];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [notUpdated(of, error.message)];
  }
}

function notUpdated({ run, branch }: Publishing, why: string): string {
  return `the branch ${branch} is not updated: ${errorLine(why).replace(/\.$/, "")}; the work is kept: signalbox salvage show ${run}`;
}

/** Of all that git says, the line that names the reason. */
export function errorLine(said: string): string {
  return said.split("\n").find((line) => /^(?:fatal|error):/.test(line)) ?? said;
}

/** Gives the reason where the branch was left as it is. */
async function update(on: Git, of: Publishing): Promise<string> {
  const { run, repo, branch, commit } = of;
  const commonDir = commonDirIn(repo);
  const mirror = mirrorOf(on.home, repo);
  const ref = `refs/heads/${branch}`;
  const tip = await tipIn(on, commonDir, ref);
  const ours = refAt(mirror, runRef(run, "published"));
  if (tip === commit) return ours === commit ? "" : note(mirror, of);
  if (tip !== undefined && !(await isOfRun(on, { mirror, run, tip })))
    return `it has commits that the run did not make (${tip.slice(0, 12)})`;
  const holder = tip === undefined ? undefined : await holderOf({ env: on.env, repo }, branch);
  if (holder !== undefined) return `it is checked out in ${holder}`;
  const closed = unwritableOf([commonDir, join(commonDir, "objects")]);
  if (closed !== undefined) return `${closed} is not writable`;
  const problem = await bringOver(on, { repo, commit, known: tip });
  if (problem !== "") return problem;
  failpoint("publish.before-ref");
  const args = ["update-ref", "-m", `signalbox: run ${run}`, ref, commit, tip ?? "0".repeat(commit.length)];
  const answer = await tryUpdateRef(on, commonDir, { ...inRepository(commonDir), args });
  failpoint("publish.after-ref");
  return answer.code === 0 ? note(mirror, of) : answer.err.trim();
}

/** Whether the engine has put the branch there: a process that was killed may not have noted it. */
export async function isOfRun(
  on: Git,
  { mirror, run, tip }: { readonly mirror: string; readonly run: string; readonly tip: string },
): Promise<boolean> {
  if (refAt(mirror, runRef(run, "published")) === tip) return true;
  return (await commitsOfRun(on, { mirror, run })).has(tip);
}

async function note(mirror: string, { run, commit }: Publishing): Promise<""> {
  await writeRefs(mirror, [[runRef(run, "published"), commit]]);
  return "";
}

type Bringing = {
  readonly repo: string;
  readonly commit: string;
  /** A commit of the mirror that a ref of the user's repository has; without it, they are looked for. */
  readonly known?: string | undefined;
};

/** Copies a commit of the mirror, with everything that it reaches, into the user's repository. No ref moves. Gives what went wrong. */
export async function bringOver(on: Git, { repo, commit, known }: Bringing): Promise<string> {
  const commonDir = commonDirIn(repo);
  const mirror = mirrorOf(on.home, repo);
  const [to, from] = [inRepository(commonDir), inMirror(mirror)];
  const objects = join(commonDir, "objects");
  const added = known === undefined ? undefined : addedOnTop(mirror, commit, known);
  if (added !== undefined && giveObjects(mirror, objects, added)) {
    await syncObjects(objects, added);
    return "";
  }
  const both = known === undefined ? await sharedCommits(on, { from, to }) : [known];
  return transfer(on, { from, to, commit, known: both });
}

/** The user's branches, as far as the mirror has them. */
async function sharedCommits(
  on: Git,
  { from, to }: Pick<CommitTransfer, "from" | "to">,
): Promise<readonly string[]> {
  const heads = await git(on.env, { ...to, args: ["for-each-ref", "--format=%(objectname)", "refs/heads"] });
  const args = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
  const found = (await git(on.env, { ...from, args, input: `${heads}\n` })).split("\n");
  return found.flatMap((line) => (line.endsWith(" commit") ? line.split(" ", 1) : []));
}

/** The commit that a ref of the user's repository names; undefined where there is none. */
export async function tipIn(on: Git, commonDir: string, ref: string): Promise<string | undefined> {
  if (!isTabled(commonDir)) return refAt(commonDir, ref);
  const args = ["for-each-ref", "--format=%(objectname)", ref];
  const oid = await git(on.env, { ...inRepository(commonDir), args });
  return oid === "" ? undefined : oid;
}
