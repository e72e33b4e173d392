/** Makes again what the journal knows and the world has lost: definitions, workspaces, the files that show a run. */

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { workflowsOf, type Box } from "../../engine/box.ts";
import { project } from "../../engine/submit/project.ts";
import { hashOf } from "../../format/workflow/hash.ts";
import { parseWorkflow } from "../../format/workflow/parse.ts";
import { failpoint } from "../failpoint.ts";
import { fileArtifacts } from "../files/artifacts/artifacts.ts";
import { gitWorkspaces } from "../git/workspace/workspaces.ts";
import { runFolders, type Env, type Home } from "../home/paths.ts";
import { codeOf } from "../files/errno.ts";
import { listWorkflows } from "../library/find.ts";
import { readWorkflow } from "../library/read.ts";
import { openStore, type SqliteStore } from "../store/open.ts";
import { isDefinition, parsed, text } from "../store/row.ts";
import { CLOCK } from "../works/open.ts";
import { runsBehind, strangeFolders } from "./leftovers.ts";
import { putAside } from "./quarantine.ts";
import type { Repaired } from "./repair.ts";
import { artifactPaths, leftOutOf } from "../../engine/submit/place.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import { isThere } from "../git/repository/locate.ts";
import { isMirror } from "../git/mirror/mirror.ts";
import { mirrorOf } from "../git/mirror/names.ts";
import type { Prepared } from "../git/workspace/prepare.ts";
import type { Database } from "../store/database.ts";
import { UserError } from "../user-error.ts";
import { REPAIR } from "./finding.ts";
import { lostWorkspaces, type LostWorkspace } from "./workspaces.ts";
import { GitError } from "../git/call/call.ts";

type RemakePlaces = { readonly home: Home; readonly cwd: string; readonly env: Env };

export async function remake(on: RemakePlaces): Promise<Repaired> {
  const store = openStore(on.home);
  const telling: Telling = { did: [], lost: [] };
  try {
    const box = boxOf(on, store);
    findDefinitions(on, store, telling);
    setStrangersAside(on, store, telling);
    await bringBackWorkspaces({ box, home: on.home, database: store.database }, telling);
    await writeFiles(box, store, telling);
  } finally {
    await store.close();
  }
  return telling;
}

function boxOf({ home, env }: RemakePlaces, store: SqliteStore): Box {
  return {
    clock: CLOCK,
    store,
    artifacts: fileArtifacts(store),
    workspaces: gitWorkspaces({ home, env }),
    folders: (run) => runFolders(home, run),
    workflow: workflowsOf(store),
  };
}

/** A definition is its content: a file that gives the same hash is as good as the record that is gone. */
function findDefinitions(
  { cwd, env }: RemakePlaces,
  { database }: SqliteStore,
  { did, lost }: Telling,
): void {
  const rows = database.all("SELECT DISTINCT definition, repo FROM runs ORDER BY definition, repo");
  const wanted = new Map<string, string[]>();
  for (const row of rows) {
    const hash = text(row["definition"]);
    if (isKept(database, hash)) continue;
    wanted.set(hash, [...(wanted.get(hash) ?? [cwd]), text(row["repo"])]);
  }
  for (const [hash, places] of wanted) {
    const found = places.flatMap((place) => definitionsIn(place, env)).find((each) => each.hash === hash);
    if (found === undefined) {
      lost.push(
        `the definition ${hash}: no workflow here has it; put its file back, then: signalbox doctor --repair`,
      );
      continue;
    }
    failpoint("doctor.before-definition");
    database.write(() => database.run("INSERT OR REPLACE INTO definitions VALUES (?, ?)", hash, found.json));
    failpoint("doctor.after-definition");
    did.push(`took the definition ${hash} from ${found.file}`);
  }
}

function isKept(database: SqliteStore["database"], hash: string): boolean {
  const json = database.get("SELECT json FROM definitions WHERE hash = ?", hash)?.["json"];
  if (typeof json !== "string") return false;
  try {
    return hashOf(parsed(json, isDefinition))() === hash;
  } catch {
    // Whatever is there, it is not what was kept.
    return false;
  }
}

function definitionsIn(cwd: string, env: Env): { hash: string; json: string; file: string }[] {
  if (!existsSync(cwd)) return [];
  return listWorkflows({ cwd, home: env["HOME"] ?? "" }).flatMap((found) => {
    const read = readWorkflow(found);
    const made = read.ok ? parseWorkflow(read.source) : undefined;
    if (made?.ok !== true) return [];
    const { definition } = made.workflow;
    return [
      {
        hash: made.workflow.hash(),
        json: JSON.stringify(definition),
        file: `${found.folder}/${found.file}`,
      },
    ];
  });
}

function setStrangersAside({ home }: RemakePlaces, { database }: SqliteStore, { lost }: Telling): void {
  for (const path of strangeFolders(home, database)) {
    const aside = putAside(home, path, "the journal does not know this run");
    lost.push(
      `whatever the history of run ${basename(path)} was: the journal does not know it; its files are in ${aside}`,
    );
  }
}

async function writeFiles(box: Box, { database }: SqliteStore, { did, lost }: Telling): Promise<void> {
  for (const run of runsBehind(database)) {
    const told = await tried(async () => {
      await project(box, run);
      did.push(`wrote the files of run ${run} anew`);
    });
    if (told !== undefined) lost.push(`the files of run ${run}: ${told}`);
  }
}

/**
 * Makes workspaces again that cannot be used, each from its last handover.
 *
 * What lies in the place of one is released first, as always: nothing in it is lost. Where the workspace cannot be made again, the run has
 * none from then on.
 */

type RepairContext = { readonly box: Box; readonly home: Home; readonly database: Database };

async function bringBackWorkspaces(on: RepairContext, telling: Telling): Promise<void> {
  for (const lost of lostWorkspaces(on.home, on.database)) {
    const row = await on.box.store.workspace(lost.run);
    if (row !== undefined) await bringBack(on, { lost, row }, telling);
  }
}

type LostRow = { readonly lost: LostWorkspace; readonly row: WorkspaceRow };

async function bringBack(on: RepairContext, of: LostRow, telling: Telling): Promise<void> {
  const { run, path, repo, hasMirror } = of.lost;
  const isFilled = isThere(path);
  setMirrorAside(on, repo, telling);
  const released = await tryRelease(on, of, telling);
  if (released === undefined) return;
  try {
    const { branch, path: made } = await make(on, of);
    const from = hasMirror ? "its last handover" : `its branch ${branch}`;
    telling.did.push(`made the workspace of run ${run} again from ${from}: ${made}`);
    // What the run shows there went with it, whatever was remembered of that.
    on.database.write(() => on.database.run("UPDATE runs SET projected = 0 WHERE id = ?", run));
  } catch (error) {
    // The branch is checked out somewhere: nothing is gone, and repairing again makes the workspace.
    if (error instanceof UserError && error.code === "branch-in-use")
      telling.lost.push(
        `the workspace of run ${run}, until its branch is free: ${error.message} Try: ${error.next}, then: ${REPAIR}`,
      );
    else await giveUp(on, { ...of, released }, { telling, told: reasonOf(error) });
    return;
  }
  if (released.salvage !== "" || released.kept !== "")
    telling.did.push(`kept what lay in its place: signalbox salvage show ${run}`);
  if (!hasMirror)
    telling.lost.push(`handovers of run ${run} that its branch does not have: the mirror was gone`);
  if (!isFilled) telling.lost.push(`what run ${run} had not handed over: ${path} was gone`);
}

/** A mirror that is damaged is made again from the user's repository. */
function setMirrorAside({ home }: RepairContext, repo: string, { did }: Telling): void {
  const mirror = mirrorOf(home, repo);
  if (!isThere(mirror) || isMirror(mirror)) return;
  const aside = putAside(home, mirror, `the mirror of ${repo} is damaged`);
  did.push(`put the damaged mirror of ${repo} into ${aside}`);
}

type ReleasedRow = Pick<WorkspaceRow, "salvage" | "kept">;

/** Undefined where it cannot be released now: it stays as it is. */
async function tryRelease(
  on: RepairContext,
  of: LostRow,
  { lost }: Telling,
): Promise<ReleasedRow | undefined> {
  try {
    return await release(on, of);
  } catch (error) {
    lost.push(`the workspace of run ${of.lost.run} stays as it is: ${reasonOf(error)}; try again: ${REPAIR}`);
    return undefined;
  }
}

async function release({ box }: RepairContext, { lost: { run, path, repo } }: LostRow): Promise<ReleasedRow> {
  const known = await box.store.load(run);
  const { files, kept: keep } = box.folders(run);
  if (known === undefined) return box.workspaces.release({ run, repo, path, keep });
  const workflow = await box.workflow(known.row.definition);
  await box.artifacts.carry({ root: path, run: known.run, workflow, isWorkspace: true }, files);
  const artifacts = artifactPaths(workflow, known.run);
  return box.workspaces.release({ run, repo, path, keep, artifacts });
}

async function make({ box }: RepairContext, { lost: { run }, row }: LostRow): Promise<Prepared> {
  const known = await box.store.load(run);
  if (known === undefined) throw new UserError("unknown-run", "its run is not known", REPAIR);
  const workflow = await box.workflow(known.row.definition);
  const artifacts = artifactPaths(workflow, known.run);
  const leftOut = leftOutOf(workflow, known.run);
  const { repo, branch, base } = row;
  failpoint("doctor.before-workspace");
  const made = await box.workspaces.prepare({ run, repo, branch, base, artifacts, leftOut });
  await box.artifacts.carry({ root: box.folders(run).files, run: known.run, workflow }, made.path);
  failpoint("doctor.after-workspace");
  return made;
}

type GivenUp = LostRow & { readonly released: ReleasedRow };

/** With a workspace that does not exist, the run could not even be ended. */
async function giveUp(
  { box }: RepairContext,
  { lost: { run }, row, released: { salvage, kept } }: GivenUp,
  { telling, told }: { readonly telling: Telling; readonly told: string },
): Promise<void> {
  failpoint("doctor.before-unbind");
  await box.store.commit([
    { type: "put-workspace", workspace: { ...row, salvage, kept, status: "released" } },
  ]);
  failpoint("doctor.after-unbind");
  if (salvage !== "" || kept !== "")
    telling.did.push(`kept what lay in the workspace of run ${run}: signalbox salvage show ${run}`);
  const status = (await box.store.load(run))?.row.status ?? "";
  const isUnderWay = status === "running" || status === "waiting";
  const then = isUnderWay ? `to end it: signalbox cancel ${run}` : `it is over: signalbox resume ${run}`;
  telling.lost.push(`the workspace of run ${run}: ${told}; the run has none now; ${then}`);
}

/** What repairing tells, and reasons that are in the world and not in us. */

type Telling = { readonly did: string[]; readonly lost: string[] };

/** Why it could not be done; undefined where it was. */
async function tried(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UserError || error instanceof GitError) return error.message;
  if (error instanceof Error && codeOf(error) !== undefined) return error.message;
  throw error;
}
