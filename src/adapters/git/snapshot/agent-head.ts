/**
 * The commit that a work tree is at, as its owner has it.
 *
 * An agent's `.git` is read as files only: `HEAD`, the ref that it names, and objects. The engine links the object files, and nothing
 * else, into a folder of its own: lists of other folders, caches, pipes and links to elsewhere stay behind. A commit in them is
 * imported into the mirror by its id. One that is damaged or incomplete, or that does not descend from the run's base, is ignored: the
 * content of the work tree counts all the same.
 */

import { copyFileSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../../failpoint.ts";
import { unless } from "../../files/errno.ts";
import { writePrivate } from "../../home/folders.ts";
import { tryGit } from "../call/call.ts";
import { withScratch } from "../call/scratch.ts";
import { fetchCommit, inMirror, transfer } from "../mirror/mirror.ts";
import { commonDirOf, gitDirOf, isFolder } from "../repository/locate.ts";
import { headAt, isTabled } from "../repository/refs.ts";
import { within, type Bench, type Git } from "../workspace/bench.ts";

const TIP = "tip";
/** What git exits with where it knows both commits; with more where it does not. */
const NOT_ANCESTOR = 1;
const HIDDEN = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];
const NOT_LINKED = ["EXDEV", "EPERM", "EMLINK"];

/** The newest commit of the work tree's owner that the mirror has; empty where there is none. */
export async function tipOf(on: Git, bench: Bench): Promise<string> {
  const last = lastTip(bench);
  const head = bench.isPlace === true ? await headInPlace(on, bench) : headInClone(bench);
  if (head === undefined) return bench.isPlace === true ? "" : last;
  if (head === last) return last;
  if (!(await isTaken(on, bench, { head, last }))) return last;
  writePrivate(join(bench.own, TIP), `${head}\n`);
  return head;
}

/** The commit that the owner was last seen at. */
function lastTip({ own, base }: Bench): string {
  return unless(["ENOENT"], () => readFileSync(join(own, TIP), "utf8"))?.trim() ?? base;
}

async function headInPlace(on: Git, { path }: Bench): Promise<string | undefined> {
  const gitDir = gitDirOf(path);
  if (gitDir === undefined) return undefined;
  const commonDir = commonDirOf(gitDir);
  if (!isTabled(commonDir)) return headAt(gitDir, commonDir);
  const args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
  const { code, out } = await tryGit(on.env, { cwd: path, gitDir, args });
  return code === 0 ? out.toString("utf8").trim() : undefined;
}

/** The clone's own directory, and never one that a file or a link names. */
function headInClone({ path }: Bench): string | undefined {
  const gitDir = join(path, ".git");
  return isFolder(gitDir) ? headAt(gitDir, gitDir) : undefined;
}

type Heads = { readonly head: string; readonly last: string };

async function isTaken(on: Git, bench: Bench, { head, last }: Heads): Promise<boolean> {
  const codeOf = async (args: readonly string[]) => (await tryGit(on.env, { ...within(bench), args })).code;
  if (bench.isPlace === true) {
    const isKnown = (await codeOf(["cat-file", "-e", `${head}^{commit}`])) === 0;
    const source = commonDirOf(gitDirOf(bench.path) ?? bench.path);
    return isKnown || fetchCommit(on, { mirror: bench.mirror, source, oid: head });
  }
  const descends = () => codeOf(["merge-base", "--is-ancestor", bench.base, head]);
  const code = await descends();
  if (code <= NOT_ANCESTOR) return code !== NOT_ANCESTOR;
  // Asked again: an object that is not what its name says was stored under its true name.
  return (await importCommit(on, bench, { head, last })) && (await descends()) === 0;
}

/** False where the commit is damaged or incomplete. */
async function importCommit(on: Git, bench: Bench, { head, last }: Heads): Promise<boolean> {
  return withScratch(on, async (folder) => {
    linkObjects(join(bench.path, ".git/objects"), folder);
    const known = [...new Set([bench.base, last])];
    failpoint("import.before-objects");
    const to = inMirror(bench.mirror);
    const problem = await transfer(on, { from: { ...to, alternate: folder }, to, commit: head, known });
    failpoint("import.after-objects");
    return problem === "";
  });
}

/** Loose objects and packs, without a copy where the file system allows. */
function linkObjects(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const folder of entriesOf(from).filter((name) => /^(?:[0-9a-f]{2}|pack)$/.test(name))) {
    const isObject = folder === "pack" ? /^pack-[0-9a-f]+\.(?:pack|idx)$/ : /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/;
    mkdirSync(join(to, folder), { mode: 0o700 });
    for (const name of entriesOf(join(from, folder)).filter((each) => isObject.test(each)))
      linkFile(join(from, folder, name), join(to, folder, name));
  }
}

function entriesOf(folder: string): readonly string[] {
  return isFolder(folder) ? (unless(HIDDEN, () => readdirSync(folder)) ?? []) : [];
}

/** An agent may change it at the same time: what was linked is looked at once more. */
function linkFile(from: string, to: string): void {
  const isFile = (path: string): boolean => unless(HIDDEN, () => lstatSync(path))?.isFile() === true;
  if (!isFile(from)) return;
  const isLinked = unless([...HIDDEN, ...NOT_LINKED], () => (linkSync(from, to), true));
  if (isLinked === undefined) unless(HIDDEN, () => copyFileSync(from, to));
  else if (!isFile(to)) rmSync(to);
}
