/** Which repository a folder belongs to, by looking: git is not asked, for this comes before anything is trusted. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf } from "../files/errno.ts";
import { UserError } from "../user-error.ts";

export type TrustedRepository = {
  /** The working tree that holds the folder. */
  readonly tree: string;
  /** The main working tree, whose `.signalbox` counts for all of them. */
  readonly main: string;
};

export function repositoryOf(cwd: string): TrustedRepository {
  for (let tree = cwd; ; tree = dirname(tree)) {
    if (isTree(tree)) return { tree, main: mainOf(tree) };
    if (isBare(tree))
      throw new UserError(
        "bare-repository",
        `${tree} is a bare repository: there is no working tree to work for`,
        `git clone ${tree} somewhere else, and go there`,
      );
    if (dirname(tree) === tree)
      throw new UserError("no-repository", `${cwd} is not in a git repository`, "git init");
  }
}

/** A folder `.git` without HEAD is no repository for git either: sandboxes of agent programs leave an empty one in `/tmp`. */
export function isTree(folder: string): boolean {
  const git = statSync(join(folder, ".git"), { throwIfNoEntry: false });
  return git?.isDirectory() === true ? existsSync(join(folder, ".git", "HEAD")) : git !== undefined;
}

/** As git knows one: by what it cannot be without. */
function isBare(folder: string): boolean {
  const kindOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false });
  const [head, objects, refs] = [kindOf("HEAD"), kindOf("objects"), kindOf("refs")];
  return head?.isFile() === true && objects?.isDirectory() === true && refs?.isDirectory() === true;
}

/** A linked working tree says where its part of the repository is, which says where the common part is. */
function mainOf(tree: string): string {
  const gitdir = /^gitdir: (.+?)\r?\n?$/.exec(textOf(join(tree, ".git")))?.[1];
  if (gitdir === undefined) return tree;
  const own = resolve(tree, gitdir);
  const common = textOf(join(own, "commondir")).trim();
  // Submodules have a file `.git` as well, and nothing in common with the tree around them.
  if (common === "") return tree;
  const shared = resolve(own, common);
  return basename(shared) === ".git" ? dirname(shared) : tree;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    // Whatever the reason, it names no other tree.
    return "";
  }
}
