/** What a section must hold beyond some content: enough of it, requirements with numbers, or scenarios that can be tried. */

import type { Under } from "../../core/model/artifact.ts";
import { quote } from "../reading/finding.ts";
import type { Flaw } from "../reading/finding.ts";
import { isPlaceholder, plain } from "./inline.ts";
import { linesWithin, sectionsOf, startOf } from "./outline.ts";
import type { Block, Line, Outline, Section } from "./outline.ts";

const DEPTH_MAX = 6;

/** `R1`, `WF-R1`, also behind the word "Requirement". */
const NUMBERED = /^(?:Requirement[ \t]+)?((?:[A-Z][A-Z0-9]*-)*R\d+)(?![\w-])/;
const SCENARIO = /^Scenario(?:[ \t]+[\w.-]+)?[ \t]*:[ \t]*(.*)$/i;

export function flawsUnder(outline: Outline, section: Section, under: Under): readonly Flaw[] {
  if (under === "numbered") return numbered(outline, section);
  if (under === "scenarios") return scenarios(outline, section);
  const length = lengthOf(outline, section);
  if (length >= under) return [];
  const reason = `under ${quote(section.name)} stand ${length} characters, and ${under} are the least`;
  return [{ offset: startOf(section.heading), reason }];
}

/** White space counts once, and what a template leaves behind not at all. */
function lengthOf(outline: Outline, { body }: Section): number {
  const lines = body.flatMap((block) => linesWithin(outline, block)).map(({ text }) => text);
  const words = lines.filter((line) => !isPlaceholder(line)).join(" ");
  return Array.from(words.replaceAll(/\s+/g, " ").trim()).length;
}

/** Something in a section that begins with a line of its own: what it is called, and what stands in it. */
type Part = Line & { readonly lines: () => readonly Line[] };

/** Headings, or else items of lists: whoever writes headings may speak of them in items below. */
function partsOf(outline: Outline, section: Section, is: RegExp): readonly Part[] {
  const from = startOf(section.heading);
  const to = section.next === undefined ? outline.text.length : startOf(section.next);
  const headings = sectionsOf(outline, DEPTH_MAX)
    .map(({ name, heading, body }) => ({
      text: plain(name),
      offset: startOf(heading),
      lines: () => body.flatMap((block) => linesWithin(outline, block)),
    }))
    .filter(({ offset, text }) => offset > from && offset < to && is.test(text));
  return headings.length > 0 ? headings : itemsOf(outline, section.body).filter(({ text }) => is.test(text));
}

function itemsOf(outline: Outline, blocks: readonly Block[]): readonly Part[] {
  return blocks
    .flatMap((block) => (block.type === "list" ? block.children : []))
    .flatMap((item) => {
      const [first, ...rest] = linesWithin(outline, item);
      return first === undefined
        ? []
        : [{ text: plain(first.text), offset: first.offset, lines: () => rest }];
    });
}

function numbered(outline: Outline, section: Section): readonly Flaw[] {
  const parts = partsOf(outline, section, NUMBERED);
  if (parts.length === 0) {
    const reason = `under ${quote(section.name)} stands no requirement with a number (a heading or an item that begins with R1)`;
    return [{ offset: startOf(section.heading), reason }];
  }
  const first = new Map<string, number>();
  return parts.flatMap(({ text, offset }) => {
    const id = NUMBERED.exec(text)?.[1] ?? "";
    const before = first.get(id);
    if (before === undefined) first.set(id, offset);
    if (before === undefined) return [];
    const { line } = outline.placeAt(before);
    return [{ offset, reason: `the requirement ${quote(id)} is there twice (first on line ${line})` }];
  });
}

function scenarios(outline: Outline, section: Section): readonly Flaw[] {
  const parts = partsOf(outline, section, SCENARIO);
  if (parts.length === 0) {
    const reason = `under ${quote(section.name)} stands no scenario (a heading or an item \`Scenario: ...\`)`;
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
