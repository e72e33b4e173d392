/**
 * The checkout of a judge: a private clone that holds one tree and borrows its objects, so that nothing in it leads back to the work.
 *
 * The agent owns its `.git`. It is written here file by file, and never read again: what the agent has changed is found with our own git
 * folder of the workspace, and with a copy of the index that lies next to the checkout.
 */

import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Workspaces } from "../../../engine/ports/files.ts";
import { failpoint } from "../../failpoint.ts";
import { codeOf, unless } from "../../files/errno.ts";
import { UserError } from "../../user-error.ts";
import { pipesIn } from "../snapshot/add-work.ts";
import { artifactTest, bytePath, ignoreLines } from "../snapshot/paths.ts";
import { git, GitError, gitRecords, type GitCall } from "../call/call.ts";
import { writeRefs } from "./clone.ts";
import { includeFiles } from "./included-files.ts";
import { workRef } from "../mirror/names.ts";
import { openBench, rulesOf, within, type Bench, type Git } from "./bench.ts";
import { refAt } from "../repository/refs.ts";
import { withScratch } from "../call/scratch.ts";
import { addSubmodules } from "./submodules.ts";

const LOOK_MS = 20_000;
const LONG_MS = 30 * 60_000;
const MISSING = ["ENOENT", "ENOTDIR"];

type Judged = Parameters<Workspaces["judge"]>[0];
type Checkout = Parameters<Workspaces["discard"]>[0];

/** Gives what is worth telling. */
export async function makeCheckout(on: Git, of: Judged): Promise<readonly string[]> {
  const { at, artifacts } = of;
  const bench = await openBench(on, of.path);
  failpoint("judge.before-checkout");
  await remove(at);
  const commit = commitOf(bench, of);
  const own = join(at, ".git");
  for (const folder of ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"])
    mkdirSync(join(own, folder), { recursive: true, mode: 0o700 });
  writeFileSync(join(own, "objects/info/alternates"), `${join(bench.mirror, "objects")}\n`);
  writeFileSync(join(own, "config"), readFileSync(join(bench.own, "config")));
  writeFileSync(join(own, "info/exclude"), [rulesOf(bench), ...ignoreLines(artifacts), ""].join("\n"));
  const sparse = join(bench.own, "info", "sparse-checkout");
  if (isFile(sparse)) copyFileSync(sparse, join(own, "info", "sparse-checkout"));
  const index = join(own, "index");
  await git(on.env, {
    ...inside(bench, at, index),
    args: ["read-tree", "-u", "--reset", of.tree],
    limitMs: LONG_MS,
  });
  copyFileSync(index, indexOf(at));
  await writeRefs(on, bench, { dot: own, branch: "", commit, remotes: [] });
  unless(["ENOENT"], () => copyFileSync(join(bench.mirror, "shallow"), join(own, "shallow")));
  const missing = await addSubmodules(on, { folder: at, mirror: bench.mirror, commit });
  const notes = await includeFiles(on, { ...bench, path: at }, of.repo);
  // The last: without it the folder is no repository.
  writeFileSync(join(own, "HEAD"), `${commit}\n`);
  failpoint("judge.after-checkout");
  return [...missing.map((note) => `in the checkout of a judge, ${note}`), ...notes];
}

/**
 * Everything in the checkout counts as given from now on. The index next to it is brought up to date without writing objects. What git
 * cannot compare without objects, links, and what an index cannot hold, repositories of their own, is listed in a file.
 */
export async function takeAsGiven(on: Git, of: Checkout): Promise<void> {
  const { at } = of;
  const bench = await openBench(on, of.path);
  rmSync(givenIn(at), { force: true });
  const names = await listChanges(on, bench, { ...of, options: [] });
  const isListed = (name: string): boolean =>
    name.endsWith("/") || unless(MISSING, () => lstatSync(bytePath(at, name)))?.isSymbolicLink() === true;
  const files = names.filter((name) => !isListed(name));
  const args = ["update-index", "--add", "--remove", "--replace", "--info-only", "-z", "--stdin"];
  const input = Buffer.from(files.map((name) => `${name}\0`).join(""), "latin1");
  if (files.length > 0)
    await git(on.env, { ...inside(bench, at, indexOf(at)), args, input, limitMs: LONG_MS });
  writeFileSync(givenIn(at), names.filter(isListed).map(readable).join("\0"), { mode: 0o600 });
}

export async function discardCheckout(
  on: Git,
  of: Checkout,
  tell: (changed: readonly string[]) => Promise<void>,
): Promise<void> {
  const { at } = of;
  if (isFolder(at)) await tell(await changedIn(on, of));
  failpoint("judge.before-discard");
  await remove(at);
  rmSync(indexOf(at), { force: true });
  rmSync(givenIn(at), { force: true });
  failpoint("judge.after-discard");
}

/** A judge is given what was handed over, and nothing else: its verdict is about a commit that can be delivered. */
function commitOf(bench: Bench, { run, tree }: Judged): string {
  const commit = refAt(bench.mirror, workRef(run, tree));
  if (commit !== undefined) return commit;
  const sentence = `The work of ${run} has not been handed over, so that no judge can be given it.`;
  throw new UserError("no-handover", sentence, `signalbox show ${run} says why`);
}

function inside(bench: Bench, at: string, index: string): Omit<GitCall, "args"> {
  return { ...within(bench), cwd: at, workTree: at, index };
}

/** Next to the checkout, and not in it. */
function indexOf(at: string): string {
  return `${at}.index`;
}

/** Names of links and repositories that were in it before its judge came. */
function givenIn(at: string): string {
  return `${at}.given`;
}

/** None where nobody can tell any more. */
async function changedIn(on: Git, of: Checkout): Promise<readonly string[]> {
  const { path, at } = of;
  const bench = path === "" ? undefined : await benchAt(on, path);
  if (bench === undefined || !isFile(indexOf(at))) return [];
  const options = ["--directory", "--no-empty-directory"];
  const names = await listChanges(on, bench, { ...of, options }).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    // Git would wait for them forever. What cannot be listed is removed all the same.
    return [...pipesIn(at)].map((name) => Buffer.from(name).toString("latin1"));
  });
  return [...new Set(names)].sort().map(readable);
}

/** Names of what differs from the index next to the checkout, besides artifacts and what git ignores. */
async function listChanges(
  on: Git,
  bench: Bench,
  { at, artifacts, options }: Checkout & { readonly options: readonly string[] },
): Promise<readonly string[]> {
  const given = unless(["ENOENT"], () => readFileSync(givenIn(at), "utf8"));
  return withScratch(on, async (rules) => {
    writeFileSync(rules, `${ignoreLines([...artifacts, ...(given?.split("\0") ?? [])]).join("\n")}\n`, {
      mode: 0o600,
    });
    const what = ["--modified", "--deleted", "--others", "--exclude-standard", `--exclude-from=${rules}`];
    const args = ["ls-files", "-z", ...what, ...options];
    const names = await gitRecords(on.env, { ...inside(bench, at, indexOf(at)), args, limitMs: LOOK_MS });
    const isArtifact = artifactTest(artifacts);
    return names.filter((name) => !isArtifact(name));
  });
}

function readable(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}

async function benchAt(on: Git, path: string): Promise<Bench | undefined> {
  try {
    return await openBench(on, path);
  } catch (error) {
    if (error instanceof UserError && error.code === "no-workspace") return undefined;
    throw error;
  }
}

/** A link that an agent has put in the place of the folder is removed, and what it leads to is left alone. */
function isFolder(at: string): boolean {
  return lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Test runs leave folders behind that not even their owner may write to. */
async function remove(at: string): Promise<void> {
  try {
    await rm(at, { recursive: true, force: true });
  } catch (error) {
    if (codeOf(error) !== "EACCES" && codeOf(error) !== "EPERM") throw error;
    open(at);
    await rm(at, { recursive: true, force: true });
  }
}

function open(folder: string): void {
  if (!isFolder(folder)) return;
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) open(join(folder, entry.name));
}
