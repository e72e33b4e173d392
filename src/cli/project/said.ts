/** What the commands about projects say of one. */

import { workflowsOf } from "../../engine/box.ts";
import type { ProjectRow } from "../../engine/ports/projects.ts";
import type { Store } from "../../engine/ports/store.ts";
import { slotsOf } from "../../engine/queue/slots.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer } from "../command.ts";

export type ProjectItem = ProjectRow & {
  /** Agents that work now. */
  readonly atWork: number;
  readonly workspaces: number;
  /** Tasks that have not begun. */
  readonly queued: number;
};

export function itemOf(store: Store, row: ProjectRow): ProjectItem {
  return {
    ...row,
    atWork: slotsOf({ store, workflow: workflowsOf(store) }, row.repo).atWork,
    workspaces: store.workspaces().filter(({ repo }) => repo === row.repo).length,
    queued: store.queued(row.repo).length,
  };
}

export function sayProject({ name, repo, defaultBranch, agents, remote }: ProjectRow): string {
  const branch = defaultBranch === "" ? "no default branch" : defaultBranch;
  return `${name}: ${repo}, ${branch}, at most ${agents} ${agents === 1 ? "agent" : "agents"} at the same time, ${remote === "" ? "no remote" : remote}`;
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
