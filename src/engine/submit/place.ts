/** Where a run's files are, and which of them are artifacts. */

import type { Workflow } from "../../core/model/compile.ts";
import { fillPath } from "../../core/text/fill-path.ts";
import type { Run } from "../../core/model/run.ts";
import type { Artifact } from "../../core/model/artifact.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { Box, Works } from "../box.ts";
import type { Place } from "../ports/files.ts";
import type { WorkspaceRow } from "../ports/registry.ts";

/** The one that is its own to give back. */
export async function ownWorkspace(
  { store }: Pick<Box, "store">,
  run: string,
): Promise<WorkspaceRow | undefined> {
  const row = await store.workspace(run);
  return row?.status === "bound" ? row : undefined;
}

type RunWithWorkflow = { readonly run: Run; readonly workflow: Workflow; readonly id: string };

export async function placeOf(box: Box, of: RunWithWorkflow): Promise<Place> {
  return placeWith(box, { ...of, workspace: await box.store.boundWorkspace(of.id) });
}

/** For a caller that knows the workspace of the run. */
export async function placeWith(
  box: Box,
  { run, workflow, id, workspace }: RunWithWorkflow & { readonly workspace: WorkspaceRow | undefined },
): Promise<Place> {
  if (workflow.isInPlace) return { root: await checkoutOf(box, id), run, workflow, isWorkspace: true };
  if (workspace !== undefined) return { root: workspace.path, run, workflow, isWorkspace: true };
  return { root: box.folders(id).files, run, workflow };
}

/** Where the files of a run that works in place are, whether or not it has the place. */
async function checkoutOf({ store }: Box, run: string): Promise<string> {
  const path = (await store.workspace(run))?.path ?? (await store.load(run))?.row.repo;
  if (path === undefined) throw new Error(`there is no run ${run}`);
  return path;
}

export function isInPlace({ path, repo }: Pick<WorkspaceRow, "path" | "repo">): boolean {
  return path === repo;
}

/** The workspace that a run works in, as it is told to somebody: in place, with the branch that the person is on now. */
export async function shownWorkspace(
  works: Pick<Works, "store" | "branches">,
  run: string,
): Promise<WorkspaceRow | undefined> {
  const bound = await works.store.boundWorkspace(run);
  if (bound === undefined || !isInPlace(bound)) return bound;
  return { ...bound, branch: works.branches.branchAt(bound.path) };
}

/** Paths of artifacts, projections and what agents are given: they are not part of the work. `{slot}` stands for any name. */
export function artifactPaths({ definition }: Workflow, run: Run): string[] {
  const { artifacts, projections, roles } = definition;
  const inputs = Object.values(roles).map(({ input }) => input?.file ?? "");
  const copies = earlierIn(definition).map((name) => copyOf(artifacts[name], "{n}"));
  const files = [
    ...[...Object.values(artifacts), ...projections].map(({ file }) => file),
    ...inputs,
    ...copies,
  ];
  return [...new Set(files.filter((file) => file !== "").map((file) => fillPath(run, file, "{slot}")))];
}

/** Rules for what none of a run's commits takes: it is not part of the work either. Where one of them takes it, it is. */
export function leftOutOf({ definition }: Workflow, run: Run): string {
  const { states, moves, ends } = definition;
  const actions = [
    ...Object.values(states).flatMap(({ enter }) => enter),
    ...moves.flatMap((move) => move.do),
    ...ends.flatMap((end) => [...end.then, ...end.do]),
  ];
  const rules = new Set(
    actions.flatMap((action) =>
      action.type === "perform" && action.name === "commit" ? [action.without] : [],
    ),
  );
  const [param] = rules;
  return param === undefined || rules.size > 1 ? "" : String(run.params[param] ?? "");
}

/** Artifacts of which an earlier attempt's are handed to somebody. */
export function earlierIn({ roles, artifacts }: Definition): readonly string[] {
  const ofTasks = Object.values(artifacts).map(({ reader }) =>
    reader.type === "children" ? reader.earlier : [],
  );
  const named = [...Object.values(roles).map(({ earlier }) => earlier), ...ofTasks];
  return [...new Set(named.flatMap((names = []) => names))];
}

function copyOf(artifact: Artifact | undefined, attempt: string): string {
  return artifact === undefined || artifact.file === ""
    ? ""
    : copyPath(archivedName(artifact, artifact.file), attempt);
}

/** What it is called in the archive: a section is a file of its own there. */
export function archivedName({ reader }: Pick<Artifact, "reader">, file: string): string {
  return reader.type === "section" ? `${file}.${reader.heading.replaceAll(/[/\0]/g, "-")}.md` : file;
}

/** Where a copy of what is in the archive lies in the workspace: in a folder of the attempt, beside where the artifact is. */
export function copyPath(file: string, attempt: string): string {
  const end = file.lastIndexOf("/") + 1;
  return `${file.slice(0, end)}attempt-${attempt}/${file.slice(end)}`;
}

export { fillPath };
