/** Gives the run's branch in the user's repository another name. A branch that is no longer the engine's stays as it is. */

import { branchProblem, holderOf } from "./branch-problem.ts";
import { failed, type Call } from "./call.ts";
import { commonDirOf, gitDirOf, goneRepository } from "./locate.ts";
import { runRef } from "./names.ts";
import { openBench, recordBranch, type On } from "./own.ts";
import { isOfRun, tipIn } from "./publish.ts";
import { refAt } from "./refs.ts";
import { tryUpdateRef } from "./update-ref.ts";
import { failpoint } from "../failpoint.ts";

export type Renaming = {
  readonly run: string;
  readonly repo: string;
  readonly path: string;
  readonly from: string;
  readonly to: string;
};

/** Call under the repository's lock. Doing it twice is harmless. */
export async function rename(on: On, { run, repo, path, from, to }: Renaming): Promise<void> {
  const bench = await openBench(on, path);
  const gitDir = gitDirOf(repo);
  if (gitDir === undefined) throw goneRepository(repo);
  if (from === to) return;
  const commonDir = commonDirOf(gitDir);
  const isOurs = (oid: string | undefined) =>
    oid !== undefined && isOfRun(on, { mirror: bench.mirror, run, tip: oid });
  const [old, young] = [`refs/heads/${from}`, `refs/heads/${to}`];
  const [tip, there] = [await tipIn(on, commonDir, old), await tipIn(on, commonDir, young)];
  // A process that was killed has renamed it before, or a person has.
  if ((await isOurs(there)) && (bench.branch === young || tip === undefined))
    return recordBranch(bench, young);
  const problem = await branchProblem(on.env, { repo, branch: to });
  if (problem !== undefined) throw problem;
  const isMoved = (await isOurs(tip)) && (await holderOf({ env: on.env, commonDir }, from)) === undefined;
  const commit = isMoved ? tip : refAt(bench.mirror, runRef(run, "published"));
  if (commit === undefined) return recordBranch(bench, young);
  failpoint("workspace.before-rename");
  // First, so that a branch of the new name is known to be the run's.
  recordBranch(bench, young);
  failpoint("workspace.before-rename-refs");
  const updates = [`create ${young} ${commit}`, ...(isMoved ? [`delete ${old} ${tip}`] : [])];
  const input = ["start", ...updates, "prepare", "commit", ""].join("\n");
  const call: Call = { cwd: commonDir, gitDir: commonDir, args: ["update-ref", "--stdin"], input };
  const answer = await tryUpdateRef(on, commonDir, call);
  failpoint("workspace.after-rename");
  if (answer.code === 0) return;
  recordBranch(bench, old);
  throw failed(call, answer);
}
