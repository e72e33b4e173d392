/**
 * Whether the work of a run has landed in the default branch by other means than `task merge`.
 *
 * It is looked for by content: the handover commit of the work, in each ref by which the default branch is known. What is found is a
 * proposal to a person. It proves nothing: an agent without a sandbox can write refs, merge in the user's checkout and push.
 */

import { statSync } from "node:fs";
import { join } from "node:path";
import type { Landing, Merges, WorkOf } from "../../../engine/ports/merges.ts";
import { failpoint } from "../../failpoint.ts";
import { unless } from "../../files/errno.ts";
import { makeFolder, writePrivate } from "../../home/folders.ts";
import { withBoth } from "../call/scratch.ts";
import { mirrorOf, workRef } from "../mirror/names.ts";
import { defaultBranchOf, defaultRefs, mayHaveMoved, type DefaultRefs } from "../repository/branches.ts";
import { commonDirOf, gitDirOf } from "../repository/locate.ts";
import { isTabled, refAt } from "../repository/refs.ts";
import type { Git } from "../workspace/bench.ts";
import { asking, containmentOf, sayCommit } from "./containment.ts";
import { lookedFile, readLooked, type BranchLook } from "./last-look.ts";
import { tipIn } from "./publish.ts";

const UNREADABLE = ["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ELOOP", "EPERM"];
/** A file may seem to be older than it is, by as much as the system's own clock is coarse. */
const COARSE_MS = 20;

/** What a look is about: the same where nothing has moved. */
type View = {
  readonly of: WorkOf;
  readonly commonDir: string;
  readonly mirror: string;
  readonly refs: DefaultRefs;
  /** The handover commit. */
  readonly work: string;
  readonly mark: string;
};

export function gitMerges(on: Git): Merges {
  let looked: BranchLook = readLooked(on.home);
  /** Where everything was at the last look: it may have moved before that is remembered. */
  const marks = new Map<string, string>();
  const keep = (next: BranchLook): void => {
    looked = next;
    failpoint("merged.before-looked");
    // If it cannot be written, the next supervisor looks more often than needed.
    unless(UNREADABLE, () => {
      makeFolder(on.home.root);
      writePrivate(lookedFile(on.home), `${JSON.stringify(next)}\n`);
    });
    failpoint("merged.after-looked");
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
        return view !== undefined && looked.branches[of.run] !== view.mark;
      });
      if (isMoved || isLess) keep({ at, branches: pick(looked.branches, runs) });
      return news;
    },
    async landing(of) {
      const view = viewOf(on, of);
      if (view === undefined) return undefined;
      marks.set(of.run, view.mark);
      return lookAt(on, view);
    },
    remember(of) {
      const mark = marks.get(of.run) ?? viewOf(on, of)?.mark;
      if (mark !== undefined) keep({ ...looked, branches: { ...looked.branches, [of.run]: mark } });
    },
  };
}

/** A repository that cannot be read does not keep the engine from reading the others. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function pick(branches: BranchLook["branches"], runs: ReadonlySet<string>): BranchLook["branches"] {
  return Object.fromEntries(Object.entries(branches).filter(([run]) => runs.has(run)));
}

/** From files alone. Undefined where there is nothing to look for: no repository, no default branch, or nothing handed over. */
function viewOf(on: Git, of: WorkOf): View | undefined {
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
    return { of, commonDir, mirror, refs, work, mark: [of.entry, work, ...oids].join(" ") };
  });
}

/** Where the refs are; of refs that only git can read, that something has moved is all that can be told. */
function stateOf(commonDir: string, { local, fetched }: DefaultRefs): readonly (string | undefined)[] {
  if (!isTabled(commonDir)) return [refAt(commonDir, local), refAt(commonDir, fetched)];
  const { mtimeMs, size } = statSync(join(commonDir, "reftable/tables.list"));
  return [`${mtimeMs}`, `${size}`];
}

type Target = { readonly ref: string; readonly oid: string };

/** The first ref that has the work. */
async function lookAt(on: Git, view: View): Promise<Landing | undefined> {
  const { commonDir, mirror, work, of } = view;
  try {
    const targets = await targetsOf(on, view);
    return await withBoth(on, { commonDir, mirror, oid: work }, async (call) => {
      const ask = asking(on.env, call);
      for (const { ref, oid } of targets) {
        const there = await containmentOf(ask, { work, base: of.base, target: oid });
        if (there.type === "contained")
          return { ref, commit: there.by, by: (await sayCommit(ask, there.by)).by };
      }
      return undefined;
    });
  } catch {
    // The repository is gone or damaged.
    return undefined;
  }
}

async function targetsOf(on: Git, { commonDir, mirror, refs }: View): Promise<readonly Target[]> {
  const kinds = ["local", "upstream", "fetched"] as const;
  const targets = kinds.map(async (kind) => {
    const ref = refs[kind];
    const oid = kind === "upstream" ? refAt(mirror, ref) : await tipIn(on, commonDir, ref);
    return oid === undefined ? [] : [{ ref, oid }];
  });
  return (await Promise.all(targets)).flat();
}
