/**
 * Commands of checks that nobody has set, where they evidently cannot be run: told before a run begins, and not hours later.
 *
 * Only what a workflow takes for granted is looked at, `make TARGET`. Whatever a person has set is theirs to know, and may be made
 * by the work itself. Nothing is run: in doubt there is such a target.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../adapters/user-error.ts";
import { withDefaults } from "../../core/model/entry.ts";
import { settingOf } from "../../core/model/param.ts";
import { isEnabled } from "../../core/projection/stages.ts";
import type { Literal, Value } from "../../core/model/value.ts";
import type { Definition } from "../../core/model/workflow.ts";
import { EXIT_GATE } from "../exit-codes.ts";

type Usual = { readonly stage: string; readonly param: string; readonly command: string };

/** `given` is what settings and options say. */
export function requireTargets(
  definition: Definition,
  given: Readonly<Record<string, Literal>>,
  tree: string,
): void {
  for (const { stage, param, command } of usualCommands(definition, given)) {
    const target = /^make ([\w.-]+)$/.exec(command)?.[1];
    const why = target === undefined ? "" : lackOf(tree, target);
    const declared = definition.params[param];
    if (why === "" || declared === undefined) continue;
    const key = ["workflows", definition.name, ...settingOf(param, declared)].join(".");
    throw new UserError("no-target", `"${command}" is run in ${stage}, and ${why}`, {
      next: `set ${key} in .signalbox/config.yaml, or: --param ${param}=COMMAND`,
      exit: EXIT_GATE,
    });
  }
}

/** Of the checks that this run's stages make. */
function usualCommands(definition: Definition, given: Readonly<Record<string, Literal>>): Usual[] {
  const { stages = [], artifacts, params: declared } = definition;
  const params = withDefaults(definition, given);
  const commandsOf = (name: string): readonly Value<string>[] => {
    const reader = artifacts[name]?.reader;
    return reader?.type === "check" ? [reader.command, ...(reader.more ?? [])] : [];
  };
  return stages
    .filter((stage) => isEnabled(stage, { params }))
    .flatMap(({ name, makes }) =>
      makes.flatMap(commandsOf).flatMap((command) => {
        if (typeof command === "string" || Object.hasOwn(given, command.param)) return [];
        const usual = declared[command.param]?.default;
        return [{ stage: name, param: command.param, command: String(usual) }];
      }),
    );
}

/** In the order in which make looks for them. */
const MAKEFILES = ["GNUmakefile", "makefile", "Makefile"];

/** Rules that come from elsewhere, or whose names are made up when they are read. */
const UNTOLD = /^(?:\s*-?s?include\s|\$|[^#\t\n]*%.*:|[^#\t\n=]*\$.*:|\.DEFAULT\s*:)/m;

function lackOf(tree: string, target: string): string {
  const file = MAKEFILES.find((name) => existsSync(join(tree, name)));
  if (file === undefined) return "there is no Makefile here";
  const text = readFileSync(join(tree, file), "utf8");
  const rules = Array.from(text.matchAll(/^([^\s#:=][^#:=\n]*)::?(?!=)/gm), ([, names = ""]) => names);
  const isThere = UNTOLD.test(text) || rules.some((names) => names.trim().split(/\s+/).includes(target));
  return isThere ? "" : `${file} has no target "${target}"`;
}
