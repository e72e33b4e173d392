/**
 * Workspaces as a command of a person sees them: those of workers whose state home is on this machine.
 *
 * What must look at the work of another machine is refused, with the path of the workspace there.
 */

import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Workspaces } from "../../engine/ports/files.ts";
import { homeAt, type Home } from "../home/paths.ts";
import { UserError } from "../user-error.ts";

const EXIT_GATE = 5;

/** Whether the workspace belongs to another state home: that of a worker, on this machine or on another one. */
export function isOfOtherHome(own: Home, path: string): boolean {
  return dirname(dirname(path)) !== own.root && basename(dirname(path)) === "workspaces";
}

export function workspacesOfMachine(own: Home, open: (home: Home) => Workspaces): Workspaces {
  const here = open(own);
  const of = (path: string): Workspaces => {
    if (!isOfOtherHome(own, path)) return here;
    if (existsSync(path)) return open(homeAt(dirname(dirname(path))));
    throw new UserError("other-machine", `the workspace ${path} is on another machine`, {
      next: "decide on that machine, with the same SIGNALBOX_DATABASE",
      exit: EXIT_GATE,
    });
  };
  return {
    ...here,
    digest: async (path, artifacts) => of(path).digest(path, artifacts),
    files: async (path, tree) => of(path).files(path, tree),
    besides: async (path, rules) => of(path).besides(path, rules),
    requireDeliverable: async (work) => of(work.path).requireDeliverable(work),
    snapshot: async (work) => of(work.path).snapshot(work),
    usable: async (path) => of(path).usable(path),
    release: async (work) => of(work.path).release(work),
  };
}
