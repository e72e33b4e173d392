/** Workspaces of runs as git worktrees. */

import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Workspaces } from "../../engine/ports/files.ts";
import type { Env, Home } from "../home/paths.ts";
import { whileLocked } from "./lock.ts";
import { treeBesides } from "./left-out.ts";
import { refuseRunName } from "./names.ts";
import { prepare } from "./prepare.ts";
import { release } from "./release.ts";
import { snapshot } from "./snapshot.ts";
import { openBench } from "./own.ts";
import { digest, filesOf, workOf } from "./tree.ts";

type On = {
  readonly home: Home;
  readonly env: Env;
  /** A process that does one thing and leaves, as commands do. */
  readonly isAlone?: boolean;
  readonly later?: (work: () => void) => void;
};

export function gitWorkspaces(on: On): Workspaces {
  const lock = (repo: string) => ({ folder: on.home.locks, repo });
  return {
    prepare: async (of) => {
      refuseRunName(of.run);
      return whileLocked(lock(of.repo), () => prepare(on, of));
    },
    digest: async (path, artifacts) =>
      digest(on, { ...(await openBench(on, path)), isAlone: on.isAlone === true }, artifacts),
    files: async (path, tree) => filesOf(on, await openBench(on, path), tree),
    besides: async (path, { tree, rules }) =>
      treeBesides(on, await openBench(on, path), { work: workOf(tree), rules }),
    snapshot: async (of) => {
      refuseRunName(of.run);
      return snapshot(on, await openBench(on, of.path), of);
    },
    release: async ({ onlyIf, ...of }) => {
      refuseRunName(of.run);
      if (of.path === of.repo) throw new Error(`${of.path} is a person's own: nothing in it is ever removed`);
      // Only what is above it: a link in its place leads to what is not ours.
      const above = dirname(of.path);
      const path = existsSync(above) ? join(realpathSync(above), basename(of.path)) : of.path;
      return whileLocked(lock(of.repo), async () =>
        onlyIf?.() === false ? { salvage: "", kept: "", stays: true } : release(on, { ...of, path }),
      );
    },
  };
}
