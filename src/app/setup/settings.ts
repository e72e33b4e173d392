/** The effective settings, and where each comes from. */

import { paramsInForce, settingsInForce } from "../../adapters/config/in-force.ts";
import { surveySettings } from "../../adapters/config/read.ts";
import { surveyWorkflows } from "../../adapters/config/survey-workflows.ts";
import { setParams } from "../../adapters/config/workflow.ts";
import type { TrustStore } from "../../adapters/trust/trust.ts";
import { showProblem, type Problem } from "../../format/problem.ts";
import type { Looking } from "../declare.ts";
import { EXIT_FAILED, EXIT_OK } from "../exit-codes.ts";
import type { Outcome } from "../outcome.ts";
import type { DataOf, InputOf } from "../schemas.ts";
import { requireWorkflow } from "../workflows/load.ts";
import { repoHere } from "./project-named.ts";

/** Where nothing was ever started, nothing was trusted. */
export const NOTHING_TRUSTED: TrustStore = {
  trusted: () => Promise.resolve(undefined),
  humanKeys: () => Promise.resolve([]),
};

export async function settings(
  { door, store }: Looking,
  { workflow: wanted }: InputOf<"settings">,
): Promise<Outcome<DataOf<"settings">>> {
  const loaded = wanted === undefined ? undefined : await requireWorkflow(wanted, door);
  // Outside of a repository a person's own settings count.
  const repo = (await repoHere(store, door)) ?? door.cwd;
  const surveyed = await surveySettings({ repo, env: door.env, store: store ?? NOTHING_TRUSTED });
  const { layers, files, isTrusted: trusted } = surveyed;
  const definition = loaded?.workflow.definition;
  const own =
    definition === undefined
      ? (await surveyWorkflows(door, layers)).problems
      : setParams(definition, layers).problems;
  const all: readonly Problem[] = [...surveyed.problems, ...own];
  const problems = all.map(showProblem);
  const [first] = problems;
  return {
    exit: first === undefined ? EXIT_OK : EXIT_FAILED,
    code: first === undefined ? "ok" : "problems",
    message: first ?? "these settings count here",
    data: {
      workflow: definition?.name ?? "",
      settings: definition === undefined ? settingsInForce(surveyed) : [],
      params: definition === undefined ? [] : paramsInForce(definition, surveyed),
      files,
      trusted,
      problems,
    },
    next: first === undefined ? (trusted ? "" : "signalbox trust") : "signalbox doctor",
    notes: trusted ? [] : [".signalbox of this repository is not trusted: nothing of it counts"],
  };
}
