/**
 * What speaks against a verdict: another word for one beside it, in whatever form a person would notice.
 *
 * Only the line that counts has a form. A rival has none, so it is looked for by its words.
 */

import { visibleHtml } from "./enclosed.ts";
import { linesOf, linesWithin, marginLines } from "./outline.ts";
import type { Block, Line, Outline, Section } from "./outline.ts";

/** `word` is the one that was given, `words` are all that could have been, and `line` is where it stands. */
type Said = { readonly word: string; readonly words: readonly string[]; readonly line: Line };

const VERDICT = /(?<![\p{L}\p{N}])verdict(?![\p{L}\p{N}])/iu;
const ENDS_IN_VERDICT = /(?<![\p{L}\p{N}])verdict[^\p{L}\p{N}]*(?:(?:is|was|now|becomes)[^\p{L}\p{N}]*)*$/iu;

/** The first line that names a verdict and a word for another one, on it or, where it stops there, below it. */
export function rivalOf(outline: Outline, section: Section, said: Said): Line | undefined {
  const others = otherWords(said);
  const lines = section.body.flatMap((block) => spokenLines(outline, block));
  const inside = lines.find(({ text, offset, isQuoted }, index) => {
    if (isQuoted || offset === said.line.offset) return false;
    if (formsOf(text).some((form) => VERDICT.test(form) && others(form))) return true;
    const next = lines[index + 1];
    const isUnfinished = formsOf(text).some((form) => ENDS_IN_VERDICT.test(form));
    return next !== undefined && isUnfinished && formsOf(next.text).some(others);
  });
  if (inside !== undefined) return inside;
  const after = outline.blocks.slice(outline.blocks.indexOf(section.heading) + 1);
  const headings = after.filter(({ type }) => type === "heading").flatMap((block) => linesOf(outline, block));
  return headings.find(({ text }) => formsOf(text).some((form) => VERDICT.test(form) && others(form)));
}

/** Lists, quotes and code may speak of verdicts; `isQuoted` says that a line is theirs. */
function spokenLines(outline: Outline, block: Block): readonly (Line & { isQuoted: boolean })[] {
  if (block.type === "paragraph" || block.type === "heading")
    return linesOf(outline, block).map((line) => ({ ...line, isQuoted: false }));
  if (block.type === "html") {
    const raw = linesOf(outline, block);
    const shown = visibleHtml(block.value).split(/\r\n|\n|\r/);
    const lines = shown.map((text, index) => ({ text, offset: raw[index]?.offset ?? 0, isQuoted: false }));
    return lines.filter(({ text }) => text.trim() !== "");
  }
  const margin = new Set(marginLines(outline, block).map(({ offset }) => offset));
  return linesWithin(outline, block).map((line) => ({ ...line, isQuoted: !margin.has(line.offset) }));
}

/** As it looks without marks. A tag may stand inside a word or between two. */
function formsOf(text: string): readonly string[] {
  const bare = text.normalize("NFKC").replaceAll(/[\p{Cf}*`~\\]/gu, "");
  if (!bare.includes("<")) return [bare];
  return [bare.replaceAll(/<[^<>]*>/g, ""), bare.replaceAll(/<[^<>]*>/g, " ")];
}

/** The longest word first: one may be the beginning of another. */
function otherWords({ word, words }: Said): (text: string) => boolean {
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const any = longestFirst.map((each) => each.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)).join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, "giu");
  return (text) =>
    Array.from(text.matchAll(pattern)).some(([found]) => found.toLowerCase() !== word.toLowerCase());
}
