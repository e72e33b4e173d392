/** The workspaces of runs as they are, and what is odd about them. */

import { filtered } from "../../engine/lists.ts";
import { readdirSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { unless } from "../../adapters/files/errno.ts";
import { isFolder, isThere } from "../../adapters/git/repository/locate.ts";
import { isWorkspaceAt } from "../../adapters/git/workspace/bench.ts";
import { presentBranch } from "../../adapters/git/repository/refs.ts";
import type { Env, Home } from "../../adapters/home/paths.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import type { Store } from "../../engine/ports/store.ts";
import { changesIn } from "../board/changes.ts";
import { UNKNOWN } from "../board/row.ts";
import type { Looking } from "../declare.ts";
import { success, type Outcome } from "../outcome.ts";
import { isFinished, requireHome } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { repoMeant } from "./project-named.ts";

export type Workspace = {
  readonly run: string;
  readonly project: string;
  readonly repo: string;
  readonly path: string;
  /** Undefined where the journal does not know the run. */
  readonly row: RunRow | undefined;
  /** The journal knows the run, and something about it is wrong: nobody can tell whether it is over. */
  readonly isDamaged: boolean;
  /** Undefined for a folder that was left behind: its run has given it up, or was killed while it made it. */
  readonly own: WorkspaceRow | undefined;
  /** The branch that it is on; empty for none. */
  readonly branch: string;
  readonly odd: readonly string[];
};

type Inspecting = { readonly home: Home; readonly store: Store };

export async function workspaces(
  { door, store }: Looking,
  input: InputOf<"workspaces">,
): Promise<Outcome<DataOf<"workspaces">>> {
  const home = requireHome(door);
  const repo = await repoMeant(store, input, door);
  const all: WorkspaceView[] = [];
  for (const workspace of store === undefined ? [] : await workspacesOf({ home, store }, repo))
    all.push(await viewOf(workspace, { home, env: door.env }));
  const strange = store === undefined ? [] : await strangersOf({ home, store });
  const isOdd = strange.length > 0 || all.some(({ odd }) => odd.length > 0);
  return success(
    `${all.length} ${all.length === 1 ? "workspace" : "workspaces"}`,
    { workspaces: all, strange },
    {
      next: isOdd ? "signalbox workspace gc" : "signalbox list",
      notes: all.length === 0 ? ["no run has a workspace here"] : [],
    },
  );
}

type WorkspaceView = DataOf<"workspaces">["workspaces"][number];

async function viewOf(
  { project, repo, path, run, row, own, branch, odd }: Workspace,
  on: { readonly home: Home; readonly env: Env },
): Promise<WorkspaceView> {
  // What git cannot tell is not known, and no reason to say nothing about the others.
  const work =
    own?.status === "bound"
      ? await changesIn(on, { path, base: own.base, into: "" }).catch(() => UNKNOWN)
      : UNKNOWN;
  return {
    project,
    repo,
    path,
    run,
    state: row?.state ?? "",
    status: row?.status ?? "",
    branch,
    ...work,
    odd,
  };
}

export async function workspacesOf(on: Inspecting, repo: string | undefined): Promise<readonly Workspace[]> {
  const { store } = on;
  const own = await Promise.all(
    (await store.workspaces()).map((row) => workspaceOf(on, { run: row.run, path: row.path, own: row })),
  );
  const left = await Promise.all(
    (await leftIn(on)).map((path) => workspaceOf(on, { run: basename(path), path, own: undefined })),
  );
  return [...own, ...left.filter(({ row }) => row !== undefined)].filter(
    (each) => repo === undefined || each.repo === repo,
  );
}

/** Folders among the workspaces that are named after no run that the journal knows. */
export async function strangersOf(on: Inspecting): Promise<readonly string[]> {
  return filtered(
    await leftIn(on),
    async (path) => (await rowOf(on.store, basename(path))).row === undefined,
  );
}

/** Folders among the workspaces that belong to none of them. */
async function leftIn({ home, store }: Inspecting): Promise<readonly string[]> {
  const known = new Set((await store.workspaces()).map(({ path }) => basename(path)));
  const names = unless(["ENOENT", "ENOTDIR"], () => readdirSync(home.workspaces)) ?? [];
  const folder = unless(["ENOENT"], () => realpathSync(home.workspaces)) ?? home.workspaces;
  return names
    .filter((name) => !known.has(name))
    .toSorted()
    .map((name) => join(folder, name));
}

type FoundWorkspace = Pick<Workspace, "run" | "path" | "own">;

async function workspaceOf({ home, store }: Inspecting, found: FoundWorkspace): Promise<Workspace> {
  const known = await rowOf(store, found.run);
  const repo = found.own?.repo ?? known.row?.repo ?? "";
  const looked = { ...found, ...known, branch: presentBranch(found.path) };
  return { ...looked, repo, project: (await store.projectAt(repo))?.name ?? "", odd: oddOf(home, looked) };
}

async function rowOf(store: Store, run: string): Promise<Pick<Workspace, "row" | "isDamaged">> {
  try {
    return { row: (await store.load(run))?.row, isDamaged: false };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { row: undefined, isDamaged: true };
  }
}

function oddOf(
  home: Home,
  { run, row, isDamaged, own, path, branch }: Omit<Workspace, "repo" | "project" | "odd">,
): readonly string[] {
  const isHere = isThere(path);
  const isTree = isHere && isWorkspaceAt({ home }, path) && isFolder(join(path, ".git"));
  return [
    ...(isDamaged ? ["the journal is damaged: signalbox doctor"] : []),
    ...(row === undefined && !isDamaged ? [`the journal does not know ${run}`] : []),
    ...(row !== undefined && isFinished(row) ? [`${run} is over`] : []),
    ...(isHere ? [] : ["its folder is gone"]),
    ...(isHere && !isTree ? ["not a working tree of git any more"] : []),
    ...(own?.status === "bound" && isTree && branch !== own.branch
      ? [branch === "" ? "on no branch" : `on ${branch}, and not on ${own.branch}`]
      : []),
  ];
}
