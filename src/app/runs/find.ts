/** What commands that look at runs begin with: the store of this machine, and which run is meant. */

import { filtered, flatMapped } from "../../engine/lists.ts";
import { existsSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { homeOf, runFolders, type Home } from "../../adapters/home/paths.ts";
import { makeFolder } from "../../adapters/home/folders.ts";
import { requireRoot } from "../../adapters/home/root.ts";
import { openStoreOf } from "../../adapters/stores.ts";
import { UserError } from "../../adapters/user-error.ts";
import { closest } from "../../core/text/closest.ts";
import type { Workflow } from "../../core/model/compile.ts";
import { workflowsOf } from "../../engine/box.ts";
import { isInPlace } from "../../engine/submit/place.ts";
import type { Kept, RunRow } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { EXIT_DAMAGED } from "../exit-codes.ts";
import type { Invocation } from "../invocation.ts";
import type { Stream } from "../outcome.ts";
import { newestFirst, rowsIn, UNDER_WAY } from "./rows.ts";
import { isDue } from "./due.ts";
import { runOfName } from "./name.ts";

/** A run as a command looks at it. */
export type Seen = Kept & {
  readonly store: Store;
  readonly workflow: Workflow;
  /** Where its files are. */
  readonly root: string;
};

const LISTED = 10;
const NEARBY = 200;
/** With fewer letters everything is near. */
const SHORT_MIN = 4;

export function requireHome({ env }: Pick<Invocation, "env">): Home {
  const home = homeOf(env);
  if (home !== undefined) {
    requireRoot(home, env);
    return home;
  }
  throw new UserError(
    "no-home",
    "neither HOME nor SIGNALBOX_HOME says where runs are kept",
    "export HOME=...",
  );
}

/** A typing mistake in the variable looks as if there were no runs. */
export function homeMissing({ env }: Pick<Invocation, "env">): readonly string[] {
  const root = env["SIGNALBOX_HOME"] ?? "";
  return root === "" || existsSync(root) ? [] : [`SIGNALBOX_HOME is ${root}, which does not exist.`];
}

/** The address of the database that several machines share; undefined where this machine keeps its runs itself. */
export function databaseOf({ env }: Pick<Invocation, "env">): string | undefined {
  const url = env["SIGNALBOX_DATABASE"] ?? "";
  return url === "" ? undefined : url;
}

/** The store, made where there is none yet. */
export function openStore(door: Pick<Invocation, "env">): Promise<Store> {
  const home = requireHome(door);
  const database = databaseOf(door);
  // Files of runs that begin here, and locks.
  if (database !== undefined) makeFolder(home.root);
  return openStoreOf({ home, database });
}

/** Undefined where nothing was ever started: that is no error, and looking must not make anything. */
export async function storeOf(door: Pick<Invocation, "env">): Promise<Store | undefined> {
  const home = requireHome(door);
  const database = databaseOf(door);
  return database !== undefined || isBegun(home) ? openStoreOf({ home, database }) : undefined;
}

/** A database that is missing beside runs is damage, and the store says so. */
function isBegun(home: Home): boolean {
  return existsSync(home.database) || existsSync(join(home.root, "runs")) || existsSync(home.workspaces);
}

/** Opens the store, and closes it whatever happens. */
export async function withStore<T extends { readonly exit: number; readonly stream?: Stream }>(
  door: Invocation,
  work: (store: Store | undefined) => T | Promise<T>,
): Promise<T> {
  const store = await storeOf(door);
  let answer: T;
  try {
    await hear(door, store);
    answer = await work(store);
    // Workers look by themselves.
    const isOurs = store !== undefined && databaseOf(door) === undefined;
    if (isOurs && (await isDue(store, requireHome(door)))) await seeToIt(door, store);
  } catch (error) {
    await store?.close();
    throw error;
  }
  const { stream } = answer;
  if (stream === undefined) {
    await store?.close();
    return answer;
  }
  const streamed: Stream = async (emit, signal) => {
    try {
      return await stream(emit, signal);
    } finally {
      await store?.close();
    }
  };
  return { ...answer, stream: streamed };
}

/** An agent that only looks has heard what it was told, too. People pay nothing for that. */
async function hear({ env }: Invocation, store: Store | undefined): Promise<void> {
  const token = env["SIGNALBOX_TOKEN"] ?? "";
  if (token === "" || store === undefined) return;
  const { heard } = await import("./acknowledge.ts");
  await heard(store, token);
}

/** Whoever looks sees to it that somebody is at work where there is work: a supervisor may have died with the machine. */
async function seeToIt(door: Invocation, store: Store): Promise<void> {
  const { wake } = await import("./wake.ts");
  await wake({ door, home: requireHome(door), box: { store } });
}

/** The run that is meant: by argument, by SIGNALBOX_RUN, by the workspace that we are in, or because there is no other here. */
export async function seeRun(
  store: Store | undefined,
  door: Invocation,
  word: string | undefined,
): Promise<Seen> {
  const id = await runMeant(store, door, word);
  const kept = await store?.load(id);
  if (store === undefined || kept === undefined) return unknownRun(store, id);
  return {
    ...kept,
    store,
    workflow: await workflowOf(store, kept.row),
    root: await rootOf(store, requireHome(door), id),
  };
}

/** In its workspace while one is bound, in the state home otherwise. Who works in place has its files there all the time. */
export async function rootOf(store: Store, home: Home, run: string): Promise<string> {
  const own = await store.workspace(run);
  if (own !== undefined && isInPlace(own)) return own.path;
  return (await store.boundWorkspace(run))?.path ?? runFolders(home, run).files;
}

/** How many first letters of an id are enough; one, unless a caller wants more. */
type EnoughLetters = { readonly lettersMin?: number };

export async function runMeant(
  store: Store | undefined,
  { cwd, env, lettersMin = 1 }: Pick<Invocation, "cwd" | "env"> & EnoughLetters,
  word: string | undefined,
): Promise<string> {
  const named = word ?? (env["SIGNALBOX_RUN"] === "" ? undefined : env["SIGNALBOX_RUN"]);
  if (named !== undefined) return byName(store, { cwd, env, lettersMin }, named);
  const workspace = await runAround(store, { cwd, env });
  if (workspace !== undefined) return workspace;
  const here = store === undefined ? [] : await underWayIn(store, cwd);
  const [only] = here;
  if (only !== undefined && here.length === 1) return only.id;
  throw await whichRun(store);
}

/** The run in whose workspace, or in whose folder in the state home, somebody is: in the latter its judges work. */
export async function runAround(
  store: Store | undefined,
  { cwd, env }: Pick<Invocation, "cwd" | "env">,
): Promise<string | undefined> {
  const bound = (await store?.workspaceAt(cwd))?.run;
  if (bound !== undefined || store === undefined) return bound;
  const root = homeOf(env)?.root ?? "";
  // With a store there is a state home.
  const real = realpathSync(root);
  const folders = [...new Set([root, real])].flatMap((home) =>
    ["runs", "workspaces"].map((name) => join(home, name, sep)),
  );
  const folder = folders.find((each) => cwd.startsWith(each));
  const id = folder === undefined ? "" : (cwd.slice(folder.length).split(sep)[0] ?? "");
  return id === "" || (await store.load(id)) === undefined ? undefined : id;
}

/** Unfinished runs of the repository that we are in; tasks of one of them are not meant by themselves. */
async function underWayIn(store: Store, cwd: string): Promise<readonly RunRow[]> {
  const { rows } = await rowsIn(store, UNDER_WAY, { limit: NEARBY });
  const here = rows.filter(({ repo }) => cwd === repo || cwd.startsWith(`${repo}${sep}`));
  if (here.length < 2) return here;
  const ids = new Set(here.map(({ id }) => id));
  return filtered(here, async ({ id }) => !ids.has((await store.childAs(id))?.parent ?? ""));
}

/** The definition that the run was started with, even if its file has changed since. */
export function workflowOf(
  store: Pick<Store, "definition">,
  row: Pick<RunRow, "definition">,
): Promise<Workflow> {
  return workflowsIn(store)(row.definition);
}

/** Definitions by their hashes, each compiled once. */
export function workflowsIn(store: Pick<Store, "definition">): (hash: string) => Promise<Workflow> {
  return workflowsOf({
    definition: async (hash) => (await store.definition(hash)) ?? lostDefinition(hash),
  });
}

function lostDefinition(hash: string): never {
  throw new UserError("damaged", `the definition ${hash} of the run is gone`, {
    next: "signalbox doctor --repair",
    exit: EXIT_DAMAGED,
  });
}

export function isFinished({ status }: Pick<RunRow, "status">): boolean {
  return status !== "running" && status !== "waiting";
}

/**
 * What is named in full goes before what is only begun: an id, the name of a run of this repository, a branch, then the beginning of an id. A
 * branch that no workspace has yet is looked for last, because that loads runs.
 */
async function byName(
  store: Store | undefined,
  at: Pick<Invocation, "cwd" | "env"> & Required<EnoughLetters>,
  word: string,
): Promise<string> {
  const { cwd, lettersMin } = at;
  const ids = store === undefined || word === "" ? [] : await store.idsLike(word, LISTED + 1);
  if (store === undefined || ids.includes(word)) return ids[0] === undefined ? unknownRun(store, word) : word;
  const known = (await runOfName(store, at, word)) ?? ofBranch(await onBranch(store, word), cwd, word);
  // Agents may name branches: a branch must not take over the short id of another run.
  const others = ids.filter((id) => id !== known);
  if (known !== undefined && others.length > 0) throw ambiguous(word, [known, ...others]);
  if (known !== undefined) return known;
  const [first, second] = ids;
  if (first === undefined)
    return ofBranch(await withBranch(store, word), cwd, word) ?? (await unknownRun(store, word));
  if (second !== undefined) throw ambiguous(word, ids);
  if (word.length < lettersMin) throw await tooShort(store, word, first);
  return first;
}

/** A slip of the finger must not decide about a run, perhaps one of another project. */
async function tooShort(store: Store, word: string, id: string): Promise<UserError> {
  const goal = clip((await store.load(id))?.row.goal ?? "");
  const what = goal === "" ? "" : ` (${goal})`;
  return new UserError(
    "ambiguous-run",
    `"${word}" is too short to act on run ${id}${what}`,
    `type its whole id: ${id}`,
  );
}

function ambiguous(word: string, ids: readonly string[]): UserError {
  const shown = ids.slice(0, LISTED).join(", ");
  const more = ids.length > LISTED ? " and more" : "";
  return new UserError("ambiguous-run", `"${word}" may be ${shown}${more}`, "give the whole id of the run");
}

async function unknownRun(store: Store | undefined, word: string): Promise<never> {
  const near = store === undefined ? undefined : closest(word, await wordsForRuns(store, word.length));
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  throw new UserError("unknown-run", `there is no run "${word}"${hint}`, "signalbox list --all");
}

/** Ids, beginnings of ids that are as long as what was typed, and branches. */
async function wordsForRuns(store: Store, length: number): Promise<readonly string[]> {
  const { rows } = await store.list({ limit: NEARBY });
  const ids = rows.map(({ id }) => id);
  const begun = length < SHORT_MIN ? [] : ids.map((id) => id.slice(0, length));
  const wanted = await flatMapped(rows, async ({ id, status }) => {
    const branch = status === "damaged" ? undefined : (await store.load(id))?.run.params["branch"];
    return typeof branch === "string" ? [branch] : [];
  });
  return [...ids, ...begun, ...wanted, ...(await store.workspaces()).map(({ branch }) => branch)];
}

/** Runs whose workspace has this branch, also those that are over. Runs that work in place share the user's branch. */
async function onBranch(store: Store, word: string): Promise<readonly RunRow[]> {
  return flatMapped(
    (await store.workspaces()).filter((row) => row.branch === word && !isInPlace(row)),
    async ({ run }) => (await store.load(run))?.row ?? [],
  );
}

/** Runs that were given this branch: those under way, and the last that are over. */
async function withBranch(store: Store, word: string): Promise<readonly RunRow[]> {
  const rows = [
    ...(await rowsIn(store, UNDER_WAY, { limit: NEARBY })).rows,
    ...(await store.list({ limit: NEARBY })).rows.filter(isFinished),
  ];
  return filtered(
    rows,
    async ({ id, status }) => status !== "damaged" && (await store.load(id))?.run.params["branch"] === word,
  );
}

/** Of several runs, those of the repository that we are in come first, then those under way, then the newest. */
function ofBranch(rows: readonly RunRow[], cwd: string, word: string): string | undefined {
  const here = rows.filter(({ repo }) => cwd === repo || cwd.startsWith(`${repo}${sep}`));
  const near = here.length > 0 ? here : rows;
  const open = near.filter((row) => !isFinished(row));
  const [first, second] = open.length > 0 ? open : near.toSorted(newestFirst);
  if (first === undefined || second === undefined || open.length === 0) return first?.id;
  const names = open.map(({ id }) => id).join(", ");
  throw new UserError(
    "ambiguous-run",
    `the branch ${word} is that of ${names}`,
    `signalbox show ${first.id}`,
  );
}

async function whichRun(store: Store | undefined): Promise<UserError> {
  const { rows, more } =
    store === undefined ? { rows: [], more: 0 } : await rowsIn(store, UNDER_WAY, { limit: LISTED });
  if (rows.length === 0)
    return new UserError(WHICH_RUN, "no run was named, and none is under way", "signalbox list --all");
  const rest = more > 0 ? ` and ${more} more` : "";
  const shown = rows.map(namedRow).join(", ");
  return new UserError(WHICH_RUN, `name one of the runs under way: ${shown}${rest}`, "signalbox list");
}

/** No run was named, and several may be meant. */
export const WHICH_RUN = "which-run";

/** The runs under way, for a caller that knows which of them may be meant. */
export async function runsUnderWay(store: Store): Promise<readonly RunRow[]> {
  return (await rowsIn(store, UNDER_WAY, { limit: NEARBY })).rows;
}

export function namedRow({ id, state, goal }: RunRow): string {
  return `${id} (${[state, clip(goal)].filter((word) => word !== "").join(": ")})`;
}

const GOAL_SHOWN = 40;

function clip(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > GOAL_SHOWN ? `${line.slice(0, GOAL_SHOWN)}...` : line;
}
