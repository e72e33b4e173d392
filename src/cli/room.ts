/**
 * Where a run takes a workspace as it begins, one must be free: only a run that waits at its beginning can stand in the queue.
 * Whoever is refused is told who has them, and what to type.
 */

import { UserError } from "../adapters/user-error.ts";
import { POOL_SIZE } from "../engine/project-name.ts";
import type { Acting } from "./acting.ts";
import { startMove, type Start } from "./beginning.ts";
import { EXIT_GATE, type Given } from "./command.ts";
import type { Site } from "./site.ts";
import { typedAgain } from "./typed.ts";

export function requireRoom(
  { box: { store } }: Acting,
  site: Site,
  of: Start & { readonly given: Given },
): void {
  const { loaded, repo } = site;
  const isTaken = startMove(loaded.workflow, of)?.reserve.includes("workspace") === true;
  if (!isTaken || store.hasRoom(repo)) return;
  const users = store.pool(repo).flatMap(({ run }) => (run === "" ? [] : [run]));
  const size = Math.max(store.projectAt(repo)?.poolSize ?? POOL_SIZE, users.length);
  const again = typedAgain(loaded.name, of.given);
  throw new UserError(
    "no-workspace-free",
    `all ${size} workspaces of this repository are in use, by ${users.join(", ")}; it can begin when one of them has ended, or with one more`,
    { next: `signalbox project update --pool-size ${size + 1}, then: ${again}`, exit: EXIT_GATE },
  );
}
