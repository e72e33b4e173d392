/** Reads a JSON or YAML artifact: its shape, its review, its lists. */

import type { Fault } from "../../core/model/event.ts";
import type { DataReader } from "../../core/model/artifact.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";
import { FAULTS_MAX, type ReaderFinding } from "../reading/finding.ts";
import { nearestSpot, placesIn, type Path } from "../problem.ts";
import { loadYaml } from "../yaml.ts";
import { takeOut } from "./data.ts";
import { readReview } from "./review.ts";
import { isObject, type ShapeMisfit } from "./shape.ts";

type LoadedData =
  | {
      readonly ok: true;
      readonly data: unknown;
      readonly placeOf: (path: Path) => SourcePlace;
      readonly keyPlaceOf: (path: Path) => SourcePlace;
    }
  | { readonly ok: false; readonly faults: readonly Fault[] };

export function readJson(reader: DataReader, file: string, text: string): ReaderFinding {
  const loaded = reader.type === "json" ? loadJson(file, text) : loadYamlText(file, text);
  if (!loaded.ok) return { found: true, faults: loaded.faults };
  const { data } = loaded;
  const taken = takeOut(reader, data);
  const { misfits: unjudged, word, ...review } = reviewIn(reader, data);
  // A violation of the shape is reported once.
  const told = new Set(taken.misfits.map(({ reason }) => reason));
  const others = unjudged.filter(({ reason }) => !told.has(reason));
  const said = word === undefined ? {} : { said: { word: word.word, at: loaded.placeOf(word.path) } };
  return {
    found: true,
    faults: faultsOf([...taken.misfits, ...others], loaded),
    ...review,
    ...said,
    fields: taken.fields,
    lists: taken.lists,
  };
}

function reviewIn({ review }: DataReader, data: unknown): ReturnType<typeof readReview> {
  return review === undefined ? { misfits: [] } : readReview(review, data);
}

export function faultsOf(
  wrong: readonly ShapeMisfit[],
  { placeOf, keyPlaceOf }: Pick<Extract<LoadedData, { ok: true }>, "placeOf" | "keyPlaceOf">,
): readonly Fault[] {
  return wrong.slice(0, FAULTS_MAX).map(({ path, reason, atKey }) => ({
    at: atKey === true ? keyPlaceOf(path) : placeOf(path),
    reason,
  }));
}

/** The top-level data of a file; empty if the file cannot be read. */
export function dataIn(
  type: DataReader["type"],
  file: string,
  text: string,
): Readonly<Record<string, unknown>> {
  const loaded = type === "json" ? loadJson(file, text) : loadYamlText(file, text);
  return loaded.ok && isObject(loaded.data) ? loaded.data : {};
}

function loadJson(file: string, text: string): LoadedData {
  const placeAt = placesIn(file, text);
  const scanned = scanJson(text);
  if (!scanned.ok) return { ok: false, faults: [{ at: placeAt(scanned.offset), reason: scanned.reason }] };
  return {
    ok: true,
    data: scanned.data,
    placeOf: (path) => placeAt(nearestSpot(scanned.root, path).value),
    keyPlaceOf: (path) => placeAt(nearestSpot(scanned.root, path).key),
  };
}

/** Enough for the old and the new version of a list while its child runs are active. */
const RECENT_MAX = 4;
const recent: { readonly file: string; readonly text: string; readonly loaded: LoadedData }[] = [];

/**
 * Caches the result, because several readers ask about the same text, and parsing a long list takes longer than all other work on
 * it.
 */
export function loadYamlText(file: string, text: string): LoadedData {
  const at = recent.findIndex((each) => each.file === file && each.text === text);
  const [known] = at < 0 ? [] : recent.splice(at, 1);
  const now = known ?? { file, text, loaded: load(file, text) };
  recent.unshift(now);
  recent.length = Math.min(recent.length, RECENT_MAX);
  return now.loaded;
}

function load(file: string, text: string): LoadedData {
  const loaded = loadYaml(file, new TextEncoder().encode(text));
  if (loaded.ok) return loaded;
  const faults = loaded.problems.map(({ line, col, message }) => ({
    at: { file, line, col },
    reason: message,
  }));
  return { ok: false, faults };
}

/**
 * A JSON parser that accepts exactly what `JSON.parse` accepts, and records the position of every value.
 *
 * Duplicate keys are an error: `JSON.parse` would silently use the last one.
 */

type JsonSpot = {
  readonly key: number;
  readonly value: number;
  readonly children: Map<string | number, JsonSpot>;
};

type Scanned =
  | { readonly ok: true; readonly data: unknown; readonly root: JsonSpot }
  | { readonly ok: false; readonly offset: number; readonly reason: string };

const DEPTH_MAX = 100;
const BLANKS = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** Stops the scan; it never leaves this file. */
class Stop extends Error {
  readonly offset: number;

  constructor(offset: number, reason: string) {
    super(reason);
    this.offset = offset;
  }
}

type Cursor = { readonly text: string; at: number };

export function scanJson(text: string): Scanned {
  const cursor: Cursor = { text, at: 0 };
  const root: JsonSpot = { key: 0, value: blanks(cursor), children: new Map() };
  try {
    const data = value(cursor, root, 0);
    if (blanks(cursor) < text.length) throw new Stop(cursor.at, "more text follows the JSON value");
    return { ok: true, data, root };
  } catch (error) {
    if (error instanceof Stop) return { ok: false, offset: error.offset, reason: error.message };
    throw error;
  }
}

function value(cursor: Cursor, spot: JsonSpot, depth: number): unknown {
  if (depth > DEPTH_MAX) throw new Stop(cursor.at, `nested deeper than ${DEPTH_MAX} levels`);
  const sign = cursor.text[cursor.at];
  if (sign === "{") return object(cursor, spot, depth);
  if (sign === "[") return list(cursor, spot, depth);
  if (sign === '"') return string(cursor);
  const word = match(cursor, WORD) ?? match(cursor, NUMBER);
  if (word !== undefined) return JSON.parse(word);
  if (sign === undefined) throw new Stop(cursor.at, "the JSON ends too early");
  throw new Stop(cursor.at, `a JSON value is expected, not ${JSON.stringify(sign)}`);
}

function object(cursor: Cursor, spot: JsonSpot, depth: number): unknown {
  const entries: [string, unknown][] = [];
  cursor.at += 1;
  while (more(cursor, "}", entries.length)) {
    const at = cursor.at;
    if (cursor.text[at] !== '"') throw new Stop(at, "a key in double quotes is expected");
    const key = string(cursor);
    if (spot.children.has(key))
      throw new Stop(at, `the key ${JSON.stringify(key).slice(0, 80)} appears twice`);
    blanks(cursor);
    if (cursor.text[cursor.at] !== ":") throw new Stop(cursor.at, "a colon is expected after the key");
    cursor.at += 1;
    const child = { key: at, value: blanks(cursor), children: new Map<string | number, JsonSpot>() };
    spot.children.set(key, child);
    entries.push([key, value(cursor, child, depth + 1)]);
  }
  return Object.fromEntries(entries);
}

function list(cursor: Cursor, spot: JsonSpot, depth: number): unknown {
  const items: unknown[] = [];
  cursor.at += 1;
  while (more(cursor, "]", items.length)) {
    const child = { key: cursor.at, value: cursor.at, children: new Map<string | number, JsonSpot>() };
    spot.children.set(items.length, child);
    items.push(value(cursor, child, depth + 1));
  }
  return items;
}

/** Moves the cursor to the next member, or past the closing bracket. */
function more(cursor: Cursor, close: string, count: number): boolean {
  const sign = cursor.text[blanks(cursor)];
  if (sign === close) {
    cursor.at += 1;
    return false;
  }
  if (count === 0) return true;
  if (sign !== ",")
    throw new Stop(
      cursor.at,
      sign === undefined ? "the JSON ends too early" : `a comma or ${close} is expected`,
    );
  cursor.at += 1;
  if (cursor.text[blanks(cursor)] === close)
    throw new Stop(cursor.at, `nothing follows the comma before ${close}`);
  return true;
}

function string(cursor: Cursor): string {
  const start = cursor.at;
  let end = start + 1;
  while (end < cursor.text.length && cursor.text[end] !== '"') end += cursor.text[end] === "\\" ? 2 : 1;
  if (end >= cursor.text.length) throw new Stop(start, "this string has no closing quote");
  cursor.at = end + 1;
  try {
    return JSON.parse(cursor.text.slice(start, cursor.at)) as string;
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new Stop(start, "this string holds a line end or an escape that JSON does not have");
    throw error;
  }
}

function blanks(cursor: Cursor): number {
  match(cursor, BLANKS);
  return cursor.at;
}

function match(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  cursor.at += found?.length ?? 0;
  return found;
}
