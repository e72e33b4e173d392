/**
 * Paths that are too long for the system to take: made step by step by whoever went down into them. Such a folder can still be moved
 * as one, by the part of its path that is short enough, and is kept whole.
 */

import { readdirSync } from "node:fs";
import { codeOf } from "../files/errno.ts";
import { bytePath } from "./byte-path.ts";
import { GitError } from "./call.ts";
import { moveInto } from "./move.ts";

/** Far below what any system takes, so that there is room for where it is kept. */
const BYTES_MAX = 1500;

export function isTooLong(error: unknown): boolean {
  if (error instanceof GitError) return /file name too long/i.test(error.message);
  return codeOf(error) === "ENAMETOOLONG";
}

/** Whether there was something to move. */
export function keepTooLong(root: string, keep: string): boolean {
  const names = longIn(root, "");
  for (const name of names) moveInto(bytePath(root, name), keep, name);
  return names.length > 0;
}

function longIn(root: string, below: string): readonly string[] {
  const entries = readdirSync(bytePath(root, below), { withFileTypes: true, encoding: "buffer" });
  return entries.flatMap((entry) => {
    const name = `${below}${entry.name.toString("latin1")}`;
    if (!entry.isDirectory() || name === ".git") return [];
    return name.length > BYTES_MAX ? [name] : longIn(root, `${name}/`);
  });
}
