/**
 * Data as a Markdown page for people: one section for each key, in order. All texts are escaped, so that each section ends where
 * the next one starts.
 */

import { isObject } from "../json/shape.ts";

/** The content below each heading. */
type Sections = Readonly<Record<string, string>>;

const NOTHING = "None.";

export function sectionsOf(data: unknown): Sections {
  if (!isObject(data)) return {};
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
  if (isObject(value))
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
  if (!isObject(member)) return linesOf(member);
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

/**
 * Escapes foreign text inside a page of the engine, so that it stays plain text: it cannot create headings, lists, tags, images
 * or ticked boxes, and cannot end the surrounding construct.
 */

/** On one line. */
export function quotedLine(text: string): string {
  return harmless(text.replaceAll(/[\s\p{C}]+/gu, " ").trim());
}

/** As a quotation, line by line; empty without text. */
export function quotedLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029\u0085\v\f]/).map(quotedLine);
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1).map((line) => (line === "" ? ">" : `> ${line}`));
}

/** In code marks, for file names. */
export function quotedName(text: string): string {
  return `\`${text.replaceAll(/[\s\p{C}`<>[\]]+/gu, " ").trim() || "?"}\``;
}

function harmless(line: string): string {
  return line
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/\[([ xX])\]/g, "($1)")
    .replaceAll("](", "]\\(")
    .replaceAll("![", "!\\[")
    .replace(/^([#>*+=~`|_[:-])/, "\\$1")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2");
}
