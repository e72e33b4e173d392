/** The readers of Markdown, without other readers: most files of most runs need only these. */

import type { Reader } from "../../core/model/artifact.ts";
import { cutValue, faultsAt, type ReaderFinding, type TextFlaw } from "../reading/finding.ts";
import { readWith, type FileReader, type ReadArtifact } from "../reading/reading.ts";
import { readDocument } from "./document.ts";
import { elementAround } from "./enclosed.ts";
import { isPlaceholder, plain, trimBlank } from "./inline.ts";
import {
  endOf,
  linesWithin,
  outlineOf,
  ownBlocks,
  sectionsOf,
  startOf,
  linesOf,
  marginLines,
  type Outline,
  type MarkdownSection,
  type Block,
  type TextLine,
} from "./outline.ts";
import { verdictOf } from "./verdict.ts";

export type MarkdownReader = Extract<Reader, { type: "section" | "document" }>;

/** The same as `readArtifact`, for Markdown artifacts only. */
export const readMarkdown: ReadArtifact = readWith(find);

export function findInMarkdown(reader: MarkdownReader, file: string, text: string): ReaderFinding {
  switch (reader.type) {
    case "section":
      return readSection(reader, file, text);
    case "document":
      return readDocument(reader, file, text);
  }
}

function find(reader: FileReader, file: string, text: string): ReaderFinding {
  if (reader.type === "section" || (reader.type === "document" && reader.front === undefined))
    return findInMarkdown(reader, file, text);
  throw new Error(`${reader.type} is not a reader of Markdown`);
}

/** Reads one section of a Markdown file: `## Name`, its fields and its verdict. */

type SectionReader = Extract<Reader, { type: "section" }>;

const DEPTH = 2;
const FIELDS_MAX = 50;

function readSection(reader: SectionReader, file: string, text: string): ReaderFinding {
  const outline = outlineOf(file, text);
  if (outline.refused) return { found: true, faults: faultsAt([outline.refused], outline.placeAt) };
  const sections = sectionsOf(outline, DEPTH).filter(({ depth }) => depth === DEPTH);
  const named = sections.filter(({ name }) => name === reader.heading);
  const [section, second] = named;
  if (section === undefined)
    return { found: false, faults: faultsAt([absent(outline, reader)], outline.placeAt) };
  const content = named.map((one) => textOf(outline, one)).join("\n");
  if (second !== undefined) {
    const line = outline.placeAt(startOf(section.heading)).line;
    const reason = `the section "## ${reader.heading}" appears twice (first on line ${line}), so that none counts`;
    return {
      found: true,
      text: content,
      faults: faultsAt([{ offset: startOf(second.heading), reason }], outline.placeAt),
    };
  }
  const doubt = reader.verdicts === undefined ? undefined : doubtOf(outline, section, sections);
  if (doubt !== undefined) return { found: true, text: content, faults: faultsAt([doubt], outline.placeAt) };
  const { flaws, ...facts } = contentOf(outline, section, reader);
  return { found: true, text: content, ...facts, faults: faultsAt(flaws, outline.placeAt) };
}

function absent(outline: Outline, reader: SectionReader): TextFlaw {
  const wanted = reader.heading.toLowerCase();
  const near = outline.blocks.find((block) => {
    if (block.type !== "heading") return false;
    return outline.text.slice(startOf(block), endOf(block)).toLowerCase().includes(wanted);
  });
  const missing = `the section "## ${reader.heading}" is missing`;
  if (near === undefined) return { offset: 0, reason: missing };
  return { offset: startOf(near), reason: `${missing}; this heading differs` };
}

/** A section that moves a run must be the one that a person would identify, and must be visible. */
function doubtOf(
  outline: Outline,
  section: MarkdownSection,
  sections: readonly MarkdownSection[],
): TextFlaw | undefined {
  const { line } = outline.placeAt(startOf(section.heading));
  const double = sections.find((other) => other !== section && wordsOf(other) === wordsOf(section));
  if (double !== undefined) {
    const reason = `the section "## ${section.name}" (line ${line}) is ambiguous: this one has the same name but for case or signs`;
    return { offset: startOf(double.heading), reason };
  }
  const around = elementAround(outline, section.heading);
  if (around === undefined) return undefined;
  const opened = outline.placeAt(around.offset).line;
  const reason = `the section stands inside <${around.name}> (opened on line ${opened}), so that it does not count`;
  return { offset: startOf(section.heading), reason };
}

function wordsOf({ name }: MarkdownSection): string {
  return plain(name.normalize("NFKC"))
    .replaceAll(/\p{Cf}/gu, "")
    .replace(/[\s:.]+$/, "")
    .toLowerCase();
}

/** Normalises line ends, and drops white space before the next section. */
function textOf(outline: Outline, section: MarkdownSection): string {
  const end = section.next === undefined ? outline.text.length : startOf(section.next);
  return outline.text.slice(startOf(section.heading), end).replaceAll(/\r\n?/g, "\n").trimEnd();
}

function contentOf(outline: Outline, section: MarkdownSection, reader: SectionReader) {
  const { any, all, verdicts } = reader;
  const names = [...new Set([...any, ...all])];
  const fields = fieldsOf(outline, ownBlocks(section), names);
  const flaws: TextFlaw[] = [];
  const at = startOf(section.heading);
  const missing = all.filter((name) => !fields.has(name));
  const hint = underlined(outline, section);
  if (missing.length > 0) flaws.push({ offset: at, reason: `${listed(missing)} must have content${hint}` });
  if (any.length > 0 && !any.some((name) => fields.has(name))) {
    flaws.push({ offset: at, reason: `one of ${listed(any)} must have content${hint}` });
  }
  if (
    names.length === 0 &&
    verdicts === undefined &&
    !section.body.some((block) => linesWithin(outline, block).some(({ text }) => !isPlaceholder(text)))
  ) {
    flaws.push({ offset: at, reason: `the section has no content${hint}` });
  }
  const read = verdicts === undefined ? undefined : verdictOf(outline, section, verdicts);
  if (read !== undefined && "flaw" in read) flaws.push({ ...read.flaw, reason: read.flaw.reason + hint });
  const kept = Array.from(fields).filter(([name]) => name !== "VERDICT" || names.includes(name));
  return {
    flaws,
    fields: Object.fromEntries(kept.slice(0, FIELDS_MAX).map(([name, value]) => [name, cutValue(value)])),
    ...(read !== undefined && "verdict" in read ? { verdict: read.verdict } : {}),
  };
}

function listed(names: readonly string[]): string {
  return names.map((name) => `${name}:`).join(", ");
}

/** A line of dashes directly below a text makes the text a heading, which few writers intend. */
function underlined(outline: Outline, section: MarkdownSection): string {
  if (section.next === undefined || outline.text[startOf(section.next)] === "#") return "";
  const { line } = outline.placeAt(startOf(section.next));
  return ` (the text on line ${line} is underlined, which makes it a heading: put an empty line below it)`;
}

const CAPITALS = /^[A-Z][A-Z0-9]+(?:[ _-][A-Z0-9]+)*$/;
const NAME_MAX = 60;

/**
 * Fields of a section: a name in capitals and a colon at the start of a line, then the value. `names` are the fields that the
 * workflow needs; any other name in capitals also ends a value. The value is on the line itself, on the next lines, or in the
 * list or code that follows. Fields without content are left out.
 */
function fieldsOf(outline: Outline, blocks: readonly Block[], names: readonly string[]) {
  const values = new Map<string, string[]>();
  let value: string[] = [];
  const take = (line: TextLine) => {
    const field = fieldOf(line.text, names);
    if (field === undefined) {
      value.push(line.text);
      return;
    }
    value = values.get(field.name) ?? [];
    values.set(field.name, value);
    value.push(field.rest);
  };
  for (const block of blocks) {
    if (block.type === "paragraph") linesOf(outline, block).forEach(take);
    else if (block.type === "list" || block.type === "code") {
      const margin = new Set(marginLines(outline, block).map(({ offset }) => offset));
      for (const line of linesWithin(outline, block)) {
        if (margin.has(line.offset)) take(line);
        else value.push(line.text);
      }
    }
  }
  const filled = Array.from(values, ([name, lines]): readonly [string, string] => [name, valueOf(lines)]);
  return new Map(filled.filter(([, text]) => text !== ""));
}

function fieldOf(line: string, names: readonly string[]): { name: string; rest: string } | undefined {
  const match = /^(\*{1,3}|_{1,3}|`?)([^:*`]{1,60}?)(:\1|\1[ \t]*:)/.exec(line.slice(0, NAME_MAX + 8));
  const name = match?.[2] ?? "";
  if (match === null || !(names.includes(name) || CAPITALS.test(name))) return undefined;
  return { name, rest: trimBlank(line.slice(match[0].length)) };
}

function valueOf(lines: readonly string[]): string {
  return lines.every(isPlaceholder) ? "" : lines.join("\n").trim();
}
