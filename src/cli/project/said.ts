/** What the commands about projects say of one. */

import type { ProjectRow } from "../../engine/ports/projects.ts";
import type { Store } from "../../engine/ports/store.ts";
import { EXIT_OK, type Answer } from "../command.ts";

export type ProjectItem = ProjectRow & {
  /** Worktrees of the pool: all of them, and those that a task has. */
  readonly worktrees: number;
  readonly inUse: number;
  /** Tasks that wait for one. */
  readonly queued: number;
};

export function itemOf(store: Store, row: ProjectRow): ProjectItem {
  const pool = store.pool(row.repo);
  return {
    ...row,
    worktrees: pool.length,
    inUse: pool.filter(({ run }) => run !== "").length,
    queued: store.queued(row.repo).length,
  };
}

export function sayProject({ name, repo, defaultBranch, poolSize, remote }: ProjectRow): string {
  const branch = defaultBranch === "" ? "no default branch" : defaultBranch;
  return `${name}: ${repo}, ${branch}, at most ${poolSize} at the same time, ${remote === "" ? "no remote" : remote}`;
}

export function toldOf(message: string, project: ProjectItem): Answer {
  const next = "signalbox project list";
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => ({ project }),
    text: () => `${message}\n`,
    next,
    talk: `  next: ${next}\n`,
  };
}
