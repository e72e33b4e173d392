/** The parameters of a workflow as settings have them: the person's, then the repository's, key by key. */

import { closest } from "../../core/text/closest.ts";
import type { Definition } from "../../core/model/workflow.ts";
import { sortProblems, type Problem } from "../../format/problem.ts";
import { settle, type SetValue } from "../../format/settings/workflow-settings.ts";
import type { SettingsFile } from "./read.ts";

type SetParam = SetValue & { readonly from: SettingsFile["from"] };

type SetParams = {
  /** By the name of the parameter; those that nobody has set are not there. */
  readonly values: Readonly<Record<string, SetParam>>;
  readonly problems: readonly Problem[];
};

export function setParams(
  of: Pick<Definition, "name" | "params">,
  files: readonly SettingsFile[],
): SetParams {
  const values: Record<string, SetParam> = {};
  const problems: Problem[] = [];
  for (const { config, from, ...places } of files) {
    const all = config.workflows ?? {};
    const tree = Object.hasOwn(all, of.name) ? all[of.name] : undefined;
    if (tree === undefined) continue;
    const settled = settle(of, tree, places);
    for (const [name, set] of Object.entries(settled.values)) values[name] = { ...set, from };
    problems.push(...settled.problems);
  }
  return { values, problems: sortProblems(problems) };
}

/** Settings of workflows that have no name here. A person's own may be meant for another repository. */
export function strayWorkflows(
  files: readonly SettingsFile[],
  known: readonly string[],
): { readonly problems: readonly Problem[]; readonly warnings: readonly Problem[] } {
  const stray = (wanted: SettingsFile["from"]): Problem[] =>
    files
      .filter(({ from }) => from === wanted)
      .flatMap(({ config, placeOf }) =>
        Object.keys(config.workflows ?? {})
          .filter((name) => !known.includes(name))
          .map((name) => ({ ...placeOf(["workflows", name]), ...noWorkflow(name, known) })),
      );
  return { problems: stray("repository"), warnings: stray("user") };
}

function noWorkflow(
  name: string,
  known: readonly string[],
): Pick<Problem, "code" | "message" | "suggestion"> {
  const near = closest(name, known);
  const message = `there is no workflow "${name}" here, so what is set for it is not used`;
  return { code: "unknown-workflow", message, ...(near === undefined ? {} : { suggestion: near }) };
}
