/**
 * What is wrong with the settings for workflows of a repository, before anybody trusts them: its own workflows as they are in the
 * bytes that are looked at, all others as they are built in.
 */

import type { Definition } from "../../core/model/workflow.ts";
import type { ParsedConfig } from "../../format/settings/config.ts";
import type { Problem } from "../../format/problem.ts";
import type { ParsedWorkflow } from "../../format/workflow/parse.ts";
import { setParams, strayWorkflows } from "../config/workflow.ts";
import { builtInWorkflows } from "../library/find.ts";
import { parseFound } from "../library/load.ts";

export async function wrongSettings(
  parsed: ParsedConfig,
  own: ReadonlyMap<string, ParsedWorkflow>,
): Promise<readonly Problem[]> {
  const named = Object.keys(parsed.config.workflows ?? {});
  if (named.length === 0) return [];
  const layers = [{ ...parsed, from: "repository" as const }];
  const builtIn = builtInWorkflows();
  const known = [...own.keys(), ...builtIn.map(({ name }) => name)];
  const definitions = await Promise.all(
    named.map(async (name): Promise<Definition | undefined> => {
      const found = builtIn.find((each) => each.name === name);
      const meant = own.get(name) ?? (found === undefined ? undefined : await parseFound(found));
      return meant?.ok === true ? meant.workflow.definition : undefined;
    }),
  );
  return [
    ...strayWorkflows(layers, known).problems,
    ...definitions.flatMap((each) => (each === undefined ? [] : setParams(each, layers).problems)),
  ];
}
