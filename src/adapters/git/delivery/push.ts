/**
 * The work of a run is pushed to its project's remote: one commit to one ref, which is never overwritten.
 *
 * What is pushed is the handover commit, from the mirror; what the run's branch in the user's repository has by now does not matter.
 * The address is the one that a person gave, nothing that the repository configures has a say in how it is reached, and no hook runs.
 */

import { failpoint } from "../../failpoint.ts";
import { UserError } from "../../user-error.ts";
import { tryGit, type GitAnswer, type GitCall } from "../call/call.ts";
import { withBoth, withObjects } from "../call/scratch.ts";
import { inMirror } from "../mirror/mirror.ts";
import { mirrorOf } from "../mirror/names.ts";
import { withoutPassword } from "../repository/base.ts";
import { defaultBranchOf } from "../repository/branches.ts";
import { commonDirIn, commonDirOf, gitDirOf } from "../repository/locate.ts";
import { handoverOf } from "../snapshot/handover.ts";
import type { Git } from "../workspace/bench.ts";
import { asking, containmentOf } from "./containment.ts";
import { tipIn } from "./publish.ts";

export type PushRequest = {
  readonly run: string;
  readonly repo: string;
  /** The tree of the work, as it passed its gate. */
  readonly tree: string;
  /** The branch that it is for; empty if it is not configured. */
  readonly base: string;
};

export type PushedWork = {
  readonly mirror: string;
  readonly commonDir: string;
  /** The handover commit of the work. */
  readonly commit: string;
  readonly base: string;
  /** It has something that the branch which it is for does not have, as far as is known here. */
  readonly isAhead: boolean;
};

const GATE = 5;
const LIMIT_MS = 300_000;
const LINE_MAX = 300;

/** Throws a UserError where the work has no commit. */
export async function deliveryOf(on: Git, of: PushRequest): Promise<PushedWork> {
  const { run, repo, tree } = of;
  const commonDir = commonDirIn(repo);
  const commit = await handoverOf(on, { repo, run, tree });
  if (commit === undefined)
    throw new UserError("no-handover", `${run} has no commit of the work that passed its gate.`, {
      next: `signalbox show ${run}`,
      exit: GATE,
    });
  const mirror = mirrorOf(on.home, repo);
  const base = defaultBranchOf(repo, of.base) ?? "";
  const target = base === "" ? undefined : await tipIn(on, commonDir, `refs/heads/${base}`);
  const isAhead =
    target === undefined ||
    (await withBoth(on, { commonDir, mirror, oid: commit }, async (call) => {
      const found = await containmentOf(asking(on.env, call), { work: commit, base: "", target });
      return found.type === "absent";
    }));
  return { mirror, commonDir, commit, base, isAhead };
}

export type Pushing = {
  readonly mirror: string;
  readonly commit: string;
  readonly branch: string;
  readonly remote: string;
};

/** Gives why it is refused there; empty where the remote has it. Throws where the remote cannot be reached. */
export async function pushBranch(on: Git, { mirror, commit, branch, remote }: Pushing): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const reach = (args: readonly string[]): Promise<GitAnswer> =>
    tryGit(on.env, { ...inMirror(mirror), args, limitMs: LIMIT_MS, isFetch: true });
  failpoint("pull-request.before-push");
  const pushed = await reach(["push", "--quiet", "--no-verify", "--", remote, `${commit}:${ref}`]);
  failpoint("pull-request.after-push");
  const at = withoutPassword(remote);
  if (pushed.code !== 0) {
    const text = `${branch} could not be pushed to ${at}: ${lineIn(pushed)}`;
    if (REFUSED.test(pushed.err)) return text;
    throw new Error(text);
  }
  const listed = await reach(["ls-remote", "--", remote, ref]);
  if (listed.code !== 0) throw new Error(`${at} does not say what it has: ${lineIn(listed)}`);
  const [oid = ""] = listed.out.toString("utf8").split("\t");
  return oid === commit ? "" : `${at} has ${oid === "" ? "no" : "another"} ${branch} after the push`;
}

/** The remote said so, or git has nothing to sign in with: a second try would fail the same way. */
const REFUSED =
  /^ ?! \[(?:remote )?rejected\]|Permission (?:to \S+ )?denied|Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Repository not found|does not appear to be a git repository|The requested URL returned error: 40[134]|transport '.*' not allowed/im;

function lineIn({ err }: Pick<GitAnswer, "err">): string {
  const lines = err.split("\n").map((line) => line.trim());
  const line =
    lines.find((each) => each.startsWith("!")) ??
    lines.find((each) => /^(?:remote: error|fatal|error|ssh)/i.test(each)) ??
    lines.find((each) => each !== "");
  return withoutPassword(line ?? "the reason is not known").slice(0, LINE_MAX);
}

type Deleting = {
  readonly repo: string;
  readonly remote: string;
  readonly branch: string;
  /** The commit that everything must be in. */
  readonly merged: string;
};

const DELETE_MS = 60_000;

/** Gives what went wrong; empty where the remote does not have the branch any more. */
export async function deleteOn(on: Git, { repo, remote, branch, merged }: Deleting): Promise<string> {
  const gitDir = gitDirOf(repo);
  if (gitDir === undefined) return `there is no git repository at ${repo} any more`;
  const ref = `refs/heads/${branch}`;
  return withObjects(on, { commonDir: commonDirOf(gitDir), oid: merged }, async (plain) => {
    const reach = (args: readonly string[]): Promise<Pick<GitAnswer, "code" | "out" | "err">> => {
      const call: GitCall = { ...plain, args, limitMs: DELETE_MS, isFetch: true };
      return tryGit(on.env, call).catch((error: unknown) => ({
        code: -1,
        out: Buffer.alloc(0),
        err: String(error),
      }));
    };
    const listed = await reach(["ls-remote", "--", remote, ref]);
    if (listed.code !== 0) return lineIn(listed);
    const [oid = ""] = listed.out.toString("utf8").split("\t");
    if (oid === "") return "";
    const isIn = await tryGit(on.env, { ...plain, args: ["merge-base", "--is-ancestor", oid, merged] });
    if (isIn.code !== 0) return "it has commits there that are not merged";
    failpoint("merge.before-delete");
    // Only if it is still what was looked at.
    const lease = `--force-with-lease=${ref}:${oid}`;
    const pushed = await reach(["push", "--quiet", "--no-verify", lease, "--", remote, `:${ref}`]);
    failpoint("merge.after-delete");
    return pushed.code === 0 ? "" : lineIn(pushed);
  });
}
