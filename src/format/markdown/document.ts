/** Reads a whole Markdown document: required headings with content, and lists for later steps. */

import type { Under, DocumentReader } from "../../core/model/artifact.ts";
import {
  cutValue,
  faultsAt,
  quote,
  repeated,
  type ReaderFinding,
  type TextFlaw,
} from "../reading/finding.ts";
import { isPlaceholder, plain } from "./inline.ts";
import {
  linesWithin,
  outlineOf,
  ownBlocks,
  sectionsOf,
  startOf,
  textOf,
  type Block,
  type Outline,
  type MarkdownSection,
  type TextLine,
} from "./outline.ts";
import { splitFrontMatter } from "../front-matter/parts.ts";

const DEPTH_MAX = 3;
const ITEM_MAX = 200;

export function readDocument(reader: DocumentReader, file: string, text: string): ReaderFinding {
  const outline = outlineOf(file, withoutWrapper(text));
  if (outline.refused) return { found: true, faults: faultsAt([outline.refused], outline.placeAt) };
  const sections = sectionsOf(outline, DEPTH_MAX);
  const flaws: TextFlaw[] = [];
  for (const heading of reader.headings) {
    const section = pick(sections, heading, flaws);
    if (section !== undefined) flaws.push(...flawsIn(reader, outline, section));
  }
  if (reader.headings.length === 0 && !hasContent(outline, outline.blocks)) {
    flaws.push({ offset: 0, reason: "the document has no content" });
  }
  const lists = Object.entries(reader.lists).flatMap(([name, heading]) => {
    // The reader of front matter takes out lists in front matter.
    if (typeof heading !== "string") return [];
    const section = pick(sections, heading, reader.headings.includes(heading) ? [] : flaws);
    return [[name, section === undefined ? [] : itemsOf(outline, section, flaws)] as const];
  });
  return { found: true, faults: faultsAt(flaws, outline.placeAt), lists: Object.fromEntries(lists) };
}

function flawsIn(reader: DocumentReader, outline: Outline, section: MarkdownSection): readonly TextFlaw[] {
  const { name } = section;
  if (!hasContent(outline, section.body))
    return [{ offset: startOf(section.heading), reason: `nothing follows the heading ${quote(name)}` }];
  const under = reader.under?.[name];
  return under === undefined ? [] : flawsUnder(outline, section, under);
}

/** The text below a heading, unchanged; empty without such a heading. */
export function textUnder(file: string, text: string, heading: string): string {
  const outline = outlineOf(file, text);
  const section = pick(sectionsOf(outline, DEPTH_MAX), heading, []);
  return section === undefined ? "" : textOf(outline, section).trim();
}

/** The highest heading of that name. Sub-sections may repeat a name, headings of the same level may not. */
function pick(
  sections: readonly MarkdownSection[],
  heading: string,
  flaws: TextFlaw[],
): MarkdownSection | undefined {
  const named = sections.filter(({ name }) => name === heading);
  const top = Math.min(...named.map(({ depth }) => depth));
  const [section, second] = named.filter(({ depth }) => depth === top);
  if (section === undefined) flaws.push({ offset: 0, reason: `the heading ${quote(heading)} is missing` });
  if (second === undefined) return section;
  flaws.push({ offset: startOf(second.heading), reason: `the heading ${quote(heading)} appears twice` });
  return undefined;
}

function hasContent(outline: Outline, blocks: readonly Block[]): boolean {
  return blocks.some((block) => linesWithin(outline, block).some(({ text }) => !isPlaceholder(text)));
}

function itemsOf(outline: Outline, section: MarkdownSection, flaws: TextFlaw[]): readonly string[] {
  const items = ownBlocks(section)
    .flatMap((block) => (block.type === "list" ? block.children : []))
    .map((item) => item.children[0])
    .flatMap((block) => (block?.type === "paragraph" ? linesWithin(outline, block).slice(0, 1) : []))
    .filter(({ text }) => !isPlaceholder(text))
    .map(({ text }) => cutValue(plain(text), ITEM_MAX));
  const offset = startOf(section.heading);
  const twice = repeated(items);
  if (items.length === 0) flaws.push({ offset, reason: `the list under ${quote(section.name)} is empty` });
  if (twice !== undefined) flaws.push({ offset, reason: `${quote(twice)} appears twice in the list` });
  return items;
}

/**
 * A tag around the whole text, such as `<proposal>`. As HTML, it would hide the lines after it up to the next empty line.
 * Excludes tags whose content CommonMark never parses.
 */
const TAG = /^\s*<(?!(?:pre|script|style|textarea)>)([a-z][a-z-]*)>[ \t]*\r?(?:\n|$)/;

/** Removes the tags and the text after the closing tag. Replaces them by blanks, so that all positions stay the same. */
function withoutWrapper(text: string): string {
  const { mark, head, close, body } = splitFrontMatter(text);
  const [opening, name] = TAG.exec(body) ?? [];
  if (opening === undefined || name === undefined) return text;
  const end = new RegExp(String.raw`^</${name}>[ \t]*\r?$`, "m").exec(body)?.index ?? body.length;
  return `${mark}${head}${close}${blank(opening)}${body.slice(opening.length, end)}${blank(body.slice(Math.max(end, opening.length)))}`;
}

function blank(text: string): string {
  return text.replaceAll(/[^\r\n]/g, " ");
}

/** Headings of portions may be at any level. */
const PORTION_DEPTH_MAX = 6;

/** `R1`, `WF-R1`, also after the word "Requirement". */
const NUMBERED = /^(?:Requirement[ \t]+)?((?:[A-Z][A-Z0-9]*-)*R\d+)(?![\w-])/;
const SCENARIO = /^Scenario(?:[ \t]+[\w.-]+)?[ \t]*:[ \t]*(.*)$/i;

function flawsUnder(outline: Outline, section: MarkdownSection, under: Under): readonly TextFlaw[] {
  if (under === "numbered") return numbered(outline, section);
  if (under === "scenarios") return scenarios(outline, section);
  const length = lengthOf(outline, section);
  if (length >= under) return [];
  const reason = `the section ${quote(section.name)} has ${length} characters, and needs at least ${under}`;
  return [{ offset: startOf(section.heading), reason }];
}

/** Counts consecutive white space once, and ignores placeholders of templates. */
function lengthOf(outline: Outline, { body }: MarkdownSection): number {
  const lines = body.flatMap((block) => linesWithin(outline, block)).map(({ text }) => text);
  const words = lines.filter((line) => !isPlaceholder(line)).join(" ");
  return Array.from(words.replaceAll(/\s+/g, " ").trim()).length;
}

/** A portion of a section that starts with its own line: its title and its lines. */
type Portion = TextLine & { readonly lines: () => readonly TextLine[] };

/** Headings, or else list items: a section with such headings may mention them in its items. */
function portionsOf(outline: Outline, section: MarkdownSection, is: RegExp): readonly Portion[] {
  const from = startOf(section.heading);
  const to = section.next === undefined ? outline.text.length : startOf(section.next);
  const headings = sectionsOf(outline, PORTION_DEPTH_MAX)
    .map(({ name, heading, body }) => ({
      text: plain(name),
      offset: startOf(heading),
      lines: () => body.flatMap((block) => linesWithin(outline, block)),
    }))
    .filter(({ offset, text }) => offset > from && offset < to && is.test(text));
  return headings.length > 0
    ? headings
    : itemPortions(outline, section.body).filter(({ text }) => is.test(text));
}

function itemPortions(outline: Outline, blocks: readonly Block[]): readonly Portion[] {
  return blocks
    .flatMap((block) => (block.type === "list" ? block.children : []))
    .flatMap((item) => {
      const [first, ...rest] = linesWithin(outline, item);
      return first === undefined
        ? []
        : [{ text: plain(first.text), offset: first.offset, lines: () => rest }];
    });
}

function numbered(outline: Outline, section: MarkdownSection): readonly TextFlaw[] {
  const parts = portionsOf(outline, section, NUMBERED);
  if (parts.length === 0) {
    const reason = `the section ${quote(section.name)} has no requirement with a number (a heading or an item that begins with R1)`;
    return [{ offset: startOf(section.heading), reason }];
  }
  const first = new Map<string, number>();
  return parts.flatMap(({ text, offset }) => {
    const id = NUMBERED.exec(text)?.[1] ?? "";
    const before = first.get(id);
    if (before === undefined) first.set(id, offset);
    if (before === undefined) return [];
    const { line } = outline.placeAt(before);
    return [{ offset, reason: `the requirement ${quote(id)} appears twice (first on line ${line})` }];
  });
}

function scenarios(outline: Outline, section: MarkdownSection): readonly TextFlaw[] {
  const parts = portionsOf(outline, section, SCENARIO);
  if (parts.length === 0) {
    const reason = `the section ${quote(section.name)} has no scenario (a heading or an item \`Scenario: ...\`)`;
    return [{ offset: startOf(section.heading), reason }];
  }
  return parts.flatMap(({ text, offset, lines }) => {
    const name = SCENARIO.exec(text)?.[1] ?? "";
    const said = lines().map((line) => plain(line.text));
    const lacks = ["WHEN", "THEN"].filter((word) => !said.some((line) => isSaid(word, line)));
    return lacks.map((word) => ({
      offset,
      reason: `the scenario ${quote(name)} has no line that begins with ${word}`,
    }));
  });
}

function isSaid(word: string, line: string): boolean {
  return new RegExp(String.raw`^${word}\b[\s:,]*\S`, "i").test(line);
}
