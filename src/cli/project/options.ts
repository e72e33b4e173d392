/** What a person may set of a project. */

import type { Given, Option } from "../command.ts";
import { numberOption } from "../number-option.ts";

const POOL_MAX = 256;

export const PROJECT_OPTIONS: Readonly<Record<string, Option>> = {
  name: { takes: "NAME", about: "what it is called: part of paths, so letters, digits, _, - and ." },
  "pool-size": { takes: "N", about: "at most so many tasks at the same time" },
  "default-branch": { takes: "BRANCH", about: "the branch that work begins from and is merged into" },
  remote: { takes: "URL|none", about: "where that branch is fetched from" },
};

export function poolSizeOf(given: Given, help: string): number | undefined {
  if (given.options["pool-size"] === undefined) return undefined;
  return numberOption(given, "pool-size", { otherwise: 0, min: 1, max: POOL_MAX, help });
}
