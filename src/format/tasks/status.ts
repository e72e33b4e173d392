/**
 * The status of tasks in a YAML list that other authors write. The engine owns only the statuses: every other byte stays
 * unchanged, and the content of the list does not depend on them.
 */

import { isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { Pair, ParsedNode, YAMLMap } from "yaml";
import type { Edited } from "../front-matter/edit.ts";
import { loadYamlText } from "../json/read.ts";
import { isObject } from "../json/shape.ts";

type Statuses = Readonly<Record<string, string>>;
type StatusEdit = { readonly at: number; readonly to: number; readonly text: string };
type PairNode = Pair<ParsedNode, ParsedNode | null>;

/** The content of the list without the statuses, as one text; undefined if it cannot be read. */
export function withoutStatuses(file: string, text: string): string | undefined {
  const loaded = loadYamlText(file, text);
  if (!loaded.ok || !isObject(loaded.data)) return undefined;
  const { tasks, ...rest } = loaded.data;
  if (!Array.isArray(tasks)) return undefined;
  const bare = tasks.map((task: unknown) => {
    if (!isObject(task)) return task;
    const { status: _, ...others } = task;
    return others;
  });
  return JSON.stringify([rest, bare]);
}

/** The current status of each task in the file. */
export function statusesIn(file: string, text: string): Readonly<Record<string, unknown>> {
  const loaded = loadYamlText(file, text);
  const tasks = loaded.ok && isObject(loaded.data) ? loaded.data["tasks"] : undefined;
  if (!Array.isArray(tasks)) return {};
  return Object.fromEntries(
    tasks.flatMap((task: unknown): [string, unknown][] =>
      isObject(task) && task["status"] !== undefined ? [[String(task["id"]), task["status"]]] : [],
    ),
  );
}

/** Tasks that are not in the file are ignored. */
export function setStatuses(file: string, text: string, statuses: Statuses): Edited {
  const replaced = overWords(file, text, statuses);
  const isDone = replaced !== undefined && isKept({ file, text, after: replaced }, statuses);
  return isDone ? { ok: true, text: replaced } : setNodes(file, text, statuses);
}

/** If every task already has a plain status word, the words can be replaced by position, without the syntax tree. */
function overWords(file: string, text: string, statuses: Statuses): string | undefined {
  const loaded = loadYamlText(file, text);
  const tasks = loaded.ok && isObject(loaded.data) ? loaded.data["tasks"] : undefined;
  if (!loaded.ok || !Array.isArray(tasks)) return undefined;
  const lines = text.split("\n");
  const starts = startsOf(lines);
  const edits: StatusEdit[] = [];
  for (const [index, task] of tasks.entries()) {
    const { id, status } = isObject(task) ? task : {};
    const wanted = wantedFor(String(id), statuses);
    if (wanted === undefined || status === wanted) continue;
    const { line, col } = loaded.placeOf(["tasks", index, "status"]);
    const before = Array.from(lines[line - 1] ?? "").slice(0, col - 1);
    const at = (starts[line - 1] ?? 0) + before.join("").length;
    if (typeof status !== "string" || status === "" || !text.startsWith(status, at)) return undefined;
    edits.push({ at, to: at + status.length, text: wanted });
  }
  return withEdits(text, edits);
}

function startsOf(lines: readonly string[]): readonly number[] {
  let at = 0;
  return lines.map(({ length }) => {
    const start = at;
    at += length + 1;
    return start;
  });
}

function setNodes(file: string, text: string, statuses: Statuses): Edited {
  const document = parseDocument(text, { uniqueKeys: false });
  const tasks = isMap(document.contents) ? document.contents.get("tasks", true) : undefined;
  const items = isSeq(tasks) ? tasks.items : [];
  const edits = items.flatMap((item) =>
    isMap<ParsedNode, ParsedNode | null>(item) ? editOf(text, item, statuses) : [],
  );
  const after = withEdits(text, edits);
  return isKept({ file, text, after }, statuses) ? { ok: true, text: after } : refused(file);
}

function withEdits(text: string, edits: readonly StatusEdit[]): string {
  return edits
    .toSorted((a, b) => b.at - a.at)
    .reduce((made, edit) => made.slice(0, edit.at) + edit.text + made.slice(edit.to), text);
}

function wantedFor(id: string, statuses: Statuses): string | undefined {
  return Object.hasOwn(statuses, id) ? statuses[id] : undefined;
}

function editOf(
  text: string,
  task: YAMLMap<ParsedNode, ParsedNode | null>,
  statuses: Statuses,
): StatusEdit[] {
  const id = pairOf(task, "id");
  const name = isScalar(id?.value) ? String(id.value.value) : "";
  const wanted = wantedFor(name, statuses);
  if (id?.value?.range === undefined || wanted === undefined) return [];
  const known = pairOf(task, "status")?.value;
  if (isScalar(known) && known.range !== undefined && known.range !== null) {
    const [at, to] = known.range;
    if (known.value === wanted) return [];
    return [{ at, to, text: at === to ? ` ${wanted}` : wanted }];
  }
  const end = id.value.range[1];
  if (task.flow === true) return [{ at: end, to: end, text: `, status: ${wanted}` }];
  // On its own line below the id, before any comment of that line.
  const [lineEnd = ""] = /\r?\n|$/.exec(text.slice(end)) ?? [];
  const at = end + text.slice(end).search(/\r?\n|$/);
  const indent = " ".repeat(id.key.range[0] - (text.lastIndexOf("\n", id.key.range[0] - 1) + 1));
  return [{ at, to: at, text: `${lineEnd === "" ? "\n" : lineEnd}${indent}status: ${wanted}` }];
}

function pairOf({ items }: YAMLMap<ParsedNode, ParsedNode | null>, key: string): PairNode | undefined {
  return items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** Reads the result back: an unusual notation must lead to a refusal, never to a damaged file. */
function isKept(
  { file, text, after }: { readonly file: string; readonly text: string; readonly after: string },
  statuses: Statuses,
): boolean {
  const rest = withoutStatuses(file, text);
  const before = statusesIn(file, text);
  const now = statusesIn(file, after);
  const isSame = Object.entries(now).every(([id, word]) => word === (statuses[id] ?? before[id]));
  return rest !== undefined && rest === withoutStatuses(file, after) && isSame;
}

function refused(file: string): Edited {
  const message = "The status of these tasks cannot be set in place: write one `key: value` per line.";
  return { ok: false, problems: [{ file, line: 1, col: 1, code: "not-editable", message }] };
}
