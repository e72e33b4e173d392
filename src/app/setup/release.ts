/**
 * Releases the workspaces of runs that are over or unknown.
 *
 * Everything in them is kept first, as always; nothing is forced, and what cannot be released is left as it is and reported.
 */

import { UserError } from "../../adapters/user-error.ts";
import { giveBack } from "../../engine/workspaces/workspace.ts";
import type { Acting } from "../context.ts";
import { EXIT_FAILED, EXIT_OK } from "../exit-codes.ts";
import type { Outcome } from "../outcome.ts";
import { isFinished } from "../runs/find.ts";
import { wake } from "../runs/wake.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { repoMeant } from "./project-named.ts";
import { strangersOf, workspacesOf, type Workspace } from "./workspaces.ts";

type ReleasedWorkspace = DataOf<"release-workspaces">["done"][number];

export async function releaseWorkspaces(
  on: Acting,
  input: InputOf<"release-workspaces">,
): Promise<Outcome<DataOf<"release-workspaces">>> {
  const { home, door, box } = on;
  const { store } = box;
  const done: ReleasedWorkspace[] = [];
  const left: string[] = [];
  for (const workspace of await workspacesOf({ home, store }, await repoMeant(store, input, door))) {
    const held = await whyHeld(on, workspace);
    if (held !== undefined) left.push(...(held === "" ? [] : [`${workspace.run}: ${held}`]));
    else
      try {
        done.push(await release(on, workspace));
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        const next = error instanceof UserError ? ` Try: ${error.next}` : "";
        left.push(`${workspace.run}: ${error.message}${next}`);
      }
  }
  const strange = await strangersOf({ home, store });
  await wake(on);
  const stays = strange.map((path) => `${path}: it belongs to no run; look into it`);
  return outcomeOf(done, [...left, ...stays], left.length === 0);
}

/** Undefined where it can be released; empty where its run is under way. */
async function whyHeld(
  { box: { store } }: Acting,
  { run, row, isDamaged }: Workspace,
): Promise<string | undefined> {
  if (isDamaged) return `nobody can tell whether ${run} is over; signalbox doctor --repair`;
  if (row !== undefined && !isFinished(row)) return "";
  if ((await store.jobs({ run, status: "live" })).length > 0) return `a process of ${run} still lives`;
  const isComing = (await store.deeds(run)).some(
    ({ deed, status }) => deed.type === "release-resource" && status !== "done" && status !== "attention",
  );
  return isComing ? `it is being released: signalbox show ${run}` : undefined;
}

async function release(on: Acting, { run, path, repo, row, own }: Workspace): Promise<ReleasedWorkspace> {
  const { box } = on;
  const { store } = box;
  const kept = row === undefined || own === undefined ? undefined : await store.load(run);
  if (kept === undefined) {
    const { salvage, kept: files } = await box.workspaces.release({
      run,
      repo,
      path,
      keep: box.folders(run).kept,
    });
    if (own !== undefined)
      await store.commit([
        { type: "put-workspace", workspace: { ...own, salvage, kept: files, status: "released" } },
      ]);
    const did =
      row === undefined ? "released: the journal does not know the run" : "released: it was left behind";
    return { run, path, did, salvage, kept: files };
  }
  const did = await giveBack(box, kept);
  // What a person was asked to look at is over with that.
  await store.commit([{ type: "retry", run }]);
  const after = await store.workspace(run);
  return { run, path, did, salvage: after?.salvage ?? "", kept: after?.kept ?? "" };
}

function outcomeOf(
  done: readonly ReleasedWorkspace[],
  left: readonly string[],
  isWhole: boolean,
): Outcome<DataOf<"release-workspaces">> {
  const isKept = done.some(({ salvage, kept }) => salvage !== "" || kept !== "");
  return {
    exit: isWhole ? EXIT_OK : EXIT_FAILED,
    code: isWhole ? "ok" : "left",
    message:
      done.length === 0
        ? "there was nothing to release"
        : `released ${done.length} ${done.length === 1 ? "workspace" : "workspaces"}`,
    data: { done, left },
    next: isKept ? "signalbox salvage list" : "signalbox workspace list",
    notes: left.map((each) => `left: ${each}`),
  };
}
