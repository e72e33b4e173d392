/** How git is called on the user's repository, and what it is asked about commits there or in the mirror. */

import type { Env } from "../../home/paths.ts";
import { tryGit, type GitCall } from "./call.ts";

export function inRepository(commonDir: string): Omit<GitCall, "args"> {
  return { cwd: commonDir, gitDir: commonDir };
}

/** The commit that a name refers to; undefined for none. */
export async function commitNamed(
  env: Env,
  call: Omit<GitCall, "args">,
  name: string,
): Promise<string | undefined> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { code, out } = await tryGit(env, { ...call, args });
  return code === 0 ? out.toString("utf8").trim() : undefined;
}

/** Whether the second commit has the first in its history. */
export async function isAncestor(
  env: Env,
  call: Omit<GitCall, "args">,
  commits: readonly [string, string],
): Promise<boolean> {
  return (await tryGit(env, { ...call, args: ["merge-base", "--is-ancestor", ...commits] })).code === 0;
}
