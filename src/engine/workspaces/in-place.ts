/**
 * A run works in the checkout itself: it is the run's for a while, and nothing in it is ever made, hidden or removed by that.
 *
 * Who has it is decided by the write that moves the run. Here it only begins, and ends.
 */

import type { Box, Works } from "../box.ts";
import { endChecks } from "../checks/check.ts";
import { childPaths } from "../tasks/child-paths.ts";
import { artifactPaths, boundWorkspace } from "../submit/place.ts";
import { descendantsOf } from "../tasks/descendants.ts";
import type { Kept } from "../ports/journal.ts";
import { project } from "../submit/project.ts";

export async function enterPlace(works: Works, { row, run }: Kept): Promise<string> {
  const { store } = works;
  if (boundWorkspace(works, row.id) !== undefined) return "it works in place already";
  const holder = store.takePlace(row.id, row.repo);
  if (holder !== "") throw new Error(`run ${holder} works in ${row.repo}`);
  const workflow = works.workflow(row.definition);
  const artifacts = [...artifactPaths(workflow, run), ...(await childPaths(works, workflow, row.repo))];
  const { base } = await works.branches.checkout(row.repo, artifacts);
  // What was committed since the run first came here is part of its work.
  const since = store.workspace(row.id)?.base ?? "";
  store.putWorkspace({
    run: row.id,
    repo: row.repo,
    path: row.repo,
    branch: "",
    base: since === "" ? base : since,
    status: "bound",
    salvage: "",
    kept: "",
  });
  await project(works, row.id);
  return `in place: ${row.repo}`;
}

/** Whoever still works there, also at one of its tasks, would work beside the next one. */
export async function releasePlace(works: Works, { row, run }: Kept): Promise<string> {
  const { store } = works;
  if (boundWorkspace(works, row.id) !== undefined) await endChecks(works, row.id);
  const family = [row.id, ...descendantsOf(store, row.id)];
  const jobs = family.flatMap((each) => store.jobs({ run: each, status: "live" }));
  const alive = jobs.find(({ kind }) => kind === "turn");
  if (alive !== undefined) throw new Error(`${alive.role} still works in ${row.repo}`);
  const isOver = works.workflow(row.definition).definition.states[run.state]?.final !== undefined;
  return leavePlace(works, row.id, isOver ? "any" : "bound");
}

export async function leavePlace(box: Box, run: string, of: "bound" | "any"): Promise<string> {
  box.store.leavePlace(run, of);
  await project(box, run);
  return "the place is free";
}
