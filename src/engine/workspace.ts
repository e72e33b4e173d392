/** The workspace of a run: made before anything happens in it, kept at every gate, given back without losing a byte. */

import { PLACE } from "../core/compile.ts";
import type { Box, Works } from "./box.ts";
import { endChecks } from "./check.ts";
import { childPaths } from "./child-paths.ts";
import type { Of } from "./doing.ts";
import { enterPlace, leavePlace, releasePlace } from "./in-place.ts";
import { artifactPaths, boundWorkspace, isInPlace, leftOutOf, ownWorkspace, placeOf } from "./place.ts";
import type { Kept } from "./ports/journal.ts";
import type { PoolRow } from "./ports/projects.ts";
import { noteAll, project } from "./project.ts";
import { endSetUp, isBeingSetUp, setUp } from "./setup.ts";

export async function prepare({ works, kept }: Of<"prepare-resource">): Promise<string> {
  const { row, run } = kept;
  const workflow = works.workflow(row.definition);
  const isOver = workflow.definition.states[run.state]?.final !== undefined;
  if (workflow.isInPlace) return isOver ? leavePlace(works, row.id, "any") : enterPlace(works, kept);
  if (isOver) {
    await endSetUp(works, row.id);
    // One that was only reserved is the next one's.
    if (ownWorkspace(works, row.id) === undefined) await giveBack(works, kept, []);
    return "the run is over";
  }
  if (boundWorkspace(works, row.id) !== undefined) return "there is a workspace already";
  return make(works, kept);
}

/** It is the run's only when it has been set up: until then, no agent is started in it. */
async function make(works: Works, kept: Kept): Promise<string> {
  const { row, run } = kept;
  const workflow = works.workflow(row.definition);
  const wanted = run.params["branch"];
  const branch = typeof wanted === "string" && wanted !== "" ? wanted : `signalbox/${row.id}`;
  const place = works.store.poolOf(row.id)?.name;
  const { reuse, fetch } = (await works.settings(row.repo)).workspace;
  // While it is set up this is done again and again, and finds everything done; it is told once.
  const isFirst = !isBeingSetUp(works, row.id);
  const from = await baseFor(works, kept, fetch);
  const made = await works.workspaces.prepare({
    run: row.id,
    repo: row.repo,
    branch,
    base: from.base,
    artifacts: [...artifactPaths(workflow, run), ...(await childPaths(works, workflow, row.repo))],
    leftOut: leftOutOf(workflow, run),
    reuse,
    ...(place === undefined ? {} : { place }),
  });
  if (isFirst) noteAll(works, row.id, [...from.notes, ...(made.notes ?? [])]);
  await setUp(works, kept, made.path);
  noteAll(
    works,
    row.id,
    await works.artifacts.carry(placeOf(works, { run, workflow, id: row.id }), made.path),
  );
  const { path, base } = made;
  works.store.putWorkspace({
    run: row.id,
    repo: row.repo,
    path,
    branch: made.branch,
    base,
    status: "bound",
    salvage: "",
    kept: "",
  });
  // Somebody has given it another name since it was begun.
  if (made.branch !== branch) await renameTo(works, row.id, branch);
  await project(works, row.id);
  return path;
}

/** As a person had it when the run began; otherwise where its project stands now. */
async function baseFor(
  works: Works,
  { row }: Kept,
  fetch: boolean,
): Promise<{ readonly base: string; readonly notes: readonly string[] }> {
  if (row.base !== "") return { base: row.base, notes: [] };
  const known = works.store.projectAt(row.repo);
  return works.branches.baseOf({
    repo: row.repo,
    defaultBranch: known?.defaultBranch ?? "",
    remote: fetch ? (known?.remote ?? "") : "",
  });
}

export async function snapshot({ works, kept, deed }: Of<"snapshot">): Promise<string> {
  const workspace = boundWorkspace(works, kept.row.id);
  if (workspace === undefined) return "there is no workspace any more";
  const message = `${kept.row.workflow} ${kept.row.id}: ${deed.state}`;
  const { tree, seq } = deed;
  return works.workspaces.snapshot({ path: workspace.path, run: kept.row.id, seq, tree, message });
}

export async function release({ works, kept, deed }: Of<"release-resource">): Promise<string> {
  const { row } = kept;
  if (deed.resource === PLACE) return releasePlace(works, kept);
  if (boundWorkspace(works, row.id) !== undefined) await endChecks(works, row.id);
  await endSetUp(works, row.id);
  return giveBack(works, kept, await reusedIn(works, row.repo));
}

/** Settings that cannot be read keep nobody from giving back: then nothing stays. */
async function reusedIn(works: Works, repo: string): Promise<readonly string[]> {
  try {
    return (await works.settings(repo)).workspace.reuse;
  } catch (error) {
    works.log(`settings of ${repo}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

/** Nothing of the run may be alive in it. The worktree is the next one's only when everything about this one is written down. */
export async function giveBack(box: Box, kept: Kept, reuse: readonly string[]): Promise<string> {
  const { row, run } = kept;
  const { store } = box;
  const bound = ownWorkspace(box, row.id);
  if (bound !== undefined && isInPlace(bound)) return leavePlace(box, row.id, "any");
  const pool = store.poolOf(row.id);
  const isSurplus = pool !== undefined && pool.n > (store.projectAt(pool.repo)?.poolSize ?? pool.n);
  if (bound === undefined) {
    leave(box, { run: row.id, pool, isGone: isSurplus });
    return "it was released already";
  }
  const place = placeOf(box, { run, workflow: box.workflow(row.definition), id: row.id });
  const { files, kept: keep } = box.folders(row.id);
  noteAll(box, row.id, await box.artifacts.carry(place, files));
  const { path, repo } = bound;
  const stays = pool !== undefined && !isSurplus ? { stays: { reuse } } : {};
  const left = await box.workspaces.release({ run: row.id, repo, path, keep, ...stays });
  const { salvage, kept: keptIn } = left;
  store.putWorkspace({ ...bound, salvage, kept: keptIn, status: "released" });
  leave(box, { run: row.id, pool, isGone: left.stays !== true });
  await project(box, row.id);
  return salvage === "" ? "nothing was left uncommitted" : `what was not committed is kept as ${salvage}`;
}

type Leaving = {
  readonly run: string;
  readonly pool: PoolRow | undefined;
  /** There is no worktree any more that somebody could have. */
  readonly isGone: boolean;
};

function leave({ store }: Box, { run, pool, isGone }: Leaving): void {
  if (pool === undefined) return;
  if (isGone) store.dropFromPool(pool);
  else store.leavePool(run);
}

/** The run has another name for its branch than the one that its workspace is on. */
export async function renameBranch({ works, kept, deed }: Of<"rename-branch">): Promise<string> {
  const { row } = kept;
  const bound = ownWorkspace(works, row.id);
  if (bound === undefined) return "there is no workspace any more";
  if (kept.run.params["branch"] !== deed.branch) return "the branch has been given another name since";
  await renameTo(works, row.id, deed.branch);
  await project(works, row.id);
  return `${bound.branch} is ${deed.branch}`;
}

async function renameTo(works: Works, run: string, to: string): Promise<void> {
  const bound = ownWorkspace(works, run);
  if (bound === undefined) return;
  const { path, repo, branch: from } = bound;
  await works.branches.rename({ run, repo, path, from, to });
  works.store.putWorkspace({ ...bound, branch: to });
}
