/** A branch for a task: one that git takes, that nobody else works on, and that is checked out nowhere. */

import { flatMapped } from "../../engine/lists.ts";
import { isBranchName, isInTheWay } from "../../adapters/git/mirror/names.ts";
import { readable, UserError } from "../../adapters/user-error.ts";
import { freeName, slugOf } from "../../core/text/generated-names.ts";
import type { Store } from "../../engine/ports/store.ts";
import type { Acting } from "../context.ts";
import { EXIT_CONFLICT } from "../exit-codes.ts";
import { rowsIn, UNDER_WAY } from "./rows.ts";

const ALL = 100_000;

type Wanted = {
  readonly repo: string;
  readonly branch: string;
  /** The task that it is for; empty where it is not there yet. */
  readonly run: string;
  /** The task's own workspace, where the branch may be. */
  readonly path?: string;
};

export async function requireBranch({ box, door }: Acting, wanted: Wanted): Promise<void> {
  const { repo, branch, path } = wanted;
  requireName(branch);
  await requireOwn(box.store, wanted);
  await requireUntaken(box.store, wanted);
  const { branchesOf } = await import("../../adapters/git/repository/branches.ts");
  const { names, tags, heldBy } = await branchesOf(repo, door.env);
  if (tags.includes(branch)) {
    const { likeTag } = await import("../../adapters/git/repository/branch-problem.ts");
    throw likeTag(branch);
  }
  const place = heldBy.get(branch);
  if (place !== undefined && place !== path) throw elsewhere(branch, place);
  if (place === undefined && path !== undefined && names.includes(branch)) throw another(branch, path);
  const other = names.find((name) => isInTheWay(branch, name));
  if (other !== undefined)
    throw new UserError("branch-in-the-way", `git cannot have ${branch} beside the branch ${other}`, {
      next: "choose another name",
      exit: EXIT_CONFLICT,
    });
}

/** On the branch that tasks are merged into, everything would be merged as soon as it is committed, and no person would be asked. */
async function requireOwn(store: Store, { repo, branch }: Wanted): Promise<void> {
  if ((await store.projectAt(repo))?.defaultBranch !== branch) return;
  throw new UserError(
    "branch-is-default",
    `${branch} is the branch that the tasks of this project are merged into`,
    {
      next: "choose another name; signalbox project update --default-branch NAME if it is not",
      exit: EXIT_CONFLICT,
    },
  );
}

/** No open task has it, or one that it cannot stand beside. */
async function requireUntaken(store: Store, wanted: Wanted): Promise<void> {
  const { branch } = wanted;
  const taken = (await openBranches(store, wanted)).find(
    (one) => one.branch === branch || isInTheWay(branch, one.branch),
  );
  if (taken !== undefined) throw ofAnother(branch, taken);
}

/** Of two who want one branch at the same moment, the second finds it taken: nobody begins between the look and the work. */
export async function whileUntaken<T>(
  { box, home }: Acting,
  wanted: Wanted,
  work: () => Promise<T>,
): Promise<T> {
  const { whileLocked } = await import("../../adapters/git/call/locks.ts");
  return whileLocked({ folder: home.locks, repo: `${wanted.repo}\0branches of tasks` }, async () => {
    await requireUntaken(box.store, wanted);
    return work();
  });
}

/** A branch that is called after what the run is about, with a number where that is taken; empty where git takes no such name. */
export async function whileBranchNamed<T>(
  { box, door, home }: Acting,
  of: { readonly repo: string; readonly run: string; readonly about: string },
  work: (branch: string) => Promise<T>,
): Promise<T> {
  const slug = slugOf(of.about);
  if (!isBranchName(slug)) return work("");
  const { repo } = of;
  const { branchesOf } = await import("../../adapters/git/repository/branches.ts");
  const { whileLocked } = await import("../../adapters/git/call/locks.ts");
  return whileLocked({ folder: home.locks, repo: `${repo}\0branches of tasks` }, async () => {
    const { names, tags } = await branchesOf(repo, door.env);
    const open = (await openBranches(box.store, of)).map(({ branch }) => branch);
    const taken = [...names, ...tags, ...open, (await box.store.projectAt(repo))?.defaultBranch ?? ""];
    return work(freeName(slug, (name) => taken.some((other) => other === name || isInTheWay(name, other))));
  });
}

function requireName(branch: string): void {
  if (isBranchName(branch)) return;
  throw new UserError(
    "branch-name",
    `${JSON.stringify(branch)} cannot be the name of a branch`,
    branch.startsWith("refs/heads/")
      ? `leave out refs/heads/: ${branch.slice("refs/heads/".length)}`
      : "git help check-ref-format",
  );
}

type Taken = { readonly run: string; readonly branch: string };

/** Branches of other tasks that are not over, in the same repository. */
async function openBranches(store: Store, { repo, run }: Pick<Wanted, "repo" | "run">): Promise<Taken[]> {
  const { rows } = await rowsIn(store, UNDER_WAY, { repo, limit: ALL });
  return flatMapped(
    rows.filter(({ id }) => id !== run),
    async ({ id }) => {
      const branch = await branchOf(store, id);
      return branch === "" ? [] : [{ run: id, branch }];
    },
  );
}

/** Of a damaged run nothing is known, and others do not suffer from that. */
async function branchOf(store: Store, id: string): Promise<string> {
  return String((await readable(() => store.load(id)))?.run.params["branch"] ?? "");
}

function ofAnother(branch: string, taken: Taken): UserError {
  const what = taken.branch === branch ? "has the branch" : `has ${taken.branch}, which is in the way of`;
  return new UserError("branch-taken", `the task ${taken.run} ${what} ${branch}`, {
    next: `signalbox show ${taken.run}`,
    exit: EXIT_CONFLICT,
  });
}

/** Two branches do not become one: what is on the other would be lost, or would come along. */
function another(branch: string, path: string): UserError {
  return new UserError("branch-exists", `there is a branch ${branch} already, and ${path} is not on it`, {
    next: "choose another name",
    exit: EXIT_CONFLICT,
  });
}

function elsewhere(branch: string, path: string): UserError {
  return new UserError(
    "branch-in-use",
    `the branch ${branch} is checked out in ${path}, and git allows that in one place only`,
    { next: `git -C '${path}' switch --detach`, exit: EXIT_CONFLICT },
  );
}
