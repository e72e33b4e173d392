/** Settings of one workflow: converts a tree of keys to parameter values, and reports keys that match no parameter. */

import { closest } from "../../core/text/closest.ts";
import { isKept, sayTaken, settingOf, takes } from "../../core/model/param.ts";
import type { Literal } from "../../core/model/value.ts";
import type { Param, SourcePlace } from "../../core/model/workflow.ts";
import type { Problem } from "../problem.ts";

/** As written in a file. */
export type SettingTree = { readonly [key: string]: Literal | readonly Literal[] | SettingTree };

export type SetValue = { readonly value: Literal; readonly at: SourcePlace };

export type Settled = {
  /** By name of the parameter. */
  readonly values: Readonly<Record<string, SetValue>>;
  readonly problems: readonly Problem[];
};

type SettingPath = readonly string[];

export type SettingPlaces = {
  placeOf(path: SettingPath): SourcePlace;
  valuePlaceOf(path: SettingPath): SourcePlace;
};

/** The keys of a workflow: each leads to further keys, or to one parameter. */
type SettingKeys = {
  readonly below: Map<string, SettingKeys>;
  param?: readonly [name: string, param: Param];
};

export function settle(
  { name, params }: { readonly name: string; readonly params: Readonly<Record<string, Param>> },
  tree: SettingTree,
  places: SettingPlaces,
): Settled {
  const values: Record<string, SetValue> = {};
  const problems: Problem[] = [];
  const top: SettingPath = ["workflows", name];
  const walk = (level: SettingTree, keys: SettingKeys, path: SettingPath): void => {
    for (const [key, value] of Object.entries(level)) {
      const here = [...path, key];
      const known = keys.below.get(key);
      if (known === undefined) {
        problems.push({ ...places.placeOf([...top, ...here]), ...unknown(name, here, keys) });
      } else if (known.param !== undefined) {
        const at = places.valuePlaceOf([...top, ...here]);
        const read = readValue(known.param[1], value);
        if ("wrong" in read)
          problems.push({ ...at, code: "bad-value", message: `${here.join(".")} ${read.wrong}` });
        else values[known.param[0]] = { value: read.value, at };
      } else if (isTree(value)) walk(value, known, here);
      else {
        const at = places.valuePlaceOf([...top, ...here]);
        const message = `${here.join(".")} is a map, with ${[...known.below.keys()].join(", ")}`;
        problems.push({ ...at, code: "bad-value", message });
      }
    }
  };
  walk(tree, keysOf(params), []);
  return { values, problems };
}

function keysOf(params: Readonly<Record<string, Param>>): SettingKeys {
  const root: SettingKeys = { below: new Map() };
  for (const [name, param] of Object.entries(params)) {
    if (isKept(param)) continue;
    let at = root;
    for (const key of settingOf(name, param)) {
      const next = at.below.get(key) ?? { below: new Map() };
      at.below.set(key, next);
      at = next;
    }
    at.param = [name, param];
  }
  return root;
}

function unknown(
  workflow: string,
  path: SettingPath,
  { below }: SettingKeys,
): Pick<Problem, "code" | "message" | "suggestion"> {
  const known = [...below.keys()];
  const suggestion = closest(path.at(-1) ?? "", known);
  const where = path.length === 1 ? "" : ` in ${path.slice(0, -1).join(".")}`;
  const list = suggestion === undefined ? `; there are ${known.join(", ")}` : "";
  const none = known.length === 0 ? "; it has none" : list;
  const message = `the workflow ${workflow} has no setting "${path.at(-1) ?? ""}"${where}${none}`;
  return { code: "unknown-key", message, ...(suggestion === undefined ? {} : { suggestion }) };
}

type SettingReading = { readonly value: Literal } | { readonly wrong: string };

function readValue(param: Param, value: SettingTree[string]): SettingReading {
  const isMany = param.type === "text" && Array.isArray(value);
  if (isMany && value.some((member) => String(member).includes("\n")))
    return { wrong: "has a member of more than one line: each becomes a line of the text" };
  const one = isMany ? value.join("\n") : value;
  if (typeof one !== "object" && takes(param, one)) return { value: one };
  const quotes = param.type === "text" && typeof one !== "object" ? ": put it into quotes" : "";
  const what = param.type === "text" ? "a text, or a list of its lines" : sayTaken(param);
  return { wrong: `is ${what}, not ${shown(one)}${quotes}` };
}

function isTree(value: SettingTree[string]): value is SettingTree {
  return typeof value === "object" && !Array.isArray(value);
}

function shown(value: SettingTree[string]): string {
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a map" : JSON.stringify(value);
}
