/** The workspace of a run: made before anything happens in it, kept at every gate, given back without losing a byte. */

import { endChecks } from "./check.ts";
import type { Of } from "./doing.ts";
import { artifactPaths, boundWorkspace, placeOf } from "./place.ts";
import { noteAll, project } from "./project.ts";

export async function prepare({ works, kept }: Of<"prepare-resource">): Promise<string> {
  const { row, run } = kept;
  if (boundWorkspace(works, row.id) !== undefined) return "there is a workspace already";
  const workflow = works.workflow(row.definition);
  if (workflow.definition.states[run.state]?.final !== undefined) return "the run is over";
  const wanted = run.params["branch"];
  const branch = typeof wanted === "string" && wanted !== "" ? wanted : `signalbox/${row.id}`;
  const artifacts = artifactPaths(workflow, run);
  const made = await works.workspaces.prepare({
    run: row.id,
    repo: row.repo,
    branch,
    base: row.base,
    artifacts,
  });
  noteAll(
    works,
    row.id,
    await works.artifacts.carry(placeOf(works, { run, workflow, id: row.id }), made.path),
  );
  works.store.putWorkspace({ run: row.id, repo: row.repo, ...made, status: "bound", salvage: "", kept: "" });
  await project(works, row.id);
  return made.path;
}

export async function snapshot({ works, kept, deed }: Of<"snapshot">): Promise<string> {
  const workspace = boundWorkspace(works, kept.row.id);
  if (workspace === undefined) return "there is no workspace any more";
  const message = `${kept.row.workflow} ${kept.row.id}: ${deed.state}`;
  const { tree, seq } = deed;
  return works.workspaces.snapshot({ path: workspace.path, run: kept.row.id, seq, tree, message });
}

export async function release({ works, kept, deed }: Of<"release-resource">): Promise<string> {
  const { row, run } = kept;
  const bound = boundWorkspace(works, row.id);
  if (deed.resource !== "workspace" || bound === undefined) return "it was released already";
  const place = placeOf(works, { run, workflow: works.workflow(row.definition), id: row.id });
  const { files, kept: keep } = works.folders(row.id);
  await endChecks(works, row.id);
  noteAll(works, row.id, await works.artifacts.carry(place, files));
  const { path, repo } = bound;
  const left = await works.workspaces.release({ run: row.id, repo, path, keep });
  works.store.putWorkspace({ ...bound, ...left, status: "released" });
  await project(works, row.id);
  return left.salvage === ""
    ? "nothing was left uncommitted"
    : `what was not committed is kept as ${left.salvage}`;
}
