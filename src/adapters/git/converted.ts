/**
 * Files that say something else than git believes since the attributes are others.
 *
 * While somebody's attributes were there, git took `a\r\n` for `a\n`, and left the file alone when it became `a\n`. Without them it is
 * another text. Its exact bytes were saved with the work, and git puts its own there.
 */

import { git, gitRecords } from "./call.ts";
import { at, within } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { withScratch } from "./scratch.ts";

type Turned = {
  readonly from: string;
  readonly to: string;
  /** The index of what is there now. */
  readonly index: string;
};

const CHECKOUT_MS = 30 * 60_000;

export async function putBackConverted(on: On, bench: Bench, turned: Turned): Promise<void> {
  const { from, to, index } = turned;
  const attributes = [":(top,glob)**/.gitattributes"];
  const changed = await gitRecords(on.env, {
    ...within(bench),
    args: ["diff-tree", "-r", "-z", "--no-renames", "--name-only", from, to, "--", ...attributes],
  });
  if (changed.length === 0) return;
  // Looked at by an index that knows nothing of the files: git reads each of them.
  const odd = await withScratch(on, async (fresh) => {
    const call = { ...at(bench, fresh), limitMs: CHECKOUT_MS };
    await git(on.env, { ...call, args: ["read-tree", to] });
    return gitRecords(on.env, { ...call, args: ["ls-files", "-z", "--modified"] });
  });
  if (odd.length === 0) return;
  await git(on.env, {
    ...at(bench, index),
    limitMs: CHECKOUT_MS,
    args: ["checkout-index", "--force", "--index", "-z", "--stdin"],
    input: Buffer.from(odd.map((name) => `${name}\0`).join(""), "latin1"),
  });
}
