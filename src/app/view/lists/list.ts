/** The runs that `list` shows: which rows are meant, and each as a summary. */

import { filtered } from "../../../engine/lists.ts";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../../../adapters/user-error.ts";
import { hasPhases, phaseOf } from "../../../core/projection/phase.ts";
import type { Filter, RunRow } from "../../../engine/ports/journal.ts";
import type { Store } from "../../../engine/ports/store.ts";
import type { Looking } from "../../declare.ts";
import type { Invocation } from "../../invocation.ts";
import { success, type Outcome } from "../../outcome.ts";
import { homeMissing, newestFirst } from "../../runs/find.ts";
import type { DataOf, InputOf } from "../../schemas.ts";
import { repositoryAround } from "../../setup/repository.ts";
import { sayQueued } from "../../story/line.ts";
import type { RunSummary } from "../run-view.ts";
import { sharedIn, summaryOf } from "./summary.ts";

const HELP = "signalbox list --help";
const LIMIT_MAX = 100_000;
const UNDER_WAY = ["running", "waiting"] as const;
const FINISHED = ["done", "cancelled", "failed"] as const;
export const STATUSES: readonly string[] = [...UNDER_WAY, ...FINISHED, "damaged"];

export async function listRuns(
  { door, store }: Looking,
  filter: InputOf<"list">,
): Promise<Outcome<DataOf<"list">>> {
  const { runs, more, queues, hasEnded } = await listOf(store, filter, door);
  const { limit: _limit, ...filters } = filter;
  const isPlain = Object.values(filters).every((value) => value === undefined || value === false);
  const none = !isPlain ? "No run matches." : hasEnded ? "No run is under way." : "No runs yet.";
  return success(
    `${runs.length} ${runs.length === 1 ? "run" : "runs"}${more > 0 ? `, and ${more} more` : ""}`,
    { runs, more },
    {
      next: nextFor(runs, hasEnded && isPlain),
      notes: [
        ...(runs.length === 0 ? [none] : []),
        ...homeMissing(door),
        ...(more > 0 ? [`${more} more: --limit ${runs.length + more}`] : []),
        ...queues,
      ],
    },
  );
}

function nextFor(runs: readonly RunSummary[], hasEnded: boolean): string {
  if (runs.length === 0) return hasEnded ? "signalbox list --all" : "signalbox run WORKFLOW GOAL";
  const isYours = ({ waits }: RunSummary): boolean =>
    ["person", "crashed", "attention", "stopped"].includes(waits.kind);
  return runs.some(isYours) ? "signalbox inbox" : `signalbox show ${runs[0]?.run ?? ""}`;
}

type Listed = {
  readonly runs: readonly RunSummary[];
  readonly more: number;
  /** Below the list: how many are queued, and why. */
  readonly queues: readonly string[];
  /** There are runs, and all of them are over. */
  readonly hasEnded: boolean;
};

async function listOf(store: Store | undefined, filter: InputOf<"list">, on: Place): Promise<Listed> {
  requireStatus(filter.status);
  if (store === undefined) return { runs: [], more: 0, queues: [], hasEnded: false };
  const shared = await sharedIn(store);
  const phase = async (row: RunRow): Promise<string> => {
    const definition = await shared.definition(row);
    return definition !== undefined && hasPhases(definition) ? phaseOf(definition, row.state) : "";
  };
  const { rows, more } = await select(store, filter, { ...on, limit: filter.limit, phase });
  const runs = await Promise.all(rows.map((row) => summaryOf(shared, row)));
  const hasEnded = rows.length === 0 && (await store.list({ limit: 1 })).rows.length > 0;
  return { runs, more, queues: await sayQueued(store, runs), hasEnded };
}

/** Also where there is nothing to list. */
function requireStatus(status: string | undefined): void {
  if (status === undefined || STATUSES.includes(status)) return;
  throw new UserError("bad-usage", `--status is ${STATUSES.join(", ")}, not "${status}"`, HELP);
}

type Page = { readonly rows: readonly RunRow[]; readonly more: number };

type Place = Pick<Invocation, "cwd" | "env">;

type On = Place & { readonly limit: number; readonly phase: (row: RunRow) => Promise<string> };

async function select(store: Store, filter: InputOf<"list">, on: On): Promise<Page> {
  const { phase } = filter;
  if (phase === undefined) return selectAll(store, filter, on);
  // As with a state, those that have ended in it are meant, too.
  const all = await selectAll(store, { ...filter, all: true }, { ...on, limit: LIMIT_MAX });
  const rows = await filtered(all.rows, async (row) => (await on.phase(row)) === phase);
  return { rows: rows.slice(0, on.limit), more: Math.max(0, rows.length - on.limit) };
}

async function selectAll(store: Store, asked: InputOf<"list">, on: Omit<On, "phase">): Promise<Page> {
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
  const open = await pages(store, UNDER_WAY, { ...filter, limit: on.limit });
  if (!all) return open;
  const left = on.limit - open.rows.length;
  const ended = await pages(store, FINISHED, { ...filter, limit: Math.max(left, 1) });
  const shown = ended.rows.slice(0, left);
  return { rows: [...open.rows, ...shown], more: open.more + ended.more + ended.rows.length - shown.length };
}

/** One short look for each status, so that the number of runs that ever were does not matter. */
async function pages(store: Store, statuses: readonly string[], filter: Filter): Promise<Page> {
  const lists = await Promise.all(statuses.map((status) => store.list({ ...filter, status })));
  const rows = lists.flatMap((list) => list.rows).toSorted(newestFirst);
  const shown = rows.slice(0, filter.limit);
  return { rows: shown, more: lists.reduce((sum, list) => sum + list.more, 0) + rows.length - shown.length };
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
