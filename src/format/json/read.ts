/** Reads a JSON or YAML artifact: its shape, its review, its lists. */

import type { Fault } from "../../core/model/event.ts";
import type { DataReader } from "../../core/model/artifact.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";
import { FAULTS_MAX } from "../reading/finding.ts";
import type { ReaderFinding } from "../reading/finding.ts";
import { nearestSpot, placesIn, type Path } from "../problem.ts";
import { loadYaml } from "../yaml.ts";
import { takeOut } from "./data.ts";
import { readReview } from "./review.ts";
import { scanJson } from "./scan.ts";
import { isObject } from "./shape.ts";
import type { ShapeMisfit } from "./shape.ts";

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
