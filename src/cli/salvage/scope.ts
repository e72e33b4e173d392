/** Which repository is meant: of a project by its name, the one that we are in, or all of them. */

import { repositoryOf } from "../../adapters/trust/repository.ts";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/closest.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Door, Given } from "../command.ts";

/** Undefined for all of them. Outside of a repository, nobody has to say that all are meant. */
export function repoMeant(store: Store | undefined, given: Given, door: Door): string | undefined {
  const asked = ["all", "project", "here"].filter((name) => given.options[name] !== undefined);
  if (asked.length > 1)
    throw new UserError("bad-usage", `--${asked.join(" and --")} do not go together`, "leave one out");
  const { all, project, here } = given.options;
  if (all !== undefined) return undefined;
  if (project !== undefined) return projectNamed(store, project);
  const inside = store?.workspaceAt(door.cwd)?.repo;
  if (inside !== undefined) return inside;
  try {
    return repositoryOf(door.cwd).main;
  } catch (error) {
    if (here !== undefined || !(error instanceof UserError)) throw error;
    return undefined;
  }
}

function projectNamed(store: Store | undefined, name: string): string {
  const found = store?.projectNamed(name)?.repo;
  if (found !== undefined) return found;
  const near = closest(name, store?.projects().map((row) => row.name) ?? []);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  throw new UserError("unknown-project", `there is no project "${name}"${hint}`, "signalbox project list");
}
