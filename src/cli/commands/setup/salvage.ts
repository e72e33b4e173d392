/** `signalbox salvage`: what runs left when their workspaces were released, and how to get it back. */

import type { Group } from "../../command.ts";

export const command: Group = {
  about:
    "Nothing in a workspace is thrown away when it is released: what no branch has is kept.\nAn ID is that of the run; its first letters are enough.",
  parts: {
    list: { about: "list what runs left, the newest first", load: () => import("../../salvage/list.ts") },
    show: { about: "show what a run left", load: () => import("../../salvage/show.ts") },
    restore: { about: "restore all of it in a new folder", load: () => import("../../salvage/restore.ts") },
  },
  examples: ["signalbox salvage list", "signalbox salvage show k3d9", "signalbox salvage restore k3d9"],
};
