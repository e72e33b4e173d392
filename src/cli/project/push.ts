/**
 * A run that may push needs to know where to. What a repository says of that is taken from a person's command, and kept: later, agents
 * can have written it.
 */

import type { Workflow } from "../../core/compile.ts";
import type { Action } from "../../core/workflow.ts";
import type { Acting } from "../acting.ts";
import { projectFor } from "./make.ts";

export async function rememberRemote(
  { box: { store }, door }: Acting,
  workflow: Workflow,
  of: { readonly repo: string; readonly branch: string },
): Promise<void> {
  if (!pushes(workflow)) return;
  const { isNew, ...project } = await projectFor({ store, env: door.env }, of);
  if (isNew) store.putProject(project);
}

function pushes({ definition: { states, moves, ends } }: Workflow): boolean {
  const actions: readonly Action[] = [
    ...Object.values(states).flatMap(({ enter }) => enter),
    ...moves.flatMap((move) => move.do),
    ...ends.flatMap((end) => [...end.then, ...end.do]),
  ];
  return actions.some((action) => action.type === "perform" && action.name === "pull-request");
}
