/**
 * Fetches a project's default branch into the mirror.
 *
 * Only the address that a person gave and the user's global configuration say how it is reached; nobody is asked for a password.
 * Several requests within a minute get the same answer, also where the remote could not be reached.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { writePrivate } from "../home/folders.ts";
import { tryGit, type Call } from "./call.ts";
import { whileLocked } from "./lock.ts";
import { inMirror } from "./mirror.ts";
import { upstreamRef } from "./names.ts";
import type { On } from "./own.ts";

export type Fetching = {
  readonly repo: string;
  readonly mirror: string;
  readonly url: string;
  readonly branch: string;
};

const LIMIT_MS = 60_000;
const FRESH_MS = 60_000;
const LINE_MAX = 200;

/** Gives what is worth telling. Where it could not be fetched, what was fetched last stays. */
export async function fetchDefault(on: On, of: Fetching): Promise<readonly string[]> {
  return whileLocked({ folder: on.home.locks, repo: `${of.repo}#fetch`, waitMs: LIMIT_MS * 2 }, async () => {
    const file = join(of.mirror, "signalbox-fetched.json");
    const known = lastIn(file);
    if (known !== undefined && known.of === `${of.url} ${of.branch}`) return known.notes;
    const notes = await fetchNow(on, of);
    const last = { at: Date.now(), of: `${of.url} ${of.branch}`, notes };
    writePrivate(file, `${JSON.stringify(last)}\n`);
    return notes;
  });
}

type Last = { readonly of: string; readonly notes: readonly string[] };

function lastIn(file: string): Last | undefined {
  const text = unless(["ENOENT", "ENOTDIR"], () => readFileSync(file, "utf8"));
  const last: unknown = text === undefined ? undefined : JSON.parse(text);
  if (typeof last !== "object" || last === null || !("at" in last && "of" in last && "notes" in last))
    return undefined;
  const { at, of, notes } = last;
  if (typeof at !== "number" || typeof of !== "string" || !Array.isArray(notes)) return undefined;
  if (Math.abs(Date.now() - at) > FRESH_MS) return undefined;
  return { of, notes: notes.filter((note): note is string => typeof note === "string") };
}

async function fetchNow(on: On, of: Fetching): Promise<readonly string[]> {
  const { mirror, url, branch } = of;
  const options = [
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-gc",
  ];
  const args = ["fetch", ...options, "--", url, `+refs/heads/${branch}:${upstreamRef(branch)}`];
  const call: Call = { ...inMirror(mirror), args, limitMs: LIMIT_MS, durable: true, isFetch: true };
  failpoint("workspace.before-fetch");
  const answer = await tryGit(on.env, call).catch((error: unknown) => ({ code: -1, err: String(error) }));
  failpoint("workspace.after-fetch");
  return answer.code === 0 ? [] : [unreachable(of, answer.err)];
}

function unreachable({ url, branch }: Fetching, err: string): string {
  const line = err
    .split("\n")
    .map((each) => each.trim())
    .find((each) => /^(?:fatal|error|ssh|GitError)/i.test(each));
  const why = (line ?? err.trim().split("\n").at(-1) ?? "").slice(0, LINE_MAX);
  return `${branch} could not be fetched from ${withoutPassword(url)}, and the last known state of it is used: ${withoutPassword(why)}`;
}

export function withoutPassword(text: string): string {
  return text.replaceAll(/:\/\/[^@/\s]*@/g, "://");
}
