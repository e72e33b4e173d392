/**
 * Whether a branch was merged, by whatever means.
 *
 * It has work of its own, and the default branch, here or as fetched, contains its tip, or would not change by merging it: a squash or
 * a rebase elsewhere leaves no other trace. A branch that has only been brought up to date is contained too, and is not merged: there
 * the branch has come to the default branch, and not the other way round.
 */

import { closeSync, openSync, readSync, fstatSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BranchOf, Merges } from "../../engine/ports/merges.ts";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { makeFolder, writePrivate } from "../home/folders.ts";
import { tryGit } from "./call.ts";
import { defaultBranchOf, defaultRefs, mayHaveMoved } from "./default-refs.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import { lookedFile, readLooked, type Looked, type Remembered } from "./looked.ts";
import type { On } from "./own.ts";
import { withObjects } from "./plain.ts";
import { isTabled, refAt } from "./refs.ts";

const UNREADABLE = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ELOOP", "EPERM"];
/** A file may seem to be older than it is, by as much as the system's own clock is coarse. */
const COARSE_MS = 20;
const LOG_BYTES = 64 * 1024;

/** What a look is about: the same where nothing has moved. */
type View = {
  readonly of: BranchOf;
  readonly commonDir: string;
  readonly tip: string;
  /** Where the default branch is, by each ref that knows it. */
  readonly into: readonly string[];
  readonly mark: string;
};

export function gitMerges(on: On): Merges {
  let looked: Looked = readLooked(on.home);
  const keep = (next: Looked): void => {
    looked = next;
    failpoint("merged.before-looked");
    // Whoever cannot write it looks more often than needed.
    unless(UNREADABLE, () => {
      makeFolder(on.home.root);
      writePrivate(lookedFile(on.home), `${JSON.stringify(next)}\n`);
    });
    failpoint("merged.after-looked");
  };
  return {
    news(all) {
      const at = Date.now() - COARSE_MS;
      const isMoved = [...new Map(all.map((of) => [of.repo, of.defaultBranch]))].some(([repo, branch]) =>
        orNothing(() => mayHaveMoved(repo, branch, looked.at)),
      );
      const runs = new Set(all.map(({ run }) => run));
      const isLess = Object.keys(looked.branches).some((run) => !runs.has(run));
      const news = all.filter((of) => {
        const view = viewOf(of);
        return view !== undefined && looked.branches[of.run]?.mark !== view.mark;
      });
      if (isMoved || isLess) keep({ at, branches: pick(looked.branches, runs) });
      return news;
    },
    async merged(of) {
      const view = viewOf(of);
      if (view === undefined) return undefined;
      const { found, isAhead } = await lookAt(on, view, looked.branches[of.run]);
      if (found !== undefined) return found;
      const ahead = isAhead ? view.tip : (looked.branches[of.run]?.ahead ?? "");
      keep({ ...looked, branches: { ...looked.branches, [of.run]: { mark: view.mark, ahead } } });
      return undefined;
    },
  };
}

/** A repository that cannot be looked at has nothing to tell, and is no reason not to look at the others. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function pick(branches: Looked["branches"], runs: ReadonlySet<string>): Looked["branches"] {
  return Object.fromEntries(Object.entries(branches).filter(([run]) => runs.has(run)));
}

/** From files alone. Undefined where there is nothing to be told about. */
function viewOf(of: BranchOf): View | undefined {
  return orNothing(() => {
    const gitDir = gitDirOf(of.repo);
    const into = gitDir === undefined ? undefined : defaultBranchOf(of.repo, of.defaultBranch);
    if (gitDir === undefined || into === undefined || into === of.branch || of.branch === "")
      return undefined;
    const commonDir = commonDirOf(gitDir);
    if (isTabled(commonDir)) return tabled(of, commonDir);
    const tip = refAt(commonDir, `refs/heads/${of.branch}`);
    if (tip === undefined) return undefined;
    const oids = defaultRefs(into).flatMap((ref) => refAt(commonDir, ref) ?? []);
    return { of, commonDir, tip, into: [...new Set(oids)], mark: [tip, ...oids].join(" ") };
  });
}

/** Refs that only git reads are read when it is looked at; that something has moved is all that can be told. */
function tabled(of: BranchOf, commonDir: string): View {
  const { mtimeMs, size } = statSync(join(commonDir, "reftable/tables.list"));
  return { of, commonDir, tip: "", into: [], mark: `${mtimeMs} ${size}` };
}

type Looking = {
  readonly found: Awaited<ReturnType<Merges["merged"]>>;
  /** The default branch does not contain it: should it do so later, the default branch has moved to it. */
  readonly isAhead: boolean;
};

const NOTHING: Looking = { found: undefined, isAhead: false };

async function lookAt(on: On, seen: View, known: Remembered | undefined): Promise<Looking> {
  const view = seen.tip === "" ? await resolved(on, seen) : seen;
  if (view === undefined) return NOTHING;
  const { tip, into, of, commonDir } = view;
  if (tip === of.base || into.length === 0) return NOTHING;
  // The default branch has not moved since the run began.
  if (into.every((oid) => oid === of.base)) return { found: undefined, isAhead: true };
  return withObjects(on, { commonDir, oid: tip }, async (call) => {
    const asked = (args: readonly string[]): Promise<{ code: number; out: string }> =>
      tryGit(on.env, { ...call, args }).then(({ code, out }) => ({ code, out: out.toString("utf8").trim() }));
    const own = await asked(["rev-list", "--max-count=1", tip, `^${of.base}`]);
    if (own.code !== 0 || own.out === "") return NOTHING;
    const holders: string[] = [];
    for (const oid of into)
      if ((await asked(["merge-base", "--is-ancestor", tip, oid])).code === 0) holders.push(oid);
    const [holder] = holders;
    if (holder !== undefined) {
      const isOwn =
        known?.ahead === tip ||
        isMadeHere({ commonDir, branch: of.branch, tip }) ||
        !(await isOnTheWay(asked, view, holders));
      return isOwn ? { found: { tip, into: holder }, isAhead: false } : NOTHING;
    }
    for (const oid of into)
      if (await wouldChangeNothing(asked, tip, oid)) return { found: { tip, into: oid }, isAhead: true };
    return { found: undefined, isAhead: true };
  });
}

type Ask = (args: readonly string[]) => Promise<{ readonly code: number; readonly out: string }>;

async function resolved(on: On, view: View): Promise<View | undefined> {
  const { of, commonDir } = view;
  const into = defaultBranchOf(of.repo, of.defaultBranch);
  const read = async (ref: string): Promise<readonly string[]> => {
    const args = ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`];
    const { code, out } = await tryGit(on.env, { cwd: commonDir, gitDir: commonDir, args });
    return code === 0 ? [out.toString("utf8").trim()] : [];
  };
  const [tip] = await read(`refs/heads/${of.branch}`);
  if (tip === undefined || into === undefined) return undefined;
  const oids = (await Promise.all(defaultRefs(into).map(read))).flat();
  return { ...view, tip, into: [...new Set(oids)] };
}

/** Whether the default branch itself was once where the branch is now: then nobody needs to have merged anything. */
async function isOnTheWay(asked: Ask, { tip, of, into }: View, holders: readonly string[]): Promise<boolean> {
  for (const oid of new Set([...holders, ...into])) {
    const way = await asked(["rev-list", "--first-parent", oid, `^${of.base}`]);
    if (way.code !== 0 || way.out.split("\n").includes(tip)) return true;
  }
  return false;
}

/** The branch changes something, and all of that is there already. */
async function wouldChangeNothing(asked: Ask, tip: string, oid: string): Promise<boolean> {
  const fork = await asked(["merge-base", tip, oid]);
  if (fork.code !== 0) return false;
  const trees = await asked(["rev-parse", `${fork.out}^{tree}`, `${tip}^{tree}`, `${oid}^{tree}`]);
  const [before, after, there] = trees.out.split("\n");
  if (trees.code !== 0 || before === after || before === there) return false;
  const merged = await asked(["merge-tree", "--write-tree", "--no-messages", oid, tip]);
  return merged.code === 0 && merged.out === there;
}

/** Entries of git's own log of a branch by which something new came to be; the rest only moves it to what there is. */
const MADE = /^(?:commit|cherry-pick|revert|am)\b|: Merge made by/;
const REBASED = /\(finish\): .* onto ([0-9a-f]+)$/;

/** By git's own log of the branch: its tip was made on it. */
function isMadeHere(of: {
  readonly commonDir: string;
  readonly branch: string;
  readonly tip: string;
}): boolean {
  const lines = tailOf(join(of.commonDir, "logs/refs/heads", of.branch))
    .split("\n")
    .toReversed();
  for (const line of lines) {
    const [head = "", message = ""] = line.split("\t", 2);
    const [old, now] = head.split(" ", 2);
    if (now === undefined || old === now) continue;
    if (now !== of.tip) return false;
    const onto = REBASED.exec(message)?.[1];
    return onto === undefined ? MADE.test(message) : onto !== of.tip;
  }
  return false;
}

function tailOf(file: string): string {
  return (
    unless(UNREADABLE, () => {
      const fd = openSync(file, "r");
      try {
        const { size } = fstatSync(fd);
        const bytes = Buffer.alloc(Math.min(size, LOG_BYTES));
        readSync(fd, bytes, 0, bytes.length, size - bytes.length);
        return bytes.toString("utf8");
      } finally {
        closeSync(fd);
      }
    }) ?? ""
  );
}
