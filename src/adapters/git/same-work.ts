/**
 * Whether a commit holds what a digest said about a branch.
 *
 * A person who merges has looked at the work, and so has the gate; an agent may commit between the look and the merge. What was looked
 * at is bound by content, so that going there and back between two looks is of no use.
 */

import { join } from "node:path";
import { artifactTest } from "./artifact-paths.ts";
import { git } from "./call.ts";
import type { On } from "./own.ts";
import { withObjects } from "./plain.ts";
import { withScratch } from "./scratch.ts";

export type Looked = {
  /** The digest of the work, as it was when it was looked at. */
  readonly tree: string;
  readonly artifacts: readonly string[];
};

export async function isSameWork(
  on: On,
  of: { readonly commonDir: string; readonly tip: string },
  { tree, artifacts }: Looked,
): Promise<boolean> {
  const wanted = tree.split("+").at(-1) ?? tree;
  const { commonDir, tip } = of;
  return withObjects(on, { commonDir, oid: tip }, async (plain) => {
    const whole = await git(on.env, { ...plain, args: ["rev-parse", "--verify", `${tip}^{tree}`] });
    if (whole === wanted) return true;
    // Somebody has committed an artifact, which is no part of the work.
    return withScratch(on, async (index) => {
      // An index takes a work tree; this one is empty.
      const call = { ...plain, index, workTree: join(plain.cwd, "refs") };
      await git(on.env, { ...call, args: ["read-tree", tip] });
      const listed = await git(on.env, { ...call, args: ["ls-tree", "-r", "-z", "--name-only", tip] });
      const isArtifact = artifactTest(artifacts);
      const names = Buffer.from(listed, "utf8").toString("latin1").split("\0").filter(isArtifact);
      if (names.length === 0) return false;
      const input = Buffer.from(names.map((name) => `${name}\0`).join(""), "latin1");
      await git(on.env, {
        ...call,
        args: ["update-index", "-z", "--force-remove", "--stdin"],
        input,
      });
      return (await git(on.env, { ...call, args: ["write-tree", "--missing-ok"] })) === wanted;
    });
  });
}
