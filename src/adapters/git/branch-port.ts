/** Where work begins, and what its branch is called, in git. */

import type { Branches } from "../../engine/ports/files.ts";
import { baseOf } from "./base.ts";
import { changedIn } from "./changed.ts";
import { checkout } from "./in-place.ts";
import { whileLocked } from "./lock.ts";
import { refuseRunName } from "./names.ts";
import { openBench, type On } from "./own.ts";
import { presentBranch } from "./refs.ts";
import { rename } from "./rename.ts";

export function gitBranches(on: On): Branches {
  return {
    rename: async (of) => {
      refuseRunName(of.run);
      return whileLocked({ folder: on.home.locks, repo: of.repo }, () => rename(on, of));
    },
    baseOf: (of) => baseOf(on, of),
    checkout: (repo, artifacts) => checkout(on, repo, artifacts),
    changed: async (path, of) => changedIn(on, await openBench(on, path), of),
    branchAt: presentBranch,
  };
}
