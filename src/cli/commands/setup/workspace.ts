/** `signalbox workspace`: the workspaces of runs. */

import type { Group } from "../../command.ts";

export const command: Group = {
  about:
    "Each run that needs one has a workspace of its own. It is made when the run needs it, kept while the run waits, and removed when the run is over.\nHow many agents work at the same time is said by `signalbox project update --agents`.",
  parts: {
    list: {
      about: "list workspaces, their runs, and what is odd",
      load: () => import("../../workspace/list.ts"),
    },
    gc: {
      about: "release what no run needs any more; nothing in it is lost",
      load: () => import("../../workspace/gc.ts"),
    },
  },
  examples: ["signalbox workspace list", "signalbox workspace gc"],
};
