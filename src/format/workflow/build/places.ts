/** Where a run works: in a private clone, or in the user's checkout. One workflow does one of the two. */

import type { Build } from "./builder.ts";
import { report } from "./context.ts";

/** Deeds that need a branch of the run's own. In place, the branch is the person's. */
const ON_A_BRANCH = new Set(["commit", "pull-request", "tag"]);

export function checkPlaces({ context, named }: Build): void {
  const isInPlace = named.some(({ kind, name }) => kind === "resource" && name === "place");
  if (!isInPlace) return;
  for (const { kind, name, path } of named) {
    const message =
      kind === "resource" && name === "workspace"
        ? "this workflow works in place: a run has a workspace or the place, not both"
        : kind === "deed" && ON_A_BRANCH.has(name)
          ? `this workflow works in place, where the branch is the person's: it cannot perform ${name}`
          : undefined;
    if (message === undefined) continue;
    const code = kind === "deed" ? "bad-action" : "bad-resource";
    report(context, context.placeOf(path), { code, message });
  }
}
