/**
 * The tree of a commit in the mirror.
 *
 * The commits of handovers lie there as files of their own, so their first line is read without starting git. A file that does not
 * hold what its name says is not believed: git then answers, or reports the damage.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { git } from "./call.ts";
import { inMirror } from "./mirror.ts";
import type { On } from "./own.ts";

const UNREADABLE = ["ENOENT", "Z_DATA_ERROR", "Z_BUF_ERROR", "ERR_BUFFER_TOO_LARGE"];
const SHA1_HEX = 40;
const BYTES_MAX = 1024 * 1024;

export async function treeInMirror(on: On, mirror: string, commit: string): Promise<string> {
  const args = ["rev-parse", "--verify", `${commit}^{tree}`];
  return treeInFile(mirror, commit) ?? git(on.env, { ...inMirror(mirror), args });
}

function treeInFile(mirror: string, commit: string): string | undefined {
  const file = join(mirror, "objects", commit.slice(0, 2), commit.slice(2));
  const { inflateSync } = process.getBuiltinModule("node:zlib");
  const object = unless(UNREADABLE, () => inflateSync(readFileSync(file), { maxOutputLength: BYTES_MAX }));
  if (object === undefined) return undefined;
  const { hash } = process.getBuiltinModule("node:crypto");
  if (hash(commit.length === SHA1_HEX ? "sha1" : "sha256", object, "hex") !== commit) return undefined;
  return /^commit \d+\0tree ([0-9a-f]+)\n/.exec(object.toString("latin1"))?.[1];
}
