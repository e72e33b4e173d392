/**
 * The repository that a command is about.
 *
 * In a workspace, in a judge's checkout and in what a release kept, git sees a clone of the engine's. A person there means the project
 * of that run, whose repository is somewhere else.
 */

import { repositoryOf, type TrustedRepository } from "../../adapters/trust/repository.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Invocation } from "../invocation.ts";
import { runAround } from "../runs/find.ts";

type Place = Pick<Invocation, "cwd" | "env">;

/** Where a command acts that is typed somewhere: in the project's own checkout, if that place belongs to a run. */
export async function projectFolder(store: Store | undefined, at: Place): Promise<string> {
  const run = await runAround(store, at);
  return (run === undefined ? undefined : (await store?.load(run))?.row.repo) ?? at.cwd;
}

export async function repositoryAround(store: Store | undefined, at: Place): Promise<TrustedRepository> {
  return repositoryOf(await projectFolder(store, at));
}

/** For what is about the files of a checkout, where doing it elsewhere would surprise. */
export async function refuseInRun(store: Store | undefined, at: Place, what: string): Promise<void> {
  const run = await runAround(store, at);
  const repo = run === undefined ? undefined : (await store?.load(run))?.row.repo;
  if (repo === undefined) return;
  throw new UserError(
    "in-workspace",
    `You are in a folder of run ${run}: ${what} its project, ${repo}.`,
    `cd ${repo}`,
  );
}
