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
import { keepProject, remoteOf, requireBranch, requireName, rowFor } from "./project-row.ts";
import { refuseInRun } from "./repository.ts";
import { rowsIn, UNDER_WAY } from "../runs/rows.ts";

type ListedProject = DataOf<"projects">["projects"][number];
type ChangedProject = Outcome<DataOf<"update-project">>;

const SHOWN = 5;

export async function projects({ store }: Looking): Promise<Outcome<DataOf<"projects">>> {
  const all =
    store === undefined ? [] : await Promise.all((await store.projects()).map((row) => viewOf(store, row)));
  const next = all.length === 0 ? "signalbox project add" : "signalbox list";
  return success(`${all.length} ${all.length === 1 ? "project" : "projects"}`, { projects: all }, { next });
}

export async function addProject(
  { door, box: { store } }: Acting,
  { folder, ...wishes }: InputOf<"add-project">,
): Promise<ChangedProject> {
  const cwd = folderAt(resolve(door.cwd, folder ?? "."));
  await refuseInRun(store, { cwd, env: door.env }, "add");
  const { repositoryOf } = await import("../../adapters/git/repository/repository.ts");
  const { path: repo, branch } = await repositoryOf(cwd, door.env);
  const known = await store.projectAt(repo);
  if (known !== undefined)
    throw new UserError(
      "known-project",
      `${repo} is the project ${known.name} already`,
      `signalbox project update ${known.name}`,
    );
  const row = await rowFor({ store, env: door.env }, { repo, branch }, wishes);
  await keepProject(store, row);
  return changed(sayProject(row), await viewOf(store, row));
}

export async function updateProject(on: Acting, input: InputOf<"update-project">): Promise<ChangedProject> {
  const { door, box } = on;
  const { project, name, agents, defaultBranch, remote } = input;
  const row = await projectMeant(box.store, door, project);
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
  await keepProject(box.store, after);
  // What waits until an agent has ended may begin now.
  await wake(on);
  return changed(sayProject(after), await viewOf(box.store, after));
}

/** Repository, branches and the history of its tasks stay. */
export async function removeProject(
  { door, box: { store } }: Acting,
  { project }: InputOf<"remove-project">,
): Promise<ChangedProject> {
  const row = await projectMeant(store, door, project);
  await requireIdle(store, row.repo);
  const view = await viewOf(store, row);
  const dropped = await store.commit([{ type: "drop-project", repo: row.repo }]);
  if (dropped.type === "taken")
    throw new UserError("project-in-use", `${dropped.by} still has a workspace of the project`, {
      next: "signalbox workspace gc",
      exit: EXIT_CONFLICT,
    });
  return changed(`${row.name} is not a project any more`, view);
}

function changed(message: string, project: ListedProject): ChangedProject {
  return success(message, { project }, { next: "signalbox project list" });
}

async function viewOf(store: Store, row: ProjectRow): Promise<ListedProject> {
  return {
    ...row,
    atWork: (await slotsOf({ store, workflow: workflowsOf(store) }, row.repo)).atWork,
    workspaces: (await store.workspaces()).filter(({ repo }) => repo === row.repo).length,
    queued: (await store.queued(row.repo)).length,
  };
}

function sayProject({ name, repo, defaultBranch, agents, remote }: ProjectRow): string {
  const branch = defaultBranch === "" ? "no default branch" : defaultBranch;
  return `${name}: ${repo}, ${branch}, at most ${agents} ${agents === 1 ? "agent" : "agents"} at the same time, ${remote === "" ? "no remote" : remote}`;
}

async function requireIdle(store: Store, repo: string): Promise<void> {
  const { rows: open } = await rowsIn(store, UNDER_WAY, { repo, limit: SHOWN });
  const bound = (await store.workspaces()).filter((each) => each.repo === repo);
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
