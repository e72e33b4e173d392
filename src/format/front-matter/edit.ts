/**
 * Edits front matter: the map between two `---` lines at the very start of a text.
 *
 * The engine owns some of its keys. Everything else in the file, including comments, order, spacing and line ends, belongs to
 * people and stays unchanged, byte for byte. An edit that cannot guarantee this is refused.
 */

import { Document, isMap, isScalar, parseDocument, Scalar, visit } from "yaml";
import type { Pair, ParsedNode } from "yaml";
import { MARK, OPEN, splitFrontMatter } from "./parts.ts";
import type { Problem } from "../problem.ts";
import { loadYaml } from "../yaml.ts";

export type Edited =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export type FrontKeys = Readonly<Record<string, unknown>>;
type TextEdit = { readonly from: number; readonly to: number; readonly text: string };

export function setFrontMatter(file: string, text: string, data: FrontKeys): Edited {
  const { mark, head, close, body } = splitFrontMatter(text);
  if (head !== "") {
    const edited = setKeys(file, head, data);
    return edited.ok ? { ok: true, text: `${mark}${edited.text}${close}${body}` } : edited;
  }
  if (OPEN.test(body)) {
    const message = "The front matter that begins here has no closing --- line.";
    return { ok: false, problems: [{ file, line: 1, col: 1, code: "front-matter-open", message }] };
  }
  if (Object.keys(data).length === 0) return { ok: true, text };
  const line = `---${lineEndOf(text)}`;
  const edited = setKeys(file, line, data);
  return edited.ok ? { ok: true, text: `${mark}${edited.text}${line}${body}` } : edited;
}

/** Sets keys of the top-level map of a YAML text, and leaves the rest of the text unchanged. */
export function setKeys(file: string, text: string, data: FrontKeys): Edited {
  const mark = text.startsWith(MARK) ? MARK : "";
  const source = text.slice(mark.length);
  const before = read(file, source);
  if (!before.ok) return before;

  const changed = Object.entries(data).filter(([key, value]) => !holds(before.data, key, value));
  const document = parseDocument(source, { keepSourceTokens: true, uniqueKeys: false });
  const pairs = isMap(document.contents) ? document.contents.items : [];
  const edits: TextEdit[] = [];
  const added: string[] = [];
  for (const [key, value] of changed) {
    const pair = pairs.find((candidate) => isScalar(candidate.key) && candidate.key.value === key);
    const entry = writeYaml({ [key]: value }).slice(0, -1);
    if (pair === undefined) added.push(entry);
    else edits.push(replacement(source, pair, entry));
  }
  const after = append(applied(source, edits, lineEndOf(source)), added, columnOf(source, pairs[0]));
  return kept({ file, before: before.data, data, after }) ?? { ok: true, text: mark + after };
}

type ReadMap =
  | { readonly ok: true; readonly data: FrontKeys }
  | { readonly ok: false; readonly problems: readonly Problem[] };

function read(file: string, source: string): ReadMap {
  const loaded = loadYaml(file, new TextEncoder().encode(source));
  // The loader accepts only a map at the top level.
  if (loaded.ok) return { ok: true, data: loaded.data as FrontKeys };
  return loaded.problems.every(({ code }) => code === "empty") ? { ok: true, data: {} } : loaded;
}

function holds(data: FrontKeys, key: string, value: unknown): boolean {
  return Object.hasOwn(data, key) && JSON.stringify(data[key]) === JSON.stringify(value);
}

/**
 * Plain block style, strings on one line, nothing that a YAML 1.1 reader would interpret differently. Characters that a file must
 * not contain are escaped, which only double quotes can do.
 */
export function writeYaml(value: unknown): string {
  const document = new Document(value, { compat: "yaml-1.1", aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_key, node) => {
      if (typeof node.value === "string" && UNWRITABLE.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const text = document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
  return text.replaceAll(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const UNWRITABLE = /[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u;
/** Those of them that JSON does not escape. */
const UNESCAPED = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/** From the start of the key to the end of the value; a comment between the two moves to the end of the line. */
function replacement(source: string, pair: Pair<ParsedNode, ParsedNode | null>, entry: string): TextEdit {
  const from = pair.key.range[0];
  const value = pair.value ?? pair.key;
  let to = value.range[1];
  while (" \t\r\n".includes(source.charAt(to - 1))) to -= 1;
  const between = source.slice(pair.key.range[1], value.range[0]);
  const comments = between.match(/(?<=\s)#[^\r\n]*/g) ?? [];
  const [first, ...rest] = entry.split("\n");
  const indent = " ".repeat(columnOf(source, pair));
  const lines = [[first, ...comments].join(" "), ...rest.map((line) => indent + line)];
  return { from, to, text: lines.join("\n") };
}

function applied(source: string, edits: readonly TextEdit[], lineEnd: string): string {
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((text, { from, to, text: entry }) => {
      return text.slice(0, from) + entry.replaceAll("\n", lineEnd) + text.slice(to);
    }, source);
}

function append(source: string, entries: readonly string[], column: number): string {
  if (entries.length === 0) return source;
  const lineEnd = lineEndOf(source);
  const lines = entries.flatMap((entry) => entry.split("\n")).map((line) => " ".repeat(column) + line);
  if (source === "" || source.endsWith("\n")) return `${source}${lines.join(lineEnd)}${lineEnd}`;
  return `${source}${lineEnd}${lines.join(lineEnd)}`;
}

function columnOf(source: string, pair: Pair<ParsedNode, ParsedNode | null> | undefined): number {
  if (pair === undefined) return 0;
  return pair.key.range[0] - (source.lastIndexOf("\n", pair.key.range[0] - 1) + 1);
}

function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

type KeyChange = {
  readonly file: string;
  readonly before: FrontKeys;
  readonly data: FrontKeys;
  readonly after: string;
};

/** Reads the result back: an unusual notation must lead to a refusal, never to a damaged file. */
function kept({ file, before, data, after }: KeyChange): Edited | undefined {
  const written = read(file, after);
  const expected = { ...before, ...data };
  if (written.ok) {
    const same = Object.keys(expected).length === Object.keys(written.data).length;
    if (same && Object.entries(expected).every(([key, value]) => holds(written.data, key, value)))
      return undefined;
  }
  const message =
    "This map cannot be edited in place: write one `key: value` per line, without `?`, `{` or `...`.";
  return { ok: false, problems: [{ file, line: 1, col: 1, code: "not-editable", message }] };
}
