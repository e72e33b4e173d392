/** Reads a JSON or YAML artifact: its shape, its review, its lists. */

import type { Fault } from "../../core/event.ts";
import type { Literal, Place, Reader } from "../../core/workflow.ts";
import { cutValue, FAULTS_MAX, quote, repeated } from "../finding.ts";
import type { Finding } from "../finding.ts";
import { placesIn } from "../problem.ts";
import { loadYaml } from "../yaml.ts";
import { pathOf, readReview, valueAt } from "./review.ts";
import { scanJson } from "./scan.ts";
import type { Spot } from "./scan.ts";
import { isObject, misfits, nameOf } from "./shape.ts";
import type { Misfit, Path } from "./shape.ts";

type DataReader = Extract<Reader, { type: "json" | "yaml" }>;

type Loaded =
  | {
      readonly ok: true;
      readonly data: unknown;
      readonly placeOf: (path: Path) => Place;
      readonly keyPlaceOf: (path: Path) => Place;
    }
  | { readonly ok: false; readonly faults: readonly Fault[] };

const FIELDS_MAX = 100;

export function readJson(reader: DataReader, file: string, text: string): Finding {
  const loaded = reader.type === "json" ? loadJson(file, text) : loadYamlText(file, text);
  if (!loaded.ok) return { found: true, faults: loaded.faults };
  const { data } = loaded;
  const wrong = reader.shape === undefined ? [] : misfits(reader.shape, data);
  const { misfits: unjudged, word, ...review } = reviewIn(reader, data);
  const unlisted: Misfit[] = [];
  const lists = Object.entries(reader.lists).map(
    ([name, at]) => [name, mayLack(reader, data, at) ? [] : listAt(data, at, unlisted)] as const,
  );
  const told = new Set(wrong.map(({ reason }) => reason));
  const others = [...unjudged, ...unlisted].filter(({ reason }) => !told.has(reason));
  const faults = [...wrong, ...others].slice(0, FAULTS_MAX).map(({ path, reason, atKey }) => ({
    at: atKey === true ? loaded.keyPlaceOf(path) : loaded.placeOf(path),
    reason,
  }));
  const said = word === undefined ? {} : { said: { word: word.word, at: loaded.placeOf(word.path) } };
  return {
    found: true,
    faults,
    ...review,
    ...said,
    fields: { ...scalars(data), ...sizes(reader, data) },
    lists: Object.fromEntries(lists),
  };
}

function reviewIn({ review }: DataReader, data: unknown): ReturnType<typeof readReview> {
  return review === undefined ? { misfits: [] } : readReview(review, data);
}

/** What stands at the top of a data file, for whoever needs it whole; nothing where it cannot be read. */
export function dataIn(
  type: DataReader["type"],
  file: string,
  text: string,
): Readonly<Record<string, unknown>> {
  const loaded = type === "json" ? loadJson(file, text) : loadYamlText(file, text);
  return loaded.ok && isObject(loaded.data) ? loaded.data : {};
}

function loadJson(file: string, text: string): Loaded {
  const placeAt = placesIn(file, text);
  const scanned = scanJson(text);
  if (!scanned.ok) return { ok: false, faults: [{ at: placeAt(scanned.offset), reason: scanned.reason }] };
  return {
    ok: true,
    data: scanned.data,
    placeOf: (path) => placeAt(nearest(scanned.root, path).value),
    keyPlaceOf: (path) => placeAt(nearest(scanned.root, path).key),
  };
}

export function loadYamlText(file: string, text: string): Loaded {
  const loaded = loadYaml(file, new TextEncoder().encode(text));
  if (loaded.ok) return loaded;
  const faults = loaded.problems.map(({ line, col, message }) => ({
    at: { file, line, col },
    reason: message,
  }));
  return { ok: false, faults };
}

function nearest(root: Spot, path: Path): Spot {
  let spot = root;
  for (const name of path) {
    const child = spot.children.get(name);
    if (child === undefined) return spot;
    spot = child;
  }
  return spot;
}

/** Texts, or objects that have an `id` or a `name`. Later steps go through them one by one, so none may repeat. */
function listAt(data: unknown, at: string, wrong: Misfit[]): readonly string[] {
  const path = pathOf(at);
  const items: unknown = valueAt(data, path);
  if (!Array.isArray(items)) {
    wrong.push({ path, reason: `${nameOf(path)} must be a list` });
    return [];
  }
  const names = items.map((item: unknown, index) => {
    const name = isObject(item) ? (item["id"] ?? item["name"]) : item;
    if (typeof name === "string" && name.trim() !== "") return cutValue(name);
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

/** It is not there, and its shape says that it need not be. */
function mayLack({ shape }: DataReader, data: unknown, at: string): boolean {
  const isOptional = shape?.type === "object" && Object.hasOwn(shape.optional, at);
  return isOptional && isObject(data) && (data[at] ?? undefined) === undefined;
}

/** How many members each list has that its shape knows: none where it may be absent and is. */
function sizes({ shape }: DataReader, data: unknown): Readonly<Record<string, number>> {
  if (shape?.type !== "object" || !isObject(data)) return {};
  const known = Object.entries({ ...shape.required, ...shape.optional });
  return Object.fromEntries(
    known.flatMap(([name, { type }]): [string, number][] => {
      const value = data[name];
      return type === "list" ? [[name, Array.isArray(value) ? value.length : 0]] : [];
    }),
  );
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
