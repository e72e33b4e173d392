/**
 * Which task is meant: by its id, by the first letters of it, or by its branch.
 *
 * The first letters of an id mean a task of the project that somebody stands in, or has named: letters that fit a task of another
 * project are refused and say so, because whoever types them there means another one. A whole id is no accident: it means its task
 * from everywhere, unless a project was named that it is not of.
 */

import { UserError } from "../../adapters/user-error.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Acting } from "../context.ts";
import type { Invocation } from "../invocation.ts";
import { projectNamed, repoHere } from "../setup/project-named.ts";
import { newestFirst, runMeant } from "./find.ts";

const ALL = 100_000;

export type Meaning = {
  readonly store: Store | undefined;
  readonly door: Pick<Invocation, "cwd" | "env">;
  /** The run of the agent that asks. */
  readonly own?: string;
};

/** An agent that names none means its own. */
export function taskOf({ box, door, who }: Acting, word: string | undefined, project?: string): string {
  const own = who.type === "agent" ? { own: who.run } : {};
  return taskMeant({ store: box.store, door, ...own }, word, project);
}

export function taskMeant(on: Meaning, word: string | undefined, project?: string): string {
  const { store, door } = on;
  const named = project === undefined ? undefined : projectNamed(store, project).repo;
  if (store === undefined || word === undefined || word === "") {
    const id = word === undefined && on.own !== undefined ? on.own : runMeant(store, door, word);
    return requireOf(store, id, named);
  }
  if (store.idsLike(word, 1).includes(word)) return requireOf(store, word, named);
  const repo = named ?? repoHere(store, door);
  if (repo === undefined) return runMeant(store, door, word);
  const like = (filter: { readonly repo?: string }): readonly RunRow[] =>
    store.list({ ...filter, hidden: true, limit: ALL }).rows.filter(({ id }) => id.startsWith(word));
  const [first, second] = like({ repo });
  if (first !== undefined && second === undefined) return first.id;
  const branch = first === undefined ? byBranch(store, repo, word) : undefined;
  if (branch !== undefined) return branch;
  const [elsewhere] = first === undefined ? like({}) : [];
  if (elsewhere !== undefined) throw otherProject(store, elsewhere, word);
  // A branch of another project is no task of this one.
  return requireOf(store, runMeant(store, door, word), repo);
}

/** People know a task by its branch. One under way comes first: a branch may have had several tasks before it. */
function byBranch(store: Store, repo: string, word: string): string | undefined {
  const having = (statuses: readonly string[]): readonly RunRow[] =>
    statuses
      .flatMap((status) => store.list({ repo, status, limit: ALL }).rows)
      .filter(({ id, status }) => status !== "damaged" && branchOf(store, id) === word);
  const [open] = having(["running", "waiting"]);
  if (open !== undefined) return open.id;
  const over = having(["done", "cancelled", "failed"]).toSorted(newestFirst);
  if (over.length < 2) return over[0]?.id;
  const names = over.map(({ id }) => id).join(", ");
  throw new UserError(
    "unknown-run",
    `several tasks had the branch ${word}: ${names}`,
    "signalbox list --all",
  );
}

function branchOf(store: Store, id: string): string {
  const bound = store.workspace(id)?.branch;
  return bound ?? String(store.load(id)?.run.params["branch"] ?? "");
}

function requireOf(store: Store | undefined, id: string, repo: string | undefined): string {
  if (repo === undefined) return id;
  const row = store?.load(id)?.row;
  if (store === undefined || row === undefined || row.repo === repo) return id;
  throw otherProject(store, row, id);
}

function otherProject(store: Store, { id, repo }: RunRow, word: string): UserError {
  const name = store.projectAt(repo)?.name;
  const whose = name === undefined ? `the repository ${repo}` : `the project ${name}`;
  return new UserError(
    "other-project",
    `"${word}" is a task of ${whose}, and not of this one`,
    `signalbox show ${id}`,
  );
}
