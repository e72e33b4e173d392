/** Where work begins, and what its branch is called, in git. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Branches, Changed } from "../../../engine/ports/files.ts";
import { failpoint } from "../../failpoint.ts";
import { unless } from "../../files/errno.ts";
import { writePrivate } from "../../home/folders.ts";
import { UserError } from "../../user-error.ts";
import { failed, tryGit, type GitCall } from "../call/call.ts";
import { inRepository } from "../call/commits.ts";
import { whileLocked } from "../call/locks.ts";
import { isOfRun, tipIn } from "../delivery/publish.ts";
import { refuseRunName, runRef } from "../mirror/names.ts";
import { tipOf } from "../snapshot/agent-head.ts";
import { filesOf } from "../snapshot/digest.ts";
import { artifactTest, textOfName } from "../snapshot/paths.ts";
import { keepAway, openBench, recordBranch, within, type Bench, type Git } from "../workspace/bench.ts";
import { baseOf } from "./base.ts";
import { branchProblem, holderOf } from "./branch-problem.ts";
import { commonDirIn, commonDirOf, gitDirOf } from "./locate.ts";
import { presentBranch, refAt } from "./refs.ts";
import { tryUpdateRef } from "./update-ref.ts";

export function gitBranches(on: Git): Branches {
  return {
    rename: async (of) => {
      refuseRunName(of.run);
      return whileLocked({ folder: on.home.locks, repo: of.repo }, () => rename(on, of));
    },
    baseOf: (of) => baseOf(on, of),
    checkout: (repo, artifacts) => openCheckout(on, repo, artifacts),
    changed: async (path, of) => changedIn(on, await openBench(on, path), of),
    branchAt: presentBranch,
  };
}

/** By folder of ours, the last answer: one after the other judges the same work, and two trees never differ in another way. */
const answers = new WeakMap<Git, Map<string, Differences>>();

type Differences = { readonly of: string; readonly all: readonly Changed[] };

async function changedIn(
  on: Git,
  bench: Bench,
  of: Parameters<Branches["changed"]>[1],
): Promise<readonly Changed[]> {
  const isArtifact = artifactTest(of.artifacts);
  const all = await differencesOnce(on, bench, of);
  return all
    .filter(({ path }) => !isArtifact(path))
    .map(({ path, type, from }) => ({
      path: textOfName(path),
      type,
      from: from === null ? null : textOfName(from),
    }));
}

async function differencesOnce(
  on: Git,
  bench: Bench,
  between: { readonly from: string; readonly tree: string },
): Promise<readonly Changed[]> {
  const known = answers.get(on) ?? new Map<string, Differences>();
  const of = `${between.from} ${between.tree}`;
  const last = known.get(bench.own);
  if (last?.of === of) return last.all;
  const all = await differences(on, bench, between);
  if (between.from !== "") answers.set(on, known.set(bench.own, { of, all }));
  return all;
}

async function differences(
  on: Git,
  bench: Bench,
  { from, tree }: { readonly from: string; readonly tree: string },
): Promise<readonly Changed[]> {
  if (from === "") {
    const files = await filesOf(on, bench, tree);
    return files.map((path) => ({ path: latin1(path), type: "added", from: null }));
  }
  const args = ["diff-tree", "-r", "-z", "-M", "--name-status", "--no-ext-diff", "--no-textconv"];
  const call = { ...within(bench), args: [...args, from, tree] };
  const answer = await tryGit(on.env, call);
  if (answer.code !== 0) throw failed(call, answer);
  return entriesIn(answer.out.toString("latin1").split("\0"));
}

/** Names are compared byte by byte, and told as text. */
function latin1(name: string): string {
  return Buffer.from(name).toString("latin1");
}

/** A status, then its path; a rename has the old path first. */
function entriesIn(words: readonly string[]): Changed[] {
  const all: Changed[] = [];
  for (let at = 0; at + 1 < words.length;) {
    const [status = "", path = "", to = ""] = words.slice(at, at + 3);
    const isRenamed = status.startsWith("R");
    all.push(
      isRenamed
        ? { path: to, type: "renamed", from: path }
        : { path, type: TYPES[status] ?? "modified", from: null },
    );
    at += isRenamed ? 3 : 2;
  }
  return all;
}

const TYPES: Readonly<Record<string, Changed["type"]>> = { A: "added", D: "deleted" };

type Renaming = Parameters<Branches["rename"]>[0];

/** Call under the repository's lock. Doing it twice is harmless. */
async function rename(on: Git, { run, repo, path, from, to }: Renaming): Promise<void> {
  const bench = await openBench(on, path);
  const commonDir = commonDirIn(repo);
  if (from === to) return;
  const isOurs = (oid: string | undefined) =>
    oid !== undefined && isOfRun(on, { mirror: bench.mirror, run, tip: oid });
  const [old, young] = [`refs/heads/${from}`, `refs/heads/${to}`];
  const [tip, there] = [await tipIn(on, commonDir, old), await tipIn(on, commonDir, young)];
  // A process that was killed has renamed it before, or a person has.
  if ((await isOurs(there)) && (bench.branch === young || tip === undefined))
    return recordBranch(bench, young);
  const problem = await branchProblem(on.env, { repo, branch: to });
  if (problem !== undefined) throw problem;
  const isMoved = (await isOurs(tip)) && (await holderOf({ env: on.env, repo }, from)) === undefined;
  const commit = isMoved ? tip : refAt(bench.mirror, runRef(run, "published"));
  if (commit === undefined) return recordBranch(bench, young);
  failpoint("workspace.before-rename");
  // First, so that a branch of the new name is known to be the run's.
  recordBranch(bench, young);
  failpoint("workspace.before-rename-refs");
  const updates = [`create ${young} ${commit}`, ...(isMoved ? [`delete ${old} ${tip}`] : [])];
  const input = ["start", ...updates, "prepare", "commit", ""].join("\n");
  const call: GitCall = { ...inRepository(commonDir), args: ["update-ref", "--stdin"], input };
  const answer = await tryUpdateRef(on, commonDir, call);
  failpoint("workspace.after-rename");
  if (answer.code === 0) return;
  recordBranch(bench, old);
  throw failed(call, answer);
}

async function openCheckout(
  on: Git,
  repo: string,
  artifacts: readonly string[],
): Promise<{ readonly base: string }> {
  const gitDir = gitDirOf(repo);
  const args = ["rev-parse", "--is-bare-repository"];
  const answer = gitDir === undefined ? undefined : await tryGit(on.env, { cwd: repo, gitDir, args });
  if (answer?.code !== 0 || answer.out.toString("utf8").trim() !== "false")
    throw new UserError(
      "no-checkout",
      `${repo} has no working tree that a run could work in.`,
      "git clone it somewhere else, and begin there",
    );
  const bench = await openBench(on, repo);
  // What the person has git ignore there, as it is now: what an agent adds later hides nothing.
  const ignored = unless(["ENOENT", "ENOTDIR"], () =>
    readFileSync(join(commonDirOf(gitDirOf(repo) ?? repo), "info", "exclude"), "utf8"),
  );
  writePrivate(join(bench.own, "info", "exclude"), ignored ?? "");
  keepAway(bench, artifacts);
  return { base: await tipOf(on, bench) };
}
