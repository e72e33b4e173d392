/**
 * The blocks of a Markdown file according to CommonMark: which lines are headings, and which only look like headings.
 *
 * Only blocks are parsed. Inline constructs are switched off: readers use lines as written, and nested brackets and stars would
 * cost time.
 */

import { fromMarkdown } from "mdast-util-from-markdown";
import type { SourcePlace } from "../../core/model/workflow.ts";
import type { TextFlaw } from "../reading/finding.ts";
import { splitFrontMatter } from "../front-matter/parts.ts";
import { placesIn } from "../problem.ts";
import { trimBlank, unwrap, withoutComments } from "./inline.ts";

export type Block = ReturnType<typeof fromMarkdown>["children"][number];
type Heading = Extract<Block, { type: "heading" }>;

export type Outline = {
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly placeAt: (offset: number) => SourcePlace;
  /** Set if the file is not parsed because that would take too long. */
  readonly refused?: TextFlaw;
};

export type MarkdownSection = {
  readonly name: string;
  readonly depth: number;
  readonly heading: Heading;
  readonly body: readonly Block[];
  /** The heading that ends the section. */
  readonly next?: Heading;
};

export type TextLine = { readonly text: string; readonly offset: number };

/** The parser's time grows with lines times containers; these limits keep it within a few seconds. */
const LINES_MAX = 5000;
const MARKS_MAX = 4000;
const NESTING_MAX = 32;

const INLINE = [
  "attention",
  "autolink",
  "characterEscape",
  "characterReference",
  "codeText",
  "hardBreakEscape",
  "htmlText",
  "labelEnd",
  "labelStartImage",
  "labelStartLink",
];

/** Several artifacts may be sections of one file: its text is parsed once for all of them. */
let last: { readonly file: string; readonly text: string; readonly outline: Outline } | undefined;

export function outlineOf(file: string, text: string): Outline {
  if (last === undefined || last.file !== file || last.text !== text)
    last = { file, text, outline: parsed(file, text) };
  return last.outline;
}

function parsed(file: string, text: string): Outline {
  const placeAt = placesIn(file, text);
  const start = bodyStart(text);
  const refused = tooCostly(text.slice(0, start).replaceAll(/[^\r\n]/g, " ") + text.slice(start));
  if (refused !== undefined) return { text, blocks: [], placeAt, refused };
  const { children } = fromMarkdown(text.slice(start), { extensions: [{ disable: { null: INLINE } }] });
  moveBy(start, children);
  return { text, blocks: children, placeAt };
}

/** The end of the front matter. */
function bodyStart(text: string): number {
  const { mark, head, close } = splitFrontMatter(text);
  return head === "" ? 0 : mark.length + head.length + close.length;
}

type PlacedNode = {
  readonly position?:
    | { readonly start: { offset?: number | undefined }; readonly end: { offset?: number | undefined } }
    | undefined;
  readonly children?: readonly PlacedNode[] | undefined;
};

/** Only a part of the file was parsed: turns each offset into an offset of the file. */
function moveBy(start: number, nodes: readonly PlacedNode[]): void {
  if (start === 0) return;
  for (const { position, children = [] } of nodes) {
    if (position !== undefined) {
      position.start.offset = (position.start.offset ?? 0) + start;
      position.end.offset = (position.end.offset ?? 0) + start;
    }
    moveBy(start, children);
  }
}

function tooCostly(text: string): TextFlaw | undefined {
  let lines = 0;
  let marks = 0;
  let offset = 0;
  for (const line of text.split(/(?<=\n|\r(?!\n))/)) {
    lines += 1;
    const [prefix = "", indent = ""] = /^([ \t]*)(?:(?:[>*+-]|\d{1,9}[.)])[ \t]*)*/.exec(line) ?? [];
    const here = prefix.match(/[>*+-]|\d+/g)?.length ?? 0;
    marks += here;
    if (here > 0 && here + indent.length / 4 > NESTING_MAX) {
      return { offset, reason: `nests quotes or lists deeper than ${NESTING_MAX} levels` };
    }
    if (lines > LINES_MAX) return { offset, reason: `has more than ${LINES_MAX} lines` };
    if (marks > MARKS_MAX)
      return { offset, reason: `has more than ${MARKS_MAX} list items and quoted lines` };
    offset += line.length;
  }
  return undefined;
}

/** Top-level headings down to `depth`, each with its content up to the next heading of the same or a higher level. */
export function sectionsOf(outline: Outline, depth: number): readonly MarkdownSection[] {
  return outline.blocks.flatMap((block, index) => {
    if (block.type !== "heading" || block.depth > depth) return [];
    const rest = outline.blocks.slice(index + 1);
    const end = rest.findIndex((other) => other.type === "heading" && other.depth <= block.depth);
    const next = rest[end];
    const section = { name: nameOf(block), depth: block.depth, heading: block };
    if (next?.type !== "heading") return [{ ...section, body: rest }];
    return [{ ...section, body: rest.slice(0, end), next }];
  });
}

function nameOf(heading: Heading): string {
  const text = heading.children.map((child) => ("value" in child ? child.value : "")).join("");
  return unwrap(trimBlank(text)).text;
}

/** Blocks before the first nested heading. */
export function ownBlocks(section: MarkdownSection): readonly Block[] {
  const end = section.body.findIndex((block) => block.type === "heading");
  return end === -1 ? section.body : section.body.slice(0, end);
}

export function startOf(node: Block): number {
  return node.position?.start.offset ?? 0;
}

export function endOf(node: Block): number {
  return node.position?.end.offset ?? 0;
}

/** The text below a heading, unchanged. */
export function textOf({ text }: Outline, { heading, next }: MarkdownSection): string {
  return text.slice(endOf(heading), next === undefined ? undefined : startOf(next));
}

/** The lines of a block as written, without surrounding white space. */
export function linesOf(outline: Outline, node: Block): readonly TextLine[] {
  const lines: TextLine[] = [];
  let offset = startOf(node);
  for (const line of outline.text.slice(offset, endOf(node)).split(/(?<=\n|\r(?!\n))/)) {
    lines.push({ text: trimBlank(line.replace(/[\r\n]+$/, "")), offset });
    offset += line.length;
  }
  return lines;
}

/**
 * Lines inside a list or a quote that start at the margin. CommonMark adds them to the item above; to a person they look like
 * lines of the section.
 */
export function marginLines(outline: Outline, node: Block): readonly TextLine[] {
  if (node.type !== "list" && node.type !== "blockquote") return [];
  return linesWithin(outline, node).filter(({ offset }) =>
    /^[\r\n][^ \t]/.test(outline.text.slice(offset - 1, offset + 1)),
  );
}

/** The lines with text in a block and everything inside it, in order. */
export function linesWithin(outline: Outline, node: Block): readonly TextLine[] {
  if (node.type === "paragraph") return linesOf(outline, node);
  if (node.type === "code") return node.value.split(/\r?\n/).map((text) => ({ text, offset: startOf(node) }));
  if (node.type === "html") {
    // An unclosed comment hides the rest of the file.
    const words = withoutComments(`${node.value}-->`)
      .replace(/-->$/, "")
      .replaceAll(/<[^<>]*>/g, "");
    return words.split(/\r?\n/).map((text) => ({ text, offset: startOf(node) }));
  }
  if (node.type === "list" || node.type === "listItem" || node.type === "blockquote") {
    return node.children.flatMap((child) => linesWithin(outline, child));
  }
  return [];
}
