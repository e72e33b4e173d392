/** Which settings make the agents that a person has the ones that every built-in workflow uses. */

import { settingOf } from "../../core/model/param.ts";
import type { Artifact } from "../../core/model/artifact.ts";
import type { Value } from "../../core/model/value.ts";
import type { Definition } from "../../core/model/workflow.ts";
import type { SettingEdit } from "../../format/settings/edit.ts";
import { setParams } from "../config/workflow.ts";
import type { SettingsFile } from "../config/read.ts";

export type ChosenAgents = {
  readonly agent: string;
  /** For roles that write a verdict. */
  readonly reviewer: string;
  /** A value that the user has set is replaced, too. */
  readonly isForced: boolean;
  /** Whether the program of this harness is there. */
  readonly isInstalled: (name: string) => boolean;
};

export type Defaults = {
  readonly edits: readonly SettingEdit[];
  /** What the user has set to something else, as `key: value`. */
  readonly kept: readonly string[];
};

/** `own` is the user's file; a built-in default that fits needs no setting. */
export function defaultsFor(
  definitions: readonly Definition[],
  own: readonly SettingsFile[],
  chosen: ChosenAgents,
): Defaults {
  const usual = own.findLast(({ config }) => config.harness !== undefined)?.config.harness;
  const all = [
    { path: ["harness"], set: usual, builtIn: "claude", wanted: chosen.agent },
    ...definitions.flatMap((definition) => {
      const { values } = setParams(definition, own);
      return paramsForHarnesses(definition).flatMap((param) => {
        const declared = definition.params[param];
        if (declared === undefined) return [];
        const set = values[param]?.value;
        return [
          {
            path: ["workflows", definition.name, ...settingOf(param, declared)],
            set: set === undefined ? undefined : String(set),
            builtIn: String(declared.default),
            wanted: isOfJudges(definition, param) ? chosen.reviewer : chosen.agent,
          },
        ];
      });
    }),
  ];
  const stays = (set: string | undefined): set is string =>
    set !== undefined && !chosen.isForced && chosen.isInstalled(set);
  const open = all.filter(({ set, builtIn, wanted }) => (set ?? builtIn) !== wanted);
  return {
    edits: open.filter(({ set }) => !stays(set)).map(({ path, wanted }) => ({ path, value: wanted })),
    kept: open.filter(({ set }) => stays(set)).map(({ path, set }) => `${path.join(".")}: ${set ?? ""}`),
  };
}

/** Without workflows that others begin for their tasks: parents choose the harnesses of their children. */
export function withoutChildren(all: readonly Definition[]): readonly Definition[] {
  const children = new Set(
    all.flatMap(({ artifacts }) =>
      Object.values(artifacts).flatMap(({ reader }) => (reader.type === "children" ? [reader.workflow] : [])),
    ),
  );
  return all.filter(({ name }) => !children.has(name));
}

/** Names of the parameters that say which harness a role has, here or in the runs of its tasks. */
export function paramsForHarnesses({ roles, artifacts, params }: Definition): readonly string[] {
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

/** Every role with this harness writes a verdict. */
function isOfJudges({ roles, artifacts }: Definition, param: string): boolean {
  const users = Object.entries(roles)
    .filter(([, { harness }]) => typeof harness === "object" && harness.param === param)
    .map(([role]) => role);
  const judged = Object.values(artifacts).filter(isVerdict);
  return users.length > 0 && users.every((role) => judged.some(({ by }) => by.includes(role)));
}

function isVerdict({ reader }: Artifact): boolean {
  if (reader.type === "section") return reader.verdicts !== undefined;
  return (reader.type === "json" || reader.type === "yaml") && reader.review !== undefined;
}
