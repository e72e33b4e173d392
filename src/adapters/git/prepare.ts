/**
 * A workspace: one worktree for a run, outside of the repository, on a branch of its own.
 *
 * 1. In one transaction of git's: the branch, and `refs/signalbox/base/RUN`, which says where the run began and that the branch is ours.
 * 2. `worktree add` without a checkout: quick, and locked from the first moment. Or a worktree of a pool that waits for its next run.
 * 3. The checkout (fill.ts): files change only where they differ.
 * 4. HEAD on the branch, and a file in git's own folder for the worktree that says that it is whole, and whose.
 *
 * Whatever is there when it is called again is completed from where it is. What is in the way is moved aside, never removed.
 */

import { existsSync, readdirSync, readFileSync, realpathSync, rmdirSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { makeFolder } from "../home/folders.ts";
import { UserError } from "../user-error.ts";
import { ignoreLines, plainPaths } from "./artifact-paths.ts";
import { badName, elsewhere, holderOf } from "./branch-problem.ts";
import { failed, git, gitRecords, tryGit } from "./call.ts";
import type { Call } from "./call.ts";
import { checkOut } from "./fill.ts";
import { exclude } from "./exclude.ts";
import { commonDirOf, gitDirOf, isFolder, isThere, registrationOf } from "./locate.ts";
import { isPlain, isUnused, lockFor, markReady, markTaken, ownerAt } from "./marks.ts";
import { baseRef, isRunName } from "./names.ts";
import { repairPointer } from "./pointer.ts";
import { branchAt } from "./refs.ts";
import { park, removeRegistration } from "./release.ts";
import { reuseTest } from "./reuse.ts";
import { setAside } from "./set-aside.ts";
import { benchOf, branchOfRun, forgetBench, leaveOut, ruleOut } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { includeFiles } from "./include.ts";
import { noteSkipped } from "./sparse.ts";
import { tipOf } from "./head-index.ts";
import { vacate } from "./vacate.ts";
import { tryUpdateRef } from "./update-ref.ts";

export type Wanted = {
  readonly run: string;
  readonly repo: string;
  readonly branch: string;
  readonly base: string;
  readonly artifacts: readonly string[];
  /** Rules of what is no part of the work either, one on each line. */
  readonly leftOut?: string;
  /** Its folder below the worktrees: one of a pool's. The run's own unless given. */
  readonly place?: string;
  /** Ignored paths that a worktree of a pool may bring along. */
  readonly reuse?: readonly string[];
};

export type Prepared = {
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  /** What is worth telling. */
  readonly notes?: readonly string[];
};

const CONFLICT = 6;
const CHECKOUT_MS = 30 * 60_000;

type Site = { readonly on: On; readonly wanted: Wanted; readonly commonDir: string; readonly path: string };

/** Called under the repository's lock. */
export async function prepare(on: On, asked: Wanted): Promise<Prepared> {
  const wanted = asBegun(on, asked);
  const mainDir = gitDirOf(wanted.repo);
  if (mainDir === undefined)
    throw new UserError(
      "no-repository",
      `${wanted.repo} is no git repository any more.`,
      `put it back; if it is gone: signalbox doctor --repair`,
    );
  makeFolder(on.home.worktrees);
  const path = join(realpathSync(on.home.worktrees), wanted.place ?? wanted.run);
  const site: Site = { on, wanted, commonDir: commonDirOf(mainDir), path };
  const bad = await badName({ env: on.env, commonDir: site.commonDir }, wanted.branch);
  if (bad !== undefined) throw bad;
  const base = await makeBranch(site);
  const gitDir = await unused(site, await register(site));
  const branch = `refs/heads/${wanted.branch}`;
  const bench = await benchOf(on, { path, gitDir, branch, run: wanted.run });
  ruleOut(bench, wanted.leftOut ?? "");
  leaveOut(bench, wanted.artifacts);
  const notes = ownerAt(gitDir) === wanted.run ? [] : await takeOver(site, bench);
  exclude({ commonDir: site.commonDir, run: wanted.run }, ignoreLines(await untracked(site, base)));
  return { path, branch: wanted.branch, base, ...(notes.length === 0 ? {} : { notes }) };
}

/** Where the run has its worktree already, its branch is the one that was made; giving it another name is something else. */
function asBegun(on: On, wanted: Wanted): Wanted {
  const path = join(on.home.worktrees, wanted.place ?? wanted.run);
  const gitDir = isFolder(path) ? gitDirOf(path) : undefined;
  if (gitDir === undefined || ownerAt(gitDir) !== wanted.run) return wanted;
  const branch = branchOfRun(on, path, wanted.run)?.replace(/^refs\/heads\//, "") ?? "";
  return branch === "" ? wanted : { ...wanted, branch };
}

function inRepository({ commonDir }: Site): Omit<Call, "args"> {
  return { cwd: commonDir, gitDir: commonDir, limitMs: CHECKOUT_MS };
}

/** Gives the commit that the work began from. */
async function makeBranch(site: Site): Promise<string> {
  const { branch, base, run, repo } = site.wanted;
  const [[ours, tip, start]] = await Promise.all([
    resolve(site, [baseRef(run), `refs/heads/${branch}`, base]),
    refuseElsewhere(site),
  ]);
  if (ours !== undefined && tip !== undefined) return ours;
  const from = ours ?? (tip === undefined ? start : await forkOf(site, tip, start));
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

/** Of a branch that is there already, everything since it left the base is the work, whoever did it. */
async function forkOf(site: Site, tip: string, start: string | undefined): Promise<string> {
  if (start === undefined) return tip;
  const call: Call = { ...inRepository(site), args: ["merge-base", start, tip] };
  const { code, out } = await tryGit(site.on.env, call);
  return code === 0 ? out.toString("utf8").trim() : tip;
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
  const answer = await tryUpdateRef(site.on, site.commonDir, call);
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

async function refuseElsewhere({ on, wanted, commonDir, path }: Site): Promise<void> {
  const holder = await holderOf({ env: on.env, commonDir }, wanted.branch);
  if (holder !== undefined && holder !== path) throw elsewhere(wanted.branch, holder);
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
    const isOurs = reason?.startsWith("signalbox ") === true && name === basename(path);
    if (!isWhole && (isOurs || reason === `signalbox run ${wanted.run}`))
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

/** A worktree in which somebody has worked, and that nobody has given back: everything in it is kept first. */
async function unused(site: Site, gitDir: string): Promise<string> {
  const { on, wanted, commonDir, path } = site;
  const owner = ownerAt(gitDir);
  if (owner === wanted.run || isUnused(gitDir)) return gitDir;
  const name = owner ?? basename(path);
  const keep = join(on.home.quarantine, `worktree-${basename(path)}`);
  const bench = await benchOf(on, { path, gitDir });
  const registered = { run: isRunName(name) ? name : "pool", commonDir, bench, keep };
  if (isPlain(gitDir)) await park(on, registered, wanted.reuse ?? []);
  else {
    await vacate(on, registered);
    await removeRegistration(on, registered);
  }
  forgetBench(bench);
  return isPlain(gitDir) ? gitDir : register(site);
}

async function takeOver(site: Site, bench: Bench): Promise<readonly string[]> {
  const { on, wanted } = site;
  const { run } = wanted;
  const tip = await tipOf(on, bench);
  markTaken(bench.gitDir, run);
  failpoint("workspace.before-checkout");
  const aside = join(on.home.quarantine, `checkout-${run}`);
  await checkOut(on, bench, { tip, aside, isReused: reuseTest(wanted.reuse ?? []) });
  failpoint("workspace.after-checkout");
  await noteSkipped(on, bench, join(bench.gitDir, "index"));
  if (branchAt(bench.gitDir) !== bench.branch) {
    const args = ["symbolic-ref", "-m", `signalbox: run ${run} begins`, "HEAD", bench.branch];
    await git(on.env, { ...inRepository(site), gitDir: bench.gitDir, args, durable: true });
    failpoint("workspace.after-head");
  }
  failpoint("workspace.before-include");
  const notes = await includeFiles(on, bench, wanted.repo);
  lockFor(bench.gitDir, `signalbox run ${run}`);
  markReady(bench.gitDir, run);
  failpoint("workspace.after-ready");
  return notes;
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
