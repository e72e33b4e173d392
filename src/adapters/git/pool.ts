/**
 * The worktrees of a project's pool, beyond what runs do with them: made before they are needed, and cleared up when their runs are
 * gone. Everything in them is kept first, as by any release.
 */

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import type { Box } from "../../engine/box.ts";
import type { PoolRow } from "../../engine/ports/projects.ts";
import type { Store } from "../../engine/ports/store.ts";
import { giveBack } from "../../engine/workspace.ts";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { makeFolder } from "../home/folders.ts";
import type { Env, Home } from "../home/paths.ts";
import { baseOf } from "./base.ts";
import { git } from "./call.ts";
import { checkOut } from "./fill.ts";
import { commonDirOf, gitDirOf, isFolder, isThere, registrationOf } from "./locate.ts";
import { whileLocked } from "./lock.ts";
import { isFreeAt, markFree, markTaken, ownerAt } from "./marks.ts";
import { isRunName } from "./names.ts";
import { benchOf, forgetBench } from "./own.ts";
import { release } from "./release.ts";

type On = { readonly home: Home; readonly env: Env };

/** Makes free worktrees until there are as many as the pool may have. Gives the paths of those that are new. */
export async function initPool(on: On & { readonly store: Store }, repo: string): Promise<readonly string[]> {
  const { store, home } = on;
  const project = store.projectAt(repo);
  if (project === undefined) return [];
  while (store.addToPool(repo) !== undefined);
  const { base } = await baseOf(on, { repo, defaultBranch: project.defaultBranch, remote: "" });
  const made: string[] = [];
  for (const { name } of store.pool(repo)) {
    const path = await whileLocked({ folder: home.locks, repo }, async () => {
      const row = store.pool(repo).find((each) => each.name === name);
      return row?.run === "" ? makeFree(on, { row, base }) : undefined;
    });
    if (path !== undefined) made.push(path);
  }
  return made;
}

/** `undefined` where there is one. One that is half made, or that somebody has used, is left to the run that gets it. */
async function makeFree(on: On, of: { row: PoolRow; base: string }): Promise<string | undefined> {
  const { row, base } = of;
  const mainDir = gitDirOf(row.repo);
  if (mainDir === undefined) return undefined;
  makeFolder(on.home.worktrees);
  const commonDir = commonDirOf(mainDir);
  const path = join(realpathSync(on.home.worktrees), row.name);
  if (isThere(path) || registrationOf(commonDir, path) !== undefined) return undefined;
  const call = { cwd: commonDir, gitDir: commonDir };
  const reason = ["--lock", "--reason", `signalbox pool ${row.name}`];
  failpoint("pool.before-worktree");
  makeFolder(path);
  const args = ["worktree", "add", "--no-checkout", "--detach", ...reason, "--", path, base];
  await git(on.env, { ...call, args, durable: true });
  const gitDir = registrationOf(commonDir, path);
  if (gitDir === undefined) throw new Error(`git has made a worktree at ${path} and does not know it`);
  markTaken(gitDir, "nobody");
  failpoint("pool.after-worktree");
  const bench = await benchOf(on, { path, gitDir });
  const aside = join(on.home.quarantine, `checkout-${row.name}`);
  await checkOut(on, bench, { tip: base, aside, isReused: () => false });
  markFree(gitDir, base);
  forgetBench(bench);
  failpoint("pool.after-free");
  return path;
}

export type Cleared = {
  readonly name: string;
  readonly path: string;
  /** *freed*: it waits for the next run. *removed*: it is gone. *left*: it is somebody's still. */
  readonly became: "freed" | "removed" | "left";
  readonly text: string;
};

type GcOn = On & {
  readonly box: Box;
  /** Ignored paths that stay. */
  readonly reuse: readonly string[];
};

/** Gives back what runs that are over or unknown still have, and removes what is beyond the pool's size or nobody's. */
export async function gcPool(on: GcOn, repo: string): Promise<readonly Cleared[]> {
  const cleared: Cleared[] = [];
  for (const row of on.box.store.pool(repo)) {
    const became = row.run === "" ? await withdraw(on, row) : await takeBack(on, row);
    if (became !== undefined) cleared.push({ name: row.name, path: pathOf(on, row.name), ...became });
  }
  return [...cleared, ...(await removeStrays(on, repo))];
}

type Became = Pick<Cleared, "became" | "text">;

/** A free one that there are too many of. The row goes first: nobody can get it any more. */
async function withdraw(on: GcOn, row: PoolRow): Promise<Became | undefined> {
  const { store } = on.box;
  if (row.n <= (store.projectAt(row.repo)?.poolSize ?? row.n)) return undefined;
  return whileLocked({ folder: on.home.locks, repo: row.repo }, async () => {
    if (store.pool(row.repo).find(({ name }) => name === row.name)?.run !== "") return undefined;
    store.dropFromPool(row.name);
    const kept = await remove(on, row);
    return { became: "removed", text: `the pool has room for fewer${kept}` };
  });
}

/** Of a run that is over, or that the journal does not know. */
async function takeBack(on: GcOn, row: PoolRow): Promise<Became | undefined> {
  const { box } = on;
  const { store } = box;
  const kept = store.load(row.run);
  if (kept !== undefined) {
    const { final } = box.workflow(kept.row.definition).definition.states[kept.run.state] ?? {};
    if (final === undefined) return undefined;
    if (store.jobs({ run: row.run, status: "live" }).length > 0)
      return { became: "left", text: `run ${row.run} is over, and a process of it is still there` };
    const said = await giveBack(box, kept, on.reuse);
    const isFree = store.pool(row.repo).some(({ name }) => name === row.name);
    return { became: isFree ? "freed" : "removed", text: `run ${row.run} is over; ${said}` };
  }
  return whileLocked({ folder: on.home.locks, repo: row.repo }, async () => {
    const said = await remove(on, row);
    store.dropFromPool(row.name);
    return { became: "removed", text: `the journal does not know run ${row.run}${said}` };
  });
}

/** Under the lock. Says what was kept of it. */
async function remove(on: On, of: Pick<PoolRow, "name" | "repo">): Promise<string> {
  const path = pathOf(on, of.name);
  const keep = join(on.home.quarantine, `worktree-${of.name}`);
  const { salvage, kept } = await release(on, { run: ownerOf(on, of), repo: of.repo, path, keep });
  const told = [salvage, kept].filter((each) => each !== "");
  return told.length === 0 ? "" : `; what was in it is kept: ${told.join(", ")}`;
}

/** Whose work is kept, where there is any. */
function ownerOf(on: On, { name, repo }: Pick<PoolRow, "name" | "repo">): string {
  const gitDir = registrationIn(repo, pathOf(on, name));
  const owner = gitDir === undefined ? undefined : ownerAt(gitDir);
  return [owner, name].find((each) => each !== undefined && isRunName(each)) ?? "pool";
}

/** Worktrees of this repository in our folder that belong to no pool and to no run. */
async function removeStrays(on: GcOn, repo: string): Promise<readonly Cleared[]> {
  const { store } = on.box;
  const names = unless(["ENOENT"], () => readdirSync(on.home.worktrees)) ?? [];
  const cleared: Cleared[] = [];
  for (const name of names) {
    const path = pathOf(on, name);
    const isKnown = store.pools().some((row) => row.name === name) || isBound(store, path);
    if (isKnown || !isFolder(path) || registrationIn(repo, path) === undefined) continue;
    await whileLocked({ folder: on.home.locks, repo }, async () => {
      const said = await remove(on, { name, repo });
      cleared.push({ name, path, became: "removed", text: `no pool and no run knows it${said}` });
    });
  }
  return cleared;
}

function isBound(store: Store, path: string): boolean {
  return store.workspaceAt(path) !== undefined || store.workspace(basename(path))?.status === "bound";
}

function registrationIn(repo: string, path: string): string | undefined {
  const mainDir = gitDirOf(repo);
  return mainDir === undefined ? undefined : registrationOf(commonDirOf(mainDir), path);
}

function pathOf({ home }: Pick<On, "home">, name: string): string {
  return join(existsSync(home.worktrees) ? realpathSync(home.worktrees) : home.worktrees, name);
}

/** Whether the worktree of a free row can be had at once. */
export function isWaiting(on: Pick<On, "home">, row: PoolRow): boolean {
  const gitDir = registrationIn(row.repo, pathOf(on, row.name));
  return gitDir !== undefined && isFreeAt(gitDir);
}
