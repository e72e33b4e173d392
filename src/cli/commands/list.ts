/** `signalbox list`: the runs of this machine, those under way first. */

import { repositoryAround } from "../../app/setup/repository.ts";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { UserError } from "../../adapters/user-error.ts";
import { hasPhases, phaseOf } from "../../core/phase.ts";
import type { Definition } from "../../core/workflow.ts";
import { inLine } from "../../engine/line.ts";
import { sayQueued } from "../../app/story/line.ts";
import type { Tally } from "../../engine/ports/graphs.ts";
import type { Filter, RunRow } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { isFinished, newestFirst, withStore } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Command, Door } from "../command.ts";
import { numberOption } from "../number-option.ts";
import { aboutOf, isRenamed } from "../../app/view/about.ts";
import { deadlocksIn } from "../../app/view/trouble.ts";
import { firstLine, sayAge, sayStatus } from "../../app/view/words.ts";
import { columns, paintStatus } from "../render/table.ts";

const HELP = "signalbox list --help";
const LIMIT = 50;
const LIMIT_MAX = 100_000;
const UNDER_WAY = ["running", "waiting"] as const;
const FINISHED = ["done", "cancelled", "failed"] as const;
const STATUSES: readonly string[] = [...UNDER_WAY, ...FINISHED, "damaged"];

/** What `--json` gives for each run. */
export type RunItem = {
  readonly run: string;
  readonly workflow: string;
  readonly goal: string;
  readonly state: string;
  /** Empty where its workflow has none. */
  readonly phase: string;
  readonly status: string;
  readonly attention: string;
  readonly halted: boolean;
  /** It stands in the queue, and goes on by itself. */
  readonly queued: boolean;
  readonly repo: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  /** Of a list that it waits for; null where it waits for none. */
  readonly tasks: Omit<Tally, "parent"> | null;
};

export type ListData = { readonly runs: readonly RunItem[]; readonly more: number };

export const command: Command = {
  usage: "[--all] [--state S] [--phase P] [--status S] [--workflow W] [--repo PATH | --here] [--limit N]",
  about:
    "Lists the runs of this machine that are under way, the newest first; with --all, those that have ended after them.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "also those that have ended" },
    state: { takes: "STATE", about: "only those in this state" },
    phase: { takes: "PHASE", about: "only those in this phase, of workflows whose states have one" },
    status: { takes: STATUSES.join("|"), about: "only those with this status" },
    workflow: { takes: "NAME", about: "only those of this workflow" },
    repo: { takes: "PATH", about: "only those of this repository" },
    here: { about: "only those of the repository that you are in" },
    limit: { takes: "N", about: `at most so many; ${LIMIT} unless given` },
  },
  examples: [
    "signalbox list",
    "signalbox list --here --status waiting",
    "signalbox list --all --limit 200 --json",
  ],
  answer: (given, door) =>
    withStore(door, (store) => {
      const limit = numberOption(given, "limit", { otherwise: LIMIT, min: 1, max: LIMIT_MAX, help: HELP });
      requireStatus(given.options["status"]);
      const definitions = definitionsIn(store);
      const phases = phasesIn(definitions);
      const { rows, more } =
        store === undefined ? { rows: [], more: 0 } : select(store, given, { door, limit, phases });
      const tallies = new Map(store?.tallies().map((tally) => [tally.parent, tally]));
      const queued = queuedOf(store, rows);
      const deadlocks = store === undefined ? undefined : deadlocksIn(store);
      const runs = rows.map((row) => ({
        ...itemOf(withDeadlock(row, deadlocks), phases(row), tallies.get(row.id)),
        goal: goalOf(store, row, definitions(row)),
        queued: queued.has(row.id),
      }));
      const data: ListData = { runs, more };
      const line = store === undefined ? [] : sayQueued(store, runs);
      const hasEnded =
        rows.length === 0 && isPlain(given) && (store?.list({ limit: 1 }).rows.length ?? 0) > 0;
      const next = nextFor(data.runs, hasEnded);
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${rows.length} ${rows.length === 1 ? "run" : "runs"}${more > 0 ? `, and ${more} more` : ""}`,
        data: () => data,
        text: () => show(data.runs, door),
        next,
        talk: [
          ...(rows.length === 0 ? [`  ${sayNone(given, hasEnded)}`] : []),
          ...(more > 0 ? [`  ${more} more: --limit ${rows.length + more}`] : []),
          ...line.map((each) => `  ${each}`),
          `  next: ${next}`,
          "",
        ].join("\n"),
      } satisfies Answer;
    }),
};

/** Also where there is nothing to list. */
function requireStatus(status: string | undefined): void {
  if (status === undefined || STATUSES.includes(status)) return;
  throw new UserError("bad-usage", `--status is ${STATUSES.join(", ")}, not "${status}"`, HELP);
}

type Page = { readonly rows: readonly RunRow[]; readonly more: number };

/** The definition of a run, each looked at once. */
type Definitions = (row: RunRow) => Definition | undefined;

function definitionsIn(store: Store | undefined): Definitions {
  const known = new Map<string, Definition | undefined>();
  return ({ definition: hash }) => {
    if (!known.has(hash)) known.set(hash, store === undefined ? undefined : definitionIn(store, hash));
    return known.get(hash);
  };
}

function definitionIn(store: Store, hash: string): Definition | undefined {
  try {
    return store.definition(hash);
  } catch (error) {
    // A definition that is damaged has nothing to show; the run is listed all the same.
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

type Phases = (row: RunRow) => string;

function phasesIn(definitions: Definitions): Phases {
  return (row) => {
    const definition = definitions(row);
    return definition !== undefined && hasPhases(definition) ? phaseOf(definition, row.state) : "";
  };
}

/** A run is loaded only where it can be called otherwise than its row says. */
function goalOf(store: Store | undefined, row: RunRow, definition: Definition | undefined): string {
  if (definition === undefined || row.status === "damaged" || !isRenamed(definition)) return row.goal;
  try {
    const kept = store?.load(row.id);
    return kept === undefined ? row.goal : aboutOf(definition, kept.run, row);
  } catch (error) {
    if (error instanceof UserError) return row.goal;
    throw error;
  }
}

type On = { readonly door: Door; readonly limit: number; readonly phases: Phases };

function select(store: Store, given: Given, on: On): Page {
  const { phase, ...options } = given.options;
  if (phase === undefined) return selectAll(store, given, on);
  // As with a state, those that have ended in it are meant, too.
  const all = selectAll(store, { ...given, options: { all: "", ...options } }, { ...on, limit: LIMIT_MAX });
  const rows = all.rows.filter((row) => on.phases(row) === phase);
  return { rows: rows.slice(0, on.limit), more: Math.max(0, rows.length - on.limit) };
}

function selectAll(store: Store, given: Given, on: Pick<On, "door" | "limit">): Page {
  const { options } = given;
  const { state, status, workflow } = options;
  const repo = repoOf(store, given, on.door);
  const filter: Omit<Filter, "limit"> = {
    ...(state === undefined ? {} : { state }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(repo === undefined ? {} : { repo }),
  };
  if (status !== undefined) return store.list({ ...filter, status, limit: on.limit });
  // A state says itself whether runs in it have ended.
  if (state !== undefined) return store.list({ ...filter, limit: on.limit });
  const open = pages(store, UNDER_WAY, { ...filter, limit: on.limit });
  if (options["all"] === undefined) return open;
  const left = on.limit - open.rows.length;
  const ended = pages(store, FINISHED, { ...filter, limit: Math.max(left, 1) });
  const shown = ended.rows.slice(0, left);
  return { rows: [...open.rows, ...shown], more: open.more + ended.more + ended.rows.length - shown.length };
}

/** One short look for each status, so that the number of runs that ever were does not matter. */
function pages(store: Store, statuses: readonly string[], filter: Filter): Page {
  const lists = statuses.map((status) => store.list({ ...filter, status }));
  const rows = lists.flatMap((list) => list.rows).toSorted(newestFirst);
  const shown = rows.slice(0, filter.limit);
  return { rows: shown, more: lists.reduce((sum, list) => sum + list.more, 0) + rows.length - shown.length };
}

function repoOf(store: Store, { options }: Given, { cwd, env }: Door): string | undefined {
  const { repo, here } = options;
  if (repo !== undefined && here !== undefined)
    throw new UserError("bad-usage", "--repo and --here do not go together", HELP);
  if (repo === undefined && here === undefined) return undefined;
  const folder = realFolder(resolve(cwd, repo ?? "."));
  return repositoryAround(store, { cwd: folder, env }).main;
}

function realFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    throw new UserError("no-folder", `there is no folder ${path}`, HELP);
  }
}

/** Only who waits can stand in the queue. */
function queuedOf(store: Store | undefined, rows: readonly RunRow[]): ReadonlySet<string> {
  const isWaited = rows.some(({ status }) => status === "waiting");
  return store === undefined || !isWaited ? new Set() : inLine(store);
}

function itemOf(row: RunRow, phase: string, tally: Tally | undefined): Omit<RunItem, "goal" | "queued"> {
  const { id: run, workflow, state, status, attention, halted, repo, startedAt, updatedAt } = row;
  const tasks = tally === undefined ? null : { done: tally.done, all: tally.all, waiting: tally.waiting };
  return { run, workflow, state, phase, status, attention, halted, repo, startedAt, updatedAt, tasks };
}

function show(rows: readonly RunItem[], { paint }: Door): string {
  const now = Date.now();
  const isPhased = rows.some(({ phase }) => phase !== "");
  return columns(
    rows.map((row) => [
      paint.bold(row.run),
      row.workflow,
      ...(isPhased ? [row.phase] : []),
      `${paint.cyan(row.state)}${row.tasks === null ? "" : `, ${sayTally(row.tasks)}`}`,
      paintStatus(sayStatus(row), paint),
      sayAge(row.updatedAt, now),
      firstLine(row.goal),
    ]),
  );
}

function withDeadlock(row: RunRow, deadlocks: ReadonlyMap<string, string> | undefined): RunRow {
  return { ...row, attention: row.attention || (deadlocks?.get(row.id) ?? "") };
}

/** Nothing was asked for in particular. */
function isPlain({ options }: Given): boolean {
  return ["all", "state", "phase", "status", "workflow", "repo", "here"].every(
    (name) => options[name] === undefined,
  );
}

function sayNone(given: Given, hasEnded: boolean): string {
  if (!isPlain(given)) return "no run is like that";
  return hasEnded ? "no run is under way" : "there are no runs yet";
}

function nextFor(runs: readonly RunItem[], hasEnded: boolean): string {
  if (runs.length === 0) return hasEnded ? "signalbox list --all" : "signalbox run WORKFLOW GOAL";
  const isAsked = (run: RunItem): boolean => run.halted || (run.status === "waiting" && !run.queued);
  const waits = runs.some((run) => !isFinished(run) && (isAsked(run) || run.attention !== ""));
  return waits ? "signalbox inbox" : `signalbox show ${runs[0]?.run ?? ""}`;
}

function sayTally({ done, all, waiting }: NonNullable<RunItem["tasks"]>): string {
  return `${done} of ${all} tasks${waiting === 0 ? "" : `, ${waiting} for you`}`;
}
