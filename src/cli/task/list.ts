/**
 * `signalbox task list`: the open tasks of a project, with whether somebody is at work.
 *
 * What processes do is read off their folders: neither git nor a terminal is asked, so that it stays quick with many of them.
 */

import { UserError } from "../../adapters/user-error.ts";
import { inLine, refusedInLine } from "../../engine/line.ts";
import type { Filter, RunRow } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { newestFirst, withStore } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { Answer, Command, Door } from "../command.ts";
import { numberOption } from "../number-option.ts";
import { sayQueued } from "../../app/story/line.ts";
import { projectNamed, repoHere } from "../../app/setup/project-named.ts";
import { firstLine, sayAge, sayStatus } from "../../app/view/words.ts";
import { columns, paintStatus } from "../render/table.ts";
import { deadlocksIn } from "../../app/view/trouble.ts";
import { sessionsOf, type Session } from "./session.ts";

const HELP = "signalbox task list --help";
const WORKFLOW = "task";
const LIMIT = 1000;
const LIMIT_MAX = 100_000;
const OPEN = ["running", "waiting"] as const;
const OVER = ["done", "cancelled", "failed"] as const;

/** What `--json` gives for each. */
export type TaskItem = {
  readonly run: string;
  readonly project: string;
  readonly branch: string;
  readonly summary: string;
  /** Where it is in the map. */
  readonly state: string;
  /** `running`, `waiting`, ... as in `list`. */
  readonly status: string;
  readonly attention: string;
  readonly halted: boolean;
  readonly session: Session;
  readonly round: number;
  /** It stands in the queue, and goes on by itself: nothing that it depends on was given up, and nothing was refused. */
  readonly queued: boolean;
  /** It stands in the queue, and did not go when it was its turn: why. */
  readonly refused: string;
  readonly dependsOn: readonly string[];
  readonly repo: string;
  readonly startedAt: string;
  readonly updatedAt: string;
};

export const command: Command = {
  usage: "[--all] [--status STATE] [--project PROJECT] [--limit N]",
  about:
    "Lists the open tasks of this project, the newest first: whether an agent of it lives (●), is dead (✗), is not known (?), its id, status, review round,\nbranch, age and summary. Outside of any repository, those of all projects.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "also those that are over" },
    status: { takes: "STATE", about: "only those in this state, such as reviewing" },
    project: { takes: "PROJECT", about: "those of this project" },
    limit: { takes: "N", about: `at most so many; ${LIMIT} unless given` },
  },
  examples: ["signalbox task list", "signalbox task list --status reviewing --json"],
  answer: (given, door) =>
    withStore(door, (store) => {
      const limit = numberOption(given, "limit", { otherwise: LIMIT, min: 1, max: LIMIT_MAX, help: HELP });
      const { rows, more } = select(store, given, { door, limit });
      const tasks = store === undefined ? [] : itemsOf(store, rows);
      const line = store === undefined ? [] : sayQueued(store, tasks);
      const next = nextFor(tasks);
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}${more > 0 ? `, and ${more} more` : ""}`,
        data: () => ({ tasks, more }),
        text: () => show(tasks, door),
        next,
        talk: [
          ...(tasks.length === 0 ? [`  ${sayNone(given)}`] : []),
          ...(more > 0 ? [`  ${more} more: --limit ${tasks.length + more}`] : []),
          ...line.map((each) => `  ${each}`),
          `  next: ${next}`,
          "",
        ].join("\n"),
      } satisfies Answer;
    }),
};

function sayNone({ options: { all, status, project } }: Given): string {
  const where = project === undefined ? "this project" : `the project ${project}`;
  if (status !== undefined) return `No task in ${status} in ${where}.`;
  return all === undefined ? `No open task in ${where}.` : `No task in ${where}.`;
}

type Page = { readonly rows: readonly RunRow[]; readonly more: number };

function select(store: Store | undefined, { options }: Given, on: { door: Door; limit: number }): Page {
  const { project, status, all } = options;
  const repo = project === undefined ? repoHere(store, on.door) : projectNamed(store, project).repo;
  if (store === undefined) return { rows: [], more: 0 };
  const filter: Filter = {
    workflow: WORKFLOW,
    limit: on.limit,
    ...(repo === undefined ? {} : { repo }),
    ...(status === undefined ? {} : { state: status }),
  };
  if (status !== undefined && !isState(store, status))
    throw new UserError("bad-usage", `no task is ever in "${status}"`, HELP);
  const statuses = all === undefined && status === undefined ? OPEN : [...OPEN, ...OVER];
  const lists = statuses.map((each) => store.list({ ...filter, status: each }));
  const rows = lists.flatMap((list) => list.rows.toSorted(newestFirst)).slice(0, on.limit);
  const found = lists.reduce((sum, list) => sum + list.rows.length + list.more, 0);
  return { rows: rows.toSorted(openFirst), more: found - rows.length };
}

/** A state that no run of the workflow has ever been defined with is a mistake in typing. */
function isState(store: Store, state: string): boolean {
  const known = store.list({ workflow: WORKFLOW, limit: 1 }).rows[0];
  if (known === undefined) return true;
  return Object.hasOwn(store.definition(known.definition)?.states ?? {}, state);
}

function openFirst(a: RunRow, b: RunRow): number {
  const isOver = ({ status }: RunRow): boolean => status !== "running" && status !== "waiting";
  return isOver(a) === isOver(b) ? newestFirst(a, b) : Number(isOver(a)) - Number(isOver(b));
}

function itemsOf(store: Store, rows: readonly RunRow[]): TaskItem[] {
  const sessions = sessionsOf(store);
  const queued = inLine(store);
  const refused = refusedInLine(store);
  const deadlocks = deadlocksIn(store);
  const names = new Map(store.projects().map(({ repo, name }) => [repo, name]));
  return rows.map((row) => {
    const run = runOf(store, row.id);
    const { id, goal, state, status, attention, halted, repo, startedAt, updatedAt } = row;
    return {
      run: id,
      project: names.get(repo) ?? "",
      branch: String(run?.params["branch"] ?? ""),
      summary: String(run?.params["summary"] ?? goal),
      state,
      status,
      attention: attention || (deadlocks.get(id) ?? ""),
      halted,
      session: run === undefined ? "unknown" : sessions(run),
      round: run?.counters["review_round"] ?? 0,
      queued: queued.has(id),
      refused: refused.get(id) ?? "",
      dependsOn: store.depends(id),
      repo,
      startedAt,
      updatedAt,
    };
  });
}

/** A damaged one is listed with what its row says; the others do not suffer from it. */
function runOf(store: Store, id: string) {
  try {
    return store.load(id)?.run;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

const MARKS: Readonly<Record<Session, string>> = { alive: "●", dead: "✗", unknown: "?", none: " " };

function show(tasks: readonly TaskItem[], { paint }: Door): string {
  const now = Date.now();
  const paintMark = (session: Session): string =>
    session === "alive"
      ? paint.green(MARKS[session])
      : session === "dead"
        ? paint.red(MARKS[session])
        : MARKS[session];
  return columns(
    tasks.map((task) => [
      paintMark(task.session),
      paint.bold(task.run),
      paint.cyan(task.state),
      sayWhy(task, paint),
      task.round === 0 ? "" : `round ${task.round}`,
      task.branch,
      sayAge(task.updatedAt, now),
      firstLine(task.summary),
    ]),
  );
}

function sayWhy(task: TaskItem, paint: Door["paint"]): string {
  const isRefused = task.attention === "" && !task.halted && task.refused !== "";
  if (isRefused) return paint.yellow(firstLine(task.refused));
  return paintStatus(sayStatus(task), paint);
}

function nextFor(tasks: readonly TaskItem[]): string {
  const [first] = tasks;
  if (first === undefined) return "signalbox task create SUMMARY";
  const asked = tasks.some(
    ({ status, queued, attention }) => (status === "waiting" && !queued) || attention !== "",
  );
  return asked ? "signalbox inbox" : `signalbox task show ${first.run}`;
}
