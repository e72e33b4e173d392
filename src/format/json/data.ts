/** Checks data against its shape and takes out its lists and fields, for JSON, YAML and front matter. */

import type { Path } from "../problem.ts";
import { isBlank } from "../../core/text/blank.ts";
import type { Reading } from "../../core/model/event.ts";
import type { ListAt, Shape, Gathered } from "../../core/model/artifact.ts";
import type { Literal } from "../../core/model/value.ts";
import { cutValue, quote, repeated } from "../reading/finding.ts";
import { isObject, misfits, nameOf, pathOf, valueAt, type ShapeMisfit } from "./shape.ts";
import { circleIn, inOrder } from "../order.ts";

export type DataContract = {
  readonly shape?: Shape;
  readonly lists: Readonly<Record<string, ListAt>>;
};

type TakenData = {
  readonly misfits: readonly ShapeMisfit[];
  readonly fields: Reading["fields"];
  readonly lists: Reading["lists"];
};

const FIELDS_MAX = 100;

export function takeOut(contract: DataContract, data: unknown): TakenData {
  const wrong = contract.shape === undefined ? [] : misfits(contract.shape, data);
  const lists = Object.entries(contract.lists).map(([name, at]) => {
    if (mayLack(contract, data, at)) return [name, [], []] as const;
    const unlisted: ShapeMisfit[] = [];
    return [
      name,
      listAt(data, at, unlisted),
      wrong.some(isWithin(pathOf(fromOf(at)))) ? [] : unlisted,
    ] as const;
  });
  return {
    misfits: [...wrong, ...lists.flatMap(([_name, _members, unlisted]) => unlisted)],
    fields: { ...scalars(data), ...sizes(contract, data), ...inside(contract, data) },
    lists: Object.fromEntries(lists.map(([name, members]) => [name, members])),
  };
}

/** A value that violates its shape is reported once. */
function isWithin(list: Path): (misfit: ShapeMisfit) => boolean {
  return ({ path }) => list.every((part, index) => path[index] === part);
}

/** Texts, or objects with an `id` or a `name`. Later steps iterate over them, so duplicates are faults. */
function listAt(data: unknown, at: ListAt, wrong: ShapeMisfit[]): readonly string[] {
  const path = pathOf(fromOf(at));
  const items: unknown = valueAt(data, path);
  if (!Array.isArray(items)) {
    wrong.push({ path, reason: `${nameOf(path)} must be a list` });
    return [];
  }
  if (isGathered(at)) return gathered(items, { ...at, path }, wrong);
  if (typeof at !== "string") return listInOrder(items, { ...at, path }, wrong);
  const names = items.map((item: unknown, index) => {
    const name = isObject(item) ? (item["id"] ?? item["name"]) : item;
    if (typeof name === "string" && !isBlank(name)) return cutValue(name);
    wrong.push({
      path: [...path, index],
      reason: `${nameOf([...path, index])} must be a text, or have an id or a name`,
    });
    return "";
  });
  const twice = repeated(names.filter((name) => name !== ""));
  if (twice !== undefined) wrong.push({ path, reason: `${quote(twice)} appears twice in ${nameOf(path)}` });
  return names.filter((name) => name !== "");
}

function fromOf(at: ListAt): string {
  return typeof at === "string" ? at : at.from;
}

/** The list is missing, and its shape allows that. */
function mayLack({ shape }: DataContract, data: unknown, at: ListAt): boolean {
  const key = fromOf(at);
  const isOptional = shape?.type === "object" && Object.hasOwn(shape.optional, key);
  return isOptional && isObject(data) && (data[key] ?? undefined) === undefined;
}

/** The number of members of each list in the shape; 0 for an optional list that is missing. */
function sizes({ shape }: DataContract, data: unknown): Readonly<Record<string, number>> {
  if (shape?.type !== "object" || !isObject(data)) return {};
  const known = Object.entries({ ...shape.required, ...shape.optional });
  return Object.fromEntries(
    known.flatMap(([name, { type }]): [string, number][] => {
      const value = data[name];
      return type === "list" ? [[name, Array.isArray(value) ? value.length : 0]] : [];
    }),
  );
}

/** Values one level deeper, in objects of the shape. People see them as `next.reason`. */
function inside({ shape }: DataContract, data: unknown): Readonly<Record<string, Literal>> {
  if (shape?.type !== "object" || !isObject(data)) return {};
  const known = Object.entries({ ...shape.required, ...shape.optional });
  const fields = known.flatMap(([name, { type }]) =>
    type === "object"
      ? Object.entries(scalars(data[name])).map(([key, value]): [string, Literal] => [
          `${name}.${key}`,
          value,
        ])
      : [],
  );
  return Object.fromEntries(fields.slice(0, FIELDS_MAX));
}

function scalars(data: unknown): Readonly<Record<string, Literal>> {
  if (!isObject(data)) return {};
  const fields = Object.entries(data).flatMap(([key, value]): [string, Literal][] => {
    if (typeof value === "string") return [[key, cutValue(value)]];
    if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)))
      return [[key, value]];
    return [];
  });
  return Object.fromEntries(fields.slice(0, FIELDS_MAX));
}

/**
 * A list of maps with dependencies: their ids, each after its dependencies.
 *
 * Ids become names of files and agents and words of commands, so only characters that are safe in all of these are allowed.
 */
const ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

type LinkedListSite = { readonly path: Path; readonly id: string; readonly depends?: string };
type LinkedEntry = { readonly id: string; readonly dependsOn: readonly string[]; readonly path: Path };

function listInOrder(
  items: readonly unknown[],
  where: LinkedListSite,
  wrong: ShapeMisfit[],
): readonly string[] {
  const entries = items.flatMap((item, index) =>
    entryOf(item, { ...where, path: [...where.path, index] }, wrong),
  );
  const first = new Map<string, LinkedEntry>();
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

/** A text is its own id, and has no dependencies. */
function entryOf(
  item: unknown,
  { path, id: key, depends }: LinkedListSite,
  wrong: ShapeMisfit[],
): readonly LinkedEntry[] {
  const isMap = isObject(item);
  const id = isMap ? item[key] : item;
  const at = isMap && Object.hasOwn(item, key) ? [...path, key] : path;
  if (typeof id !== "string") {
    wrong.push({ path: at, reason: `${nameOf(path)} needs ${quote(key)}, as a text` });
    return [];
  }
  if (!ID.test(id)) {
    const reason = `${quote(id)} is not a valid name: use at most 64 characters of a-z, 0-9 and -, and begin with a letter or digit`;
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

/** A list of texts, or of maps with lists of texts under one key. */
type GatherSite = Gathered & { readonly path: Path };
type GatheredItem = { readonly item: unknown; readonly path: Path };

function isGathered(at: ListAt): at is Gathered {
  return typeof at === "object" && !("id" in at);
}

/** Duplicates appear once. Nothing is cut: half a text can have another meaning. */
function gathered(items: readonly unknown[], site: GatherSite, wrong: ShapeMisfit[]): readonly string[] {
  const { each, begins = "", path } = site;
  const entries = items.map((item, index) => ({ item, path: [...path, index] }));
  const within = each === undefined ? entries : entries.flatMap((entry) => entriesUnder(entry, each, wrong));
  const texts = within.flatMap(({ item, path: at }) => {
    const reason = objectionTo(item, at);
    if (typeof item === "string" && reason === undefined) return [item];
    wrong.push({ path: at, reason: reason ?? "" });
    return [];
  });
  return [...new Set(texts)].filter((text) => text.startsWith(begins));
}

/** The shape decides whether a map must have the key. */
function entriesUnder({ item, path }: GatheredItem, each: string, wrong: ShapeMisfit[]): GatheredItem[] {
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
