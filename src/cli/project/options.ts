/** What a person may set of a project. */

import type { Given } from "../../app/invocation.ts";
import type { Option } from "../command.ts";
import { numberOption } from "../number-option.ts";

const AGENTS_MAX = 256;

export const PROJECT_OPTIONS: Readonly<Record<string, Option>> = {
  name: { takes: "NAME", about: "what it is called: part of paths, so letters, digits, _, - and ." },
  agents: { takes: "N", about: "at most N agents of this project work at the same time; 4 unless given" },
  "default-branch": { takes: "BRANCH", about: "the branch that work begins from and is merged into" },
  remote: { takes: "URL|none", about: "where that branch is fetched from" },
};

export function agentsOf(given: Given, help: string): number | undefined {
  if (given.options["agents"] === undefined) return undefined;
  return numberOption(given, "agents", { otherwise: 0, min: 1, max: AGENTS_MAX, help });
}
