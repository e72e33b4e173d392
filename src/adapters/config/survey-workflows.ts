/** Everything that is wrong with what settings say of workflows, each held against its workflow as it is found here. */

import type { Problem } from "../../format/problem.ts";
import { listWorkflows, type SearchPlace } from "../library/find.ts";
import { parseFound } from "../library/load.ts";
import type { SettingsFile } from "./read.ts";
import { setParams, strayWorkflows } from "./workflow.ts";

export async function surveyWorkflows(
  where: SearchPlace,
  layers: readonly SettingsFile[],
): Promise<{ readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] }> {
  const named = new Set(layers.flatMap(({ config }) => Object.keys(config.workflows ?? {})));
  if (named.size === 0) return { problems: [], warnings: [] };
  const known = listWorkflows(where);
  const stray = strayWorkflows(
    layers,
    known.map(({ name }) => name),
  );
  const problems = await Promise.all(
    known
      .filter(({ name }) => named.has(name))
      .map(async (found) => {
        const parsed = await parseFound(found);
        // What is wrong with the workflow itself is for `check` to tell.
        return parsed.ok ? setParams(parsed.workflow.definition, layers).problems : [];
      }),
  );
  return { problems: [...stray.problems, ...problems.flat()], warnings: stray.warnings };
}
