/** The runs of one workflow in a project: which rows are meant, and each as a summary. */

import { inOrder } from "../../board/row.ts";
import { readable, UserError } from "../../../adapters/user-error.ts";
import type { Run } from "../../../core/model/run.ts";
import type { Definition } from "../../../core/model/workflow.ts";
import type { Filter, RunRow } from "../../../engine/ports/journal.ts";
import type { Store } from "../../../engine/ports/store.ts";
import type { Given, Invocation } from "../../invocation.ts";
import type { Outcome } from "../../outcome.ts";
import { allRows, rowsIn, UNDER_WAY, type RowPage } from "../../runs/rows.ts";
import { projectNamed, repoHere } from "../../setup/project-named.ts";
import { listOutcome, sharedIn, summaryOf } from "./summary.ts";
import type { TaskSummary } from "../run-view.ts";
import { sessionsOf } from "../status/session.ts";

const HELP = "signalbox list --help";

type On = Pick<Invocation, "cwd" | "env"> & { readonly limit: number };
type TaskPage = { readonly tasks: readonly TaskSummary[]; readonly more: number };

export async function listTasks(store: Store | undefined, given: Given, on: On): Promise<Outcome<TaskPage>> {
  const { rows, more } = await select(store, given, on);
  const tasks = store === undefined ? [] : await tasksIn(store, rows);
  const { all, status, project } = given.options;
  const where = project === undefined ? "this project" : `the project ${project}`;
  const kind = status === undefined ? (all === undefined ? "open task" : "task") : `task in ${status}`;
  return listOutcome(store, [tasks, { tasks, more }], {
    noun: "task",
    more,
    none: `No ${kind} in ${where}.`,
    begin: "signalbox create SUMMARY",
    notes: [],
  });
}

/** Neither git nor a terminal is asked, so that it stays quick with many tasks. */
async function tasksIn(store: Store, rows: readonly RunRow[]): Promise<readonly TaskSummary[]> {
  const shared = await sharedIn(store);
  const sessions = await sessionsOf(store);
  const tasks = await Promise.all(
    rows.map(async (row): Promise<TaskSummary> => {
      const run = (await readable(() => store.load(row.id)))?.run;
      const { tasks: _tasks, ...summary } = await summaryOf(shared, row);
      return {
        ...summary,
        session: run === undefined ? "unknown" : sessions(run),
        round: run === undefined ? 0 : roundOf((await shared.workflow(row))?.definition, run),
        refused: shared.refused.get(row.id) ?? "",
        dependsOn: await store.depends(row.id),
      };
    }),
  );
  return inOrder(tasks);
}

/** How often its work was reviewed: the counter that makes a verdict an old one. */
function roundOf(definition: Definition | undefined, { counters }: Run): number {
  const verdicts = Object.values(definition?.artifacts ?? {}).filter(
    ({ reader }) => reader.type === "section" && reader.verdicts !== undefined,
  );
  const counter = verdicts.map(({ fresh }) => fresh).find((name) => Object.hasOwn(counters, name));
  return counters[counter ?? ""] ?? 0;
}

async function select(store: Store | undefined, { options }: Given, on: On): Promise<RowPage> {
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
  const isAll = all !== undefined || status !== undefined;
  return isAll ? allRows(store, filter) : rowsIn(store, UNDER_WAY, filter);
}

/** A state that no run of the workflow has ever been defined with is a mistake in typing. */
async function isState(store: Store, workflow: string, state: string): Promise<boolean> {
  const known = (await store.list({ workflow, limit: 1 })).rows[0];
  if (known === undefined) return true;
  return Object.hasOwn((await store.definition(known.definition))?.states ?? {}, state);
}
