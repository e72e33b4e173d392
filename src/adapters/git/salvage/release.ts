/**
 * Releases a workspace without losing a byte, and without the user's repository: only the mirror and the workspace are needed.
 *
 * 1. The work on the disk becomes a commit where the head does not have it: `refs/runs/RUN/left`, durable before anything moves.
 * 2. `KEEP/workspace.json` says which commit that is. Then one rename makes the workspace `KEEP/workspace`.
 * 3. What git holds is removed from there (compact.ts). Where nothing remains, the folder goes.
 * 4. The bench is removed.
 *
 * Every step can be repeated: a crash leaves more than it should, never less. A workspace that git cannot read is kept whole.
 */

import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Workspaces } from "../../../engine/ports/files.ts";
import { failpoint } from "../../failpoint.ts";
import { unless } from "../../files/errno.ts";
import { makeFolder, writePrivate } from "../../home/folders.ts";
import { UserError } from "../../user-error.ts";
import { GitError } from "../call/call.ts";
import { isAncestor } from "../call/commits.ts";
import { treeInMirror } from "../mirror/loose-objects.ts";
import { inMirror, updateRefs } from "../mirror/mirror.ts";
import { earlierRef, mirrorOf, runRef } from "../mirror/names.ts";
import { refsOfRun } from "../mirror/run-refs.ts";
import { isFolder, isThere } from "../repository/locate.ts";
import { refAt } from "../repository/refs.ts";
import { tipOf } from "../snapshot/agent-head.ts";
import { digest } from "../snapshot/digest.ts";
import { commitFor } from "../snapshot/handover.ts";
import { headIndex } from "../snapshot/head-index.ts";
import { treeWithLeftOut } from "../snapshot/tree-to-commit.ts";
import { benchAt, forgetBench, type Bench, type Git } from "../workspace/bench.ts";
import { compact } from "./compact.ts";
import { freeName, moveInto } from "./move.ts";

type Release = Parameters<Workspaces["release"]>[0];
/** `salvage` is the ref of the work that no handover has, `kept` the folder with what git does not hold; empty where there is none. */
type Released = Awaited<ReturnType<Workspaces["release"]>>;

/** A workspace that was released, with the commit whose files it lacks; empty where it is whole. */
export type KeptWorkspace = { readonly folder: string; readonly commit: string };

const NAME = "workspace";
const MISSING = ["ENOENT", "ENOTDIR"];
const UNREADABLE: ReadonlySet<string> = new Set(["no-workspace", "special-file", "unreadable-work"]);
const DISK_FULL = /No space left on device|Disk quota exceeded/i;

/** Call under the repository's lock. */
export async function release(on: Git, of: Release): Promise<Released> {
  const { run, repo, path, keep, artifacts = [] } = of;
  const bench = benchAt(on, path);
  const mirror = bench?.mirror ?? mirrorOf(on.home, repo);
  if (isThere(path)) {
    const isReadable = bench !== undefined && isFolder(path);
    const commit = isReadable ? await readable(async () => commitOfWork(on, bench, artifacts)) : undefined;
    moveAway(path, { keep, commit: commit ?? "" });
  }
  for (const { folder, commit } of keptWorkspaces(keep)) {
    if (commit !== "" && isFolder(folder) && existsSync(mirror))
      await readable(async () =>
        compact(on, { folder, mirror, run, tree: await treeInMirror(on, mirror, commit) }),
      );
    if (!isThere(folder)) rmSync(`${folder}.json`, { force: true });
  }
  unless(["ENOTEMPTY", "EEXIST", ...MISSING], () => rmdirSync(keep));
  failpoint("workspace.before-forget");
  if (bench !== undefined) forgetBench(bench);
  const left = runRef(run, "left");
  return { salvage: refAt(mirror, left) === undefined ? "" : left, kept: existsSync(keep) ? keep : "" };
}

/** What was kept of a run, in the order in which it was released. */
export function keptWorkspaces(keep: string): readonly KeptWorkspace[] {
  const entries = unless(MISSING, () => readdirSync(keep)) ?? [];
  const names = new Set(
    entries.flatMap((entry) => /^(workspace(?:~\d+)?)(?:\.json)?$/.exec(entry)?.[1] ?? []),
  );
  return [...names]
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .map((name) => ({ folder: join(keep, name), commit: commitIn(join(keep, `${name}.json`)) }));
}

function commitIn(file: string): string {
  const text = unless(MISSING, () => readFileSync(file, "utf8")) ?? "";
  return /"commit": ?"([0-9a-f]*)"/.exec(text)?.[1] ?? "";
}

function moveAway(path: string, { keep, commit }: { readonly keep: string; readonly commit: string }): void {
  makeFolder(keep);
  const name = freeName(keep, NAME);
  writePrivate(join(keep, `${name}.json`), `${JSON.stringify({ commit })}\n`);
  // A folder that its owner cannot write to cannot be moved either.
  const { mode } = lstatSync(path);
  if (isFolder(path) && (mode & 0o700) !== 0o700) chmodSync(path, (mode & 0o777) | 0o700);
  failpoint("workspace.before-keep");
  moveInto(path, keep, name);
  failpoint("workspace.after-keep");
}

/**
 * Undefined where git answers that it cannot do it: paths that are too long, files that cannot be read, a mirror that is damaged. A
 * full disk is a reason to try again later.
 */
async function readable<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return undefined;
  }
}

function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error) || DISK_FULL.test(error.message)) return false;
  if (error instanceof UserError) return UNREADABLE.has(error.code);
  return error instanceof GitError && error.code >= 0;
}

/** The commit that holds the work on the disk: the head, or `left`. */
async function commitOfWork(on: Git, bench: Bench, artifacts: readonly string[]): Promise<string> {
  const { mirror, run } = bench;
  const work = await digest(on, bench, artifacts);
  const tip = await tipOf(on, bench);
  const index = await headIndex(on, bench, tip);
  const tree = await treeWithLeftOut(on, bench, { work, tip, index, artifacts, exclude: "" });
  const refs = await refsOfRun(on, { mirror, run });
  const head = refs.head === "" ? refs.base : refs.head;
  const isKnown = refs.left !== "" && (await holds(on, mirror, { left: refs.left, head, tree }));
  const message = `What run ${run} had not handed over when its workspace was released`;
  const made = isKnown ? undefined : await commitFor(on, bench, { of: { message }, head, tip, tree });
  const commit = made?.commit ?? refs.left;
  const left = commit === head ? "" : commit;
  if (left === refs.left) return commit;
  failpoint("workspace.before-left");
  await updateRefs(on, mirror, [
    ...(refs.left === "" ? [] : [`update ${earlierRef(run, refs.left)} ${refs.left}`]),
    left === "" ? `delete ${runRef(run, "left")}` : `update ${runRef(run, "left")} ${left}`,
  ]);
  failpoint("workspace.after-left");
  return commit;
}

type HeldWork = { readonly left: string; readonly head: string; readonly tree: string };

/** Whether the same work was found before, on top of the same head. */
async function holds(on: Git, mirror: string, { left, head, tree }: HeldWork): Promise<boolean> {
  if ((await treeInMirror(on, mirror, left)) !== tree) return false;
  return head === "" || isAncestor(on.env, inMirror(mirror), [head, left]);
}
