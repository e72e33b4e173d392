/**
 * Whether the work of a run has landed in the default branch by other means than `task merge`.
 *
 * It is looked for by content: the handover commit of the work, in each ref by which the default branch is known. A ref alone proves
 * nothing, because an agent may have written it. It counts as proven where the target was seen without the work before, and a checkout
 * of the branch has followed, or the remote says the same.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import type { Landing, Merges, WorkOf } from "../../engine/ports/merges.ts";
import { failpoint } from "../failpoint.ts";
import { unless } from "../files/errno.ts";
import { makeFolder, writePrivate } from "../home/folders.ts";
import { tryGit } from "./call.ts";
import { stagedIn, withCheckout } from "./checkout.ts";
import { asking, containmentOf, sayCommit, type Ask } from "./containment.ts";
import { defaultBranchOf, defaultRefs, mayHaveMoved, type DefaultRefs } from "./default-refs.ts";
import { commonDirOf, gitDirOf } from "./locate.ts";
import { lookedFile, readLooked, type Looked } from "./looked.ts";
import { checkoutsOf } from "./merge.ts";
import { mirrorOf, workRef } from "./names.ts";
import type { On } from "./own.ts";
import { withBoth } from "./plain.ts";
import { tipIn } from "./publish.ts";
import { isTabled, refAt } from "./refs.ts";

const UNREADABLE = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ELOOP", "EPERM"];
/** A file may seem to be older than it is, by as much as the system's own clock is coarse. */
const COARSE_MS = 20;
const REMOTE_MS = 60_000;

/** What a look is about: the same where nothing has moved. */
type View = {
  readonly of: WorkOf;
  readonly commonDir: string;
  readonly mirror: string;
  readonly branch: string;
  readonly refs: DefaultRefs;
  /** The handover commit. */
  readonly work: string;
  readonly mark: string;
};

export function gitMerges(on: On): Merges {
  let looked: Looked = readLooked(on.home);
  /** Where everything was at the last look: it may have moved before that is remembered. */
  const marks = new Map<string, string>();
  const keep = (next: Looked): void => {
    looked = next;
    failpoint("merged.before-looked");
    // If it cannot be written, the next supervisor looks more often than needed.
    unless(UNREADABLE, () => {
      makeFolder(on.home.root);
      writePrivate(lookedFile(on.home), `${JSON.stringify(next)}\n`);
    });
    failpoint("merged.after-looked");
  };
  const put = (run: string, known: Partial<Looked["branches"][string]>): void => {
    const before = looked.branches[run] ?? { mark: "", ahead: "" };
    keep({ ...looked, branches: { ...looked.branches, [run]: { ...before, ...known } } });
  };
  return {
    news(all) {
      const at = Date.now() - COARSE_MS;
      const projects = new Map(all.map(({ repo, defaultBranch: named }) => [repo, { repo, named }]));
      const isMoved = [...projects.values()].some((of) =>
        orNothing(() => mayHaveMoved(on.home, of, looked.at)),
      );
      const runs = new Set(all.map(({ run }) => run));
      const isLess = Object.keys(looked.branches).some((run) => !runs.has(run));
      const news = all.filter((of) => {
        const view = viewOf(on, of);
        return view !== undefined && looked.branches[of.run]?.mark !== view.mark;
      });
      if (isMoved || isLess) keep({ at, branches: pick(looked.branches, runs) });
      return news;
    },
    async landing(of) {
      const view = viewOf(on, of);
      if (view === undefined) return undefined;
      marks.set(of.run, view.mark);
      const { isAhead, found } = await lookAt(on, view, looked.branches[of.run]?.ahead === view.work);
      if (isAhead && looked.branches[of.run]?.ahead !== view.work) put(of.run, { ahead: view.work });
      return found;
    },
    remember(of) {
      const mark = marks.get(of.run) ?? viewOf(on, of)?.mark;
      if (mark !== undefined) put(of.run, { mark });
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

/** From files alone. Undefined where there is nothing to look for: no repository, no default branch, or nothing handed over. */
function viewOf(on: On, of: WorkOf): View | undefined {
  return orNothing(() => {
    const gitDir = gitDirOf(of.repo);
    const branch = gitDir === undefined ? undefined : defaultBranchOf(of.repo, of.defaultBranch);
    if (gitDir === undefined || branch === undefined || of.tree === "") return undefined;
    const mirror = mirrorOf(on.home, of.repo);
    const work = refAt(mirror, workRef(of.run, of.tree));
    if (work === undefined) return undefined;
    const commonDir = commonDirOf(gitDir);
    const refs = defaultRefs(branch);
    const oids = [...stateOf(commonDir, refs), refAt(mirror, refs.upstream)];
    return { of, commonDir, mirror, branch, refs, work, mark: [of.entry, work, ...oids].join(" ") };
  });
}

/** Where the refs are; of refs that only git can read, that something has moved is all that can be told. */
function stateOf(commonDir: string, { local, fetched }: DefaultRefs): readonly (string | undefined)[] {
  if (!isTabled(commonDir)) return [refAt(commonDir, local), refAt(commonDir, fetched)];
  const { mtimeMs, size } = statSync(join(commonDir, "reftable/tables.list"));
  return [`${mtimeMs}`, `${size}`];
}

type Looking = {
  /** No ref has the work: should one have it later, it has moved to it. */
  readonly isAhead: boolean;
  readonly found: Landing | undefined;
};

type Target = { readonly kind: keyof DefaultRefs; readonly ref: string; readonly oid: string };

async function lookAt(on: On, view: View, wasAhead: boolean): Promise<Looking> {
  const { commonDir, mirror, work, of } = view;
  try {
    const targets = await targetsOf(on, view);
    const landings = await withBoth(on, { commonDir, mirror, oid: work }, async (call) => {
      const ask = asking(on.env, call);
      const all: Landing[] = [];
      for (const target of targets) {
        const there = await containmentOf(ask, { work, base: of.base, target: target.oid });
        if (there.type !== "contained") continue;
        const { by } = await sayCommit(ask, there.by);
        const proven = wasAhead && (await isProven(on, view, { ...target, ask }));
        all.push({ ref: target.ref, commit: there.by, by, proven });
      }
      return all;
    });
    const isAhead = targets.length > 0 && landings.length === 0;
    return { isAhead, found: landings.find(({ proven }) => proven) ?? landings[0] };
  } catch {
    // The repository is gone or damaged: nobody can tell.
    return { isAhead: false, found: undefined };
  }
}

async function targetsOf(on: On, { commonDir, mirror, refs }: View): Promise<readonly Target[]> {
  const kinds = ["local", "upstream", "fetched"] as const;
  const targets = kinds.map(async (kind) => {
    const ref = refs[kind];
    const oid = kind === "upstream" ? refAt(mirror, ref) : await tipIn(on, commonDir, ref);
    return oid === undefined ? [] : [{ kind, ref, oid }];
  });
  return (await Promise.all(targets)).flat();
}

/** More than the ref says so. */
async function isProven(on: On, view: View, target: Target & { readonly ask: Ask }): Promise<boolean> {
  switch (target.kind) {
    case "upstream":
      // The engine fetched it from the address that a person gave.
      return true;
    case "fetched":
      return (await remoteTip(on, view)) === target.oid;
    case "local":
      return hasFollowed(on, view, target);
  }
}

/** A checkout of the branch has the work in its index: writing the ref alone leaves that as it was. */
async function hasFollowed(
  on: On,
  { commonDir, of, work }: View,
  { ref, oid, ask }: Target & { readonly ask: Ask },
): Promise<boolean> {
  const paths = await checkoutsOf(on, commonDir, ref);
  if (paths.length === 0) return false;
  const names = ["diff-tree", "-r", "-z", "--name-only", "--no-renames"];
  const { code, out } = await ask([...names, `${of.base}^{tree}`, `${work}^{tree}`]);
  const changed = new Set(out.split("\0").filter((name) => name !== ""));
  if (code !== 0) return false;
  for (const path of paths) {
    const staged = await withCheckout(on, path, (checkout) => stagedIn(on, checkout, oid));
    if (staged === undefined || staged.some((name) => changed.has(name))) return false;
  }
  return true;
}

/** Where the default branch is on the project's remote; undefined where nobody can be reached. */
async function remoteTip(on: On, { of, branch, mirror }: View): Promise<string | undefined> {
  if (of.remote === "") return undefined;
  const { code, out } = await tryGit(on.env, {
    cwd: mirror,
    gitDir: mirror,
    objects: join(mirror, "objects"),
    args: ["ls-remote", "--", of.remote, `refs/heads/${branch}`],
    limitMs: REMOTE_MS,
    isFetch: true,
  });
  const [oid = ""] = out.toString("utf8").split("\t");
  return code === 0 && oid !== "" ? oid : undefined;
}
