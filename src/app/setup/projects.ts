/** Projects: repositories that runs work in. */

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../../adapters/user-error.ts";
import { workflowsOf } from "../../engine/box.ts";
import type { ProjectRow } from "../../engine/ports/projects.ts";
import type { Store } from "../../engine/ports/store.ts";
import { slotsOf } from "../../engine/queue/slots.ts";
import type { Acting } from "../context.ts";
import type { Looking } from "../declare.ts";
import { EXIT_CONFLICT } from "../exit-codes.ts";
import { success, type Outcome } from "../outcome.ts";
import { wake } from "../runs/wake.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { projectMeant } from "./project-named.ts";
import { remoteOf, requireBranch, requireName, rowFor } from "./project-row.ts";
import { refuseInRun } from "./repository.ts";

type ProjectView = DataOf<"projects">["projects"][number];
type Changed = Outcome<DataOf<"update-project">>;

const SHOWN = 5;

export function projects({ store }: Looking): Outcome<DataOf<"projects">> {
  const all = store === undefined ? [] : store.projects().map((row) => viewOf(store, row));
  const next = all.length === 0 ? "signalbox project add" : "signalbox list";
  return success(`${all.length} ${all.length === 1 ? "project" : "projects"}`, { projects: all }, { next });
}

export async function addProject(
  { door, box: { store } }: Acting,
  { folder, ...wishes }: InputOf<"add-project">,
): Promise<Changed> {
  const cwd = folderAt(resolve(door.cwd, folder ?? "."));
  refuseInRun(store, { cwd, env: door.env }, "add");
  const { repositoryOf } = await import("../../adapters/git/repository/repository.ts");
  const { path: repo, branch } = await repositoryOf(cwd, door.env);
  const known = store.projectAt(repo);
  if (known !== undefined)
    throw new UserError(
      "known-project",
      `${repo} is the project ${known.name} already`,
      `signalbox project update ${known.name}`,
    );
  const row = await rowFor({ store, env: door.env }, { repo, branch }, wishes);
  store.putProject(row);
  return changed(sayProject(row), viewOf(store, row));
}

export async function updateProject(on: Acting, input: InputOf<"update-project">): Promise<Changed> {
  const { door, box } = on;
  const { project, name, agents, defaultBranch, remote } = input;
  const row = projectMeant(box.store, door, project);
  if ([name, agents, defaultBranch, remote].every((each) => each === undefined))
    throw new UserError(
      "bad-usage",
      "say what to change: --name, --agents, --default-branch, --remote",
      "signalbox project update --help",
    );
  if (name !== undefined) requireName(name);
  if (defaultBranch !== undefined) await requireBranch(row.repo, defaultBranch, door.env);
  const after = {
    ...row,
    ...(name === undefined ? {} : { name }),
    ...(agents === undefined ? {} : { agents }),
    ...(defaultBranch === undefined ? {} : { defaultBranch }),
    ...(remote === undefined ? {} : { remote: remoteOf(remote) }),
  };
  box.store.putProject(after);
  // What waits until an agent has ended may begin now.
  await wake(on);
  return changed(sayProject(after), viewOf(box.store, after));
}

/** Repository, branches and the history of its tasks stay. */
export function removeProject(
  { door, box: { store } }: Acting,
  { project }: InputOf<"remove-project">,
): Changed {
  const row = projectMeant(store, door, project);
  requireIdle(store, row.repo);
  const view = viewOf(store, row);
  store.dropProject(row.repo);
  return changed(`${row.name} is not a project any more`, view);
}

function changed(message: string, project: ProjectView): Changed {
  return success(message, { project }, { next: "signalbox project list" });
}

function viewOf(store: Store, row: ProjectRow): ProjectView {
  return {
    ...row,
    atWork: slotsOf({ store, workflow: workflowsOf(store) }, row.repo).atWork,
    workspaces: store.workspaces().filter(({ repo }) => repo === row.repo).length,
    queued: store.queued(row.repo).length,
  };
}

function sayProject({ name, repo, defaultBranch, agents, remote }: ProjectRow): string {
  const branch = defaultBranch === "" ? "no default branch" : defaultBranch;
  return `${name}: ${repo}, ${branch}, at most ${agents} ${agents === 1 ? "agent" : "agents"} at the same time, ${remote === "" ? "no remote" : remote}`;
}

function requireIdle(store: Store, repo: string): void {
  const open = ["running", "waiting"].flatMap((status) => store.list({ repo, status, limit: SHOWN }).rows);
  const bound = store.workspaces().filter((each) => each.repo === repo);
  const ids = [...new Set([...open.map(({ id }) => id), ...bound.map(({ run }) => run)])];
  if (ids.length === 0) return;
  throw new UserError("project-in-use", `the project is in use: ${ids.slice(0, SHOWN).join(", ")}`, {
    next: `signalbox list --repo '${repo}'`,
    exit: EXIT_CONFLICT,
  });
}

function folderAt(path: string): string {
  try {
    const real = realpathSync.native(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Whatever keeps us from it, it cannot be used as a folder.
  }
  throw new UserError("no-folder", `there is no folder ${path}`, "signalbox project add --help");
}
