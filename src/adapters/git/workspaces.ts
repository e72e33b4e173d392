/** Workspaces of runs as git worktrees. */

import { existsSync, realpathSync } from "node:fs";
import type { Workspaces } from "../../engine/ports.ts";
import type { Env, Home } from "../home/paths.ts";
import { UserError } from "../user-error.ts";
import { gitDirOf } from "./locate.ts";
import { whileLocked } from "./lock.ts";
import { refuseRunName } from "./names.ts";
import { prepare } from "./prepare.ts";
import { release } from "./release.ts";
import { snapshot } from "./snapshot.ts";
import { treeOf } from "./tree.ts";
import type { Bench } from "./tree.ts";

type On = {
  readonly home: Home;
  readonly env: Env;
  /** A process that does one thing and leaves, as commands do. */
  readonly isAlone?: boolean;
};

export function gitWorkspaces(on: On): Workspaces {
  const lock = (repo: string) => ({ folder: on.home.locks, repo });
  return {
    prepare: async (of) => {
      refuseRunName(of.run);
      return whileLocked(lock(of.repo), () => prepare(on, of));
    },
    digest: async (path, artifacts) =>
      treeOf(on, { ...benchAt(path), isAlone: on.isAlone === true }, artifacts),
    snapshot: async (of) => {
      refuseRunName(of.run);
      return snapshot(on, benchAt(of.path), of);
    },
    release: async (of) => {
      refuseRunName(of.run);
      const path = existsSync(of.path) ? realpathSync(of.path) : of.path;
      return whileLocked(lock(of.repo), () => release(on, { ...of, path }));
    },
  };
}

function benchAt(path: string): Bench {
  const gitDir = gitDirOf(path);
  if (gitDir === undefined)
    throw new UserError("no-workspace", `${path} is no working tree of git any more.`, "signalbox doctor");
  return { path: realpathSync(path), gitDir };
}
