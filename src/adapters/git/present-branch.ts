import { unless } from "../files/errno.ts";
import { gitDirOf } from "./locate.ts";
import { branchAt } from "./refs.ts";

/** The branch that a working tree is on, read from git's files; empty for none. */
export function presentBranch(path: string): string {
  const gitDir = unless(["EACCES", "ELOOP"], () => gitDirOf(path));
  return gitDir === undefined ? "" : (branchAt(gitDir)?.replace(/^refs\/heads\//, "") ?? "");
}
