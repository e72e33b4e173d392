/**
 * A run that waits at its beginning gets going: at once where one more agent may work and nothing has to be done before it, otherwise
 * when its turn comes. Until then it is in the queue, and the supervisor starts it.
 */

import { UserError } from "../../adapters/user-error.ts";
import { awaiting } from "../../engine/supervise/fact.ts";
import { waitsFor } from "../../engine/queue/position.ts";
import { answeredBefore, seeThrough, voiceOf, type Acting, type Done } from "../context.ts";
import { firstMove } from "./begin.ts";
import { requireKept } from "../runs/load.ts";
import { moveTo } from "../act/move.ts";

export type Going = {
  /** The move, where it was taken. */
  readonly done: Done | undefined;
  /** In words, what it waits for in the queue; empty where it stands in none. */
  readonly waits: string;
  /** What is worth telling about its files. */
  readonly told: readonly string[];
};

export async function getGoing(
  on: Acting,
  of: { readonly run: string; readonly key?: string | undefined },
): Promise<Going> {
  const { run } = of;
  const { store } = on.box;
  const kept = await requireKept(on, run);
  const key = of.key === undefined ? undefined : `${of.key}:start`;
  // Whoever begins it a second time gets the answer of the first, wherever the run is by now.
  const isRepeated = (await answeredBefore(on, run, key)) !== undefined;
  const workflow = await on.box.workflow(kept.row.definition);
  const to = isRepeated ? "" : firstMove(workflow, kept.run);
  if (to === undefined) return { done: undefined, waits: "", told: await seeThrough(on, run) };
  const { repo } = kept.row;
  // Only a run that the engine can start has a place in the queue. Any other begins, and its first agent waits.
  const isQueued = !isRepeated && awaiting(workflow, kept.run, "ready-to-start").length > 0;
  if (isQueued) await store.commit([{ type: "enqueue", run, repo }]);
  const waits = isQueued ? (await waitsFor(store, run)).join("; ") : "";
  if (waits !== "") return { done: undefined, waits, told: await seeThrough(on, run) };
  try {
    const done = await moveTo(on, { run, to, key, voice: await voiceOf(on, run) });
    await store.commit([{ type: "dequeue", run }]);
    return { done, waits: "", told: done.told };
  } catch (error) {
    const now = (await requireKept(on, run)).run;
    // The supervisor has found it in the queue, and was faster with this very run.
    if (error instanceof UserError && now.entry > kept.run.entry) {
      const told = await seeThrough(on, run);
      const where = { run, from: kept.run.state, to: now.state, seq: now.seq };
      return { done: { ...where, told, accepted: undefined }, waits: "", told };
    }
    throw error;
  }
}

/** It is started when its turn comes. */
export async function standInLine(on: Acting, run: string): Promise<Going> {
  const { store } = on.box;
  await store.commit([{ type: "enqueue", run, repo: (await requireKept(on, run)).row.repo }]);
  const waits = (await waitsFor(store, run)).join("; ");
  return {
    done: undefined,
    waits: waits === "" ? "waits for its turn" : waits,
    told: await seeThrough(on, run),
  };
}
