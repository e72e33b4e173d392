/** The last look at default branches, remembered so that neither the next supervisor nor any command looks without need. */

import { isHalted } from "../../../engine/halted.ts";
import { join } from "node:path";
import type { Store } from "../../../engine/ports/store.ts";
import { jsonOfOwn } from "../../home/own-file.ts";
import type { Home } from "../../home/paths.ts";
import { mayHaveMoved } from "../repository/branches.ts";

export type BranchLook = {
  readonly at: number;
  /** For each run, where it and the default branch were. */
  readonly branches: Readonly<Record<string, string>>;
};

export function lookedFile(home: Home): string {
  return join(home.root, "branches.json");
}

/** What cannot be read was never looked at: the worst of it is one look too many. */
export function readLooked(home: Home): BranchLook {
  const value = jsonOfOwn(lookedFile(home));
  if (typeof value !== "object" || value === null || !("at" in value) || !("branches" in value)) return NEVER;
  const { at, branches } = value;
  if (typeof at !== "number" || typeof branches !== "object" || branches === null) return NEVER;
  const pairs = Object.entries(branches).filter(
    (pair): pair is [string, string] => typeof pair[1] === "string",
  );
  return { at, branches: Object.fromEntries(pairs) };
}

const NEVER: BranchLook = { at: 0, branches: {} };

type BranchStore = Pick<Store, "workspaces" | "projectAt" | "marks">;

/** Whether some default branch may have moved since the last look, of a project in which a run has a workspace. A few looks at files. */
export async function areBranchesNews(store: BranchStore, home: Home): Promise<boolean> {
  const repos = Map.groupBy(await store.workspaces(), ({ repo }) => repo);
  if (repos.size === 0) return false;
  const { at } = readLooked(home);
  for (const [repo, rows] of repos) {
    const { defaultBranch = "" } = (await store.projectAt(repo)) ?? {};
    if (!isMoved(home, { repo, named: defaultBranch, at })) continue;
    // The supervisor looks at no branch of a run that is halted: for it, it would leave again at once.
    for (const { run, status } of rows) if (status === "bound" && !(await isHalted(store, run))) return true;
  }
  return false;
}

function isMoved(
  home: Home,
  of: { readonly repo: string; readonly named: string; readonly at: number },
): boolean {
  try {
    return mayHaveMoved(home, of, of.at);
  } catch {
    // A repository that cannot be looked at has nothing to tell.
    return false;
  }
}
