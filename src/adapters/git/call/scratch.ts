/**
 * Files and repositories to work with, of which nothing is left afterwards.
 *
 * A scratch repository has the objects of another one and nothing else of it: no configuration, driver or attribute of that repository
 * has a say in what git answers about its commits.
 */

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../../files/errno.ts";
import { makeFolder } from "../../home/folders.ts";
import { newName } from "../../home/new-name.ts";
import type { Git } from "../workspace/bench.ts";
import type { GitCall } from "./call.ts";

export async function withScratch<T>({ home }: Git, use: (path: string) => Promise<T>): Promise<T> {
  const folder = join(home.root, "tmp");
  makeFolder(folder);
  const path = join(folder, `git-${process.pid}-${newName()}`);
  try {
    return await use(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
    rmSync(`${path}.lock`, { force: true });
  }
}

const SHA256_HEX = 64;

/** `oid` is any of the repository's: its length says how the repository hashes. */
export async function withObjects<T>(
  on: Git,
  of: { readonly commonDir: string; readonly oid: string },
  use: (call: Omit<GitCall, "args">) => Promise<T>,
): Promise<T> {
  return withScratch(on, async (folder) => {
    makeBare(folder, of);
    return use({ cwd: folder, gitDir: folder, objects: join(of.commonDir, "objects") });
  });
}

/** The same with the objects of two repositories; what git writes is gone afterwards. */
export async function withBoth<T>(
  on: Git,
  of: { readonly commonDir: string; readonly mirror: string; readonly oid: string },
  use: (call: Omit<GitCall, "args">) => Promise<T>,
): Promise<T> {
  return withScratch(on, async (folder) => {
    makeBare(folder, of);
    const objects = join(folder, "objects");
    mkdirSync(join(objects, "info"), { recursive: true });
    const borrowed = [of.commonDir, of.mirror].map((path) => `${join(path, "objects")}\n`);
    writeFileSync(join(objects, "info/alternates"), borrowed.join(""));
    return use({ cwd: folder, gitDir: folder, objects });
  });
}

function makeBare(folder: string, of: { readonly commonDir: string; readonly oid: string }): void {
  for (const path of [folder, join(folder, "refs")]) mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
  const isSha256 = of.oid.length === SHA256_HEX;
  const format = isSha256
    ? "repositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
    : "repositoryformatversion = 0\n";
  writeFileSync(join(folder, "config"), `[core]\n\tbare = true\n\t${format}`);
  // Where the history was cut off when it was cloned.
  unless(["ENOENT"], () => copyFileSync(join(of.commonDir, "shallow"), join(folder, "shallow")));
}
