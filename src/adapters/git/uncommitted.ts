/** Work in a workspace that no commit of its branch has: what a merge would leave behind. */

import { UserError } from "../user-error.ts";
import { git } from "./call.ts";
import { changesIn } from "./checkout.ts";
import { openBench } from "./own.ts";
import type { On } from "./own.ts";
import { branchAt } from "./refs.ts";

const GATE = 5;

/** What of a workspace is not committed on its branch, of what git knows there. Throws where it is on another branch. */
export async function uncommittedIn(
  on: On,
  of: { readonly run: string; readonly path: string; readonly branch: string },
): Promise<readonly string[]> {
  const bench = await openBench(on, of.path);
  const head = branchAt(bench.gitDir);
  if (head !== `refs/heads/${of.branch}`)
    throw new UserError(
      "other-branch",
      `the workspace of ${of.run} is on ${head === undefined ? "no branch" : head.replace("refs/heads/", "")}, and not on ${of.branch}`,
      {
        next: `git -C '${of.path}' switch '${of.branch}', or: signalbox task update ${of.run} --branch`,
        exit: GATE,
      },
    );
  const args = ["rev-parse", "--verify", "--quiet", `${head}^{commit}`];
  const tip = await git(on.env, { cwd: bench.commonDir, gitDir: bench.commonDir, args });
  return changesIn(on, bench, tip);
}
