/**
 * A run's branch is pushed to its project's remote: one commit to one ref, never over what is there.
 *
 * The address is the one that a person gave, and nothing that the repository configures has a say in how it is reached; no hook runs.
 * Pushing what is there already changes nothing.
 */

import { failpoint } from "../failpoint.ts";
import { UserError } from "../user-error.ts";
import { tryGit, type Answer } from "./call.ts";
import { defaultBranchOf } from "./default-refs.ts";
import { withoutPassword } from "./fetch.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import type { On } from "./own.ts";
import { withObjects } from "./plain.ts";
import { isSameWork, type Looked } from "./same-work.ts";

export type Branch = {
  readonly run: string;
  readonly repo: string;
  readonly branch: string;
  /** The branch that it is for; empty where nobody has said which. */
  readonly base: string;
  readonly looked: Looked;
  /** What is to be made of it. */
  readonly what?: "pull request" | "tag";
};

export type Looking = {
  readonly commonDir: string;
  /** Where the branch is. */
  readonly tip: string;
  readonly base: string;
  /** It has something that the branch which it is for does not have, as far as is known here. */
  readonly isAhead: boolean;
};

const GATE = 5;
const LIMIT_MS = 300_000;
const LINE_MAX = 300;

/** Throws a UserError where the branch is not what was looked at. */
export async function lookAtBranch(on: On, of: Branch): Promise<Looking> {
  const gitDir = gitDirOf(of.repo);
  if (gitDir === undefined)
    throw new UserError("no-repository", `${of.repo} is no git repository any more.`, "put it back");
  const commonDir = commonDirOf(gitDir);
  const oidOf = async (name: string): Promise<string | undefined> => {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `refs/heads/${name}^{commit}`];
    const { code, out } = await tryGit(on.env, { cwd: commonDir, gitDir: commonDir, args });
    return code === 0 ? out.toString("utf8").trim() : undefined;
  };
  const tip = await oidOf(of.branch);
  if (tip === undefined)
    throw new UserError("no-branch", `the branch ${of.branch} is gone`, {
      next: `signalbox show ${of.run}`,
      exit: GATE,
    });
  if (!(await isSameWork(on, { commonDir, tip }, of.looked))) throw moved(of);
  const base = defaultBranchOf(of.repo, of.base) ?? "";
  const known = base === "" ? undefined : await oidOf(base);
  const args = ["merge-base", "--is-ancestor", tip, known ?? tip];
  const isIn =
    known !== undefined && (await tryGit(on.env, { cwd: commonDir, gitDir: commonDir, args })).code === 0;
  return { commonDir, tip, base, isAhead: !isIn };
}

function moved({ branch, repo, run, what = "pull request" }: Branch): UserError {
  return new UserError(
    "work-changed",
    `${branch} has changed since the gate before the ${what} of ${run}: nothing is ${what === "tag" ? "tagged" : "pushed"}`,
    { next: `git -C '${repo}' log -p '${branch}', put back what is not wanted`, exit: GATE },
  );
}

export type Pushing = {
  readonly commonDir: string;
  readonly commit: string;
  readonly branch: string;
  readonly remote: string;
};

/** Gives why it is refused there; empty where it was taken. Throws where nobody could be reached. */
export async function pushBranch(on: On, { commonDir, commit, branch, remote }: Pushing): Promise<string> {
  return withObjects(on, { commonDir, oid: commit }, async (plain) => {
    const args = ["push", "--quiet", "--no-verify", "--", remote, `${commit}:refs/heads/${branch}`];
    failpoint("pull-request.before-push");
    const { code, err } = await tryGit(on.env, { ...plain, args, limitMs: LIMIT_MS, isFetch: true });
    failpoint("pull-request.after-push");
    if (code === 0) return "";
    const line = lineIn({ err });
    if (REFUSED.test(err)) return `${branch} could not be pushed to ${withoutPassword(remote)}: ${line}`;
    throw new Error(`${branch} could not be pushed to ${withoutPassword(remote)}: ${line}`);
  });
}

/** Said by who was reached, and by git where it has nothing to sign in with: a second try would be told the same. */
const REFUSED =
  /^ ?! \[(?:remote )?rejected\]|Permission (?:to \S+ )?denied|Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Repository not found|does not appear to be a git repository|The requested URL returned error: 40[134]|transport '.*' not allowed/im;

function lineIn({ err }: Pick<Answer, "err">): string {
  const lines = err.split("\n").map((line) => line.trim());
  const line =
    lines.find((each) => each.startsWith("!")) ??
    lines.find((each) => /^(?:remote: error|fatal|error|ssh)/i.test(each)) ??
    lines.find((each) => each !== "");
  return withoutPassword(line ?? "nobody knows why").slice(0, LINE_MAX);
}
