/** Why a merge is refused: what happened, that nothing was changed, and what to type. */

import { inQuotes, shellWord } from "../../../core/text/shell-word.ts";
import { UserError } from "../../user-error.ts";
import { runRef } from "../mirror/names.ts";
import { sayCommit, type Ask, type Containment } from "./containment.ts";
import type { TakenOut } from "./merge-losses.ts";
import type { Merging, PersonCommits } from "./merge-plan.ts";
import { errorLine } from "./publish.ts";
import type { Obstacle } from "./user-checkout.ts";

const FAILED = 1;
const GATE = 5;
const CONFLICT = 6;
const NAMES_SHOWN = 10;
const HASH_SHOWN = 12;

function mergeCommand({ run, commands }: Merging): string {
  return commands?.merge ?? `signalbox accept ${run}`;
}

function endCommand({ run, commands }: Merging): string {
  return commands?.end ?? `signalbox move ${run} done`;
}

export function conflict(
  { run, into }: Merging,
  { old, files }: { readonly old: string; readonly files: readonly string[] },
): UserError {
  const wish = mergeSteps(old, `the newest ${into}`);
  return new UserError("merge-conflict", `Merge conflict in ${listed(files)}. Nothing was changed.`, {
    next: `signalbox send-back ${run} "${wish}"`,
    exit: GATE,
  });
}

/**
 * What a worker types to merge a commit. Its clone may hold nothing but uncommitted work, which a merge refuses to overwrite, and its
 * refs are as old as the clone: the commit is named by its id, which the mirror has. No character ends a double-quoted argument.
 */
function mergeSteps(commit: string, what: string): string {
  const steps = [
    "git add -A; git commit -m 'Work so far'",
    `git merge --no-edit ${commit.slice(0, 12)} (${what})`,
    "resolve the conflicts, if there are any",
    "git add -A; git commit --no-edit",
  ];
  return steps.map((step, index) => `${index + 1}. ${step}`).join("  ");
}

/** `source`: the mirror, where the user's repository no longer has the commits. */
export function unrelated(merging: Merging, source: string | undefined): UserError {
  const { run, repo, into, base, commit } = merging;
  const range = `${base.slice(0, HASH_SHOWN)}..${commit.slice(0, HASH_SHOWN)}`;
  const there = `git -C ${inQuotes(repo)}`;
  const fetch = source === undefined ? "" : `${there} fetch ${inQuotes(source)} ${runRef(run, "head")} && `;
  return new UserError(
    "unrelated-history",
    `${into} and the work of ${run} have no commit in common: the history of ${into} was replaced since the run began. Nothing was changed.`,
    {
      next: `${fetch}${there} switch ${shellWord(into)} && ${there} cherry-pick ${range}, then: ${mergeCommand(merging)}`,
      exit: GATE,
    },
  );
}

export function nothingToMerge(merging: Merging): UserError {
  const { run } = merging;
  return new UserError(
    "nothing-to-merge",
    `Nothing to merge: the work of ${run} changes no file. Nothing was changed.`,
    {
      next: `signalbox cancel ${run}, or end it without a merge: ${endCommand(merging)}`,
      exit: GATE,
    },
  );
}

/** The target has the commits of the work, so git has nothing to merge, but not its content. */
export async function takenOut(
  merging: Merging,
  ask: Ask,
  found: Extract<Containment, { readonly type: "undone" }>,
): Promise<UserError> {
  const { run, into, repo } = merging;
  const by = (await sayCommit(ask, found.by)).text;
  const since = await sayCommit(ask, found.undoneBy);
  const isOther = found.by === found.undoneBy;
  const what = isOther
    ? `was merged into ${into} by ${by}, with another content than the reviewed one`
    : `was merged into ${into} by ${by} and taken out again by ${since.text}`;
  const end = `to end the task all the same: ${endCommand(merging)}`;
  const [hash = ""] = since.text.split(" ");
  return new UserError("merge-reverted", `The work of ${run} ${what}. Nothing was changed.`, {
    next: isOther
      ? end
      : `git -C ${inQuotes(repo)} revert ${hash} brings it back, then: ${mergeCommand(merging)}; ${end}`,
    exit: GATE,
  });
}

/** The target has an earlier handover in its history and not in its files: git would merge only what came after it. */
export async function partTakenOut(
  merging: Merging,
  ask: Ask,
  { by, undoneBy, files, old }: TakenOut & { readonly old: string },
): Promise<UserError> {
  const { run, into, repo } = merging;
  const [merge, revert] = [(await sayCommit(ask, by)).text, (await sayCommit(ask, undoneBy)).text];
  const [hash = ""] = revert.split(" ");
  const wish = `${mergeSteps(old, `the newest ${into}`)}  5. git revert --no-edit ${undoneBy.slice(0, HASH_SHOWN)}`;
  return new UserError(
    "merge-reverted",
    `An earlier part of the work of ${run} was merged into ${into} by ${merge} and taken out again by ${revert}: ${listed(files)}. Git would merge only what came after it. Nothing was changed.`,
    {
      next: `git -C ${inQuotes(repo)} revert ${hash} brings it back, then: ${mergeCommand(merging)}; or the worker brings it back, and it is reviewed again: signalbox send-back ${run} "${wish}"`,
      exit: GATE,
    },
  );
}

export function unreviewed(merging: Merging, { tip, commits }: PersonCommits): UserError {
  const { run, branch } = merging;
  const count = commits.length === 1 ? "a commit that was" : `${commits.length} commits that were`;
  const more = commits.length - NAMES_SHOWN;
  const shown = `${commits.slice(0, NAMES_SHOWN).join("; ")}${more > 0 ? ` and ${more} more` : ""}`;
  return new UserError(
    "unreviewed-commits",
    `The branch ${branch} has ${count} not reviewed: ${shown}. Nothing was changed.`,
    {
      next: `signalbox send-back ${run} "${mergeSteps(tip, branch)}" has them merged and reviewed; without them: ${mergeCommand(merging)} --leave`,
      exit: GATE,
    },
  );
}

export function underWay(merging: Merging, of: { readonly what: string; readonly path: string }): UserError {
  const { into } = merging;
  const end = of.what === "bisect" ? "bisect reset" : `${of.what} --continue`;
  return new UserError("checkout-busy", `A ${of.what} of ${into} is under way in ${of.path}.`, {
    next: `git -C ${inQuotes(of.path)} ${end}, then: ${mergeCommand(merging)}`,
    exit: GATE,
  });
}

export function notCopied(merging: Merging, problem: string): UserError {
  const { repo, commit, run } = merging;
  const why = errorLine(problem);
  const isRefused = INVALID_OBJECT.test(why);
  return new UserError(
    "not-copied",
    `The commit ${commit.slice(0, 12)} could not be copied into ${repo}: ${why}. Nothing was changed.`,
    {
      next: isRefused
        ? `signalbox send-back ${run} "Git refuses what you wrote: ${why.replace(INVALID_OBJECT, "").replaceAll(/["$`\\]/g, "")}"`
        : `fix that, then: ${mergeCommand(merging)}`,
      exit: FAILED,
    },
  );
}

/** Git checks objects that it takes in: this is about the content, and only another content helps. */
const INVALID_OBJECT = /^error: object [0-9a-f]+: /;

export function blocked(merging: Merging, path: string, { files, said }: Obstacle): UserError {
  const { into } = merging;
  const isFile = files.length > 0;
  const what = isFile ? `${listed(files)} is in the way there` : `git cannot update it: ${said}`;
  const fix = isFile ? "move it away" : "fix that";
  return new UserError(
    "checkout-dirty",
    `${into} is checked out in ${path}, and ${what}. Nothing was changed.`,
    { next: `git -C ${inQuotes(path)} status, ${fix}, then: ${mergeCommand(merging)}`, exit: GATE },
  );
}

export function dirty(merging: Merging, path: string, files: readonly string[]): UserError {
  return new UserError(
    "checkout-dirty",
    `${merging.into} is checked out in ${path} with uncommitted changes in ${listed(files)}. Nothing was changed.`,
    { next: putAside(path, files, mergeCommand(merging)), exit: GATE },
  );
}

export function notWritable(merging: Merging, path: string): UserError {
  return new UserError(
    "not-writable",
    `${path} is not writable, so the work of ${merging.run} cannot be merged. Nothing was changed.`,
    { next: `make it writable, then: ${mergeCommand(merging)}`, exit: FAILED },
  );
}

export function notFastForward(merging: Merging): UserError {
  const { into, run } = merging;
  return new UserError("not-fast-forward", `${into} has commits that the work of ${run} does not have.`, {
    next: `${mergeCommand(merging)} --strategy merge`,
    exit: GATE,
  });
}

/** What was planned is no longer what a merge would give. */
export function targetMoved(merging: Merging): UserError {
  return new UserError(
    "target-moved",
    `${merging.into} got other commits during the merge. Nothing was changed.`,
    {
      next: mergeCommand(merging),
      exit: CONFLICT,
    },
  );
}

export function listed(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The worker took over the history of the target without its files. */
export function requireNothingUndone(
  merging: Merging,
  { old, undone }: { readonly old: string; readonly undone: readonly string[] },
): void {
  if (undone.length === 0) return;
  const { run, into, base } = merging;
  const wish = `bring back what your work undoes of ${into}: git diff ${base.slice(0, 12)} ${old.slice(0, 12)}`;
  throw new UserError("would-undo", `This would undo ${sayUndone(merging, undone)}. Nothing was changed.`, {
    next: `signalbox send-back ${run} "${wish}"; to merge it all the same: ${mergeCommand(merging)} --allow-undo`,
    exit: GATE,
  });
}

export function sayUndone({ into }: Merging, names: readonly string[]): string {
  if (names.length === 0) return "";
  return `${names.length} ${names.length === 1 ? "file" : "files"} changed on ${into}: ${listed(names)}`;
}

/**
 * How to get uncommitted changes out of the way, and back. A changed file of `.signalbox` is to be committed: without it, settings that
 * a person trusted would be missing while it is stashed, and tasks would stop.
 */
function putAside(path: string, files: readonly string[], then: string): string {
  const there = `git -C ${shellWord(path)}`;
  const own = files.filter((name) => name.startsWith(".signalbox/"));
  const words = (names: readonly string[], all: string): string =>
    names.length > NAMES_SHOWN || names.some(isUntypable) ? all : names.map(shellWord).join(" ");
  if (own.length > 0)
    return `${there} commit -m 'Change settings' -- ${words(own, ".signalbox")}, then: ${then}`;
  return `${there} stash push -- ${words(files, ".")}, then: ${then}, then: ${there} stash pop`;
}

/** Bytes that are not UTF-8 are shown as U+FFFD, which names no file; after a colon git expects other words than a name. */
function isUntypable(name: string): boolean {
  return /[\p{Cc}\uFFFD]|^:/u.test(name);
}
