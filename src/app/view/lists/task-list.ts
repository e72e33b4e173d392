/** The runs of one workflow in a project: which rows are meant, and each as a summary. */

import { UserError } from "../../../adapters/user-error.ts";
import { refusedInLine } from "../../../engine/queue/position.ts";
import type { Run } from "../../../core/model/run.ts";
import type { Definition } from "../../../core/model/workflow.ts";
import type { Filter, RunRow } from "../../../engine/ports/journal.ts";
import type { Store } from "../../../engine/ports/store.ts";
import type { Given, Invocation } from "../../invocation.ts";
import { newestFirst } from "../../runs/find.ts";
import { projectNamed, repoHere } from "../../setup/project-named.ts";
import { sayQueued } from "../../story/line.ts";
import type { TaskSummary } from "../run-view.ts";
import { sessionsOf } from "../status/session.ts";
import { readable, sharedIn, summaryOf } from "./summary.ts";

const HELP = "signalbox list --help";
const OPEN = ["running", "waiting"] as const;
const OVER = ["done", "cancelled", "failed"] as const;

export type ListedTasks = {
  readonly tasks: readonly TaskSummary[];
  readonly more: number;
  /** Below the list: how many are queued, and why. */
  readonly queues: readonly string[];
};

type On = Pick<Invocation, "cwd" | "env"> & { readonly limit: number };

/** Neither git nor a terminal is asked, so that it stays quick with many tasks. */
export async function tasksIn(store: Store | undefined, given: Given, on: On): Promise<ListedTasks> {
  const { rows, more } = await select(store, given, on);
  if (store === undefined) return { tasks: [], more, queues: [] };
  const shared = await sharedIn(store);
  const sessions = await sessionsOf(store);
  const refused = await refusedInLine(store);
  const tasks = await Promise.all(
    rows.map(async (row): Promise<TaskSummary> => {
      const run = (await readable(() => store.load(row.id)))?.run;
      const { tasks: _tasks, ...summary } = await summaryOf(shared, row);
      return {
        ...summary,
        session: run === undefined ? "unknown" : sessions(run),
        round: run === undefined ? 0 : roundOf(await store.definition(row.definition), run),
        refused: refused.get(row.id) ?? "",
        dependsOn: await store.depends(row.id),
      };
    }),
  );
  return { tasks, more, queues: await sayQueued(store, tasks) };
}

/** How often its work was reviewed: the counter that makes a verdict an old one. */
function roundOf(definition: Definition | undefined, { counters }: Run): number {
  const verdicts = Object.values(definition?.artifacts ?? {}).filter(
    ({ reader }) => reader.type === "section" && reader.verdicts !== undefined,
  );
  const counter = verdicts.map(({ fresh }) => fresh).find((name) => Object.hasOwn(counters, name));
  return counters[counter ?? ""] ?? 0;
}

type Page = { readonly rows: readonly RunRow[]; readonly more: number };

async function select(store: Store | undefined, { options }: Given, on: On): Promise<Page> {
  const { project, status, all, workflow = "" } = options;
  const repo = project === undefined ? await repoHere(store, on) : (await projectNamed(store, project)).repo;
  if (store === undefined) return { rows: [], more: 0 };
  const filter: Filter = {
    workflow,
    limit: on.limit,
    ...(repo === undefined ? {} : { repo }),
    ...(status === undefined ? {} : { state: status }),
  };
  if (status !== undefined && !(await isState(store, workflow, status)))
    throw new UserError("bad-usage", `no run of ${workflow} is ever in "${status}"`, HELP);
  const statuses = all === undefined && status === undefined ? OPEN : [...OPEN, ...OVER];
  const lists = await Promise.all(statuses.map((each) => store.list({ ...filter, status: each })));
  const rows = lists.flatMap((list) => list.rows.toSorted(newestFirst)).slice(0, on.limit);
  const found = lists.reduce((sum, list) => sum + list.rows.length + list.more, 0);
  return { rows: rows.toSorted(openFirst), more: found - rows.length };
}

/** A state that no run of the workflow has ever been defined with is a mistake in typing. */
async function isState(store: Store, workflow: string, state: string): Promise<boolean> {
  const known = (await store.list({ workflow, limit: 1 })).rows[0];
  if (known === undefined) return true;
  return Object.hasOwn((await store.definition(known.definition))?.states ?? {}, state);
}

function openFirst(a: RunRow, b: RunRow): number {
  const isOver = ({ status }: RunRow): boolean => status !== "running" && status !== "waiting";
  return isOver(a) === isOver(b) ? newestFirst(a, b) : Number(isOver(a)) - Number(isOver(b));
}
