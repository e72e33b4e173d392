/**
 * A commit of ours and a new ref for it, written as git writes them, without starting git: at a gate that is most of the time.
 *
 * Only where nothing about it is special. Whatever is (refs in a table, a repository with rights of its own, a lock or a ref that is
 * there) is left to git, which knows what to say about it.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { codeOf } from "../files/errno.ts";
import { OURSELVES } from "./call.ts";
import type { Bench } from "./own.ts";
import { putObject, writeNew } from "./put-object.ts";
import { isTabled, refAt } from "./refs.ts";

type Commit = { readonly tree: string; readonly parent: string | undefined; readonly message: string };

const OID = /^(?:[0-9a-f]{64}|[0-9a-f]{40})$/;

/** Undefined where git has to do it. Durable when it returns, but for the names in folders. */
export function putCommit(bench: Bench, commit: Commit): string | undefined {
  const isPlain = [commit.tree, commit.parent ?? commit.tree].every((oid) => OID.test(oid));
  if (!isPlain || commit.message.includes("\0") || isSpecial(bench)) return undefined;
  const body = Buffer.from(textOf(commit, new Date()));
  return putObject(bench, { type: "commit", body, isDurable: true });
}

/** False where git has to do it, and nothing was done. Durable when it returns, but for the name in its folder. */
export function createRef(bench: Bench, ref: string, oid: string): boolean {
  if (isSpecial(bench)) return false;
  const file = join(bench.commonDir, ref);
  const lock = `${file}.lock`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeNew(lock, { bytes: Buffer.from(`${oid}\n`), mode: 0o666, isDurable: true });
  } catch (error) {
    // Somebody holds it, or something else is in the way.
    if (codeOf(error) === undefined) throw error;
    return false;
  }
  failpoint("workspace.before-ref");
  if (refAt(bench.commonDir, ref) !== undefined || existsSync(file)) {
    rmSync(lock, { force: true });
    return false;
  }
  renameSync(lock, file);
  return true;
}

/** What only git knows how to do. */
export function isSpecial({ commonDir, own }: Bench): boolean {
  return (
    isTabled(commonDir) ||
    readFileSync(join(own, "config"), "utf8").toLowerCase().includes("sharedrepository")
  );
}

function textOf({ tree, parent, message }: Commit, now: Date): string {
  const { name, email } = OURSELVES;
  const minutes = -now.getTimezoneOffset();
  const two = (count: number): string => String(Math.floor(count)).padStart(2, "0");
  const zone = `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}${two(Math.abs(minutes) % 60)}`;
  const who = `${name} <${email}> ${Math.floor(now.getTime() / 1000)} ${zone}`;
  const parents = parent === undefined ? "" : `parent ${parent}\n`;
  const end = message === "" || message.endsWith("\n") ? "" : "\n";
  return `tree ${tree}\n${parents}author ${who}\ncommitter ${who}\n\n${message}${end}`;
}
