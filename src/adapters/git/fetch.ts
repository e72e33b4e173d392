/**
 * Fetches a project's default branch, into a ref of ours.
 *
 * The repository's own configuration is not asked, because agents write it: git is given a folder of ours, the address that a person
 * gave, and one branch. How that address is reached is the user's global configuration's to say. Nobody is asked for a password.
 * Many that ask within a minute are given the same answer, also where nobody could be reached.
 */

import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../format/sha256.ts";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { makeFolder, writePrivate } from "../home/folders.ts";
import { git, tryGit, type Call } from "./call.ts";
import { whileLocked } from "./lock.ts";
import { upstreamRef } from "./names.ts";
import type { On } from "./own.ts";
import { updateRef } from "./update-ref.ts";

export type Fetching = {
  readonly repo: string;
  readonly commonDir: string;
  readonly url: string;
  readonly branch: string;
};

const LIMIT_MS = 60_000;
const FRESH_MS = 60_000;
const LINE_MAX = 200;

/** Gives what is worth telling. Where it could not be fetched, what was fetched last stays. */
export async function fetchDefault(on: On, of: Fetching): Promise<readonly string[]> {
  return whileLocked({ folder: on.home.locks, repo: `${of.repo}#fetch`, waitMs: LIMIT_MS * 2 }, async () => {
    const own = join(on.home.root, "git", `upstream-${sha256(of.repo).slice(0, 32)}`);
    const known = lastIn(own);
    if (known !== undefined && known.of === `${of.url} ${of.branch}`) return known.notes;
    const notes = await fetchNow(on, { ...of, own });
    writePrivate(
      join(own, "last.json"),
      `${JSON.stringify({ at: Date.now(), of: `${of.url} ${of.branch}`, notes })}\n`,
    );
    return notes;
  });
}

type Last = { readonly of: string; readonly notes: readonly string[] };

function lastIn(own: string): Last | undefined {
  const text = unless(["ENOENT", "ENOTDIR"], () => readFileSync(join(own, "last.json"), "utf8"));
  const last: unknown = text === undefined ? undefined : JSON.parse(text);
  if (typeof last !== "object" || last === null || !("at" in last && "of" in last && "notes" in last))
    return undefined;
  const { at, of, notes } = last;
  if (typeof at !== "number" || typeof of !== "string" || !Array.isArray(notes)) return undefined;
  if (Math.abs(Date.now() - at) > FRESH_MS) return undefined;
  return { of, notes: notes.filter((note): note is string => typeof note === "string") };
}

async function fetchNow(on: On, of: Fetching & { readonly own: string }): Promise<readonly string[]> {
  const { own, commonDir, url, branch } = of;
  const ours: Omit<Call, "args"> = { cwd: own, gitDir: own, objects: join(commonDir, "objects") };
  await makeOwn(on, of);
  const to = `refs/upstream/${branch}`;
  const options = [
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-recurse-submodules",
    "--no-auto-gc",
  ];
  const args = ["fetch", ...options, "--", url, `+refs/heads/${branch}:${to}`];
  const call: Call = { ...ours, args, limitMs: LIMIT_MS, durable: true, isFetch: true };
  failpoint("workspace.before-fetch");
  const answer = await tryGit(on.env, call).catch((error: unknown) => ({ code: -1, err: String(error) }));
  failpoint("workspace.after-fetch");
  if (answer.code !== 0) return [unreachable(of, answer.err)];
  const tip = await git(on.env, { ...ours, args: ["rev-parse", "--verify", to] });
  await updateRef(on, commonDir, {
    cwd: commonDir,
    gitDir: commonDir,
    args: ["update-ref", upstreamRef(branch), tip],
  });
  return [];
}

/** What the repository has of the branch is not fetched again. */
async function makeOwn(on: On, { own, commonDir, branch }: Fetching & { own: string }): Promise<void> {
  for (const folder of [join(on.home.root, "git"), own, join(own, "refs")]) makeFolder(folder);
  writePrivate(join(own, "HEAD"), "ref: refs/heads/none\n");
  const format = await tryGit(on.env, {
    cwd: commonDir,
    gitDir: commonDir,
    args: ["rev-parse", "--show-object-format"],
  });
  const isSha256 = format.out.toString("utf8").trim() === "sha256";
  writePrivate(
    join(own, "config"),
    `[core]\n\trepositoryformatversion = ${isSha256 ? 1 : 0}\n\tbare = true\n${isSha256 ? "[extensions]\n\tobjectformat = sha256\n" : ""}`,
  );
  const shallow = join(commonDir, "shallow");
  if (existsSync(shallow)) copyFileSync(shallow, join(own, "shallow"));
  else rmSync(join(own, "shallow"), { force: true });
  const ours: Omit<Call, "args"> = { cwd: own, gitDir: own, objects: join(commonDir, "objects") };
  for (const [name, ref] of [
    ["here", `refs/heads/${branch}`],
    ["origin", `refs/remotes/origin/${branch}`],
    ["last", upstreamRef(branch)],
  ] as const) {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`];
    const found = await tryGit(on.env, { cwd: commonDir, gitDir: commonDir, args });
    const tip = found.out.toString("utf8").trim();
    if (found.code === 0) await tryGit(on.env, { ...ours, args: ["update-ref", `refs/known/${name}`, tip] });
  }
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
