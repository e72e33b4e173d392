/** `signalbox salvage`: what was kept when workspaces were given back, and how to get it back. */

import type { Group } from "../command.ts";

export const command: Group = {
  about:
    "Nothing that was in a workspace is thrown away when it is given back: what no branch holds is kept.\nAn ID is that of the run; its first letters are enough.",
  parts: {
    list: { about: "list what was kept, the newest first", load: () => import("../salvage/list.ts") },
    show: { about: "show what is in it", load: () => import("../salvage/show.ts") },
    restore: {
      about: "get all of it back in a new folder, or as a new branch",
      load: () => import("../salvage/restore.ts"),
    },
  },
  examples: ["signalbox salvage list", "signalbox salvage show k3d9", "signalbox salvage restore k3d9"],
};
