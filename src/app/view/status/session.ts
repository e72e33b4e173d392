/** Whether somebody is at work on a task: by the folders of its processes, without asking anybody else. */

import type { Run } from "../../../core/model/run.ts";
import type { JobRow } from "../../../engine/ports/registry.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { probe } from "./probe.ts";

/** *none*: no agent is there, and none is missed. */
export type Session = "alive" | "dead" | "unknown" | "none";

/** The processes of all runs are looked for once. */
export async function sessionsOf(store: Pick<Store, "jobs">): Promise<(run: Run) => Session> {
  const turns = (await store.jobs({ status: "live" })).filter(({ kind }) => kind === "turn");
  const byRun = Map.groupBy(turns, ({ run }) => run);
  return (run) => {
    const seen = (byRun.get(run.id) ?? []).map(look);
    const isCrashed = Object.values(run.agents).some(({ status }) => status === "crashed");
    const all = isCrashed ? [...seen, "dead" as const] : seen;
    return (["alive", "unknown", "dead"] as const).find((each) => all.includes(each)) ?? "none";
  };
}

function look({ dir }: JobRow): Session {
  try {
    const { type } = probe(dir);
    return type === "alive" || type === "starting" ? "alive" : type === "absent" ? "unknown" : "dead";
  } catch {
    // Whatever keeps us from looking, nothing is known of it.
    return "unknown";
  }
}
