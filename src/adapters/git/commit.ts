/**
 * All that changed in a workspace becomes one commit on the run's branch: exactly the work that was looked at.
 *
 * 1. The tree, out of objects that are there since the work was looked at. 2. The commit. 3. The index of the worktree, so that
 * nothing looks changed there afterwards. 4. The branch, from exactly where it was looked at. Whoever is killed before the last step
 * has left something staged; whoever comes after it finds the branch where it was to go.
 */

import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { UserError } from "../user-error.ts";
import { authorOf } from "./author.ts";
import { git } from "./call.ts";
import { operationOn } from "./checkout.ts";
import { makeDurable } from "./durable.ts";
import { headIndex, tipOf } from "./head-index.ts";
import { rootTree } from "./index-file.ts";
import { treeWithLeftOut } from "./left-out.ts";
import { freeIndexLock } from "./leftover-lock.ts";
import { requireNoneNested } from "./nested.ts";
import { rememberedObjects } from "./new-objects.ts";
import { inRepository, openBench, within } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { branchAt } from "./refs.ts";
import { digest, workOf } from "./tree.ts";
import { updateRef } from "./update-ref.ts";

export type Committing = {
  readonly run: string;
  readonly path: string;
  /** The digest of the work that is to be committed. */
  readonly tree: string;
  readonly artifacts: readonly string[];
  /** Patterns of what is left out, one on each line. */
  readonly exclude: string;
  readonly message: string;
};

export type Committed = {
  /** The commit that the branch is at. */
  readonly commit: string;
  /** It was made for this run, now or by somebody who was killed over it. Otherwise there was nothing to commit. */
  readonly made: boolean;
  /** The digest of the same work as it is since then; empty where it is another one already. */
  readonly tree: string;
};

const GATE = 5;

/** Called under the repository's lock. */
export async function commitWork(on: On, committing: Committing): Promise<Committed> {
  const bench = await openBench(on, committing.path);
  requireBranch(bench, committing);
  requireQuiet(bench, committing);
  const now = await digest(on, bench, committing.artifacts);
  const work = workOf(now);
  if (work !== workOf(committing.tree)) throw changed(bench, committing);
  const tip = await tipOf(on, bench);
  const { run, artifacts, exclude } = committing;
  await requireNoneNested(on, bench, { run, tip, exclude });
  const tree = await treeWithLeftOut(on, bench, { work, tip, artifacts, exclude });
  const isThere = (await treeOf(on, bench, tip)) === tree;
  if (isThere) return { commit: tip, made: await isOurs(on, bench, { tip, run: committing.run }), tree: now };
  // The files are the same, and the branch is not: somebody has committed something else meanwhile.
  if (now !== committing.tree) throw changed(bench, committing);
  const commit = await make(on, bench, { tree, tip, committing });
  await stage(on, bench, commit);
  await moveBranch(on, bench, { tip, commit, run: committing.run });
  const after = await digest(on, bench, committing.artifacts);
  const isSame = workOf(after) === work && (await tipOf(on, bench)) === commit;
  return { commit, made: true, tree: isSame ? after : "" };
}

/** Our index of a commit mostly knows its tree. */
async function treeOf(on: On, bench: Bench, tip: string): Promise<string> {
  const known = rootTree(await headIndex(on, bench, tip), bench.oidBytes);
  return known ?? git(on.env, { ...within(bench), args: ["rev-parse", `${tip}^{tree}`] });
}

function requireBranch({ gitDir, branch, path }: Bench, { run }: Committing): void {
  if (branchAt(gitDir) === branch) return;
  const name = branch.replace("refs/heads/", "");
  throw new UserError("other-branch", `the workspace of ${run} is not on its branch ${name}`, {
    next: `git -C '${path}' switch '${name}'`,
    exit: GATE,
  });
}

/** Its other parent would be lost. */
function requireQuiet({ gitDir, branch, path }: Bench, { run }: Committing): void {
  const what = operationOn(gitDir, branch);
  if (what === "") return;
  const end = what === "bisect" ? "bisect reset" : `${what} --continue`;
  throw new UserError("checkout-busy", `a ${what} is under way in the workspace of ${run}`, {
    next: `git -C '${path}' ${end}`,
    exit: GATE,
  });
}

function changed({ path }: Bench, { run, tree }: Committing): UserError {
  return new UserError(
    "work-changed",
    `the work of ${run} has changed since the gate before its commit: nothing is committed`,
    { next: `git -C '${path}' diff ${workOf(tree)}, put back what is not wanted`, exit: GATE },
  );
}

async function isOurs(
  on: On,
  bench: Bench,
  { tip, run }: { readonly tip: string; readonly run: string },
): Promise<boolean> {
  const text = await git(on.env, { ...within(bench), args: ["cat-file", "commit", tip] });
  return text.split("\n").includes(trailerOf(run));
}

export function trailerOf(run: string): string {
  return `Signalbox-Run: ${run}`;
}

async function make(
  on: On,
  bench: Bench,
  of: { readonly tree: string; readonly tip: string; readonly committing: Committing },
): Promise<string> {
  const { tree, tip, committing } = of;
  const author = await authorOf(on, bench.commonDir, "the commit");
  const input = withTrailer(committing.message, trailerOf(committing.run));
  const args = ["commit-tree", tree, "-p", tip, "-F", "-"];
  const commit = await git(on.env, { ...within(bench), args, input, author, durable: true });
  const objects = rememberedObjects(on, bench, { commit: tip, tree });
  const reach = { commonDir: bench.commonDir, from: commit, until: tip };
  await makeDurable(on, objects === undefined ? reach : { ...reach, objects: [commit, ...objects] });
  return commit;
}

/** Lines such as `Co-authored-by: ...` at the end of a message are one block. Whose work it is, only we say. */
export function withTrailer(message: string, trailer: string): string {
  const [name = ""] = trailer.split(":");
  const forged = new RegExp(String.raw`(?:^|\n)[ \t]*${name}[ \t]*:[^\n]*(?=\n|$)`, "gi");
  const text = plain(message).replaceAll(forged, "").trim();
  if (text === "") return `${trailer}\n`;
  const [, ...rest] = text.split(/\n{2,}/);
  const last = rest.at(-1)?.split("\n") ?? [];
  const isBlock = last.length > 0 && last.every((line) => /^[A-Za-z][A-Za-z0-9-]*: \S/.test(line));
  return `${text}\n${isBlock ? "" : "\n"}${trailer}\n`;
}

/** What commands a terminal is no part of a message, and what ends a text for git is shown. */
function plain(message: string): string {
  return (
    message
      .replaceAll(/\r\n?/g, "\n")
      .replaceAll("\0", "\uFFFD")
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0001-\u0008\u000B-\u001F\u007F-\u009F]/g, "")
      .replaceAll(/[ \t]+$/gm, "")
      .trim()
  );
}

/** As if somebody had added it there. */
async function stage(on: On, bench: Bench, commit: string): Promise<void> {
  const { bytes } = await headIndex(on, bench, commit);
  await freeIndexLock(bench);
  const aside = join(bench.gitDir, "index.signalbox");
  writeFileSync(aside, bytes, { mode: 0o600 });
  failpoint("commit.before-index");
  renameSync(aside, join(bench.gitDir, "index"));
  failpoint("commit.after-index");
}

/** From exactly where it was looked at: whoever was faster is not overwritten. */
async function moveBranch(
  on: On,
  bench: Bench,
  of: { readonly tip: string; readonly commit: string; readonly run: string },
): Promise<void> {
  const args = ["update-ref", "-m", `signalbox: work of run ${of.run}`, bench.branch, of.commit, of.tip];
  failpoint("commit.before-ref");
  await updateRef(on, bench.commonDir, { ...inRepository(bench), args });
  failpoint("commit.after-ref");
}
