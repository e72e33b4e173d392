/** A run whose work another one goes on with: one of the same workflow here that came far enough, and holds still. */

import { firstOf } from "../../engine/lists.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { isWorkingStage } from "../../core/model/entry.ts";
import { progressOf } from "../../core/projection/stages.ts";
import type { Stage } from "../../core/model/workflow.ts";
import { descendantsOf } from "../../engine/tasks/descendants.ts";
import { artifactPaths, isInPlace, ownWorkspace } from "../../engine/submit/place.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import { runOf, type Acting } from "../context.ts";
import { EXIT_GATE } from "../exit-codes.ts";
import type { Given } from "../invocation.ts";
import type { Site } from "./site.ts";
import { typed } from "./typed-command.ts";

export type Before = Kept & { readonly workflow: Workflow };

type Of = {
  readonly from: string | undefined;
  /** The stages that must be behind it, the nearest first. */
  readonly before: readonly Stage[];
  readonly stage: string;
  readonly given: Given;
};

const LOOKED_AT = 1000;
const SHORT = 12;

export async function earlierRun(on: Acting, site: Site, of: Of): Promise<Before> {
  const { store } = on.box;
  const { repo, loaded } = site;
  const seen = async (id: string): Promise<Before | undefined> => {
    const kept = await store.load(id);
    return kept === undefined ? undefined : { ...kept, workflow: await on.box.workflow(kept.row.definition) };
  };
  if (of.from !== undefined) {
    const run = await seen(await runOf(on, of.from));
    const why = run === undefined ? "is gone" : await lacks(on, site, { run, before: of.before });
    if (run !== undefined && why === "") return run;
    const id = run?.row.id ?? of.from;
    throw notMet(`run ${id} ${why}, so ${of.stage} cannot go on with its work`, `signalbox show ${id}`);
  }
  const rows = (await store.list({ repo, workflow: loaded.name, limit: LOOKED_AT })).rows;
  const runs = (await Promise.all(rows.map(async ({ id }) => (await seen(id)) ?? []))).flat();
  const found = await firstOf(
    runs,
    async (run) => (await lacks(on, site, { run, before: of.before })) === "",
  );
  if (found !== undefined) return found;
  const [newest] = runs;
  const wanted = of.before[0]?.name ?? of.stage;
  const message = `${of.stage} goes on with the work of a run of ${loaded.name} that has completed ${wanted}, and there is none here`;
  if (newest === undefined) throw notMet(message, typed(loaded.name, of.given, []));
  const why = await lacks(on, site, { run: newest, before: of.before });
  throw notMet(`${message}: ${newest.row.id} ${why}`, `signalbox show ${newest.row.id}`);
}

/** Why its work is nothing to go on with; empty where it is. */
async function lacks(
  { box: { store } }: Acting,
  { repo, loaded }: Site,
  { run: { row, run, workflow }, before }: { readonly run: Before; readonly before: readonly Stage[] },
): Promise<string> {
  if (row.workflow !== loaded.name) return `is one of ${row.workflow}, and not of ${loaded.name}`;
  if (row.repo !== repo) return `belongs to ${row.repo}`;
  const progress = progressOf(workflow, run);
  // One that it had not is as good as done: then the one before it counts.
  const last = before.find(({ name }) => progress[name] !== "skipped");
  const how = last === undefined ? "completed" : progress[last.name];
  if (last !== undefined && how !== "completed") return `has not completed ${last.name}`;
  // One that left out everything in which work is done has nothing to go on with.
  const working = before.filter(({ name }) => isWorkingStage(workflow.definition, name));
  const left = working.length > 0 && working.every(({ name }) => progress[name] === "skipped");
  if (left) return `has left out ${working.map(({ name }) => name).join(" and ")}`;
  const family = [row.id, ...(await descendantsOf(store, row.id))];
  const busy = await firstOf(
    family,
    async (id) => (await store.jobs({ run: id, status: "live" })).length > 0,
  );
  if (busy !== undefined || (row.status === "running" && !row.halted))
    return "is at work, and what it does changes";
  const workspace = await store.workspace(row.id);
  if (workspace !== undefined && isInPlace(workspace)) return "worked in place: its work is in the checkout";
  return workspace === undefined ? "has no work" : "";
}

/** The commit to begin from: the run's last handover, made now where it still has its workspace. */
export async function workOfRun(
  on: Acting,
  { row, run, workflow }: Before,
): Promise<{ readonly base: string; readonly told: readonly string[] }> {
  const { store, workspaces } = on.box;
  const workspace = await store.workspace(row.id);
  if (workspace === undefined) throw new Error(`run ${row.id} has no workspace`);
  const { branch, path, repo } = workspace;
  const bound = (await ownWorkspace(on.box, row.id)) !== undefined;
  const handOver = async (): Promise<string> => {
    const artifacts = artifactPaths(workflow, run);
    const tree = await workspaces.digest(path, artifacts);
    const message = `Work of run ${row.id} in ${run.state}`;
    return (await workspaces.snapshot({ path, repo, run: row.id, tree, artifacts, message })).commit;
  };
  const { lastWorkOf } = await import("../../adapters/git/snapshot/handover.ts");
  const base = bound ? await handOver() : lastWorkOf({ home: on.home }, { repo, run: row.id });
  if (base === undefined) throw notMet(`the work of run ${row.id} is gone`, "signalbox salvage list");
  return { base, told: [`it continues the work of ${row.id}, ${branch} at ${base.slice(0, SHORT)}`] };
}

function notMet(message: string, next: string): UserError {
  return new UserError("gate-not-met", message, { next, exit: EXIT_GATE });
}
