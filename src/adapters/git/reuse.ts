/** Paths that stay in a worktree of a pool when its run is over, like `node_modules`: settings say so, and git ignores them. */

import { nameOf } from "./byte-path.ts";

/** A name alone counts in every folder; a path counts from the top. Anything that leads outside counts nowhere. */
export function reuseTest(paths: readonly string[]): (name: string) => boolean {
  const plain = paths
    .map((path) => path.replace(/^(?:\.?\/+)+/, "").replace(/\/+$/, ""))
    .filter((path) => path !== "" && !path.split("/").some((part) => part === ".." || part === ".git"));
  const names = new Set(plain.filter((path) => !path.includes("/")).map(nameOf));
  const exact = new Set(plain.map(nameOf));
  return (name) => exact.has(name) || names.has(name.slice(name.lastIndexOf("/") + 1));
}
