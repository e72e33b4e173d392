/** What keeps a run from going on that is no decision: what went wrong, nobody who could act, and agents that have crashed. */

import { existsSync } from "node:fs";
import { foreignFor, sayForeign } from "../../../core/gates/accepted-artifacts.ts";
import type { Deadlock } from "../../../core/explain/deadlock.ts";
import { maxOf } from "../../../core/gates/gate.ts";
import { deadlockIn, sayDeadlock } from "../../../engine/supervise/deadlocks.ts";
import { isInPlace } from "../../../engine/submit/place.ts";
import { isGood, standingOf } from "../../../core/gates/artifact-status.ts";
import type { Workflow } from "../../../core/model/compile.ts";
import { artifactsIn } from "../../../core/model/status.ts";
import type { RunRow } from "../../../engine/ports/journal.ts";
import type { DeedRow } from "../../../engine/ports/outbox.ts";
import type { WorkspaceRow } from "../../../engine/ports/registry.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { readable } from "../../../adapters/user-error.ts";
import { isFinished, workflowOf, type Seen } from "../../runs/find.ts";
import { sayRole } from "../words.ts";

/** What a run that is over still has to do in the world. */
const CLEARING: ReadonlySet<DeedRow["deed"]["type"]> = new Set(["stop-agent", "release-resource"]);

/** Why a person must look. */
export async function attentionOf(seen: Seen): Promise<string> {
  const trouble = await troubleOf(seen.store, seen.row);
  if (trouble !== "") return trouble;
  const deadlock = await deadlockOf(seen);
  return deadlock === undefined ? "" : sayDeadlock(deadlock);
}

/** Nothing of the run is pending, and no person is asked. */
export async function deadlockOf(seen: Seen): Promise<Deadlock | undefined> {
  return deadlockIn(seen.store, seen, seen.workflow);
}

/** Of all such runs, why each does not go on. One query where there is none; each definition is read once. */
export async function deadlocksIn(store: Store): Promise<ReadonlyMap<string, string>> {
  const reasons = new Map<string, string>();
  const known = new Map<string, Promise<Workflow>>();
  const workflow = (row: RunRow): Promise<Workflow> => {
    const found = known.get(row.definition) ?? workflowOf(store, row);
    known.set(row.definition, found);
    return found;
  };
  for (const { run } of await store.unattended()) {
    const found = await readable(async () => {
      const kept = await store.load(run);
      return kept === undefined ? undefined : deadlockIn(store, kept, await workflow(kept.row));
    });
    if (found !== undefined) reasons.set(run, sayDeadlock(found));
  }
  return reasons;
}

/** What went wrong. When the run is over, that no longer matters: only what it leaves behind does. */
export async function troubleOf(store: Pick<Store, "deeds" | "workspace">, row: RunRow): Promise<string> {
  if (row.attention === "" && !isFinished(row)) return sayLost(await store.workspace(row.id));
  if (row.attention === "" || row.status === "damaged" || !isFinished(row)) return row.attention;
  const isLeft = (await store.deeds(row.id)).some(
    ({ status, deed }) => status === "attention" && CLEARING.has(deed.type),
  );
  return isLeft ? row.attention : "";
}

/** Whether a failed effect waits until a person trusts `.signalbox`: it ends with what `requireTrust` advises. */
export function isUntrusted(attention: string): boolean {
  return /: signalbox trust(?:, then: signalbox resume \S+)?$/.test(attention);
}

/** Of a workspace that was deleted by hand. In place there is nothing of ours to delete. */
function sayLost(workspace: WorkspaceRow | undefined): string {
  if (workspace?.status !== "bound" || isInPlace(workspace) || existsSync(workspace.path)) return "";
  return `its workspace ${workspace.path} is gone; make it again: signalbox doctor --repair`;
}

/** Unfinished runs whose workspace is gone. */
export async function withoutWorkspace(
  store: Pick<Store, "workspaces" | "load">,
): Promise<readonly RunRow[]> {
  const lost = (await store.workspaces()).filter((workspace) => sayLost(workspace) !== "");
  return (await Promise.all(lost.map(async ({ run }) => (await store.load(run))?.row ?? [])))
    .flat()
    .filter((row) => !isFinished(row));
}

/** An agent has crashed, and only a person starts it again. */
export function isStranded({ run }: Seen): boolean {
  return Object.values(run.agents).some(({ status }) => status === "crashed");
}

/** Which agent stopped, what it owes, and how often that may happen. */
export function sayCrashed({ workflow, run }: Seen): string {
  const roles = Object.values(run.agents)
    .filter(({ status }) => status === "crashed")
    .map(({ role }) => role);
  return [...new Set(roles)]
    .map((role) => {
      const [foreign] = foreignFor(workflow, run, role);
      if (foreign !== undefined)
        return `${sayRole(role)} was not started: ${sayForeign(workflow, run, foreign)}`;
      const owed = owedBy({ workflow, run }, role, run.state);
      const what = owed.length === 0 ? "" : ` without submitting ${owed.join(" or ")}`;
      const counter = workflow.definition.ends.find(
        (each) => each.role === role && each.in === run.state,
      )?.count;
      const often =
        counter === undefined ? "" : ` (${run.counters[counter] ?? 0} of ${maxOf(workflow, run, counter)})`;
      return `${sayRole(role)} stopped${what}${often}`;
    })
    .join("; ");
}

/** Artifacts of the role that a move out of the state needs and that are missing. */
export function owedBy(
  { workflow, run }: Pick<Seen, "workflow" | "run">,
  role: string,
  state: string,
): readonly string[] {
  const needed = new Set((workflow.movesFrom[state] ?? []).flatMap(artifactsIn));
  return [...needed].filter(
    (name) =>
      workflow.definition.artifacts[name]?.by.includes(role) === true &&
      !isGood(standingOf(workflow, run, name)),
  );
}
