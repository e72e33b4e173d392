/**
 * The commit that work begins from where it names none: the newest of the default branch, here and on the project's remote.
 *
 * Where both have commits of their own, it is the one here: that is where work is merged to. The remote's address is the one that a
 * person gave; nothing that the repository configures has a say in how it is reached.
 */

import { join } from "node:path";
import { failpoint } from "../../failpoint.ts";
import { writePrivate } from "../../home/folders.ts";
import { UserError } from "../../user-error.ts";
import { tryGit, type GitCall } from "../call/call.ts";
import { commitNamed, inRepository, isAncestor } from "../call/commits.ts";
import { jsonOfOwn } from "../../home/own-file.ts";
import { whileLocked } from "../call/locks.ts";
import { inMirror, refreshMirror } from "../mirror/mirror.ts";
import { upstreamRef } from "../mirror/names.ts";
import type { Git } from "../workspace/bench.ts";
import { defaultBranchOf } from "./branches.ts";
import { commonDirIn } from "./locate.ts";

export type Project = {
  readonly repo: string;
  readonly defaultBranch: string;
  readonly remote: string;
};

const HEADS = "refs/heads/";

export async function baseOf(
  on: Git,
  of: Project,
): Promise<{ readonly base: string; readonly notes: readonly string[] }> {
  const commonDir = commonDirIn(of.repo);
  const branch = defaultBranchOf(of.repo, of.defaultBranch);
  if (branch === undefined) throw noBase(of.repo, "");
  const commitIn = (call: Omit<GitCall, "args">, ref: string): Promise<string | undefined> =>
    commitNamed(on.env, call, ref);
  const user = inRepository(commonDir);
  const here = await commitIn(user, `${HEADS}${branch}`);
  const elsewhere = async (): Promise<string | undefined> => commitIn(user, `refs/remotes/origin/${branch}`);
  if (of.remote === "") {
    const base = here ?? (await elsewhere());
    if (base === undefined) throw noBase(of.repo, branch);
    return { base, notes: [] };
  }
  const mirror = await whileLocked({ folder: on.home.locks, repo: of.repo }, () =>
    refreshMirror(on, of.repo),
  );
  const notes = await fetchDefault(on, { mirror, repo: of.repo, url: of.remote, branch });
  const there = await commitIn(inMirror(mirror), upstreamRef(branch));
  const base = here ?? there ?? (await elsewhere());
  if (base === undefined) throw noBase(of.repo, branch);
  if (here === undefined || there === undefined || here === there) return { base, notes };
  const isOlder = (one: string, other: string): Promise<boolean> =>
    isAncestor(on.env, inMirror(mirror), [one, other]);
  if (await isOlder(here, there)) return { base: there, notes };
  if (await isOlder(there, here)) return { base: here, notes };
  const told = `${branch} has commits here that ${withoutPassword(of.remote)} does not have, and the other way round: the work begins from the one here`;
  return { base: here, notes: [...notes, told] };
}

function noBase(repo: string, branch: string): UserError {
  const what = branch === "" ? "no default branch" : `no branch ${branch}`;
  const next = "signalbox project update --default-branch NAME";
  return new UserError("no-base", `${repo} has ${what} that work could begin from.`, next);
}

type Fetching = {
  readonly repo: string;
  readonly mirror: string;
  readonly url: string;
  readonly branch: string;
};

const LIMIT_MS = 60_000;
const FRESH_MS = 60_000;
const LINE_MAX = 200;

/** Gives what is worth telling. Where it could not be fetched, what was fetched last stays. */
async function fetchDefault(on: Git, of: Fetching): Promise<readonly string[]> {
  return whileLocked({ folder: on.home.locks, repo: `${of.repo}#fetch`, waitMs: LIMIT_MS * 2 }, async () => {
    const file = join(of.mirror, "signalbox-fetched.json");
    const known = lastFetchIn(file);
    if (known !== undefined && known.of === `${of.url} ${of.branch}`) return known.notes;
    const notes = await fetchNow(on, of);
    const last = { at: Date.now(), of: `${of.url} ${of.branch}`, notes };
    writePrivate(file, `${JSON.stringify(last)}\n`);
    return notes;
  });
}

type LastFetch = { readonly of: string; readonly notes: readonly string[] };

function lastFetchIn(file: string): LastFetch | undefined {
  const last = jsonOfOwn(file);
  if (typeof last !== "object" || last === null || !("at" in last && "of" in last && "notes" in last))
    return undefined;
  const { at, of, notes } = last;
  if (typeof at !== "number" || typeof of !== "string" || !Array.isArray(notes)) return undefined;
  if (Math.abs(Date.now() - at) > FRESH_MS) return undefined;
  return { of, notes: notes.filter((note): note is string => typeof note === "string") };
}

async function fetchNow(on: Git, of: Fetching): Promise<readonly string[]> {
  const { mirror, url, branch } = of;
  const options = [
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-gc",
  ];
  const args = ["fetch", ...options, "--", url, `+refs/heads/${branch}:${upstreamRef(branch)}`];
  const call: GitCall = { ...inMirror(mirror), args, limitMs: LIMIT_MS, durable: true, isFetch: true };
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
