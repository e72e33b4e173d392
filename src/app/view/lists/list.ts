/** The runs that `list` shows: which rows are meant, and each as a summary. */

import { filtered } from "../../../engine/lists.ts";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../../../adapters/user-error.ts";
import { hasPhases, phaseOf } from "../../../core/projection/phase.ts";
import type { Filter, RunRow } from "../../../engine/ports/journal.ts";
import type { Store } from "../../../engine/ports/store.ts";
import { inOrder } from "../../board/row.ts";
import type { Looking } from "../../declare.ts";
import type { Invocation } from "../../invocation.ts";
import type { Outcome } from "../../outcome.ts";
import { homeMissing } from "../../runs/find.ts";
import { allRows, FINISHED, rowsIn, UNDER_WAY, type RowPage } from "../../runs/rows.ts";
import type { DataOf, InputOf } from "../../schemas.ts";
import { repositoryAround } from "../../setup/repository.ts";
import { usedIn } from "../cost/used.ts";
import { listOutcome, sharedIn, summaryOf } from "./summary.ts";

const HELP = "signalbox list --help";
const LIMIT_MAX = 100_000;
export const STATUSES: readonly string[] = [...UNDER_WAY, ...FINISHED, "damaged"];

export async function listRuns(
  { door, store }: Looking,
  filter: InputOf<"list">,
): Promise<Outcome<DataOf<"list">>> {
  requireStatus(filter.status);
  const { limit: _limit, ...filters } = filter;
  const isPlain = Object.values(filters).every((value) => value === undefined || value === false);
  const { runs, more } = store === undefined ? { runs: [], more: 0 } : await runsIn(store, filter, door);
  const hasEnded =
    runs.length === 0 && store !== undefined && (await store.list({ limit: 1 })).rows.length > 0;
  return listOutcome(store, [runs, { runs, more }], {
    noun: "run",
    more,
    none: !isPlain ? "No run matches." : hasEnded ? "No run is under way." : "No runs yet.",
    begin: hasEnded && isPlain ? "signalbox list --all" : "signalbox run WORKFLOW GOAL",
    notes: homeMissing(door),
  });
}

async function runsIn(store: Store, filter: InputOf<"list">, on: Place): Promise<DataOf<"list">> {
  const shared = await sharedIn(store);
  const phase = async (row: RunRow): Promise<string> => {
    const definition = (await shared.workflow(row))?.definition;
    return definition !== undefined && hasPhases(definition) ? phaseOf(definition, row.state) : "";
  };
  const { rows, more } = await select(store, filter, { ...on, limit: filter.limit, phase });
  const records = await store.reports({ runs: rows.map(({ id }) => id) });
  const reports = Map.groupBy(records, ({ run }) => run);
  const runs = rows.map(async (row) => ({
    ...(await summaryOf(shared, row)),
    used: usedIn((reports.get(row.id) ?? []).map(({ report }) => report)),
  }));
  return { runs: inOrder(await Promise.all(runs)), more };
}

/** Also where there is nothing to list. */
function requireStatus(status: string | undefined): void {
  if (status === undefined || STATUSES.includes(status)) return;
  throw new UserError("bad-usage", `--status is ${STATUSES.join(", ")}, not "${status}"`, HELP);
}

type Place = Pick<Invocation, "cwd" | "env">;

type On = Place & { readonly limit: number; readonly phase: (row: RunRow) => Promise<string> };

async function select(store: Store, filter: InputOf<"list">, on: On): Promise<RowPage> {
  const { phase } = filter;
  if (phase === undefined) return selectAll(store, filter, on);
  // As with a state, those that have ended in it are meant, too.
  const all = await selectAll(store, { ...filter, all: true }, { ...on, limit: LIMIT_MAX });
  const rows = await filtered(all.rows, async (row) => (await on.phase(row)) === phase);
  return { rows: rows.slice(0, on.limit), more: Math.max(0, rows.length - on.limit) };
}

async function selectAll(store: Store, asked: InputOf<"list">, on: Omit<On, "phase">): Promise<RowPage> {
  const { state, status, workflow, all = false } = asked;
  const repo = await repoOf(store, asked, on);
  const filter: Omit<Filter, "limit"> = {
    ...(state === undefined ? {} : { state }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(repo === undefined ? {} : { repo }),
  };
  if (status !== undefined) return store.list({ ...filter, status, limit: on.limit });
  // A state says itself whether runs in it have ended.
  if (state !== undefined) return store.list({ ...filter, limit: on.limit });
  return all
    ? allRows(store, { ...filter, limit: on.limit })
    : rowsIn(store, UNDER_WAY, { ...filter, limit: on.limit });
}

async function repoOf(
  store: Store,
  { repo, here = false }: InputOf<"list">,
  on: Place,
): Promise<string | undefined> {
  const { cwd, env } = on;
  if (repo !== undefined && here)
    throw new UserError("bad-usage", "--repo and --here do not go together", HELP);
  if (repo === undefined && !here) return undefined;
  const folder = realFolder(resolve(cwd, repo ?? "."));
  return (await repositoryAround(store, { cwd: folder, env })).main;
}

function realFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    throw new UserError("no-folder", `there is no folder ${path}`, HELP);
  }
}
