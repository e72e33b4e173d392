/** The workspaces of runs as they are, and what is odd about them. Nothing here starts git. */

import { readdirSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { unless } from "../../adapters/files/errno.ts";
import { isFolder, isThere } from "../../adapters/git/locate.ts";
import { isWorkspaceAt } from "../../adapters/git/own.ts";
import { presentBranch } from "../../adapters/git/refs.ts";
import type { Home } from "../../adapters/home/paths.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import type { Store } from "../../engine/ports/store.ts";
import { isFinished } from "../../app/runs/find.ts";

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

type On = { readonly home: Home; readonly store: Store };

export function workspacesOf(on: On, repo: string | undefined): readonly Workspace[] {
  const { store } = on;
  const own = store.workspaces().map((row) => workspaceOf(on, { run: row.run, path: row.path, own: row }));
  const left = leftIn(on).map((path) => workspaceOf(on, { run: basename(path), path, own: undefined }));
  return [...own, ...left.filter(({ row }) => row !== undefined)].filter(
    (each) => repo === undefined || each.repo === repo,
  );
}

/** Folders among the workspaces that are named after no run that the journal knows. */
export function strangersOf(on: On): readonly string[] {
  return leftIn(on).filter((path) => rowOf(on.store, basename(path)).row === undefined);
}

/** Folders among the workspaces that belong to none of them. */
function leftIn({ home, store }: On): readonly string[] {
  const known = new Set(store.workspaces().map(({ path }) => basename(path)));
  const names = unless(["ENOENT", "ENOTDIR"], () => readdirSync(home.workspaces)) ?? [];
  const folder = unless(["ENOENT"], () => realpathSync(home.workspaces)) ?? home.workspaces;
  return names
    .filter((name) => !known.has(name))
    .toSorted()
    .map((name) => join(folder, name));
}

type Found = Pick<Workspace, "run" | "path" | "own">;

function workspaceOf({ home, store }: On, found: Found): Workspace {
  const known = rowOf(store, found.run);
  const repo = found.own?.repo ?? known.row?.repo ?? "";
  const looked = { ...found, ...known, branch: presentBranch(found.path) };
  return { ...looked, repo, project: store.projectAt(repo)?.name ?? "", odd: oddOf(home, looked) };
}

function rowOf(store: Store, run: string): Pick<Workspace, "row" | "isDamaged"> {
  try {
    return { row: store.load(run)?.row, isDamaged: false };
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
