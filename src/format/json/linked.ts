/**
 * A list of maps that name each other: their ids, each behind those that it depends on.
 *
 * Ids become names of files, of agents and words of commands, so that they are held to what is harmless in all of these.
 */

import { quote } from "../reading/finding.ts";
import { circleIn, inOrder } from "../order.ts";
import { isObject, nameOf } from "./shape.ts";
import type { Misfit, Path } from "./shape.ts";

const ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

type Where = { readonly path: Path; readonly id: string; readonly depends?: string };
type Entry = { readonly id: string; readonly dependsOn: readonly string[]; readonly path: Path };

export function listInOrder(items: readonly unknown[], where: Where, wrong: Misfit[]): readonly string[] {
  const entries = items.flatMap((item, index) =>
    entryOf(item, { ...where, path: [...where.path, index] }, wrong),
  );
  const first = new Map<string, Entry>();
  for (const entry of entries) {
    const { id, path } = entry;
    if (first.has(id)) wrong.push({ path, reason: `${quote(id)} appears twice in ${nameOf(where.path)}` });
    else first.set(id, entry);
  }
  const all = [...first.values()];
  for (const { id, dependsOn, path } of all) {
    for (const other of dependsOn.filter((name) => !first.has(name)))
      wrong.push({
        path,
        reason: `${quote(id)} depends on ${quote(other)}, which is not in ${nameOf(where.path)}`,
      });
  }
  const circle = circleIn(all);
  const start = first.get(circle[0] ?? "");
  if (start !== undefined)
    wrong.push({ path: start.path, reason: `they depend on each other: ${circle.join(" -> ")}` });
  return inOrder(all).map(({ id }) => id);
}

/** A text is its own id, and depends on nothing. */
function entryOf(item: unknown, { path, id: key, depends }: Where, wrong: Misfit[]): readonly Entry[] {
  const isMap = isObject(item);
  const id = isMap ? item[key] : item;
  const at = isMap && Object.hasOwn(item, key) ? [...path, key] : path;
  if (typeof id !== "string") {
    wrong.push({ path: at, reason: `${nameOf(path)} needs ${quote(key)}, as a text` });
    return [];
  }
  if (!ID.test(id)) {
    const reason = `${quote(id)} is no name: a name has a-z, 0-9 and -, at most 64 of them, and begins with a letter or digit`;
    wrong.push({ path: at, reason });
    return [];
  }
  const named = isMap && depends !== undefined ? (item[depends] ?? []) : [];
  const dependsOn: readonly unknown[] = Array.isArray(named) ? named : [named];
  if (dependsOn.every((one) => typeof one === "string")) return [{ id, dependsOn, path }];
  wrong.push({
    path: [...path, depends ?? ""],
    reason: `${nameOf([...path, depends ?? ""])} must be a list of texts`,
  });
  return [{ id, dependsOn: [], path }];
}
