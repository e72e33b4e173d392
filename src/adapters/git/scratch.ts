/** Files to work with, of which nothing is left afterwards. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../home/folders.ts";
import { newName } from "../home/new-name.ts";
import type { On } from "./own.ts";

export async function withScratch<T>({ home }: On, use: (path: string) => Promise<T>): Promise<T> {
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
