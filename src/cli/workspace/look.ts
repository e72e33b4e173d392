/** The worktrees of pools as they are: whose they are, and what is odd about them. Nothing here starts git. */

import { readdirSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { unless } from "../../adapters/files/errno.ts";
import { isThere } from "../../adapters/git/locate.ts";
import { isWorkspaceAt } from "../../adapters/git/own.ts";
import { presentBranch } from "../../adapters/git/present-branch.ts";
import type { Home } from "../../adapters/home/paths.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import { isInPlace } from "../../engine/place.ts";
import type { PoolRow } from "../../engine/ports/projects.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import type { Store } from "../../engine/ports/store.ts";
import { isFinished } from "../box.ts";

export type Worktree = {
  readonly name: string;
  readonly project: string;
  readonly repo: string;
  readonly path: string;
  /** Empty while nobody has it. */
  readonly run: string;
  /** Undefined where the journal does not know the run. */
  readonly row: RunRow | undefined;
  /** The journal knows the run, and something about it is wrong: nobody can tell whether it is over. */
  readonly isDamaged: boolean;
  readonly bound: WorkspaceRow | undefined;
  /** Of a pool; undefined for the worktree of a run that was begun without one. */
  readonly pool: PoolRow | undefined;
  /** The branch that it is on; empty for none. */
  readonly branch: string;
  readonly isThere: boolean;
  /** There are more of them than the project wants. */
  readonly isSurplus: boolean;
  readonly odd: readonly string[];
};

type On = { readonly home: Home; readonly store: Store };

const LIMIT = 100_000;

export function worktreesOf(on: On, repo: string | undefined): readonly Worktree[] {
  const rows = repo === undefined ? on.store.pools() : on.store.pool(repo);
  const underWay = ["running", "waiting"].flatMap((status) => on.store.list({ status, limit: LIMIT }).rows);
  const runs = new Set([
    ...unpooled(on).flatMap((path) => on.store.workspaceAt(path)?.run ?? []),
    ...underWay.map(({ id }) => id),
  ]);
  const alone = [...runs]
    .filter((run) => on.store.poolOf(run) === undefined)
    .flatMap((run) => aloneOf(on, run))
    .filter((worktree) => repo === undefined || worktree.repo === repo);
  return [...rows.map((row) => pooledOf(on, row)), ...alone];
}

/** Folders among the worktrees that belong to nobody. */
export function strangersOf(on: On): readonly string[] {
  return unpooled(on).filter((path) => on.store.workspaceAt(path) === undefined);
}

/** Folders among the worktrees that are in no pool. */
function unpooled({ home, store }: On): readonly string[] {
  const known = new Set(store.pools().map(({ name }) => name));
  const names = unless(["ENOENT", "ENOTDIR"], () => readdirSync(home.worktrees)) ?? [];
  const folder = unless(["ENOENT"], () => realpathSync(home.worktrees)) ?? home.worktrees;
  return names
    .filter((name) => !known.has(name))
    .toSorted()
    .map((name) => join(folder, name));
}

function pooledOf({ home, store }: On, pool: PoolRow): Worktree {
  const { name, repo, n, run } = pool;
  const known = rowOf(store, run);
  const bound = boundTo(store, run);
  const path = bound?.path ?? join(home.worktrees, name);
  const project = store.projectAt(repo);
  const isSurplus = n > (project?.poolSize ?? n);
  const own = { path, isThere: isThere(path), branch: presentBranch(path) };
  return {
    name,
    project: project?.name ?? "",
    repo,
    run,
    ...known,
    bound,
    pool,
    ...own,
    isSurplus,
    odd: [
      ...(isSurplus ? [`the project wants ${project?.poolSize ?? 0}`] : []),
      ...(pool.isRetired ? ["it is being removed"] : []),
      ...oddOf(home, { run, ...known, bound, ...own }),
    ],
  };
}

/** A run that has a workspace of its own, in no pool. */
function aloneOf({ home, store }: On, run: string): readonly Worktree[] {
  const known = rowOf(store, run);
  const bound = boundTo(store, run);
  if (bound === undefined || isInPlace(bound)) return [];
  const { path, repo } = bound;
  const own = { path, isThere: isThere(path), branch: presentBranch(path) };
  return [
    {
      name: basename(path),
      project: store.projectAt(repo)?.name ?? "",
      repo,
      run,
      ...known,
      bound,
      pool: undefined,
      ...own,
      isSurplus: false,
      odd: oddOf(home, { run, ...known, bound, ...own }),
    },
  ];
}

function rowOf(store: Store, run: string): Pick<Worktree, "row" | "isDamaged"> {
  try {
    return { row: run === "" ? undefined : store.load(run)?.row, isDamaged: false };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { row: undefined, isDamaged: true };
  }
}

function boundTo(store: Store, run: string): WorkspaceRow | undefined {
  const row = run === "" ? undefined : store.workspace(run);
  return row?.status === "bound" ? row : undefined;
}

type Looked = Pick<Worktree, "run" | "row" | "isDamaged" | "bound" | "path" | "isThere" | "branch">;

function oddOf(home: Home, looked: Looked): readonly string[] {
  const { run, row, isDamaged, bound, path, isThere: isHere, branch } = looked;
  const isTree = isHere && isWorkspaceAt({ home }, path);
  if (run === "") {
    if (!isHere) return ["not made yet"];
    if (!isTree) return ["no working tree of git any more"];
    return branch === "" ? [] : [`on the branch ${branch}, although nobody has it`];
  }
  return [
    ...(isDamaged ? [`the journal is damaged: signalbox doctor`] : []),
    ...(row === undefined && !isDamaged ? [`the journal does not know ${run}`] : []),
    ...(row !== undefined && isFinished(row) ? [`${run} is over`] : []),
    ...(bound !== undefined && !isHere ? ["its folder is gone"] : []),
    ...(isHere && !isTree ? ["no working tree of git any more"] : []),
    ...(bound !== undefined && isTree && branch !== bound.branch
      ? [branch === "" ? "on no branch" : `on ${branch}, and not on ${bound.branch}`]
      : []),
  ];
}
