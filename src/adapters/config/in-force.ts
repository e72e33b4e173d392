/** The settings that count here, one by one, each with where it comes from. */

import { isKept, sayTaken, settingOf } from "../../core/model/param.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Definition, SourcePlace } from "../../core/model/workflow.ts";
import type { Harness } from "../../engine/ports/settings.ts";
import type { Surveyed } from "./read.ts";
import { setParams } from "./workflow.ts";

type SettingOrigin = {
  /** *user*: your own file. *repository*: the repository's. */
  readonly from: "built-in" | "user" | "repository";
  /** Where it stands; not there for what is built in. */
  readonly at: SourcePlace | null;
};

export type SettingInForce = SettingOrigin & {
  readonly key: string;
  readonly value: Literal | readonly string[];
};

export type ParamInForce = SettingOrigin & {
  readonly param: string;
  /** Where it is set in a file of settings. */
  readonly key: string;
  readonly takes: string;
  readonly default: Literal;
  readonly value: Literal;
};

const BUILT_IN: SettingOrigin = { from: "built-in", at: null };

export function settingsInForce({ settings, layers }: Surveyed): SettingInForce[] {
  const { workspace } = settings;
  const row = (
    path: readonly string[],
    value: SettingInForce["value"],
    ...more: string[]
  ): SettingInForce => {
    const layer = layers.findLast(({ config }) => isSaid(config, path));
    const source: SettingOrigin =
      layer === undefined ? BUILT_IN : { from: layer.from, at: layer.placeOf(path) };
    return { key: [...path, ...more].join("."), value, ...source };
  };
  return [
    row(["harness"], settings.harness("")?.name ?? ""),
    ...settings.harnesses.map((name) => row(["harnesses", name], sayHarness(settings.harness(name)))),
    ...Object.entries(settings.checks).map(([name, line]) => row(["checks", name], line)),
    row(["env"], settings.env),
    row(["minutes"], settings.minutes),
    row(["stall_minutes"], settings.stallMinutes),
    row(["terminal"], settings.terminal),
    row(["pin"], settings.pin),
    sandboxRow(settings.sandbox, layers),
    ...(["read", "write", "devices"] as const).map((key) => row(["reach"], settings.reach[key], key)),
    row(["workflow"], layers.findLast(({ config }) => config.workflow !== undefined)?.config.workflow ?? ""),
    row(["workspace", "author"], workspace.author === undefined ? "" : sayAuthor(workspace.author)),
    row(["workspace", "message"], workspace.message),
    row(["workspace", "setup"], workspace.setup),
    row(["workspace", "fetch"], workspace.fetch),
    row(["workspace", "max"], workspace.max),
    row(["workspace", "min_free_mb"], workspace.minFreeMb),
    row(["notify"], settings.notify),
  ];
}

/** What a person would want to see of it: the program, and what it is told. */
function sayHarness(harness: Harness | undefined): readonly string[] {
  if (harness === undefined) return [];
  const { program, arguments: more, model, effort } = harness;
  return [
    ...program,
    ...more,
    ...(model === "" ? [] : [`model=${model}`]),
    ...(effort === "" ? [] : [`effort=${effort}`]),
  ];
}

/** The strictest counts, and not the last. */
function sandboxRow(value: string, layers: Surveyed["layers"]): SettingInForce {
  const layer = layers.findLast(({ config }) => config.sandbox === value);
  const source: SettingOrigin =
    layer === undefined ? BUILT_IN : { from: layer.from, at: layer.placeOf(["sandbox"]) };
  return { key: "sandbox", value, ...source };
}

function sayAuthor({ name, email }: { readonly name: string; readonly email: string }): string {
  return `${name} <${email}>`;
}

function isSaid(config: unknown, [key = "", ...rest]: readonly string[]): boolean {
  const entries: [string, unknown][] =
    typeof config === "object" && config !== null ? Object.entries(config) : [];
  const below = entries.find(([name]) => name === key)?.[1];
  return below !== undefined && (rest.length === 0 || isSaid(below, rest));
}

/** What a run of this workflow would begin with, if nothing else is said. */
export function paramsInForce(
  definition: Pick<Definition, "name" | "params">,
  { layers }: Pick<Surveyed, "layers">,
): ParamInForce[] {
  const { values } = setParams(definition, layers);
  const open = Object.entries(definition.params).filter(([, declared]) => !isKept(declared));
  return open.map(([param, declared]) => {
    const set = Object.hasOwn(values, param) ? values[param] : undefined;
    return {
      param,
      key: ["workflows", definition.name, ...settingOf(param, declared)].join("."),
      takes: sayTaken(declared),
      default: declared.default,
      value: set?.value ?? declared.default,
      ...(set === undefined ? BUILT_IN : { from: set.from, at: set.at }),
    };
  });
}
