/** What becomes of work that is done, with git and gh. */

import type { Completion } from "../../engine/ports/completion.ts";
import { commitWork } from "../git/snapshot/work-commit.ts";
import { whileLocked } from "../git/call/locks.ts";
import { refuseRunName } from "../git/mirror/names.ts";
import type { Git } from "../git/workspace/bench.ts";
import { tagWork } from "../git/delivery/tag.ts";
import { openPullRequest } from "./pull-request.ts";

export function completionBy(on: Git): Completion {
  return {
    commit: async (of) => {
      refuseRunName(of.run);
      return whileLocked({ folder: on.home.locks, repo: of.repo }, () => commitWork(on, of));
    },
    open: (of) => openPullRequest(on, of),
    tag: (of) => whileLocked({ folder: on.home.locks, repo: of.repo }, () => tagWork(on, of)),
  };
}
