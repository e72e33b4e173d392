/**
 * Makes workspaces again that are gone, each from its branch. Nothing that lies in the place of one is lost: it stays, or it goes
 * into quarantine.
 */

import { basename, join } from "node:path";
import type { Box } from "../../engine/box.ts";
import { artifactPaths, leftOutOf } from "../../engine/place.ts";
import type { WorkspaceRow } from "../../engine/ports/registry.ts";
import { failpoint } from "../failpoint.ts";
import { isThere } from "../git/locate.ts";
import type { Prepared } from "../git/prepare.ts";
import type { Home } from "../home/paths.ts";
import type { Database } from "../store/database.ts";
import { UserError } from "../user-error.ts";
import { REPAIR } from "./finding.ts";
import { namesIn } from "./home.ts";
import { putAside } from "./quarantine.ts";
import { reasonOf, type Telling } from "./tried.ts";
import { lostWorkspaces, type LostWorkspace } from "./workspaces.ts";

type On = { readonly box: Box; readonly home: Home; readonly database: Database };

export async function bringBackWorkspaces(on: On, telling: Telling): Promise<void> {
  for (const lost of lostWorkspaces(on.home, on.database)) {
    const row = on.box.store.workspace(lost.run);
    if (row !== undefined) await bringBack(on, { lost, row }, telling);
  }
}

type Of = { readonly lost: LostWorkspace; readonly row: WorkspaceRow };

async function bringBack(on: On, of: Of, telling: Telling): Promise<void> {
  const { run, path, isFilled } = of.lost;
  const { quarantine } = on.home;
  const before = new Set(namesIn(quarantine));
  try {
    const { branch, path: made } = await make(on, of);
    telling.did.push(`made the workspace of run ${run} again from its branch ${branch}: ${made}`);
    // What the run shows there went with it, whatever was remembered of that.
    on.database.write(() => on.database.run("UPDATE runs SET projected = 0 WHERE id = ?", run));
  } catch (error) {
    // Somebody has the branch: nothing is gone, and it can be had back.
    if (error instanceof UserError && error.code === "branch-in-use")
      telling.lost.push(
        `the workspace of run ${run}, until its branch is free: ${error.message} Try: ${error.next}, then: ${REPAIR}`,
      );
    else giveUp(on, of, { telling, told: reasonOf(error) });
    return;
  }
  const aside = namesIn(quarantine).filter((name) => !before.has(name) && !name.endsWith(".reason.txt"));
  for (const name of aside) telling.did.push(`kept what lay in its place: ${join(quarantine, name)}`);
  if (!isFilled) telling.lost.push(`what was not committed in the workspace of run ${run}: ${path} was gone`);
}

async function make({ box }: On, { lost: { run }, row }: Of): Promise<Prepared> {
  const kept = box.store.load(run);
  if (kept === undefined) throw new UserError("unknown-run", "its run is not known", REPAIR);
  const workflow = box.workflow(kept.row.definition);
  const artifacts = artifactPaths(workflow, kept.run);
  const leftOut = leftOutOf(workflow, kept.run);
  const { repo, branch, base, path } = row;
  failpoint("doctor.before-workspace");
  const made = await box.workspaces.prepare({
    run,
    repo,
    branch,
    base,
    artifacts,
    leftOut,
    place: basename(path),
  });
  failpoint("doctor.after-workspace");
  return made;
}

/** Without it nothing could be said about the run any more, not even that it is to end. */
function giveUp(
  { box, home }: On,
  { lost: { run, path }, row }: Of,
  { telling, told }: { readonly telling: Telling; readonly told: string },
): void {
  const aside = isThere(path) ? putAside(home, path, `the workspace of run ${run}: ${told}`) : "";
  failpoint("doctor.before-unbind");
  box.store.putWorkspace({ ...row, status: "released", kept: aside === "" ? row.kept : aside });
  const pool = box.store.poolOf(run);
  if (pool !== undefined) box.store.dropFromPool(pool);
  failpoint("doctor.after-unbind");
  if (aside !== "") telling.did.push(`kept what lay in the workspace of run ${run}: ${aside}`);
  const status = box.store.load(run)?.row.status ?? "";
  const isUnderWay = status === "running" || status === "waiting";
  const then = isUnderWay ? `to end it: signalbox cancel ${run}` : `it is over: signalbox resume ${run}`;
  telling.lost.push(`the workspace of run ${run}: ${told}; the run has none now; ${then}`);
}
