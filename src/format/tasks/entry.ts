/**
 * One task as a map in YAML.
 *
 * YAML reads 1.10 as the number 1.1. An id without quotes is accepted only if it reads back as written.
 */

import type { Path } from "../problem.ts";
import { isBlank } from "../../core/text/blank.ts";
import type { TaskKeys } from "../../core/tasks/graph.ts";
import type { Literal } from "../../core/model/value.ts";
import type { SourcePlace } from "../../core/model/workflow.ts";
import { cutValue } from "../reading/finding.ts";
import { isObject } from "../json/shape.ts";
import { instructionsIn, type TaskDraft } from "./task.ts";

type TaskEntry = {
  readonly data: unknown;
  readonly path: Path;
  /** The lines of the YAML, to see how a number was written. */
  readonly lines: readonly string[];
  readonly placeOf: (path: Path) => SourcePlace;
  readonly complain: (path: Path, reason: string) => void;
};

type EntryDraft = Omit<TaskDraft, "offset">;

const TITLE_MAX = 200;

/** Undefined without a usable id; the problem is reported. */
export function entryDraft(entry: TaskEntry): EntryDraft | undefined {
  const { data, path } = entry;
  if (!isObject(data)) {
    entry.complain(path, "a task must be a map with an id");
    return undefined;
  }
  const id = idAt(entry, data["id"], [...path, "id"]);
  if (id === undefined) return undefined;
  const complexity = textOf(data["complexity"]);
  const status = textOf(data["status"]);
  const text = textOf(data["instructions"]) ?? textOf(data["description"]);
  return {
    id,
    title: cutValue(textOf(data["title"]) ?? textOf(data["goal"]) ?? "", TITLE_MAX),
    files: filesOf(entry, data),
    dependsOn: idsOf(entry, data["depends_on"]),
    ...(complexity !== undefined && { complexity }),
    ...(status !== undefined && { status }),
    ...(text !== undefined && { text: instructionsIn(text) }),
    ...keysIn(data),
  };
}

/** Keys with a meaning of their own. */
const READ = new Set([
  "id",
  "title",
  "complexity",
  "status",
  "instructions",
  "description",
  "depends_on",
  "files_expected",
  "files",
  "file",
]);
const KEYS_MAX = 50;
const MEMBERS_MAX = 100;

/** Further keys, for callers that ask for them by name; maps are only for people. */
function keysIn(data: Readonly<Record<string, unknown>>): Pick<TaskDraft, "keys"> {
  const keys = Object.entries(data).flatMap(([key, value]): [string, TaskKeys[string]][] => {
    if (READ.has(key)) return [];
    if (isLiteral(value)) return [[key, cutLiteral(value)]];
    const isList = Array.isArray(value) && value.every(isLiteral);
    return isList ? [[key, value.slice(0, MEMBERS_MAX).map(cutLiteral)]] : [];
  });
  return keys.length === 0 ? {} : { keys: Object.fromEntries(keys.slice(0, KEYS_MAX)) };
}

function isLiteral(value: unknown): value is Literal {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function cutLiteral(value: Literal): Literal {
  return typeof value === "string" ? cutValue(value) : value;
}

function idAt(entry: TaskEntry, value: unknown, path: Path): string | undefined {
  if (typeof value === "string" && !isBlank(value)) return value.trim();
  if (typeof value === "number") {
    const source = sourceAt(entry, path);
    if (String(value) === source) return source;
    entry.complain(path, `the id ${source} is read as ${value}: put it in quotes`);
    return undefined;
  }
  entry.complain(path, "a task needs an id, as a text");
  return undefined;
}

function sourceAt({ lines, placeOf }: TaskEntry, path: Path): string {
  const { line, col } = placeOf(path);
  const rest = Array.from(lines[line - 1] ?? "")
    .slice(col - 1)
    .join("");
  return /^[^\s,\]}#]*/.exec(rest)?.[0] ?? "";
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function filesOf(entry: TaskEntry, data: Readonly<Record<string, unknown>>): readonly string[] {
  const key = ["files_expected", "files", "file"].find(
    (name) => data[name] !== undefined && data[name] !== null,
  );
  if (key === undefined) return [];
  const value = data[key];
  const files: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!files.every((file) => typeof file === "string")) {
    entry.complain([...entry.path, key], `${key} must be a list of paths`);
    return [];
  }
  return files.map((file) => file.replace(/^(?:\.\/)+/, ""));
}

function idsOf(entry: TaskEntry, value: unknown): readonly string[] {
  const path = [...entry.path, "depends_on"];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    entry.complain(path, "depends_on must be a list of ids");
    return [];
  }
  return value.flatMap((one: unknown, index) => idAt(entry, one, [...path, index]) ?? []);
}
