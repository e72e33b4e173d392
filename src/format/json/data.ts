/** What is taken out of data, wherever it stands: whether it has its shape, and its lists and fields. */

import { isBlank } from "../../core/text/blank.ts";
import type { Reading } from "../../core/model/event.ts";
import type { ListAt, Shape } from "../../core/model/artifact.ts";
import type { Literal } from "../../core/model/value.ts";
import { cutValue, quote, repeated } from "../reading/finding.ts";
import { gathered, isGathered } from "./gathered.ts";
import { listInOrder } from "./linked.ts";
import { isObject, misfits, nameOf, pathOf, valueAt } from "./shape.ts";
import type { Misfit, Path } from "./shape.ts";

export type Wanted = {
  readonly shape?: Shape;
  readonly lists: Readonly<Record<string, ListAt>>;
};

type Taken = {
  readonly misfits: readonly Misfit[];
  readonly fields: Reading["fields"];
  readonly lists: Reading["lists"];
};

const FIELDS_MAX = 100;

export function takeOut(wanted: Wanted, data: unknown): Taken {
  const wrong = wanted.shape === undefined ? [] : misfits(wanted.shape, data);
  const lists = Object.entries(wanted.lists).map(([name, at]) => {
    if (mayLack(wanted, data, at)) return [name, [], []] as const;
    const unlisted: Misfit[] = [];
    return [
      name,
      listAt(data, at, unlisted),
      wrong.some(isWithin(pathOf(fromOf(at)))) ? [] : unlisted,
    ] as const;
  });
  return {
    misfits: [...wrong, ...lists.flatMap(([_name, _members, unlisted]) => unlisted)],
    fields: { ...scalars(data), ...sizes(wanted, data), ...inside(wanted, data) },
    lists: Object.fromEntries(lists.map(([name, members]) => [name, members])),
  };
}

/** What has not its shape is told once. */
function isWithin(list: Path): (misfit: Misfit) => boolean {
  return ({ path }) => list.every((part, index) => path[index] === part);
}

/** Texts, or objects that have an `id` or a `name`. Later steps go through them one by one, so none may repeat. */
function listAt(data: unknown, at: ListAt, wrong: Misfit[]): readonly string[] {
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

/** It is not there, and its shape says that it need not be. */
function mayLack({ shape }: Wanted, data: unknown, at: ListAt): boolean {
  const key = fromOf(at);
  const isOptional = shape?.type === "object" && Object.hasOwn(shape.optional, key);
  return isOptional && isObject(data) && (data[key] ?? undefined) === undefined;
}

/** How many members each list has that its shape knows: none where it may be absent and is. */
function sizes({ shape }: Wanted, data: unknown): Readonly<Record<string, number>> {
  if (shape?.type !== "object" || !isObject(data)) return {};
  const known = Object.entries({ ...shape.required, ...shape.optional });
  return Object.fromEntries(
    known.flatMap(([name, { type }]): [string, number][] => {
      const value = data[name];
      return type === "list" ? [[name, Array.isArray(value) ? value.length : 0]] : [];
    }),
  );
}

/** What stands one level deeper, in objects that its shape knows: people are shown it, as `next.reason`. */
function inside({ shape }: Wanted, data: unknown): Readonly<Record<string, Literal>> {
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
