/** Which project or repository is meant: by its name, or by where the caller is. */

import { readable, UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/text/closest.ts";
import type { ProjectRow } from "../../engine/ports/projects.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Invocation } from "../invocation.ts";
import { repositoryAround } from "./repository.ts";
import { repositoryOf } from "../../adapters/trust/repository.ts";

export async function projectNamed(store: Store | undefined, name: string): Promise<ProjectRow> {
  const found = await store?.projectNamed(name);
  if (found !== undefined) return found;
  const near = closest(name, (await store?.projects())?.map((project) => project.name) ?? []);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  throw new UserError("unknown-project", `there is no project "${name}"${hint}`, "signalbox project list");
}

/** The main working tree of the repository that we are in, also from inside of a worktree or a workspace; undefined outside of any. */
export async function repoHere(
  store: Store | undefined,
  at: Pick<Invocation, "cwd" | "env">,
): Promise<string | undefined> {
  return (await readable(() => repositoryAround(store, at)))?.main;
}

/** By name, else the one that we are in. */
export async function projectMeant(
  store: Store | undefined,
  at: Pick<Invocation, "cwd" | "env">,
  name: string | undefined,
): Promise<ProjectRow> {
  if (name !== undefined) return projectNamed(store, name);
  const repo = (await repositoryAround(store, at)).main;
  const found = await store?.projectAt(repo);
  if (found !== undefined) return found;
  throw new UserError("unknown-project", `${repo} is no project yet`, "signalbox project add");
}

export type Scope = {
  readonly all?: boolean | undefined;
  readonly project?: string | undefined;
  readonly here?: boolean | undefined;
};

/** Undefined for all of them. Outside of a repository, nobody has to say that all are meant. */
export async function repoMeant(
  store: Store | undefined,
  { all, project, here }: Scope,
  at: Pick<Invocation, "cwd" | "env">,
): Promise<string | undefined> {
  if (all === true) return undefined;
  if (project !== undefined) return (await projectNamed(store, project)).repo;
  const inside = await repoHere(store, at);
  return inside === undefined && here === true ? repositoryOf(at.cwd).main : inside;
}

const HELP = "signalbox watch --help";

/** The real path of the repository whose runs the caller wants to see: of a project, or of the current folder; empty for all. */
export async function scopeOf(
  store: Store | undefined,
  { project, here = false }: { readonly project?: string | undefined; readonly here?: boolean | undefined },
  door: Pick<Invocation, "cwd" | "env">,
): Promise<string> {
  if (project !== undefined && here)
    throw new UserError("bad-usage", "--project and --here do not go together", HELP);
  if (here) return (await repositoryAround(store, door)).main;
  return project === undefined ? "" : (await projectNamed(store, project)).repo;
}
