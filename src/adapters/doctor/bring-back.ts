/**
 * Makes workspaces again that cannot be used, each from its last handover.
 *
 * What lies in the place of one is released first, as always: nothing in it is lost. Where the workspace cannot be made again, the run has
 * none from then on.
 */

import type { Box } from "../../engine/box.ts";
import { artifactPaths, leftOutOf } from "../../engine/submit/place.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import { failpoint } from "../failpoint.ts";
import { isThere } from "../git/repository/locate.ts";
import { isMirror } from "../git/mirror/mirror.ts";
import { mirrorOf } from "../git/mirror/names.ts";
import type { Prepared } from "../git/workspace/prepare.ts";
import type { Home } from "../home/paths.ts";
import type { Database } from "../store/database.ts";
import { UserError } from "../user-error.ts";
import { REPAIR } from "./finding.ts";
import { putAside } from "./quarantine.ts";
import { reasonOf, type Telling } from "./tried.ts";
import { lostWorkspaces, type LostWorkspace } from "./workspaces.ts";

type On = { readonly box: Box; readonly home: Home; readonly database: Database };

export async function bringBackWorkspaces(on: On, telling: Telling): Promise<void> {
  for (const lost of lostWorkspaces(on.home, on.database)) {
    const row = await on.box.store.workspace(lost.run);
    if (row !== undefined) await bringBack(on, { lost, row }, telling);
  }
}

type Of = { readonly lost: LostWorkspace; readonly row: WorkspaceRow };

async function bringBack(on: On, of: Of, telling: Telling): Promise<void> {
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
function setMirrorAside({ home }: On, repo: string, { did }: Telling): void {
  const mirror = mirrorOf(home, repo);
  if (!isThere(mirror) || isMirror(mirror)) return;
  const aside = putAside(home, mirror, `the mirror of ${repo} is damaged`);
  did.push(`put the damaged mirror of ${repo} into ${aside}`);
}

type Released = Pick<WorkspaceRow, "salvage" | "kept">;

/** Undefined where it cannot be released now: it stays as it is. */
async function tryRelease(on: On, of: Of, { lost }: Telling): Promise<Released | undefined> {
  try {
    return await release(on, of);
  } catch (error) {
    lost.push(`the workspace of run ${of.lost.run} stays as it is: ${reasonOf(error)}; try again: ${REPAIR}`);
    return undefined;
  }
}

async function release({ box }: On, { lost: { run, path, repo } }: Of): Promise<Released> {
  const known = await box.store.load(run);
  const { files, kept: keep } = box.folders(run);
  if (known === undefined) return box.workspaces.release({ run, repo, path, keep });
  const workflow = await box.workflow(known.row.definition);
  await box.artifacts.carry({ root: path, run: known.run, workflow, isWorkspace: true }, files);
  const artifacts = artifactPaths(workflow, known.run);
  return box.workspaces.release({ run, repo, path, keep, artifacts });
}

async function make({ box }: On, { lost: { run }, row }: Of): Promise<Prepared> {
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

type GivenUp = Of & { readonly released: Released };

/** With a workspace that does not exist, the run could not even be ended. */
async function giveUp(
  { box }: On,
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
