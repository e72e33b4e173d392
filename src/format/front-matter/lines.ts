/**
 * Sets keys of front matter that consists of simple lines, without the YAML parser.
 *
 * The engine writes the same few keys at every move, and loading the parser takes longer than the rest of that work. This
 * function handles only unambiguous lines and returns `undefined` for everything else; then the parser does the edit. A test
 * checks that both produce the same text.
 */

import type { FrontKeys } from "./edit.ts";
import { splitFrontMatter } from "./parts.ts";

/** One key and one value on one line, without a continuation or a comment. */
const SIMPLE = /^([A-Za-z_][A-Za-z0-9_]*): (?:[A-Za-z0-9/](?:[^:#\r\n]*[^:#\s])?|"[^"\\\r\n]*")$/;
const COMMENT = /^(?:#.*)?$/;
/** A word that every YAML version reads as a text. */
const WORD = /^[a-z]{3,}(?:-[a-z]+)*$/;
const TAKEN_FOR_SOMETHING = new Set(["yes", "off", "true", "false", "null", "nan", "inf"]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** `before` has the current values of these keys; all of them must exist in the text. */
export function setLines(text: string, before: FrontKeys, after: FrontKeys): string | undefined {
  const { mark, head, close, body } = splitFrontMatter(text);
  const lines = head.split("\n").slice(1, -1);
  const names = lines.map((line) => (COMMENT.test(line) ? undefined : (SIMPLE.exec(line)?.[1] ?? "")));
  const keys = names.filter((name) => name !== undefined);
  if (head === "" || keys.includes("") || new Set(keys).size < keys.length) return undefined;
  const changed = Object.entries(after).filter(([key, value]) => show(before[key]) !== show(value));
  for (const [key, value] of changed) {
    const at = names.indexOf(key);
    const written = write(value);
    if (at === -1 || written === undefined || !Object.hasOwn(before, key)) return undefined;
    lines[at] = `${key}: ${written}`;
  }
  return `${mark}${[head.slice(0, head.indexOf("\n")), ...lines, ""].join("\n")}${close}${body}`;
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function write(value: unknown): string | undefined {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? String(value) : undefined;
  if (typeof value !== "string") return undefined;
  if (TIME.test(value)) return `"${value}"`;
  return WORD.test(value) && !TAKEN_FOR_SOMETHING.has(value) ? value : undefined;
}
