/** Work that looks merged by other means: what was seen, and how a person confirms it. Until then it ends nothing. */

import { flatMapped } from "../../../engine/lists.ts";
import type { Workflow } from "../../../core/model/compile.ts";
import { targetOf, unmet } from "../../../core/gates/gate.ts";
import type { Run } from "../../../core/model/run.ts";
import { standingOf } from "../../../core/gates/artifact-status.ts";
import { factsNamed } from "../../../engine/supervise/fact.ts";
import type { RunRow } from "../../../engine/ports/journal.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { readable } from "../../../adapters/user-error.ts";
import { isFinished, workflowOf } from "../../runs/find.ts";
import type { Choice } from "./choices.ts";

type Of = { readonly workflow: Workflow; readonly run: Run; readonly row: RunRow };

export const MERGED = "branch-merged";
const HASH_SHOWN = 12;

/** In words; empty where nothing was seen, or where the work has changed since. */
export function sayLanded({ workflow, run, row }: Of): string {
  if (isFinished(row)) return "";
  const [name] = Object.entries(workflow.definition.artifacts).flatMap(([artifact, { reader }]) =>
    reader.type === "fact" && reader.fact === MERGED ? [artifact] : [],
  );
  if (name === undefined || standingOf(workflow, run, name) !== "holds") return "";
  const { ref = "", commit = "", by = "" } = run.held[name]?.reading.fields ?? {};
  return `the branch looks merged: ${String(ref)}, commit ${String(commit).slice(0, HASH_SHOWN)} by ${String(by)}`;
}

/** The moves by which a person says that it is so. */
export function choicesOfLanded({ workflow, run }: Of): Choice[] {
  const moves = workflow.movesFrom[run.state] ?? [];
  return moves
    .filter((move) => move.by.includes("human") && factsNamed(workflow, move, MERGED).length > 0)
    .filter((move) => unmet({ workflow, run, reserved: move.reserve }, move).length === 0)
    .map((move) => {
      const to = targetOf(run, move);
      return { command: `signalbox move ${run.id} ${to}`, means: `it is merged: on to ${to}` };
    });
}

/** Runs at work whose work looks merged. */
export async function landedIn(store: Store): Promise<readonly RunRow[]> {
  const bound = (await store.workspaces()).filter(({ status }) => status === "bound");
  return flatMapped(bound, async ({ run: id }) => {
    const landed = await readable(async () => {
      const kept = await store.load(id);
      if (kept === undefined || kept.row.status !== "running") return [];
      return sayLanded({ ...kept, workflow: await workflowOf(store, kept.row) }) === "" ? [] : [kept.row];
    });
    return landed ?? [];
  });
}
