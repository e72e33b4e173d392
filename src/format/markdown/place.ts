/**
 * Inserts a section into a Markdown text, or removes it, and leaves every other byte unchanged.
 *
 * The reader's outline defines what a section is. The result is read back. A text is refused if it would change another section,
 * hide this one or end it early, for example by an unclosed fence or a heading of the same level.
 */

import { elementAround } from "./enclosed.ts";
import { outlineOf, sectionsOf, startOf } from "./outline.ts";
import type { Outline, MarkdownSection } from "./outline.ts";

export type PlacedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: string };

export type Cut =
  /** `cut` is the removed section with its heading; empty if the section did not exist. */
  { readonly ok: true; readonly text: string; readonly cut: string } | Extract<PlacedText, { ok: false }>;

const DEPTH = 2;
const MARKS = /^\uFEFF*/;

/** A body with the section's own heading replaces the whole section; any other body is the content below the heading. */
export function placeSection(text: string, heading: string, body: string): PlacedText {
  const whole = body.replace(MARKS, "").replace(/^(?:[ \t]*(?:\r\n?|\n))+/, "");
  return hasOwnHeading(whole, heading) ? setSection(text, heading, whole) : putSection(text, heading, body);
}

function hasOwnHeading(text: string, heading: string): boolean {
  const outline = outlineOf("", text);
  const [first] = sectionsOf(outline, DEPTH);
  return first?.depth === DEPTH && first.name === heading && outline.blocks[0] === first.heading;
}

export function putSection(text: string, heading: string, body: string): PlacedText {
  const { mark, outline, named } = look(text, heading);
  if (outline.refused !== undefined) return { ok: false, reason: `the file ${outline.refused.reason}` };
  const [section, second] = named;
  if (second !== undefined) return { ok: false, reason: `the section "## ${heading}" appears twice` };
  const lineEnd = lineEndOf(outline.text);
  const content = contentOf(body, heading).replaceAll(/\r\n?|\n/g, lineEnd);
  const placed =
    section === undefined
      ? appended(outline.text, `## ${heading}`, { content, lineEnd })
      : replaced(outline, section, { content, lineEnd });
  const after = outlineOf("", placed);
  const reason = doubtOf({ before: outline, after, heading, content });
  return reason === undefined ? { ok: true, text: mark + placed } : { ok: false, reason };
}

/** Inserts a whole section of another text, as `cutSection` returns it, with its heading and empty lines. */
export function setSection(text: string, heading: string, cut: string): PlacedText {
  const { mark, outline, named } = look(text, heading);
  if (outline.refused !== undefined) return { ok: false, reason: `the file ${outline.refused.reason}` };
  const [section, second] = named;
  if (second !== undefined) return { ok: false, reason: `the section "## ${heading}" appears twice` };
  const lineEnd = lineEndOf(outline.text);
  const whole = cut
    .replace(MARKS, "")
    .trimEnd()
    .replaceAll(/\r\n?|\n/g, lineEnd);
  const { from, to } = section === undefined ? atEnd(outline) : rangeOf(outline, section);
  const old = outline.text.slice(from, to);
  const space = old.slice(old.trimEnd().length) || lineEnd;
  const placed = gapBefore(outline.text.slice(0, from), lineEnd) + whole + space + outline.text.slice(to);
  const content = contentOf(whole, heading);
  const reason = doubtOf({ before: outline, after: outlineOf("", placed), heading, content });
  return reason === undefined ? { ok: true, text: mark + placed } : { ok: false, reason };
}

function atEnd({ text }: Outline): { readonly from: number; readonly to: number } {
  return { from: text.length, to: text.length };
}

export function cutSection(text: string, heading: string): Cut {
  const { mark, outline, named } = look(text, heading);
  if (outline.refused !== undefined) return { ok: false, reason: `the file ${outline.refused.reason}` };
  const ranges = named.map((section) => rangeOf(outline, section));
  const cut = ranges.map(({ from, to }) => outline.text.slice(from, to)).join("");
  // Without an empty line the text above could become part of the heading below: then one is kept.
  for (const left of ["", lineEndOf(outline.text)]) {
    const rest = ranges.reduceRight(
      (all, { from, to }) => all.slice(0, from) + left + all.slice(to),
      outline.text,
    );
    const after = outlineOf("", rest);
    if (same(others(outline, heading), parts(after))) return { ok: true, text: mark + rest, cut };
  }
  const reason = `the section "## ${heading}" cannot be removed without changing the text around it`;
  return { ok: false, reason };
}

function look(text: string, heading: string) {
  const [mark] = MARKS.exec(text) ?? [""];
  const outline = outlineOf("", text.slice(mark.length));
  const named = sectionsOf(outline, DEPTH).filter(({ depth, name }) => depth === DEPTH && name === heading);
  return { mark, outline, named };
}

/** An author who submits the whole section with its heading means the content below the heading. */
function contentOf(body: string, heading: string): string {
  const text = body.replace(MARKS, "").replace(/^(?:[ \t]*(?:\r\n?|\n))+/, "");
  const [first] = hasOwnHeading(text, heading) ? sectionsOf(outlineOf("", text), DEPTH) : [];
  const content = text.slice(first?.heading.position?.end.offset ?? 0);
  return content.replace(/^(?:[ \t]*(?:\r\n?|\n))+/, "").trimEnd();
}

type New = { readonly content: string; readonly lineEnd: string };

function appended(text: string, heading: string, { content, lineEnd }: New): string {
  return `${gapBefore(text, lineEnd)}${heading}${lineEnd}${content === "" ? "" : lineEnd + content + lineEnd}`;
}

/** The text with an empty line at its end, unless the text is empty. */
function gapBefore(text: string, lineEnd: string): string {
  const [end = ""] = /(?:[ \t]*(?:\r\n?|\n))*$/.exec(text) ?? [];
  const ends = end.match(/\r\n?|\n/g)?.length ?? 0;
  const isWhole = text === "" || (end.length === text.length && ends > 0);
  return text + (isWhole ? "" : lineEnd.repeat(Math.max(0, 2 - ends)));
}

/** Keeps the heading, the white space before the next section, and a missing line end at the end of the file. */
function replaced({ text }: Outline, section: MarkdownSection, { content, lineEnd }: New): string {
  const start = section.heading.position?.end.offset ?? 0;
  const to = section.next === undefined ? text.length : lineStart(text, startOf(section.next));
  const old = text.slice(start, to);
  const space = old.slice(old.trimEnd().length);
  const ends = space.match(/\r\n?|\n/g)?.length ?? 0;
  const gap = section.next === undefined ? "" : lineEnd.repeat(Math.max(0, 2 - ends));
  const under = content === "" ? "" : lineEnd + lineEnd + content;
  return text.slice(0, start) + under + gap + space + text.slice(to);
}

function rangeOf(
  { text }: Outline,
  section: MarkdownSection,
): { readonly from: number; readonly to: number } {
  const from = lineStart(text, startOf(section.heading));
  const to = section.next === undefined ? text.length : lineStart(text, startOf(section.next));
  return { from, to };
}

/** A heading may be indented. */
function lineStart(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && (text[at - 1] === " " || text[at - 1] === "\t")) at -= 1;
  return at;
}

function lineEndOf(text: string): string {
  return /\r\n?|\n/.exec(text)?.[0] ?? "\n";
}

/** A flat part of the file: a heading and its content up to the next heading of any level. */
type FlatPart = { readonly name: string; readonly depth: number; readonly text: string };

function parts(outline: Outline): readonly FlatPart[] {
  const sections = sectionsOf(outline, DEPTH);
  const starts = sections.map(({ heading }) => startOf(heading));
  const slice = (from: number, to: number | undefined): string =>
    outline.text.slice(from, to).replaceAll(/\r\n?/g, "\n").trimEnd();
  const before = { name: "", depth: 0, text: slice(0, starts[0]) };
  return [
    before,
    ...sections.map(({ name, depth }, index) => ({
      name,
      depth,
      text: slice(starts[index] ?? 0, starts[index + 1]),
    })),
  ];
}

function others(outline: Outline, heading: string): readonly FlatPart[] {
  return parts(outline).filter(({ name, depth }) => depth !== DEPTH || name !== heading);
}

function same(one: readonly FlatPart[], two: readonly FlatPart[]): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}

type Doubt = {
  readonly before: Outline;
  readonly after: Outline;
  readonly heading: string;
  readonly content: string;
};

function doubtOf({ before, after, heading, content }: Doubt): string | undefined {
  if (after.refused !== undefined) return `with it the file ${after.refused.reason}`;
  const inside = sectionsOf(outlineOf("", content), DEPTH)[0];
  if (inside !== undefined)
    return `the text has the heading "${inside.name}" in it, which would end the section: use "###"`;
  // The line end keeps a rule in the first line from being read as front matter.
  const open = openEndOf(`\n${content}`);
  if (open !== undefined)
    return `the text does not close ${open.what} of its line ${open.line - 1}, which would hide the text after it`;
  const own = parts(after).filter(({ name, depth }) => depth === DEPTH && name === heading);
  const expected = content.replaceAll(/\r\n?/g, "\n");
  const isThere = own.length === 1 && own[0]?.text.endsWith(expected) === true;
  if (isThere && same(others(before, heading), others(after, heading))) return undefined;
  const end = openEndOf(before.text);
  if (own.length > 0 || end === undefined) return "the text would change the text around it";
  const { name } = sectionsOf(before, DEPTH).at(-1) ?? {};
  const where = name === undefined ? "" : ` (section "${name}")`;
  return `the file does not close ${end.what} of line ${end.line}${where}, so that "## ${heading}" would not be a heading`;
}

/** The Markdown construct that is still open at the end of a text: a heading appended there would be part of it. */
function openEndOf(text: string): { readonly what: string; readonly line: number } | undefined {
  const outline = outlineOf("", `${text}\n\n## End\n`);
  const last = outline.blocks.at(-1);
  if (last === undefined) return undefined;
  if (last.type === "heading" && startOf(last) > text.length) {
    const around = elementAround(outline, last);
    return around && { what: `the HTML element <${around.name}>`, line: outline.placeAt(around.offset).line };
  }
  const { line } = outline.placeAt(startOf(last));
  if (last.type === "code") return { what: "the code fence", line };
  const isComment = last.type === "html" && last.value.startsWith("<!--");
  return { what: isComment ? "the HTML comment" : "the HTML block", line };
}
