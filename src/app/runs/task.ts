/**
 * Which task is meant: by its id, by the first letters of it, or by its branch.
 *
 * The first letters of an id mean a task of the project that somebody stands in, or has named: letters that fit a task of another
 * project are refused and say so, because whoever types them there means another one. A whole id is no accident: it means its task
 * from everywhere, unless a project was named that it is not of.
 */

import { filtered } from "../../engine/lists.ts";
import { UserError } from "../../adapters/user-error.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Acting } from "../context.ts";
import type { Invocation } from "../invocation.ts";
import { projectNamed, repoHere } from "../setup/project-named.ts";
import { runMeant } from "./find.ts";
import { FINISHED, rowsIn, UNDER_WAY } from "./rows.ts";

const ALL = 100_000;

export type Meaning = {
  readonly store: Store | undefined;
  readonly door: Pick<Invocation, "cwd" | "env">;
  /** The run of the agent that asks. */
  readonly own?: string;
};

/** An agent that names none means its own. */
export async function taskOf(
  { box, door, who }: Acting,
  word: string | undefined,
  project?: string,
): Promise<string> {
  const own = who.type === "agent" ? { own: who.run } : {};
  return taskMeant({ store: box.store, door, ...own }, word, project);
}

export async function taskMeant(on: Meaning, word: string | undefined, project?: string): Promise<string> {
  const { store, door } = on;
  const named = project === undefined ? undefined : (await projectNamed(store, project)).repo;
  if (store === undefined || word === undefined || word === "") {
    const id = word === undefined && on.own !== undefined ? on.own : await runMeant(store, door, word);
    return requireOf(store, id, named);
  }
  if ((await store.idsLike(word, 1)).includes(word)) return requireOf(store, word, named);
  const repo = named ?? (await repoHere(store, door));
  if (repo === undefined) return runMeant(store, door, word);
  const like = async (filter: { readonly repo?: string }): Promise<readonly RunRow[]> =>
    (await store.list({ ...filter, hidden: true, limit: ALL })).rows.filter(({ id }) => id.startsWith(word));
  const [first, second] = await like({ repo });
  if (first !== undefined && second === undefined) return first.id;
  const branch = first === undefined ? await byBranch(store, repo, word) : undefined;
  if (branch !== undefined) return branch;
  const [elsewhere] = first === undefined ? await like({}) : [];
  if (elsewhere !== undefined) throw await otherProject(store, elsewhere, word);
  // A branch of another project is no task of this one.
  return requireOf(store, await runMeant(store, door, word), repo);
}

/** People know a task by its branch. One under way comes first: a branch may have had several tasks before it. */
async function byBranch(store: Store, repo: string, word: string): Promise<string | undefined> {
  const having = async (statuses: readonly string[]): Promise<readonly RunRow[]> =>
    filtered(
      (await rowsIn(store, statuses, { repo, limit: ALL })).rows,
      async ({ id, status }) => status !== "damaged" && (await branchOf(store, id)) === word,
    );
  const [open] = await having(UNDER_WAY);
  if (open !== undefined) return open.id;
  const over = await having(FINISHED);
  if (over.length < 2) return over[0]?.id;
  const names = over.map(({ id }) => id).join(", ");
  throw new UserError(
    "unknown-run",
    `several tasks had the branch ${word}: ${names}`,
    "signalbox list --all",
  );
}

async function branchOf(store: Store, id: string): Promise<string> {
  const bound = (await store.workspace(id))?.branch;
  return bound ?? String((await store.load(id))?.run.params["branch"] ?? "");
}

async function requireOf(store: Store | undefined, id: string, repo: string | undefined): Promise<string> {
  if (repo === undefined) return id;
  const row = (await store?.load(id))?.row;
  if (store === undefined || row === undefined || row.repo === repo) return id;
  throw await otherProject(store, row, id);
}

async function otherProject(store: Store, { id, repo }: RunRow, word: string): Promise<UserError> {
  const name = (await store.projectAt(repo))?.name;
  const whose = name === undefined ? `the repository ${repo}` : `the project ${name}`;
  return new UserError(
    "other-project",
    `"${word}" is a task of ${whose}, and not of this one`,
    `signalbox show ${id}`,
  );
}
