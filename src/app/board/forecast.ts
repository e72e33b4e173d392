/** What merging the work of a run would do, as things are. The command looks again, and decides. */

import { defaultBranchOf } from "../../adapters/git/repository/branches.ts";
import { handoverOf } from "../../adapters/git/snapshot/handover.ts";
import { forecastMerge, type Strategy } from "../../adapters/git/delivery/merge-plan.ts";
import type { Env, Home } from "../../adapters/home/paths.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Store } from "../../engine/ports/store.ts";

type On = { readonly home: Home; readonly env: Env; readonly store: Store };

/** In words. What cannot be told is no reason not to ask: the command says what is wrong. */
export async function forecastOf(on: On, run: string): Promise<string> {
  try {
    return await forecast(on, run);
  } catch (error) {
    return `what would happen is not known: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function forecast({ home, env, store }: On, run: string): Promise<string> {
  const workspace = await store.workspace(run);
  const kept = await store.load(run);
  if (workspace === undefined || kept === undefined) return "it has no branch yet: it was never started";
  const { repo, branch, base } = workspace;
  const commit = await handoverOf({ home, env }, { repo, run, tree: kept.run.tree });
  if (commit === undefined) return "nothing was handed over yet";
  const into = defaultBranchOf(repo, (await store.projectAt(repo))?.defaultBranch ?? "") ?? "";
  const plan = await forecastMerge({ home, env }, { run, repo, branch, base, into, commit, message: "" });
  if (plan instanceof UserError) return `it would be refused. ${plan.message}`;
  if (plan.how === "already") return `${into} already contains it, since ${plan.said}`;
  const { length } = plan.changes;
  const files = `${length} ${length === 1 ? "file" : "files"}`;
  return `${branch} into ${into}: ${HOW[plan.how]}, ${files}, without conflicts`;
}

const HOW: Readonly<Record<Strategy, string>> = {
  ff: "a fast-forward",
  merge: "a merge commit",
  squash: "one commit",
};
