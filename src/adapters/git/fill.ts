/**
 * Makes the files of a worktree those of a commit: only where they differ, and never over something that git did not put there.
 *
 * What is odd is neither what the index says nor what the commit says: the first is how it was left, the second what somebody who was
 * killed over this has done of it. It is moved aside.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unless } from "../files/errno.ts";
import { bytePath } from "./byte-path.ts";
import { git, gitRecords } from "./call.ts";
import type { Call } from "./call.ts";
import { isBelieved, parseIndex } from "./index-file.ts";
import { strangersIn } from "./keep.ts";
import { freeIndexLock } from "./leftover-lock.ts";
import { moveInto } from "./move.ts";
import { at } from "./own.ts";
import type { Bench, On } from "./own.ts";
import { withScratch } from "./scratch.ts";

export type Wanted = {
  readonly tip: string;
  /** Where what is odd is moved to. */
  readonly aside: string;
  readonly isReused: (name: string) => boolean;
};

const CHECKOUT_MS = 30 * 60_000;
const GITLINK = 0o160000;

export async function checkOut(on: On, bench: Bench, { tip, aside, isReused }: Wanted): Promise<void> {
  const index = join(bench.gitDir, "index");
  const call: Omit<Call, "args"> = { ...at(bench, index), limitMs: CHECKOUT_MS };
  await freeIndexLock(bench);
  const isBare = readdirSync(bench.path).every((name) => name === ".git");
  if (!isBare) {
    const left = await differing(on, bench, { index, isReused });
    const odd = left?.length === 0 ? [] : await oddIn(on, bench, { left, tip, isReused });
    for (const name of odd) moveInto(bytePath(bench.path, name), aside, name);
    if (left === undefined) await git(on.env, { ...call, args: ["read-tree", tip] });
  }
  await git(on.env, { ...call, args: ["read-tree", "--reset", "-u", tip] });
}

type Look = Pick<Wanted, "tip" | "isReused"> & { readonly left: readonly string[] | undefined };

async function oddIn(on: On, bench: Bench, { left, tip, isReused }: Look): Promise<readonly string[]> {
  const wanted = await withScratch(on, async (index) => {
    await git(on.env, { ...at(bench, index), args: ["read-tree", tip], limitMs: CHECKOUT_MS });
    return differing(on, bench, { index, isReused });
  });
  return left === undefined ? (wanted ?? []) : inBoth(left, wanted ?? []);
}

/** `undefined` where the index is not worth anything. */
async function differing(
  on: On,
  bench: Bench,
  { index, isReused }: Pick<Wanted, "isReused"> & { readonly index: string },
): Promise<readonly string[] | undefined> {
  const bytes = unless(["ENOENT"], () => readFileSync(index));
  const known = bytes === undefined ? undefined : parseIndex(bytes, bench.oidBytes);
  if (known === undefined || !isBelieved(known)) return undefined;
  const call: Omit<Call, "args"> = { ...at(bench, index), limitMs: CHECKOUT_MS };
  const [modified, gone] = await Promise.all([
    gitRecords(on.env, { ...call, args: ["ls-files", "-z", "--modified"] }),
    gitRecords(on.env, { ...call, args: ["ls-files", "-z", "--deleted"] }),
  ]);
  const missing = new Set(gone);
  const files = known.entries.filter(({ mode }) => mode !== GITLINK).map(({ name }) => name);
  const links = new Set(known.entries.filter(({ mode }) => mode === GITLINK).map(({ name }) => name));
  return [
    ...modified.filter((name) => !missing.has(name) && !links.has(name)),
    ...strangersIn(bench.path, files, isReused),
  ];
}

/** A name stands for everything below it. */
function inBoth(one: readonly string[], other: readonly string[]): readonly string[] {
  const ones = new Set(one);
  const others = new Set(other);
  const both = [
    ...one.filter((name) => isUnder(name, others)),
    ...other.filter((name) => isUnder(name, ones)),
  ];
  return [...new Set(both)];
}

function isUnder(name: string, names: ReadonlySet<string>): boolean {
  if (names.has(name)) return true;
  for (let end = name.lastIndexOf("/"); end > 0; end = name.lastIndexOf("/", end - 1))
    if (names.has(name.slice(0, end))) return true;
  return false;
}
