/**
 * Who calls: the agent whose token this process was started with, or nobody in particular.
 *
 * Asked again for every call: an agent that has ended is told so in the same words as by a command. Nobody is ever taken for a person
 * here, whose acts are typed at a terminal.
 */

import { whoActs } from "../adapters/person/who.ts";
import { storeOf, workflowOf } from "../app/runs/find.ts";
import type { Door } from "../cli/command.ts";
import type { Caller } from "./tool.ts";

export function callerOf(door: Door): Caller | undefined {
  const { env, procs } = door;
  if ((env["SIGNALBOX_TOKEN"] ?? "") === "") return undefined;
  const store = storeOf(door);
  try {
    const who = whoActs({ env, store, ...(procs === undefined ? {} : { procs }) });
    const row = who.type === "agent" ? store?.load(who.run)?.row : undefined;
    if (who.type !== "agent" || store === undefined || row === undefined) return undefined;
    const { role, slot, attempt } = who.actor;
    return { run: who.run, role, slot, attempt, definition: workflowOf(store, row).definition };
  } finally {
    store?.close();
  }
}
