/** Which runs somebody wants to see: those of a project, of the repository that we are in, or all. */

import { UserError } from "../../adapters/user-error.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Invocation, Given } from "../invocation.ts";
import { projectNamed } from "../setup/project-named.ts";
import { repositoryAround } from "../setup/repository.ts";

const HELP = "signalbox watch --help";

/** A real path of a repository; empty for all of them. */
export async function scopeOf(
  store: Store | undefined,
  { options }: Given,
  door: Pick<Invocation, "cwd" | "env">,
): Promise<string> {
  const { project, here } = options;
  if (project !== undefined && here !== undefined)
    throw new UserError("bad-usage", "--project and --here do not go together", HELP);
  if (here !== undefined) return (await repositoryAround(store, door)).main;
  return project === undefined ? "" : (await projectNamed(store, project)).repo;
}
