/** What merging the branch of a run would do, worked out from objects alone. The command looks again, and decides. */

import { defaultBranchOf } from "../../adapters/git/default-refs.ts";
import { tryGit } from "../../adapters/git/call.ts";
import { commonDirOf, gitDirOf } from "../../adapters/git/locate.ts";
import { checkoutProblem } from "../../adapters/git/merge.ts";
import { uncommittedIn } from "../../adapters/git/uncommitted.ts";
import { withObjects } from "../../adapters/git/plain.ts";
import { refAt } from "../../adapters/git/refs.ts";
import type { Env, Home } from "../../adapters/home/paths.ts";
import { UserError } from "../../adapters/user-error.ts";
import { boundWorkspace } from "../../engine/place.ts";
import type { Store } from "../../engine/ports/store.ts";

type On = { readonly home: Home; readonly env: Env; readonly store: Store };

const NAMES_SHOWN = 5;
const MERGED = "it is merged already";

/** In words. What cannot be told is no reason not to ask: the command says what is wrong. */
export async function forecastOf(on: On, run: string): Promise<string> {
  try {
    return await forecast(on, run);
  } catch (error) {
    return `what would happen is not known: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function forecast(on: On, run: string): Promise<string> {
  const workspace = on.store.workspace(run);
  const gitDir = workspace === undefined ? undefined : gitDirOf(workspace.repo);
  if (workspace === undefined || gitDir === undefined) return "it has no branch yet: it was never started";
  const into = defaultBranchOf(workspace.repo, on.store.projectAt(workspace.repo)?.defaultBranch ?? "") ?? "";
  const commonDir = commonDirOf(gitDir);
  const old = refAt(commonDir, `refs/heads/${into}`);
  const tip = refAt(commonDir, `refs/heads/${workspace.branch}`);
  if (old === undefined || tip === undefined)
    return `there is no branch ${old === undefined ? into : workspace.branch} to be seen here`;
  const outcome = await outcomeOf(on, { commonDir, old, tip });
  const { repo, branch } = workspace;
  const lines = [
    `${branch} into ${into}: ${outcome}`,
    await uncommitted(on, run),
    outcome === MERGED ? "" : await inTheWay(on, { run, repo, branch, into }),
  ];
  return lines.filter((line) => line !== "").join("\n");
}

async function outcomeOf(
  { home, env }: On,
  { commonDir, old, tip }: { readonly commonDir: string; readonly old: string; readonly tip: string },
): Promise<string> {
  return withObjects({ home, env }, { commonDir, oid: old }, async (plain) => {
    const isIn = async (one: string, other: string): Promise<boolean> =>
      (await tryGit(env, { ...plain, args: ["merge-base", "--is-ancestor", one, other] })).code === 0;
    if (await isIn(tip, old)) return MERGED;
    if (await isIn(old, tip)) return "a fast-forward, without conflicts";
    const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", old, tip];
    const { code, out } = await tryGit(env, { ...plain, args });
    if (code === 0) return "a merge commit, without conflicts";
    if (code !== 1) return "git cannot tell";
    const names = out
      .toString("utf8")
      .split("\0")
      .slice(1)
      .filter((name) => name !== "");
    return `CONFLICTS in ${listed(names)}: nothing would be merged`;
  });
}

async function uncommitted({ home, env, store }: On, run: string): Promise<string> {
  const bound = boundWorkspace({ store }, run);
  if (bound === undefined) return "";
  try {
    const names = await uncommittedIn({ home, env }, { run, path: bound.path, branch: bound.branch });
    return names.length === 0 ? "" : `not committed, so that it would be refused: ${listed(names)}`;
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

/** What the person has in the checkout that would follow. */
async function inTheWay(
  { home, env }: On,
  of: { readonly run: string; readonly repo: string; readonly branch: string; readonly into: string },
): Promise<string> {
  const problem = await checkoutProblem({ home, env }, { ...of, message: "" });
  return problem === undefined ? "" : `it would be refused: ${problem.message}`;
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
