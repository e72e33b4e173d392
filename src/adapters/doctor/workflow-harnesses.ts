/** Whether the programs that workflows would call, with the effective settings, are installed; and how to choose others. */

import { join } from "node:path";
import { settingOf } from "../../core/model/param.ts";
import type { Value } from "../../core/model/value.ts";
import { isBegunByDefault, type Definition } from "../../core/model/workflow.ts";
import type { Settings } from "../../engine/ports/settings.ts";
import type { SettingsFile } from "../config/read.ts";
import { setParams } from "../config/workflow.ts";
import { configFolder, type Env } from "../home/paths.ts";
import { listWorkflows, type Where } from "../library/find.ts";
import { parseFound } from "../library/load.ts";
import { some, type Finding } from "./finding.ts";
import { programAt } from "./program.ts";

type On = {
  readonly where: Where;
  readonly env: Env;
  readonly settings: Settings;
  readonly layers: readonly SettingsFile[];
  /** A harness that is installed, as a suggestion. */
  readonly instead: string;
  /** The user has a harness of their own that is installed: a missing one may not be needed. */
  readonly hasOwn: boolean;
};

export async function lookAtWorkflows(on: On): Promise<readonly Finding[]> {
  const parsed = await Promise.all(listWorkflows(on.where).map(parseFound));
  // `check` reports what is wrong with a workflow.
  const all = parsed.flatMap((each) => (each.ok ? [each.workflow.definition] : []));
  const children = new Set(
    all.flatMap(({ artifacts }) =>
      Object.values(artifacts).flatMap(({ reader }) => (reader.type === "children" ? [reader.workflow] : [])),
    ),
  );
  // Parents choose the harnesses of their children.
  const own = all.filter(({ name }) => !children.has(name));
  return own
    .toSorted((a, b) => Number(isBegunByDefault(b)) - Number(isBegunByDefault(a)))
    .flatMap((definition) => lookAtWorkflow(on, definition));
}

function lookAtWorkflow(on: On, definition: Definition): readonly Finding[] {
  const { name } = definition;
  const lacking = paramsForHarnesses(definition)
    .map((param) => ({ param, harness: valueOf(on, definition, param) }))
    .filter(({ harness }) => isMissing(on, harness));
  if (lacking.length === 0) return [];
  const harnesses = [...new Set(lacking.map(({ harness }) => harness))];
  const verb = harnesses.length === 1 ? "is" : "are";
  const used = some(lacking.map(({ param, harness }) => `${param}: ${harness}`));
  const line = lineFor(definition, { params: lacking.map(({ param }) => param), value: on.instead });
  return [
    {
      status: isBegunByDefault(definition) && !on.hasOwn ? "missing" : "note",
      name: `workflow ${name}`,
      text: `uses ${harnesses.join(" and ")}, which ${verb} not installed (${used})`,
      next: `install ${harnesses.join(" and ")}, or ${howToSet(on, definition.name, line)}`,
    },
  ];
}

/** Names of the parameters that say which harness a role has, here or in the runs of its tasks. */
function paramsForHarnesses({ roles, artifacts, params }: Definition): readonly string[] {
  const ofRoles = Object.values(roles).map(({ harness }) => harness);
  const ofTasks = Object.values(artifacts).flatMap(({ reader }) =>
    reader.type === "children"
      ? Object.entries(reader.with).flatMap(([name, value]) => (name.endsWith("harness") ? [value] : []))
      : [],
  );
  const values = [...ofRoles, ...ofTasks].flatMap((value): readonly Value[] => {
    if (typeof value !== "object" || "param" in value) return [value];
    return "easy" in value ? [value.easy, value.medium, value.hard] : [];
  });
  const named = values.flatMap((value) => (typeof value === "object" ? [value.param] : []));
  return [...new Set(named)].filter((name) => Object.hasOwn(params, name));
}

function valueOf({ layers }: On, definition: Definition, param: string): string {
  const set = setParams(definition, layers).values[param]?.value;
  return String(set ?? definition.params[param]?.default ?? "");
}

/** A harness that has no name here is another finding. */
function isMissing({ settings, env }: On, name: string): boolean {
  const harness = settings.harness(name);
  const program = harness?.command[0] ?? "";
  if (program === "" || program.includes("{")) return false;
  return programAt(program, harness?.set["PATH"] ?? env["PATH"] ?? "") === undefined;
}

type Tree = { [key: string]: Tree | string };

/** In one line of YAML: what to set below the name of the workflow. */
function lineFor(
  { params }: Definition,
  of: { readonly params: readonly string[]; readonly value: string },
): string {
  const tree: Tree = {};
  for (const param of of.params) {
    const known = params[param];
    const keys = known === undefined ? [param] : settingOf(param, known);
    let at = tree;
    for (const key of keys.slice(0, -1)) {
      const next = at[key];
      at = typeof next === "object" ? next : (at[key] = {});
    }
    at[keys.at(-1) ?? param] = of.value;
  }
  return flow(tree);
}

function flow(tree: Tree): string {
  const parts = Object.entries(tree).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : flow(value)}`,
  );
  return `{ ${parts.join(", ")} }`;
}

/** A key that the user's file has already is not to be written a second time. */
function howToSet({ env, layers }: On, name: string, line: string): string {
  const file = join(configFolder(env) ?? "~/.config/signalbox", "config.yaml");
  const known = layers.find(({ from }) => from === "user")?.config.workflows;
  if (known === undefined) return `put this line into ${file}: workflows: { ${name}: ${line} }`;
  if (!Object.hasOwn(known, name)) return `put this line below workflows: in ${file}: ${name}: ${line}`;
  return `set this below workflows: ${name}: in ${file}: ${line}`;
}
