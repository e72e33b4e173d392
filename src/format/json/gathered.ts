/** Texts that stand in one list, or in the lists that its maps have under one key. */

import type { Gathered, ListAt } from "../../core/model/artifact.ts";
import { isBlank } from "../../core/text/blank.ts";
import { cutValue } from "../reading/finding.ts";
import { isObject, nameOf, pathOf, valueAt } from "./shape.ts";
import type { Misfit, Path } from "./shape.ts";

type Where = Gathered & { readonly path: Path };
type Entry = { readonly item: unknown; readonly path: Path };

export function isGathered(at: ListAt): at is Gathered {
  return typeof at === "object" && !("id" in at);
}

/** What several say is there once. Nothing is cut: half a text can mean another thing. */
export function gathered(items: readonly unknown[], where: Where, wrong: Misfit[]): readonly string[] {
  const { each, begins = "", path } = where;
  const entries = items.map((item, index) => ({ item, path: [...path, index] }));
  const within = each === undefined ? entries : entries.flatMap((entry) => inside(entry, each, wrong));
  const texts = within.flatMap(({ item, path: at }) => {
    const reason = objectionTo(item, at);
    if (typeof item === "string" && reason === undefined) return [item];
    wrong.push({ path: at, reason: reason ?? "" });
    return [];
  });
  return [...new Set(texts)].filter((text) => text.startsWith(begins));
}

/** Whether a map must have the key is for the shape to say. */
function inside({ item, path }: Entry, each: string, wrong: Misfit[]): Entry[] {
  const at = [...path, ...pathOf(each)];
  const found = isObject(item) ? (valueAt(item, pathOf(each)) ?? []) : undefined;
  if (Array.isArray(found))
    return found.map((text: unknown, index) => ({ item: text, path: [...at, index] }));
  wrong.push(
    isObject(item)
      ? { path: at, reason: `${nameOf(at)} must be a list` }
      : { path, reason: `${nameOf(path)} must be an object` },
  );
  return [];
}

function objectionTo(item: unknown, path: Path): string | undefined {
  if (isObject(item)) return `${nameOf(path)} must be a text; in YAML, one with a colon needs quotes`;
  if (typeof item !== "string" || isBlank(item)) return `${nameOf(path)} must be a text`;
  return cutValue(item) === item
    ? undefined
    : `${nameOf(path)} is too long: it has ${item.length} characters`;
}
