/** The workspace of a run: made before anything happens in it, kept while the run waits, removed without losing a byte. */

import { PLACE } from "../../core/model/compile.ts";
import type { Box, Works } from "../box.ts";
import { endChecks } from "../checks/check.ts";
import { childPaths } from "../tasks/child-paths.ts";
import type { Of } from "../effects/deed.ts";
import { enterPlace, leavePlace, releasePlace } from "./in-place.ts";
import { artifactPaths, isInPlace, leftOutOf, ownWorkspace, placeOf } from "../submit/place.ts";
import type { Kept } from "../ports/journal.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import type { Settings } from "../ports/settings.ts";
import { Later } from "../supervise/later.ts";
import { project } from "../submit/project.ts";
import { noteAll, noteNew } from "../notes.ts";
import { endSetUps, isBeingSetUp, setUp } from "./setup.ts";

export async function prepare({ works, kept }: Of<"prepare-resource">): Promise<string> {
  const { row, run } = kept;
  const workflow = await works.workflow(row.definition);
  const isOver = workflow.definition.states[run.state]?.final !== undefined;
  if (workflow.isInPlace) return isOver ? leavePlace(works, row.id, "any") : enterPlace(works, kept);
  if (isOver) {
    await endSetUps(works, row.id);
    await giveBack(works, kept);
    return "the run is over";
  }
  if ((await works.store.boundWorkspace(row.id)) !== undefined) return "there is a workspace already";
  return make(works, kept);
}

async function make(works: Works, kept: Kept): Promise<string> {
  const { row } = kept;
  const settings = (await works.settings(row.repo)).workspace;
  // While it is set up this is done again and again, and finds everything done; it is told once.
  const isFirst = !(await isBeingSetUp(works, { run: row.id }));
  if (!isFirst) return furnish({ works, kept, settings, isFirst });
  // Runs that begin at the same moment do not share the last place: each counts those that began before it.
  const earlier = [...making].flatMap(([run, repo]) => (repo === row.repo ? [run] : []));
  making.set(row.id, row.repo);
  try {
    await requireRoom({ works, row, settings, earlier });
    return await furnish({ works, kept, settings, isFirst });
  } finally {
    making.delete(row.id);
  }
}

/** Runs with their repositories, in the order in which this process began to make their workspaces, which are not in the store yet. */
const making = new Map<string, string>();

type Furnishing = {
  readonly works: Works;
  readonly kept: Kept;
  readonly settings: Settings["workspace"];
  readonly isFirst: boolean;
};

/** It is the run's only when it has been set up: until then, no agent is started in it. */
async function furnish({ works, kept, settings, isFirst }: Furnishing): Promise<string> {
  const { row, run } = kept;
  const workflow = await works.workflow(row.definition);
  const wanted = run.params["branch"];
  const branch = typeof wanted === "string" && wanted !== "" ? wanted : `signalbox/${row.id}`;
  const from = await baseFor(works, kept, settings.fetch);
  const made = await works.workspaces.prepare({
    run: row.id,
    repo: row.repo,
    branch,
    base: from.base,
    artifacts: [...artifactPaths(workflow, run), ...(await childPaths(works, workflow, row.repo))],
    leftOut: leftOutOf(workflow, run),
  });
  if (isFirst) await noteAll(works, { run: row.id }, [...from.notes, ...(made.notes ?? [])]);
  const { path, base } = made;
  const known = { run: row.id, repo: row.repo, path, branch: made.branch, base, salvage: "", kept: "" };
  // Should the run be cancelled while its workspace is set up, it is known what to remove.
  if (isFirst)
    await works.store.commit([{ type: "put-workspace", workspace: { ...known, status: "reserved" } }]);
  await setUp(works, kept, { run: row.id, path });
  await noteAll(
    works,
    { run: row.id },
    await works.artifacts.carry(await placeOf(works, { run, workflow, id: row.id }), path),
  );
  await works.store.commit([{ type: "put-workspace", workspace: { ...known, status: "bound" } }]);
  // Somebody has given it another name since it was begun.
  if (made.branch !== branch) await renameTo(works, row.id, branch);
  await project(works, row.id);
  return path;
}

/** How often is looked whether there is room again. */
const ROOM_MS = 5000;
const WAITS = "it waits for room for its workspace: ";

type WorkspaceRoom = {
  readonly works: Works;
  readonly row: Kept["row"];
  readonly settings: Settings["workspace"];
  /** Runs of the repository whose workspaces are being made. */
  readonly earlier: readonly string[];
};

/** Runs keep their workspaces while they wait, so there may be many. Without room the run waits, and says what for. */
async function requireRoom(room: WorkspaceRoom): Promise<void> {
  const { works, row } = room;
  const { store } = works;
  const why = await whyNoRoom(room);
  const shown = (await store.marks(row.id))?.attention ?? "";
  const isOurs = shown === "" || shown.startsWith(WAITS);
  const text = why === "" ? "" : `${WAITS}${why}`;
  if (isOurs && shown !== text) await store.commit([{ type: "attend", run: row.id, attention: text, shown }]);
  if (why !== "") throw new Later(why, ROOM_MS);
}

async function whyNoRoom({ works, row, settings, earlier }: WorkspaceRoom): Promise<string> {
  const { max, minFreeMb } = settings;
  const kept = (await works.store.workspaces()).filter(({ repo }) => repo === row.repo);
  const others = new Set([...earlier, ...kept.map(({ run }) => run)].filter((run) => run !== row.id)).size;
  if (others >= max)
    return `${others} of ${max} workspaces are in use; end runs, raise workspace.max in your settings, or release what finished runs left with: signalbox workspace gc`;
  const free = Math.floor(works.freeMb());
  if (free < minFreeMb)
    return `the disk has ${free} MB left, and a workspace needs ${minFreeMb}; make room, lower workspace.min_free_mb in your settings, or release what finished runs left with: signalbox workspace gc`;
  return "";
}

/** As a person had it when the run began; otherwise where its project stands now. */
async function baseFor(
  works: Works,
  { row }: Kept,
  fetch: boolean,
): Promise<{ readonly base: string; readonly notes: readonly string[] }> {
  if (row.base !== "") return { base: row.base, notes: [] };
  const known = await works.store.projectAt(row.repo);
  return works.branches.baseOf({
    repo: row.repo,
    defaultBranch: known?.defaultBranch ?? "",
    remote: fetch ? (known?.remote ?? "") : "",
  });
}

export async function snapshot(doing: Of<"snapshot">): Promise<string> {
  const { works, kept } = doing;
  const workspace = await works.store.boundWorkspace(kept.row.id);
  if (workspace === undefined) return "there is no workspace any more";
  try {
    return await handOver(doing, workspace);
  } catch (error) {
    const isOver =
      (await works.workflow(kept.row.definition)).definition.states[kept.run.state]?.final !== undefined;
    // Of a run that is over nobody waits for the commit, and its release keeps everything that git cannot hold.
    if (!isOver || !(error instanceof Error) || !("next" in error)) throw error;
    await noteNew(works, { run: kept.row.id }, [`the last work was not handed over: ${error.message}`]);
    return error.message;
  }
}

/** Makes the commit of a tree of the work. */
export async function handOver(
  { works, kept, deed }: Pick<Of<"snapshot">, "works" | "kept" | "deed">,
  workspace: WorkspaceRow,
): Promise<string> {
  const { row, run } = kept;
  const { path, repo } = workspace;
  const { author, message } = (await works.settings(repo)).workspace;
  const made = await works.workspaces.snapshot({
    path,
    repo,
    run: row.id,
    isGuest: workspace.run !== row.id,
    tree: deed.tree,
    artifacts: artifactPaths(await works.workflow(row.definition), run),
    message: messageOf(kept, deed.state, message),
    ...(author === undefined ? {} : { author }),
  });
  await noteNew(works, { run: row.id }, made.notes);
  return made.commit;
}

function messageOf({ row, run }: Kept, state: string, template: string): string {
  const { summary } = run.params;
  const [goal = ""] = (typeof summary === "string" && summary !== "" ? summary : row.goal).split("\n");
  const words: Readonly<Record<string, string>> = {
    goal: goal.trim() || row.workflow,
    run: row.id,
    workflow: row.workflow,
    state,
  };
  const text = template.replaceAll(/\{(\w+)\}/g, (whole, word: string) => words[word] ?? whole);
  return `${text.trim()}\n\nSignalbox-Run: ${row.id}`;
}

export async function release({ works, kept, deed }: Of<"release-resource">): Promise<string> {
  const { row } = kept;
  if (deed.resource === PLACE) return releasePlace(works, kept);
  if ((await works.store.boundWorkspace(row.id)) !== undefined) await endChecks(works, row.id);
  await endSetUps(works, row.id);
  return giveBack(works, kept);
}

/** Nothing of the run may be alive in it. */
export async function giveBack(box: Box, kept: Kept): Promise<string> {
  const { row, run } = kept;
  const { store } = box;
  const own = await store.workspace(row.id);
  if (own === undefined || own.status === "released") return "it was released already";
  if (isInPlace(own)) return leavePlace(box, row.id, "any");
  const { files, kept: keep } = box.folders(row.id);
  // Until a workspace is bound, the files of its run are in the state home.
  if (own.status === "bound") {
    const place = await placeOf(box, { run, workflow: await box.workflow(row.definition), id: row.id });
    await noteAll(box, { run: row.id }, await box.artifacts.carry(place, files));
  }
  const { path, repo } = own;
  const artifacts = artifactPaths(await box.workflow(row.definition), run);
  const { salvage, kept: keptIn } = await box.workspaces.release({
    run: row.id,
    repo,
    path,
    keep,
    artifacts,
  });
  await store.commit([
    { type: "put-workspace", workspace: { ...own, salvage, kept: keptIn, status: "released" } },
  ]);
  await project(box, row.id);
  return salvage === "" ? "nothing was left uncommitted" : `what was not committed is kept as ${salvage}`;
}

/** The run has another name for its branch than the one that its workspace is on. */
export async function renameBranch({ works, kept, deed }: Of<"rename-branch">): Promise<string> {
  const { row } = kept;
  const bound = await ownWorkspace(works, row.id);
  if (bound === undefined) return "there is no workspace any more";
  if (kept.run.params["branch"] !== deed.branch) return "the branch has been given another name since";
  await renameTo(works, row.id, deed.branch);
  await project(works, row.id);
  return `${bound.branch} is ${deed.branch}`;
}

async function renameTo(works: Works, run: string, to: string): Promise<void> {
  const bound = await ownWorkspace(works, run);
  if (bound === undefined) return;
  const { path, repo, branch: from } = bound;
  await works.branches.rename({ run, repo, path, from, to });
  await works.store.commit([{ type: "put-workspace", workspace: { ...bound, branch: to } }]);
}
