/**
 * Where a branch or a HEAD is, read from git's files.
 *
 * Git itself would read the repository's configuration for that, which agents write, and take longer.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../../files/errno.ts";
import { textOfOwn } from "../../home/own-file.ts";
import { gitDirOf } from "./locate.ts";

const REFS_BYTES_MAX = 64 * 1024 * 1024;
const OID = /^(?:[0-9a-f]{64}|[0-9a-f]{40})$/;
const DEPTH_MAX = 5;

/** Refs are kept in another form, which only git reads. */
export function isTabled(commonDir: string): boolean {
  return existsSync(join(commonDir, "reftable"));
}

/** The commit that a ref names, also by way of another ref; `undefined` where it names none. */
export function refAt(commonDir: string, ref: string): string | undefined {
  let name = ref;
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
    if (!isRefName(name)) return undefined;
    const text = textOf(join(commonDir, name))?.trim() ?? packed(commonDir, name);
    if (text === undefined || OID.test(text)) return text;
    const next = symbolic(text);
    if (next === undefined) return undefined;
    name = next;
  }
  return undefined;
}

/** The ref that HEAD, or another symbolic ref, names; `undefined` where it is a commit. */
export function branchAt(gitDir: string, ref = "HEAD"): string | undefined {
  return symbolic(textOf(join(gitDir, ref))?.trim() ?? "");
}

/** The branch that a working tree is on; empty for none. */
export function presentBranch(path: string): string {
  const gitDir = unless(["EACCES", "ELOOP"], () => gitDirOf(path));
  return gitDir === undefined ? "" : (branchAt(gitDir)?.replace(/^refs\/heads\//, "") ?? "");
}

/** The commit that HEAD names, with refs from this folder. */
export function headAt(gitDir: string, commonDir: string): string | undefined {
  const text = textOf(join(gitDir, "HEAD"))?.trim() ?? "";
  if (OID.test(text)) return text;
  const ref = symbolic(text);
  return ref === undefined ? undefined : refAt(commonDir, ref);
}

function symbolic(text: string): string | undefined {
  return /^ref:\s*(\S.*)$/.exec(text)?.[1];
}

/** It becomes a path. */
function isRefName(name: string): boolean {
  return name.startsWith("refs/") && !name.includes("\0") && !name.split("/").includes("..");
}

function packed(commonDir: string, name: string): string | undefined {
  const text = textOf(join(commonDir, "packed-refs")) ?? "";
  const end = text.indexOf(` ${name}\n`);
  if (end === -1) return undefined;
  const oid = text.slice(text.lastIndexOf("\n", end) + 1, end);
  return OID.test(oid) ? oid : undefined;
}

/** An agent may have put anything there: only an ordinary file is read, and nothing is waited for. */
function textOf(file: string): string | undefined {
  return textOfOwn(file, REFS_BYTES_MAX);
}
