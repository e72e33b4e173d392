/**
 * Repositories inside a workspace that its branch does not have as submodules.
 *
 * Git holds them by the name of a commit at most: what is in them is in no digest and in no review, so nobody can have passed it.
 */

import { writeFileSync } from "node:fs";
import { UserError } from "../user-error.ts";
import { gitRecords } from "./call.ts";
import type { IndexFile } from "./index-file.ts";
import { at } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { withScratch } from "./scratch.ts";

const GATE = 5;

type Wanted = {
  readonly run: string;
  /** Of the commit that the work tree is at. */
  readonly index: IndexFile;
  readonly exclude: string;
};

/** What is ignored, or left out of the commit, is nobody's loss. */
export async function requireNoneNested(
  on: On,
  bench: Bench,
  { run, index, exclude }: Wanted,
): Promise<void> {
  const names = await withScratch(on, (patterns) =>
    withScratch(on, (file) => {
      writeFileSync(patterns, `${exclude}\n`, { mode: 0o600 });
      writeFileSync(file, index.bytes, { mode: 0o600 });
      const args = ["ls-files", "-z", "--others", "--exclude-standard", `--exclude-from=${patterns}`];
      return gitRecords(on.env, { ...at(bench, file), args });
    }),
  );
  // Of all that git does not know, only these are folders.
  const nested = names.find((name) => name.endsWith("/"));
  if (nested === undefined) return;
  const folder = Buffer.from(nested.slice(0, -1), "latin1").toString("utf8");
  throw new UserError(
    "nested-repository",
    `${folder} in the workspace of ${run} is a git repository of its own, which nobody could look into: nothing is committed`,
    { next: `move ${bench.path}/${folder}/.git away, or have the folder left out`, exit: GATE },
  );
}
