/** Which repository is meant: of a project by its name, the one that we are in, or all of them. */

import { repositoryOf } from "../../adapters/trust/repository.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Given } from "../../app/invocation.ts";
import type { Door } from "../command.ts";
import { projectNamed, repoHere } from "../../app/setup/project-named.ts";

/** Undefined for all of them. Outside of a repository, nobody has to say that all are meant. */
export function repoMeant(store: Store | undefined, given: Given, door: Door): string | undefined {
  const asked = ["all", "project", "here"].filter((name) => given.options[name] !== undefined);
  if (asked.length > 1)
    throw new UserError("bad-usage", `--${asked.join(" and --")} do not go together`, "leave one out");
  const { all, project, here } = given.options;
  if (all !== undefined) return undefined;
  if (project !== undefined) return projectNamed(store, project).repo;
  const inside = repoHere(store, door);
  return inside === undefined && here !== undefined ? repositoryOf(door.cwd).main : inside;
}
