/** Brings the files of a run up to date with its journal. Any process may do it at any time. */

import { viewOf } from "../core/view.ts";
import type { Box } from "./box.ts";
import { boundWorkspace, placeOf } from "./place.ts";

const TRIES_MAX = 20;

/** Gives what is worth telling, in sentences. */
export async function project(box: Box, id: string): Promise<readonly string[]> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const kept = box.store.load(id);
    if (kept === undefined) return [];
    const { row, run } = kept;
    const workflow = box.workflow(row.definition);
    const { projections } = workflow.definition;
    if (projections.length === 0) return [];
    const resources = { workspace: boundWorkspace(box, id)?.path ?? null };
    const root = viewOf(workflow, run, resources);
    const write = await box.artifacts.project(placeOf(box, { run, workflow, id }), { root, projections });
    let told: readonly string[] = [];
    const isCurrent = box.store.project(id, row.seq, () => {
      told = write();
    });
    if (!isCurrent) continue;
    noteAll(box, id, told);
    return told;
  }
  return [`the files of run ${id} are behind its journal, which changes all the time`];
}

/** Keeps what is worth telling about the files of a run. */
export function noteAll(box: Pick<Box, "store" | "clock">, run: string, told: readonly string[]): void {
  for (const text of told)
    box.store.note({ run, at: new Date(box.clock.now()).toISOString(), kind: "files", text });
}
