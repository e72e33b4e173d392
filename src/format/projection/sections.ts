/**
 * Data as a Markdown page for people: one section for each key, in order. All texts are escaped, so that each section ends where
 * the next one starts.
 */

import { quotedLine, quotedLines } from "./quoted.ts";

/** The content below each heading. */
type Sections = Readonly<Record<string, string>>;

const NOTHING = "None.";

export function sectionsOf(data: unknown): Sections {
  if (!isMap(data)) return {};
  return Object.fromEntries(
    Object.entries(data).map(([heading, value]) => [quotedLine(heading), linesOf(value).join("\n")]),
  );
}

export function writeSections(sections: Sections): string {
  return Object.entries(sections)
    .map(([heading, body]) => `## ${heading}\n\n${body}\n`)
    .join("\n");
}

/** Reads the sections of such a page. */
export function readSections(text: string): Sections {
  const [, ...parts] = `\n${text}`.split(/\n## /);
  return Object.fromEntries(
    parts.map((part) => {
      const end = part.indexOf("\n");
      return end < 0 ? [part.trim(), ""] : [part.slice(0, end).trim(), part.slice(end + 1).trim()];
    }),
  );
}

/** Texts with several lines become quotations; lists and maps become nested lists. */
function linesOf(value: unknown): readonly string[] {
  if (isEmpty(value)) return [NOTHING];
  if (Array.isArray(value)) return value.flatMap((member: unknown) => bulleted(memberLines(member)));
  if (isMap(value))
    return Object.entries(value).flatMap(([key, inner]) => {
      const name = `**${quotedLine(key)}**:`;
      const line = lineOf(inner);
      return bulleted(line === undefined ? [name, ...linesOf(inner)] : [`${name} ${line}`]);
    });
  const line = lineOf(value);
  if (line !== undefined) return [line];
  return typeof value === "string" ? quotedLines(value) : [NOTHING];
}

/** A map of short values becomes one line, without empty values. */
function memberLines(member: unknown): readonly string[] {
  if (!isMap(member)) return linesOf(member);
  const said = Object.fromEntries(Object.entries(member).filter(([, inner]) => !isEmpty(inner)));
  if (isEmpty(said)) return linesOf(said);
  const words = Object.entries(said).map(([key, inner]) => {
    const line = lineOf(inner);
    return line === undefined ? undefined : `${quotedLine(key)}: ${line}`;
  });
  return words.includes(undefined) ? linesOf(said) : [words.join("; ")];
}

function bulleted(lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${index === 0 ? "- " : "  "}${line}`);
}

/** The value on one line, if it fits. */
function lineOf(value: unknown): string | undefined {
  if (isEmpty(value)) return NOTHING;
  if (typeof value === "string") return quotedLines(value).length > 1 ? undefined : quotedLine(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return quotedLine(value) === "";
  if (typeof value !== "object" || value === null) return value === null || value === undefined;
  return Object.keys(value).length === 0;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
