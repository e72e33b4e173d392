/** A run that waits for its start is started, or put into the queue. */

import { filtered } from "../../engine/lists.ts";
import { join } from "node:path";
import { UserError } from "../../adapters/user-error.ts";
import { finished } from "../../core/step/refuse.ts";
import type { Kept } from "../../engine/ports/journal.ts";
import type { Acting } from "../context.ts";
import { EXIT_GATE, EXIT_NOT_YOURS } from "../exit-codes.ts";
import { success, type Outcome } from "../outcome.ts";
import { refusal } from "../refusal.ts";
import { isFinished } from "../runs/find.ts";
import { requireKept } from "../runs/load.ts";
import { taskOf } from "../runs/task.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { firstMove } from "./begin.ts";
import { requireHarnesses } from "./harnesses.ts";
import { getGoing, type Going } from "./queue.ts";

export async function startWaiting(
  on: Acting,
  { run: word, project, key }: InputOf<"start">,
): Promise<Outcome<BegunData>> {
  const run = await taskOf(on, word, project);
  await requirePending(on, run);
  await requireAgents(on, run);
  return begun(on, run, await getGoing(on, { run, key }));
}

async function requirePending(on: Acting, id: string): Promise<void> {
  const { row, run } = await requireKept(on, id);
  if (isFinished(row)) throw refusal(finished(run));
  const to = firstMove(await on.box.workflow(row.definition), run);
  if (to === undefined)
    throw new UserError("not-in-map", `${id} is ${run.state}, and was started already`, {
      next: `signalbox show ${id}`,
      exit: EXIT_NOT_YOURS,
    });
  const open = await filtered(
    await on.box.store.depends(id),
    async (other) => (await on.box.store.load(other))?.row.status !== "done",
  );
  if (open.length === 0) return;
  throw new UserError(
    "gate-not-met",
    `${id} depends on ${open.join(" and ")}, and waits until that is done`,
    {
      next: `signalbox move ${id} ${to}`,
      exit: EXIT_GATE,
    },
  );
}

async function requireAgents({ box, door: { env } }: Acting, id: string): Promise<void> {
  const { store } = box;
  const kept = await store.load(id);
  if (kept === undefined) return;
  const { row, run } = kept;
  const { readSettings } = await import("../../adapters/config/read.ts");
  const settings = await readSettings({ repo: row.repo, env, store });
  // Nothing else can be chosen for a run that exists.
  const option = (): string => "";
  const path = env["PATH"] ?? "";
  requireHarnesses(await box.workflow(row.definition), settings, { params: run.params, path, option });
}

export type BegunData = DataOf<"create">;

/** What became of a run that was created or started. */
export async function begun(
  on: Acting,
  run: string,
  { waits, told }: Pick<Going, "waits" | "told">,
): Promise<Outcome<BegunData>> {
  const data = await dataOf(on, await requireKept(on, run), waits);
  return success(`${run} is ${sayBegun(data)}`, data, { next: `signalbox show ${run}`, notes: told });
}

/** Where it is, and why it does not go on yet. */
export function sayBegun({ state, workspace, waits }: BegunData): string {
  if (waits !== "") return `${state}, queued: ${waits}`;
  return workspace === "" ? state : `${state} in ${workspace}`;
}

async function dataOf(
  { box: { store }, home }: Acting,
  { row, run }: Kept,
  waits: string,
): Promise<BegunData> {
  const isComing = (await store.deeds(run.id)).some(
    ({ deed, status }) => deed.type === "prepare-resource" && status !== "done",
  );
  return {
    run: run.id,
    project: (await store.projectAt(row.repo))?.name ?? "",
    branch: String(run.params["branch"] ?? ""),
    summary: String(run.params["summary"] ?? row.goal),
    state: run.state,
    status: row.status,
    seq: run.seq,
    workspace: (await store.workspace(run.id))?.path ?? (isComing ? join(home.workspaces, run.id) : ""),
    waits,
    dependsOn: await store.depends(run.id),
  };
}
