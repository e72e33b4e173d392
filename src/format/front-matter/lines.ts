/**
 * Sets keys of front matter that consists of simple lines, without the parser of YAML.
 *
 * We write the same few keys whenever a run goes on, and the parser takes longer to load than everything else that this needs.
 * So this does only what cannot be misunderstood, and gives `undefined` for everything else: then the parser does it. Where it
 * does something, it is what the parser would do (a test compares them).
 */

import { splitFrontMatter } from "./parts.ts";

type Keys = Readonly<Record<string, unknown>>;

/** One key, one value, one line: nothing goes on in the next one, and no comment follows. */
const SIMPLE = /^([A-Za-z_][A-Za-z0-9_]*): (?:[A-Za-z0-9/](?:[^:#\r\n]*[^:#\s])?|"[^"\\\r\n]*")$/;
const COMMENT = /^(?:#.*)?$/;
/** What every reader of YAML, old or new, takes for a text. */
const WORD = /^[a-z]{3,}(?:-[a-z]+)*$/;
const TAKEN_FOR_SOMETHING = new Set(["yes", "off", "true", "false", "null", "nan", "inf"]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** `before` is what these keys say now, and all of them are there. */
export function setLines(text: string, before: Keys, after: Keys): string | undefined {
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
