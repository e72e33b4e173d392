/** `signalbox project`: repositories that tasks are done in. */

import type { Group } from "../../command.ts";

export const command: Group = {
  about:
    "Projects: repositories that runs work in. A repository becomes one with its first run, or by `project add`.\nOnly people can change them.",
  parts: {
    add: { about: "make a repository a project", load: () => import("../../project/add.ts") },
    list: { about: "list the projects of this machine", load: () => import("../../project/list.ts") },
    update: {
      about: "change name, number of agents, branch or remote",
      load: () => import("../../project/update.ts"),
    },
    remove: {
      about: "forget a project; the repository stays as it is",
      load: () => import("../../project/remove.ts"),
    },
  },
  examples: ["signalbox project add --agents 6", "signalbox project list"],
};
