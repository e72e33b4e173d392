/** What git was in the middle of when a workspace was given back. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../../adapters/files/errno.ts";

const OPERATIONS: Readonly<Record<string, string>> = {
  "rebase-merge": "a rebase",
  "rebase-apply": "a rebase",
  MERGE_HEAD: "a merge",
  CHERRY_PICK_HEAD: "a cherry-pick",
  REVERT_HEAD: "a revert",
  sequencer: "a sequence of picks",
  BISECT_LOG: "a bisection",
  modules: "submodules",
};

export function operationsIn(kept: readonly string[]): readonly string[] {
  const names = kept.flatMap(
    (folder) => unless(["ENOENT", "ENOTDIR"], () => readdirSync(join(folder, ".git"))) ?? [],
  );
  const plain = names.map((name) => name.replace(/~\d+$/, ""));
  return [
    ...new Set(plain.flatMap((name) => (Object.hasOwn(OPERATIONS, name) ? (OPERATIONS[name] ?? []) : []))),
  ];
}
