/** `signalbox workspace`: the worktrees of projects, and who has them. */

import type { Group } from "../command.ts";

export const command: Group = {
  about:
    "Each project has a pool of worktrees. They are made when they are needed, and stay for the next task.\nHow many there can be is said by `signalbox project update --pool-size`.",
  parts: {
    list: {
      about: "list worktrees, who has them, and what is odd",
      load: () => import("../workspace/list.ts"),
    },
    init: {
      about: "make the worktrees of a project before they are needed",
      load: () => import("../workspace/init.ts"),
    },
    gc: {
      about: "give back what nobody needs any more; nothing in it is lost",
      load: () => import("../workspace/gc.ts"),
    },
  },
  examples: ["signalbox workspace list", "signalbox workspace gc"],
};
