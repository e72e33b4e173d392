/** Parses the text after "Files:" and "Depends:" into paths and ids. */

import type { TextLine } from "../markdown/outline.ts";
import { isPlaceholder, plain, unwrap } from "../markdown/inline.ts";

const LABELS: ReadonlyMap<string, string> = new Map([
  ["file", "files"],
  ["files", "files"],
  ["target files", "files"],
  ["depends", "depends"],
  ["depends on", "depends"],
  ["dependencies", "depends"],
  ["complexity", "complexity"],
]);

/** Labels for the kind of change, inside a list of files. */
const FILE_ACTIONS = new Set([
  "add",
  "create",
  "new",
  "modify",
  "edit",
  "update",
  "delete",
  "remove",
  "rename",
  "test",
  "tests",
]);

const LINE_MAX = 2000;

/** Groups lines by label. An unknown or repeated label ends the group above it. */
export function labelledOf(lines: readonly TextLine[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let current: string[] = [];
  let label = "";
  for (const { text } of lines) {
    const line = text.slice(0, LINE_MAX);
    const match = /^(\*{1,2}|_{1,2}|`?)([A-Za-z][A-Za-z ]{0,30})(?::\1|\1[ \t]*:)(?=\s|$|`)/.exec(line);
    const word = match?.[2]?.trim().toLowerCase();
    const rest = line.slice(match?.[0].length ?? 0);
    if (word === undefined || (label === "files" && FILE_ACTIONS.has(word))) {
      current.push(rest);
      continue;
    }
    const known = LABELS.get(word) ?? "";
    label = found.has(known) ? "" : known;
    current = [];
    if (label !== "") found.set(label, current);
    current.push(rest);
  }
  return found;
}

/** Code marks or quotes contain a whole path, with its commas, spaces and brackets. */
const MARKED = /`([^`]+)`|(?<=^|[\s,])(?:"([^"]+)"|'([^']+)')(?=[\s,]|$)/;

/** Text in parentheses after a space; `app/(auth)/page.tsx` is a path. */
const REMARK = /(?<=^|\s)\([^()]*\)\.?(?=[\s,]|$)/;

const OR_REMARK = new RegExp(`${MARKED.source}|${REMARK.source}`, "g");
const UNTIL_DASH = new RegExp(String.raw`^(?:${MARKED.source}|(?!\s[-–—]\s).)*`);
const PART = new RegExp(`(?:${MARKED.source}|[^,])+`, "g");

/** Splits at commas and line ends. Removes remarks, and the text after a dash that follows a marked path. */
export function filesIn(lines: readonly string[]): readonly string[] {
  const files = lines.flatMap((line) => {
    const bare = line.replaceAll(OR_REMARK, (found) => (found.startsWith("(") ? " " : found));
    const before = UNTIL_DASH.exec(bare)?.[0] ?? "";
    return ((MARKED.test(before) ? before : bare).match(PART) ?? []).flatMap(pathsIn);
  });
  const paths = files.map((file) => file.replace(/^(?:\.\/)+/, ""));
  return [...new Set(paths.filter((path) => !isNothing(path)))];
}

function pathsIn(part: string): readonly string[] {
  const marked = Array.from(part.matchAll(new RegExp(MARKED, "g")), ([, code, double, single]) =>
    (code ?? double ?? single ?? "").trim(),
  );
  return marked.length > 0 ? marked : [unwrap((part.trim().split(/\s[-–—]\s/)[0] ?? "").trim()).text];
}

export function idsIn(lines: readonly string[]): readonly string[] {
  const parts = lines.flatMap((line) => plain(line.replaceAll(/\([^()]*\)/g, " ")).split(/,|;|&|\band\b/i));
  const ids = parts.map((part) =>
    part
      .trim()
      .replace(/^(?:tasks?\s+|#)/i, "")
      .replace(/\.$/, ""),
  );
  return [...new Set(ids.filter((id) => !isNothing(id)))];
}

export function wordIn(lines: readonly string[] | undefined): string | undefined {
  const word = plain(lines?.find((line) => !isPlaceholder(line)) ?? "").replaceAll(/\s*\([^()]*\)$/g, "");
  return word === "" ? undefined : word;
}

function isNothing(text: string): boolean {
  return isPlaceholder(text) || /^(?:none|n\/a|nothing|no dependencies)\.?$/i.test(text);
}
