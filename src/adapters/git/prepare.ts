/**
 * A workspace: one worktree for a run, outside of the repository, on a branch of its own.
 *
 * 1. In one transaction of git's: the branch, and `refs/signalbox/base/RUN`, which says where the run began and that the branch is ours.
 * 2. `worktree add` without a checkout: quick, and locked from the first moment.
 * 3. The checkout.
 * 4. A file in git's own folder for the worktree that says that it is whole.
 *
 * Whatever is there when it is called again is completed from where it is. What is in the way is moved aside, never removed.
 */

import { existsSync, readdirSync, readFileSync, realpathSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { makeFolder, writePrivate } from "../home/folders.ts";
import { UserError } from "../user-error.ts";
import { ignoreLines, plainPaths } from "./artifact-paths.ts";
import { bytePath } from "./byte-path.ts";
import { failed, git, gitRecords, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { exclude } from "./exclude.ts";
import { freeRefLock } from "./leftover-lock.ts";
import { freeIndexLock } from "./leftover-lock.ts";
import { commonDirOf, gitDirOf, isFolder, isThere, registrationOf } from "./locate.ts";
import { moveInto } from "./move.ts";
import { baseRef } from "./names.ts";
import { repairPointer } from "./pointer.ts";
import { removeRegistration } from "./release.ts";
import { setAside } from "./set-aside.ts";
import { at, benchOf, leaveOut } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { noteSkipped } from "./sparse.ts";
import { tipOf } from "./head-index.ts";

export type Wanted = {
  readonly run: string;
  readonly repo: string;
  readonly branch: string;
  readonly base: string;
  readonly artifacts: readonly string[];
};

export type Prepared = { readonly path: string; readonly branch: string; readonly base: string };

/** In git's own folder for the worktree, when it is whole. */
const READY = "signalbox-ready";

const CONFLICT = 6;
const CHECKOUT_MS = 30 * 60_000;

type Site = { readonly on: On; readonly wanted: Wanted; readonly commonDir: string; readonly path: string };

/** Called under the repository's lock. */
export async function prepare(on: On, wanted: Wanted): Promise<Prepared> {
  const mainDir = gitDirOf(wanted.repo);
  if (mainDir === undefined)
    throw new UserError(
      "no-repository",
      `${wanted.repo} is no git repository any more.`,
      `put it back; if it is gone: signalbox doctor --repair`,
    );
  makeFolder(on.home.worktrees);
  const path = join(realpathSync(on.home.worktrees), wanted.run);
  const site: Site = { on, wanted, commonDir: commonDirOf(mainDir), path };
  await refuseName(site);
  const base = await makeBranch(site);
  const gitDir = await register(site);
  const bench = await benchOf(on, { path, gitDir, branch: `refs/heads/${wanted.branch}` });
  leaveOut(bench, wanted.artifacts);
  if (!existsSync(join(bench.gitDir, READY))) await complete(site, bench);
  exclude({ commonDir: site.commonDir, run: wanted.run }, ignoreLines(await untracked(site, base)));
  return { path, branch: wanted.branch, base };
}

function inRepository({ commonDir }: Site): Omit<Call, "args"> {
  return { cwd: commonDir, gitDir: commonDir, limitMs: CHECKOUT_MS };
}

async function refuseName(site: Site): Promise<void> {
  const { branch } = site.wanted;
  const isOdd = branch.startsWith("-") || branch === "@" || branch === "HEAD" || branch.includes("\0");
  const isFit =
    !isOdd &&
    (await tryGit(site.on.env, { ...inRepository(site), args: ["check-ref-format", `refs/heads/${branch}`] }))
      .code === 0;
  if (!isFit)
    throw new UserError(
      "branch-name",
      `${JSON.stringify(branch)} cannot be the name of a branch.`,
      "git help check-ref-format",
    );
}

/** Gives the commit that the run began from. */
async function makeBranch(site: Site): Promise<string> {
  const { branch, base, run, repo } = site.wanted;
  const [ours, tip, start] = await resolve(site, [baseRef(run), `refs/heads/${branch}`, base]);
  await refuseElsewhere(site);
  if (ours !== undefined && tip !== undefined) return ours;
  const from = ours ?? tip ?? start;
  if (from === undefined)
    throw new UserError(
      "no-base",
      `${base} is no commit of ${repo}, so that a branch could begin there.`,
      "git log",
    );
  const updates = [
    ...(ours === undefined ? [`create ${baseRef(run)} ${from}`] : []),
    ...(tip === undefined ? [`create refs/heads/${branch} ${from}`] : []),
  ];
  failpoint("workspace.before-branch");
  await update(site, updates);
  failpoint("workspace.after-branch");
  return from;
}

async function resolve(site: Site, names: readonly string[]): Promise<readonly (string | undefined)[]> {
  const input = names.map((name) => `${name.replaceAll("\n", " ")}^{commit}\n`).join("");
  const call: Call = {
    ...inRepository(site),
    args: ["cat-file", "--batch-check=%(objectname) %(objecttype)"],
    input,
  };
  const lines = (await git(site.on.env, call)).split("\n");
  return names.map((_, index) => /^([0-9a-f]{40,64}) commit$/.exec(lines[index] ?? "")?.[1]);
}

async function update(site: Site, updates: readonly string[]): Promise<void> {
  const input = ["start", ...updates, "prepare", "commit", ""].join("\n");
  const call: Call = { ...inRepository(site), args: ["update-ref", "--stdin"], input, durable: true };
  let answer = await tryGit(site.on.env, call);
  if (answer.code !== 0 && (await freeRefLock(site.commonDir, answer.err)))
    answer = await tryGit(site.on.env, call);
  if (answer.code === 0) return;
  // A branch `a` and a branch `a/b` cannot be there at the same time.
  if (/cannot create|exists; cannot|cannot lock ref/.test(answer.err))
    throw new UserError(
      "branch-name",
      `The branch ${site.wanted.branch} cannot be made beside the branches that are there: ${answer.err.trim()}`,
      {
        next: "git branch --list",
        exit: CONFLICT,
      },
    );
  throw failed(call, answer);
}

async function refuseElsewhere(site: Site): Promise<void> {
  const { branch } = site.wanted;
  const listed = (
    await git(site.on.env, { ...inRepository(site), args: ["worktree", "list", "--porcelain", "-z"] })
  ).split("\0\0");
  for (const each of listed) {
    const lines = each.split("\0");
    const path = lines[0]?.replace(/^worktree /, "") ?? "";
    if (path !== site.path && lines.includes(`branch refs/heads/${branch}`)) throw elsewhere(branch, path);
  }
}

function elsewhere(branch: string, path: string): UserError {
  const sentence = `The branch ${branch} is checked out in ${path}, and git allows that in one place only.`;
  return new UserError("branch-in-use", sentence, {
    next: `git -C '${path}' switch --detach`,
    exit: CONFLICT,
  });
}

/** Gives git's own folder for the worktree. */
async function register(site: Site): Promise<string> {
  const { on, wanted, commonDir, path } = site;
  const known = registrationOf(commonDir, path);
  if (known !== undefined && existsSync(join(known, "HEAD"))) {
    if (isFolder(path)) {
      repairPointer({ path, gitDir: known }, join(on.home.quarantine, `git-${wanted.run}`));
      return known;
    }
    setAsideStranger(site);
    await removeRegistration(on, {
      run: wanted.run,
      commonDir,
      bench: await benchOf(on, { path, gitDir: known }),
      keep: join(on.home.quarantine, `git-${wanted.run}`),
    });
  }
  setAsideHalves(site);
  failpoint("workspace.before-worktree");
  const args = [
    "worktree",
    "add",
    "--no-checkout",
    "--lock",
    "--reason",
    `signalbox run ${wanted.run}`,
    "--",
    path,
    wanted.branch,
  ];
  // Closed to others before anything is in it.
  makeFolder(path);
  const answer = await tryGit(on.env, { ...inRepository(site), args, durable: true });
  if (answer.code !== 0) {
    rmdirSync(path);
    const used = /is already (?:checked out|used by worktree) at '(.+)'/.exec(answer.err)?.[1];
    if (used !== undefined) throw elsewhere(wanted.branch, used);
    throw failed({ ...inRepository(site), args }, answer);
  }
  failpoint("workspace.after-worktree");
  const gitDir = registrationOf(commonDir, path);
  if (gitDir === undefined) throw new Error(`git has made a worktree at ${path} and does not know it`);
  return gitDir;
}

/** What a killed `worktree add`, or somebody's own tidying up, has left of a worktree. */
function setAsideHalves(site: Site): void {
  const { on, wanted, commonDir, path } = site;
  const names = unless(["ENOENT"], () => readdirSync(join(commonDir, "worktrees"))) ?? [];
  for (const name of names) {
    const half = join(commonDir, "worktrees", name);
    const reason = unless(["ENOENT", "ENOTDIR"], () => readFileSync(join(half, "locked"), "utf8"))?.trim();
    const isWhole = existsSync(join(half, "gitdir")) && existsSync(join(half, "HEAD"));
    if (!isWhole && reason === `signalbox run ${wanted.run}`)
      setAside(on, {
        from: half,
        name: `registration-${wanted.run}`,
        why: "git was killed while it made a worktree",
      });
  }
  setAsideStranger(site);
  const inside = unless(["ENOENT"], () => readdirSync(path));
  if (inside === undefined) return;
  if (inside.length === 0) return rmdirSync(path);
  if (inside.length === 1 && inside[0] === ".git" && gitDirOf(path) === undefined) {
    // Only a pointer to what is no longer there.
    unlinkSync(join(path, ".git"));
    return rmdirSync(path);
  }
  setAside(on, {
    from: path,
    name: `worktree-${wanted.run}`,
    why: `git does not know it as a worktree of ${wanted.repo} any more`,
  });
}

/** A file, or a link to somewhere. */
function setAsideStranger({ on, wanted, path }: Site): void {
  if (!isThere(path) || isFolder(path)) return;
  const why = "it was put in the place of a worktree";
  setAside(on, { from: path, name: `worktree-${wanted.run}`, why });
}

/** Checks out what is missing. What is there and differs was not put there by git: it is moved aside. */
async function complete(site: Site, bench: Bench): Promise<void> {
  const { on, wanted } = site;
  const index = join(bench.gitDir, "index");
  const call: Omit<Call, "args"> = { ...at(bench, index), limitMs: CHECKOUT_MS };
  await freeIndexLock(bench);
  const tip = await tipOf(on, bench);
  const isBare = readdirSync(bench.path).every((name) => name === ".git");
  failpoint("workspace.before-checkout");
  if (isBare) await git(on.env, { ...call, args: ["read-tree", "-m", "-u", tip] });
  else {
    await git(on.env, { ...call, args: ["read-tree", tip] });
    const aside = join(on.home.quarantine, `checkout-${wanted.run}`);
    const [odd, gone] = await Promise.all([
      gitRecords(on.env, { ...call, args: ["ls-files", "-z", "--modified", "--others"] }),
      gitRecords(on.env, { ...call, args: ["ls-files", "-z", "--deleted"] }),
    ]);
    for (const name of new Set(odd.map((each) => each.replace(/\/$/, ""))))
      if (!gone.includes(name)) moveInto(bytePath(bench.path, name), aside, name);
    await git(on.env, { ...call, args: ["read-tree", "--reset", "-u", tip] });
  }
  failpoint("workspace.after-checkout");
  await noteSkipped(on, bench, index);
  writePrivate(join(bench.gitDir, READY), `${wanted.run}\n`);
  failpoint("workspace.after-ready");
}

/** Artifacts that the repository tracks are its own affair. */
async function untracked(site: Site, base: string): Promise<readonly string[]> {
  const paths = plainPaths(site.wanted.artifacts);
  if (paths.length === 0) return paths;
  const args = [
    "ls-tree",
    "-r",
    "-z",
    "--name-only",
    "--full-tree",
    base,
    "--",
    ...paths.filter((path) => !path.includes("{")),
  ];
  const names = await gitRecords(site.on.env, { ...inRepository(site), args });
  const tracked = new Set(names.map((name) => Buffer.from(name, "latin1").toString("utf8")));
  return paths.filter((path) => !tracked.has(path));
}
