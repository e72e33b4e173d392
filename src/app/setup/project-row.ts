/** A repository becomes a project: its name, the branch that work begins from, and where that is fetched from. */

import { EXIT_CONFLICT } from "../exit-codes.ts";
import { branchesOf, originOf } from "../../adapters/git/repository/branches.ts";
import type { Env } from "../../adapters/home/paths.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { ProjectRow } from "../../engine/ports/projects.ts";
import type { Store } from "../../engine/ports/store.ts";
import { AGENTS, PROJECT_NAME, projectNameOf } from "../../engine/queue/project-name.ts";

export type Wishes = {
  readonly name?: string | undefined;
  readonly agents?: number | undefined;
  readonly defaultBranch?: string | undefined;
  /** `none` for nowhere. */
  readonly remote?: string | undefined;
};

type Registering = { readonly store: Store; readonly env: Env };

/** The row as it would be; nothing is written. `branch` is the one that is checked out in the repository. */
export async function rowFor(
  { store, env }: Registering,
  of: { readonly repo: string; readonly branch: string },
  wishes: Wishes = {},
): Promise<ProjectRow> {
  const { repo, branch } = of;
  const origin = await originOf(repo, env);
  const name = wishes.name ?? (await freeName(store, repo));
  requireName(name);
  const known = origin.branch || branch || origin.usual;
  const defaultBranch = wishes.defaultBranch ?? known;
  if (wishes.defaultBranch !== undefined) await requireBranch(repo, defaultBranch, env);
  return {
    repo,
    name,
    defaultBranch,
    agents: wishes.agents ?? AGENTS,
    remote: remoteOf(wishes.remote ?? origin.url),
  };
}

/** The repository's project as it is, or as it would be: `isNew` where it has yet to be written. */
export async function projectFor(
  on: Registering,
  of: { readonly repo: string; readonly branch: string },
): Promise<ProjectRow & { readonly isNew: boolean }> {
  const present = await on.store.projectAt(of.repo);
  if (present !== undefined && present.defaultBranch !== "") return { ...present, isNew: false };
  // It was made while no branch was checked out: what a person has chosen since stays.
  const known = present === undefined ? {} : { name: present.name, agents: present.agents };
  return { ...(await rowFor(on, of, known)), isNew: true };
}

/**
 * A repository becomes a project with its first run. Where work is pushed to is taken from a person's command, and kept: later, agents
 * can have written what the repository says of that.
 */
export async function ensureProject(
  on: Registering,
  of: { readonly repo: string; readonly branch: string },
): Promise<ProjectRow> {
  const { isNew, ...project } = await projectFor(on, of);
  if (isNew) await keepProject(on.store, project);
  return project;
}

export function requireName(name: string): void {
  if (PROJECT_NAME.test(name)) return;
  throw new UserError(
    "bad-usage",
    `"${name}" cannot be the name of a project: at most 40 letters, digits, _, - and ., the first one a letter, digit or _`,
    "signalbox project add --help",
  );
}

export async function requireBranch(repo: string, branch: string, env: Env): Promise<void> {
  const { names } = await branchesOf(repo, env);
  if (names.includes(branch)) return;
  throw new UserError("no-branch", `${repo} has no branch "${branch}"`, `git -C '${repo}' branch --list`);
}

/** What git would take for an option, or run as a command, is no address. */
export function remoteOf(text: string): string {
  if (text === "none") return "";
  // oxlint-disable-next-line no-control-regex
  if (!/^-|^ext::|^fd::|[\u0000-\u001F\u007F]/.test(text)) return text;
  throw new UserError(
    "bad-usage",
    `"${text}" is no address of a repository`,
    "signalbox project update --remote none",
  );
}

async function freeName(store: Store, repo: string): Promise<string> {
  const plain = projectNameOf(repo);
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? plain : `${plain.slice(0, 36)}-${count}`;
    if ((await store.projectNamed(name)) === undefined) return name;
  }
}

/** Throws a UserError where the name is another project's. */
export async function keepProject(store: Pick<Store, "commit">, project: ProjectRow): Promise<void> {
  const kept = await store.commit([{ type: "put-project", project }]);
  if (kept.type === "taken")
    throw new UserError("name-taken", `${project.name} is the name of the project in ${kept.by}`, {
      next: "signalbox project list",
      exit: EXIT_CONFLICT,
    });
}
