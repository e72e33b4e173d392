/**
 * Which objects the work holds that its commit does not, as they were found for its digest: whoever makes a snapshot of just that need not
 * ask git for them.
 */

import type { Bench, On } from "./own.ts";

type Work = { readonly commit: string; readonly tree: string };
type Known = Work & { readonly objects: readonly string[] };

/** By folder of ours: several runs may work in one tree, each with a digest of its own. */
const known = new WeakMap<On, Map<string, readonly Known[]>>();

const WORKS_MAX = 16;
/** More than that, git lists quicker than we look for each. */
const OBJECTS_MAX = 1000;

export function rememberObjects(on: On, { own }: Bench, work: Known): void {
  if (work.objects.length > OBJECTS_MAX) return;
  const all = known.get(on) ?? new Map<string, readonly Known[]>();
  const others = (all.get(own) ?? []).filter((one) => !isSame(one, work));
  known.set(on, all.set(own, [...others, work].slice(-WORKS_MAX)));
}

/** Undefined where nobody remembers. */
export function rememberedObjects(on: On, { own }: Bench, work: Work): readonly string[] | undefined {
  return known
    .get(on)
    ?.get(own)
    ?.find((one) => isSame(one, work))?.objects;
}

function isSame(one: Work, other: Work): boolean {
  return one.commit === other.commit && one.tree === other.tree;
}
