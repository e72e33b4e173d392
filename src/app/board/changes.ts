/**
 * How much work is in a workspace: commits that its base does not have, and lines that differ from it, committed or not.
 *
 * Only numbers are wanted, so that nothing is written to the repository: new files are counted by an index of ours that knows
 * their names alone.
 */

import type { Env, Home } from "../../adapters/home/paths.ts";
import { tipOf } from "../../adapters/git/snapshot/agent-head.ts";
import { git } from "../../adapters/git/call/call.ts";
import { at, openBench, within, type Bench } from "../../adapters/git/workspace/bench.ts";
import { refAt } from "../../adapters/git/repository/refs.ts";
import { withCopy } from "../../adapters/git/snapshot/digest.ts";
import type { Work } from "./row.ts";

export type Place = {
  readonly path: string;
  /** The commit that the work began from. */
  readonly base: string;
  /** The branch that it is for; empty where nobody said. */
  readonly into: string;
};

type WorkPlace = { readonly home: Home; readonly env: Env };

const LIMIT_MS = 20_000;

/** Throws where git does: whoever asks shows that nothing is known. */
export async function changesIn(on: WorkPlace, { path, base, into }: Place): Promise<Work> {
  const bench = await openBench(on, path);
  const tip = await tipOf(on, bench);
  if (tip === "") return { ahead: null, added: null, removed: null };
  const target = into === "" ? undefined : refAt(bench.mirror, `refs/heads/${into}`);
  const ask = (...args: readonly string[]): Promise<string> =>
    git(on.env, { ...within(bench), args, limitMs: LIMIT_MS });
  const known = target === undefined || target === base ? [base] : [base, target];
  const ahead = Number(await ask("rev-list", "--count", tip, "--not", ...known));
  const from = target === undefined || target === base ? base : await laterOf(ask, { tip, base, target });
  const lines = await withCopy(on, bench, (index) => linesIn(on, bench, { index, from }));
  return { ahead, ...lines };
}

/** A branch that was put onto a newer target is compared with that, so that the work of others does not count. */
async function laterOf(
  ask: (...args: readonly string[]) => Promise<string>,
  { tip, base, target }: { readonly tip: string; readonly base: string; readonly target: string },
): Promise<string> {
  const common = await ask("merge-base", tip, target);
  const [later = base] = (await ask("merge-base", "--independent", base, common)).split("\n");
  return later;
}

async function linesIn(
  on: WorkPlace,
  bench: Bench,
  { index, from }: { readonly index: string; readonly from: string },
): Promise<Pick<Work, "added" | "removed">> {
  const call = { ...at(bench, index), limitMs: LIMIT_MS };
  await git(on.env, { ...call, args: ["add", "--intent-to-add", "--all", "."] });
  const args = ["diff", "--shortstat", "--no-ext-diff", "--no-textconv", "--no-renames", from, "--"];
  const said = await git(on.env, { ...call, args });
  const count = (word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(said)?.[1] ?? 0);
  return { added: count("insertion"), removed: count("deletion") };
}
