/**
 * A run works in the checkout itself: it is the run's for a while, and nothing in it is ever made, hidden or removed by that.
 *
 * Who has it is decided by the write that moves the run. Here it only begins, and ends.
 */

import type { Box, Works } from "../box.ts";
import { endChecks } from "../checks/check.ts";
import { childPaths } from "../tasks/child-paths.ts";
import { artifactPaths } from "../submit/place.ts";
import { descendantsOf } from "../tasks/descendants.ts";
import type { Kept } from "../ports/journal.ts";
import { project } from "../submit/project.ts";

export async function enterPlace(works: Works, { row, run }: Kept): Promise<string> {
  const { store } = works;
  if ((await works.store.boundWorkspace(row.id)) !== undefined) return "it works in place already";
  const taken = await store.commit([{ type: "take-place", run: row.id, repo: row.repo }]);
  if (taken.type === "taken") throw new Error(`run ${taken.by} works in ${row.repo}`);
  const workflow = await works.workflow(row.definition);
  const artifacts = [...artifactPaths(workflow, run), ...(await childPaths(works, workflow, row.repo))];
  const { base } = await works.branches.checkout(row.repo, artifacts);
  // What was committed since the run first came here is part of its work.
  const since = (await store.workspace(row.id))?.base ?? "";
  await store.commit([
    {
      type: "put-workspace",
      workspace: {
        run: row.id,
        repo: row.repo,
        path: row.repo,
        branch: "",
        base: since === "" ? base : since,
        status: "bound",
        salvage: "",
        kept: "",
      },
    },
  ]);
  await project(works, row.id);
  return `in place: ${row.repo}`;
}

/** Whoever still works there, also at one of its tasks, would work beside the next one. */
export async function releasePlace(works: Works, { row, run }: Kept): Promise<string> {
  const { store } = works;
  if ((await works.store.boundWorkspace(row.id)) !== undefined) await endChecks(works, row.id);
  const family = [row.id, ...(await descendantsOf(store, row.id))];
  const jobs = (await Promise.all(family.map((each) => store.jobs({ run: each, status: "live" })))).flat();
  const alive = jobs.find(({ kind }) => kind === "turn");
  if (alive !== undefined) throw new Error(`${alive.role} still works in ${row.repo}`);
  const isOver = (await works.workflow(row.definition)).definition.states[run.state]?.final !== undefined;
  return leavePlace(works, row.id, isOver ? "any" : "bound");
}

export async function leavePlace(box: Box, run: string, of: "bound" | "any"): Promise<string> {
  await box.store.commit([{ type: "leave-place", run, of }]);
  await project(box, run);
  return "the place is free";
}
