/**
 * `.worktreeinclude`, at the root of the main working tree: lines like those of `.gitignore` name ignored files, such as `.env`, that
 * every workspace gets a copy of.
 *
 * Only ordinary files that git ignores, here and there: nothing becomes part of the work. Never over a file, never by way of a link.
 */

import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, unless } from "../../files/errno.ts";
import { newName } from "../../home/new-name.ts";
import { gitRecords, tryGit, type GitCall } from "../call/call.ts";
import { gitDirOf } from "../repository/locate.ts";
import { bytePath, textOfName } from "../snapshot/paths.ts";
import { within, type Bench, type Git } from "./bench.ts";

const FILE = ".worktreeinclude";
const LINES_MAX = 64 * 1024;
const FILES_MAX = 1000;
const BYTES_MAX = 64 * 1024 * 1024;
const MISSING = ["ENOENT", "ENOTDIR", "EACCES", "ELOOP"];

/** Gives what is worth telling. */
export async function includeFiles(on: Git, bench: Bench, repo: string): Promise<readonly string[]> {
  const lines = join(repo, FILE);
  const stat = unless(MISSING, () => lstatSync(lines));
  const gitDir = gitDirOf(repo);
  if (stat === undefined || gitDir === undefined) return [];
  if (!stat.isFile() || stat.size > LINES_MAX)
    return [`${lines} is not a regular file, or too large: left out`];
  const main: Omit<GitCall, "args"> = { cwd: repo, gitDir, workTree: repo };
  const args = ["ls-files", "-z", "--others", "--ignored", `--exclude-from=${lines}`];
  const named = await gitRecords(on.env, { ...main, args });
  const ignored = await ignoredOf(on, main, named);
  const names = await ignoredOf(on, within(bench), ignored);
  const told: string[] = [];
  if (names.length < ignored.length)
    told.push(`${FILE}: ${ignored.length - names.length} files are not ignored in the workspace: left out`);
  if (names.length > FILES_MAX)
    return [...told, `${FILE} names ${names.length} files, more than ${FILES_MAX}: left out`];
  let left = BYTES_MAX;
  for (const name of names) {
    const copied = copy({ repo, path: bench.path, name, max: left });
    if (copied === undefined) told.push(`${FILE}: ${shown(name)} could not be copied: left out`);
    else left -= copied;
  }
  return told;
}

async function ignoredOf(
  on: Git,
  call: Omit<GitCall, "args">,
  names: readonly string[],
): Promise<readonly string[]> {
  if (names.length === 0) return names;
  const input = Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1");
  const answer = await tryGit(on.env, { ...call, args: ["check-ignore", "-z", "--stdin"], input });
  return answer.out
    .toString("latin1")
    .split("\0")
    .filter((name) => name !== "");
}

type IncludedFiles = {
  readonly repo: string;
  readonly path: string;
  readonly name: string;
  readonly max: number;
};

/** Gives how many bytes; `undefined` where it is not a regular file, is too large, or would leave the workspace. */
function copy({ repo, path, name, max }: IncludedFiles): number | undefined {
  const to = bytePath(path, name);
  if (unless(MISSING, () => lstatSync(to)) !== undefined) return 0;
  const read = readPlain(repo, name, max);
  if (read === undefined) return undefined;
  const folder = dirname(textOfName(name));
  try {
    mkdirSync(join(path, folder), { recursive: true });
    if (realpathSync(join(path, folder)) !== join(realpathSync(path), folder)) return undefined;
    // Whole under its name or not at all, and never over an existing file.
    const aside = join(path, folder, `.signalbox-new-${newName()}`);
    writeFileSync(aside, read.bytes, { mode: read.mode, flag: "wx" });
    try {
      linkSync(aside, to);
    } finally {
      unlinkSync(aside);
    }
  } catch (error) {
    if (codeOf(error) === "EEXIST") return 0;
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
  return read.bytes.length;
}

function readPlain(
  repo: string,
  name: string,
  max: number,
): { readonly bytes: Buffer; readonly mode: number } | undefined {
  const folder = dirname(textOfName(name));
  if (unless(MISSING, () => realpathSync(join(repo, folder))) !== join(realpathSync(repo), folder))
    return undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = unless(MISSING, () => openSync(bytePath(repo, name), flags));
  if (fd === undefined) return undefined;
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > max) return undefined;
    return { bytes: readFileSync(fd), mode: stat.mode & 0o777 };
  } finally {
    closeSync(fd);
  }
}

function shown(name: string): string {
  return JSON.stringify(textOfName(name));
}
