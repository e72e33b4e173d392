/** What is said of a task that was made or started: its id, and what happens next. */

import { join } from "node:path";
import type { Kept } from "../../engine/ports/journal.ts";
import { talkOf } from "../acted.ts";
import type { Acting } from "../../app/context.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer } from "../command.ts";
import type { Going } from "../../app/start/queue.ts";
import { requireKept } from "../../app/runs/load.ts";

/** What `--json` gives. */
type BegunData = {
  readonly run: string;
  readonly project: string;
  readonly branch: string;
  readonly summary: string;
  readonly state: string;
  /** `running`, `waiting`, ... as in `list`. */
  readonly status: string;
  readonly seq: number;
  /** Its workspace, which is made next; empty while it has none. */
  readonly workspace: string;
  /** In words, what it waits for in the queue; empty where it stands in none. */
  readonly waits: string;
  readonly dependsOn: readonly string[];
};

export function begun(on: Acting, run: string, { waits, told }: Pick<Going, "waits" | "told">): Answer {
  const data = dataOf(on, requireKept(on, run), waits);
  const next = `signalbox task show ${run}`;
  const message = `${run} is ${sayNext(data)}`;
  return {
    exit: EXIT_OK,
    code: "ok",
    message,
    data: () => data,
    text: () => `${run}\n`,
    next,
    talk: `  ${sayNext(data)}\n${talkOf(told, next)}`,
  };
}

function dataOf({ box: { store }, home }: Acting, { row, run }: Kept, waits: string): BegunData {
  const isComing = store
    .deeds(run.id)
    .some(({ deed, status }) => deed.type === "prepare-resource" && status !== "done");
  return {
    run: run.id,
    project: store.projectAt(row.repo)?.name ?? "",
    branch: String(run.params["branch"] ?? ""),
    summary: String(run.params["summary"] ?? row.goal),
    state: run.state,
    status: row.status,
    seq: run.seq,
    workspace: store.workspace(run.id)?.path ?? (isComing ? join(home.workspaces, run.id) : ""),
    waits,
    dependsOn: store.depends(run.id),
  };
}

function sayNext({ state, workspace, waits }: BegunData): string {
  if (waits !== "") return `${state}, queued: ${waits}`;
  return workspace === "" ? state : `${state} in ${workspace}`;
}
