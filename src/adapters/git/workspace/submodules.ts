/**
 * Submodules: those that the user has initialised are checked out before an agent starts.
 *
 * The mirror has a copy of each, below its own `modules`, as git keeps them in `.git/modules`. In a clone, each has a git directory
 * that borrows objects from that copy. A submodule that the user has not initialised stays an empty folder, as after `git clone`.
 */

import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { tryGit } from "../call/call.ts";
import { copyRepository, fetchCommit, inMirror } from "../mirror/mirror.ts";
import { isFolder, isThere } from "../repository/locate.ts";
import { configText } from "../repository/settings.ts";
import type { Git } from "./bench.ts";
import { writeRefs } from "./clone.ts";

export type Superproject = {
  /** The clone's work tree. */
  readonly folder: string;
  readonly mirror: string;
  /** The commit that is checked out. */
  readonly commit: string;
  /** The user's git directory; without it, only what the mirror has is used. */
  readonly source?: string;
  /** The clone's git directory; that of a submodule is not in its folder. */
  readonly gitDir?: string;
};

export type Submodule = { readonly name: string; readonly path: string; readonly oid: string };

const CHECKOUT_MS = 30 * 60_000;
const SHA1_HEX = 40;
const LINK = /^160000 commit ([0-9a-f]+)\t(.+)$/s;

/** Gives what a person should know. */
export async function addSubmodules(on: Git, of: Superproject): Promise<readonly string[]> {
  if (!isThere(join(of.folder, ".gitmodules"))) return [];
  const notes: string[] = [];
  for (const submodule of await submodulesOf(on, of)) {
    const from = join(of.mirror, "modules", submodule.name);
    if (await isInMirror(on, of, { submodule, from }))
      notes.push(...(await checkOut(on, of, { submodule, from })));
    else notes.push(`the submodule ${submodule.path} is not initialised: its folder is empty`);
  }
  return notes;
}

/** As the commit has them. A name that leads out of the folder of modules is not one. */
export async function submodulesOf(
  on: Git,
  { mirror, commit }: Pick<Superproject, "mirror" | "commit">,
): Promise<readonly Submodule[]> {
  const read = async (args: readonly string[]): Promise<readonly string[]> => {
    const { code, out } = await tryGit(on.env, { ...inMirror(mirror), args });
    return code === 0 ? out.toString("utf8").split("\0") : [];
  };
  const links = new Map(
    (await read(["ls-tree", "-r", "-z", "--full-tree", commit])).flatMap((line) => {
      const [, oid = "", path = ""] = LINK.exec(line) ?? [];
      return path === "" ? [] : [[path, oid] as const];
    }),
  );
  const listed = await read(["config", "-z", "--blob", `${commit}:.gitmodules`, "--list"]);
  return listed.flatMap((entry): Submodule[] => {
    const [, name = "", path = ""] = /^submodule\.(.+)\.path\n(.+)$/s.exec(entry) ?? [];
    const oid = links.get(path);
    return oid === undefined || name.split("/").includes("..") ? [] : [{ name, path, oid }];
  });
}

type SubmoduleCopy = { readonly submodule: Submodule; readonly from: string };

/** Whether the mirror has the commit, also by way of the user's repository. */
export async function isInMirror(
  on: Git,
  { source }: Pick<Superproject, "source">,
  { submodule, from }: SubmoduleCopy,
): Promise<boolean> {
  const { name, oid } = submodule;
  const has = async (): Promise<boolean> => {
    const args = ["cat-file", "-e", `${oid}^{commit}`];
    return existsSync(from) && (await tryGit(on.env, { ...inMirror(from), args })).code === 0;
  };
  if (await has()) return true;
  const users = join(source ?? "", "modules", name);
  if (source === undefined || !isFolder(users)) return false;
  if (!existsSync(from)) await copyRepository(on, { mirror: from, source: users, repo: users });
  return (await has()) || fetchCommit(on, { mirror: from, source: users, oid });
}

async function checkOut(
  on: Git,
  of: Superproject,
  { submodule, from }: SubmoduleCopy,
): Promise<readonly string[]> {
  const { name, path, oid } = submodule;
  const outer = of.gitDir ?? join(of.folder, ".git");
  const gitDir = join(outer, "modules", name);
  const folder = join(of.folder, path);
  for (const each of ["objects/info", "objects/pack", "refs/heads", "refs/tags"])
    mkdirSync(join(gitDir, each), { recursive: true });
  writeFileSync(join(gitDir, "objects/info/alternates"), `${join(from, "objects")}\n`);
  writeFileSync(join(gitDir, "config"), configOf({ gitDir, folder, oid }));
  writeFileSync(join(gitDir, "HEAD"), `${oid}\n`);
  await writeRefs(on, { mirror: from }, { dot: gitDir, branch: "", commit: oid, remotes: [] });
  mkdirSync(folder, { recursive: true });
  // The clone is moved when it is whole.
  writeFileSync(join(folder, ".git"), `gitdir: ${relative(folder, gitDir)}\n`);
  const call = { cwd: folder, gitDir, objects: join(gitDir, "objects"), workTree: folder };
  const args = ["read-tree", "-m", "-u", oid];
  const index = join(gitDir, "index");
  const { code, err } = await tryGit(on.env, { ...call, index, args, limitMs: CHECKOUT_MS });
  if (code !== 0) return [`the submodule ${path} cannot be checked out: ${err.trim()}`];
  appendFileSync(join(outer, "config"), configText([[`submodule ${name}`, [["active", "true"]]]]));
  const source = of.source === undefined ? {} : { source: join(of.source, "modules", name) };
  return addSubmodules(on, { folder, mirror: from, commit: oid, gitDir, ...source });
}

type Module = { readonly gitDir: string; readonly folder: string; readonly oid: string };

function configOf({ gitDir, folder, oid }: Module): string {
  const isSha1 = oid.length === SHA1_HEX;
  return configText([
    [
      "core",
      [
        ["repositoryFormatVersion", isSha1 ? "0" : "1"],
        ["bare", "false"],
        ["worktree", relative(gitDir, folder)],
      ],
    ],
    ["extensions", isSha1 ? [] : [["objectFormat", "sha256"]]],
    ["gc", [["auto", "0"]]],
  ]);
}
