/** Reads a whole Markdown document: headings that must have content, and lists that later steps go through. */

import type { Reader } from "../../core/model/artifact.ts";
import { cutValue, faultsAt, quote, repeated } from "../reading/finding.ts";
import type { Finding, Flaw } from "../reading/finding.ts";
import { isPlaceholder, plain } from "./inline.ts";
import { linesWithin, outlineOf, ownBlocks, sectionsOf, startOf, textOf } from "./outline.ts";
import type { Block, Outline, Section } from "./outline.ts";
import { flawsUnder } from "./under.ts";
import { withoutWrapper } from "./wrapper.ts";

type DocumentReader = Extract<Reader, { type: "document" }>;

const DEPTH_MAX = 3;
const ITEM_MAX = 200;

export function readDocument(reader: DocumentReader, file: string, text: string): Finding {
  const outline = outlineOf(file, withoutWrapper(text));
  if (outline.refused) return { found: true, faults: faultsAt([outline.refused], outline.placeAt) };
  const sections = sectionsOf(outline, DEPTH_MAX);
  const flaws: Flaw[] = [];
  for (const heading of reader.headings) {
    const section = pick(sections, heading, flaws);
    if (section !== undefined) flaws.push(...flawsIn(reader, outline, section));
  }
  if (reader.headings.length === 0 && !hasContent(outline, outline.blocks)) {
    flaws.push({ offset: 0, reason: "the document has no content" });
  }
  const lists = Object.entries(reader.lists).flatMap(([name, heading]) => {
    // A list in front matter is taken out by whoever reads that.
    if (typeof heading !== "string") return [];
    const section = pick(sections, heading, reader.headings.includes(heading) ? [] : flaws);
    return [[name, section === undefined ? [] : itemsOf(outline, section, flaws)] as const];
  });
  return { found: true, faults: faultsAt(flaws, outline.placeAt), lists: Object.fromEntries(lists) };
}

function flawsIn(reader: DocumentReader, outline: Outline, section: Section): readonly Flaw[] {
  const { name } = section;
  if (!hasContent(outline, section.body))
    return [{ offset: startOf(section.heading), reason: `nothing stands under the heading ${quote(name)}` }];
  const under = reader.under?.[name];
  return under === undefined ? [] : flawsUnder(outline, section, under);
}

/** All that stands under a heading, as it is in the file; empty where there is no such heading. */
export function textUnder(file: string, text: string, heading: string): string {
  const outline = outlineOf(file, text);
  const section = pick(sectionsOf(outline, DEPTH_MAX), heading, []);
  return section === undefined ? "" : textOf(outline, section).trim();
}

/** The highest heading of that name. Sub-sections may repeat a name, headings of the same rank may not. */
function pick(sections: readonly Section[], heading: string, flaws: Flaw[]): Section | undefined {
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

function itemsOf(outline: Outline, section: Section, flaws: Flaw[]): readonly string[] {
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
