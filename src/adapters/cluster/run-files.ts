/** Files of a run, between a folder of this machine and the database. */

import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { matching } from "../files/artifacts/transfer.ts";
import type { RunFile } from "./cluster.ts";

export function isBelow(root: string, path: string): boolean {
  return path.startsWith(`${root}${sep}`);
}

const BYTES_MAX = 8 * 1024 * 1024;

export function filesAt(root: string, patterns: readonly string[]): readonly RunFile[] {
  const paths = new Set(patterns.flatMap((pattern) => matching(root, pattern)));
  return [...paths].flatMap((path) => {
    const file = join(root, path);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size <= BYTES_MAX ? [{ path, bytes: readFileSync(file) }] : [];
  });
}

/** Never over a file that exists. */
export function writeMissing(root: string, files: readonly RunFile[]): void {
  for (const { path, bytes } of files) {
    const file = join(root, path);
    if (relative(root, file).startsWith("..")) continue;
    mkdirSync(dirname(file), { recursive: true });
    try {
      writeFileSync(file, bytes, { flag: "wx" });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}
