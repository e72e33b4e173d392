/**
 * Copies a commit, with everything that it reaches, from one repository to another as a pack.
 *
 * `git fetch` would read the configuration of the repository that it writes to, which can name commands. Objects are checked before
 * they are stored: each is what its id says, is well-formed, and refers only to objects that exist.
 */

import { tryGit, type Call } from "./call.ts";
import type { On } from "./own.ts";

export type Transfer = {
  readonly from: Omit<Call, "args">;
  readonly to: Omit<Call, "args">;
  readonly commit: string;
  /** Commits that both repositories have: what they reach is not copied. */
  readonly known: readonly string[];
};

const LIMIT_MS = 10 * 60_000;
/** As `git fetch` has it: few objects become files of their own, so that small packs do not pile up. */
const LOOSE_MAX = 100;
const COUNT_AT = 8;

/** Gives the reason where it cannot be copied; empty where it was. */
export async function transfer(on: On, { from, to, commit, known }: Transfer): Promise<string> {
  const packed = await tryGit(on.env, {
    ...from,
    args: ["pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset"],
    input: [commit, ...known.map((oid) => `^${oid}`), ""].join("\n"),
    limitMs: LIMIT_MS,
  });
  if (packed.code !== 0) return packed.err.trim();
  const isSmall = packed.out.readUInt32BE(COUNT_AT) < LOOSE_MAX;
  const args = isSmall ? ["unpack-objects", "-q", "--strict"] : ["index-pack", "--stdin", "--strict"];
  const stored = await tryGit(on.env, { ...to, args, input: packed.out, limitMs: LIMIT_MS, durable: true });
  return stored.code === 0 ? "" : stored.err.trim();
}
