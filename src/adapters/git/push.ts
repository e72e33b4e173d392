/**
 * A branch is deleted on a project's remote: only when a person asks for it by name.
 *
 * What was pushed there since, and is not merged, would be gone for everybody: then it is left. The address is the one that a person
 * gave, and nothing that the repository configures has a say in how it is reached.
 */

import { failpoint } from "../failpoint.ts";
import { tryGit, type Answer, type Call } from "./call.ts";
import { withoutPassword } from "./fetch.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import type { On } from "./own.ts";
import { withObjects } from "./plain.ts";

export type Deleting = {
  readonly repo: string;
  readonly remote: string;
  readonly branch: string;
  /** The commit that everything must be in. */
  readonly merged: string;
};

const LIMIT_MS = 60_000;

/** Gives what went wrong; empty where the branch is not there any more. */
export async function deleteOn(on: On, { repo, remote, branch, merged }: Deleting): Promise<string> {
  const gitDir = gitDirOf(repo);
  if (gitDir === undefined) return `there is no git repository at ${repo} any more`;
  const ref = `refs/heads/${branch}`;
  return withObjects(on, { commonDir: commonDirOf(gitDir), oid: merged }, async (plain) => {
    const reach = (args: readonly string[]): Promise<Pick<Answer, "code" | "out" | "err">> => {
      const call: Call = { ...plain, args, limitMs: LIMIT_MS, isFetch: true };
      return tryGit(on.env, call).catch((error: unknown) => ({
        code: -1,
        out: Buffer.alloc(0),
        err: String(error),
      }));
    };
    const listed = await reach(["ls-remote", "--", remote, ref]);
    if (listed.code !== 0) return reasonIn(listed.err);
    const [oid = ""] = listed.out.toString("utf8").split("\t");
    if (oid === "") return "";
    const isIn = await tryGit(on.env, { ...plain, args: ["merge-base", "--is-ancestor", oid, merged] });
    if (isIn.code !== 0) return "it has commits there that are not merged";
    failpoint("merge.before-delete");
    // Only if it is still what was looked at.
    const lease = `--force-with-lease=${ref}:${oid}`;
    const pushed = await reach(["push", "--quiet", "--no-verify", lease, "--", remote, `:${ref}`]);
    failpoint("merge.after-delete");
    return pushed.code === 0 ? "" : reasonIn(pushed.err);
  });
}

function reasonIn(err: string): string {
  const lines = err.split("\n").map((line) => line.trim());
  const line = lines.find((each) => /^(?:fatal|error|ssh|GitError|!)/i.test(each));
  return withoutPassword(line ?? lines.find((each) => each !== "") ?? "nobody knows why");
}
