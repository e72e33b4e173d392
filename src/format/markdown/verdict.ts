/**
 * The verdict line of a section.
 *
 * This line moves a run, so it must match exactly: the first line of the section, nothing else on it, and no second line that
 * looks like a verdict. Only marks around the line, its name or its value are allowed.
 */

import type { Verdict } from "../../core/model/verdict.ts";
import { type TextFlaw, quote } from "../reading/finding.ts";
import { isPlaceholder, trimBlank, unwrap } from "./inline.ts";
import {
  endOf,
  linesOf,
  linesWithin,
  marginLines,
  startOf,
  type TextLine,
  type Outline,
  type MarkdownSection,
  type Block,
} from "./outline.ts";
import { visibleHtml } from "./enclosed.ts";

type Verdicts = Readonly<Record<string, Verdict>>;
type VerdictRead = { readonly verdict: Verdict } | { readonly flaw: TextFlaw };

const LINE_MAX = 200;

export function verdictOf(outline: Outline, section: MarkdownSection, verdicts: Verdicts): VerdictRead {
  const expected = Object.keys(verdicts)
    .map((word) => `\`Verdict: ${word}\``)
    .join(" or ");
  const [first] = section.body;
  const line = first?.type === "paragraph" ? linesOf(outline, first)[0] : undefined;
  if (line === undefined) {
    const offset = first === undefined ? startOf(section.heading) : startOf(first);
    return { flaw: { offset, reason: `the section must begin with the line ${expected}` } };
  }
  const word = wordOf(line.text);
  if (word === undefined) {
    const reason = `the first line of the section must be ${expected} and nothing else, not ${quote(line.text)}`;
    return { flaw: { offset: line.offset, reason } };
  }
  const key =
    Object.keys(verdicts).find((name) => name === word) ??
    Object.keys(verdicts).find((name) => fold(name) === fold(word));
  const verdict = key === undefined ? undefined : verdicts[key];
  if (key === undefined || verdict === undefined) {
    return { flaw: { offset: line.offset, reason: `the verdict ${quote(word)} is none of ${expected}` } };
  }
  const doubt = doubtOf(outline, section, { word: key, words: Object.keys(verdicts), line });
  if (doubt !== undefined) return { flaw: doubt };
  if (isNegative(verdict) && !hasReasons(outline, section, line)) {
    return {
      flaw: { offset: endOf(section.heading), reason: "a failing verdict needs the reasons below it" },
    };
  }
  return { verdict };
}

function wordOf(line: string): string | undefined {
  if (line.length > LINE_MAX) return undefined;
  const whole = unwrap(line);
  if (whole.code) return /^verdict:[ \t]*(.+)$/i.exec(whole.text)?.[1];
  const match = /^(\*{1,3}|_{1,3}|`?)verdict(?::\1|\1:)[ \t]*(.+)$/i.exec(whole.text);
  return match?.[2] === undefined ? undefined : unwrap(match[2]).text;
}

/** ASCII letters only: the Kelvin sign does not count as K. */
function fold(word: string): string {
  return word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function doubtOf(
  outline: Outline,
  section: MarkdownSection,
  said: { readonly word: string; readonly words: readonly string[]; readonly line: TextLine },
): TextFlaw | undefined {
  const second = otherLines(outline, section, said.line).find(({ text }) => looksLikeVerdict(text));
  if (second !== undefined) {
    const reason = "a second line looks like a verdict, so that none counts: keep one, or reword this line";
    return { offset: second.offset, reason };
  }
  const rival = rivalOf(outline, section, said);
  if (rival !== undefined) {
    const reason = `the verdict is ambiguous: the section begins with ${said.word}, and this line speaks of another verdict`;
    return { offset: rival.offset, reason };
  }
  const [first] = section.body;
  const next = first === undefined ? undefined : linesOf(outline, first)[1];
  if (next === undefined || !goesOn(next.text)) return undefined;
  const reason =
    "the line of the verdict must stand alone, and this line continues it: put an empty line between";
  return { offset: next.offset, reason };
}

/** Whether the text starts in the middle of a sentence. */
function goesOn(text: string): boolean {
  return /^[,;:.?!)…–—]|^[^\p{L}\p{N}]*\p{Ll}/u.test(text);
}

/** Lists, quotes, code and HTML may mention verdicts. Headings and paragraphs may not, also nested ones. */
function otherLines(outline: Outline, section: MarkdownSection, line: TextLine): readonly TextLine[] {
  const blocks = section.body.filter(({ type }) => type === "paragraph" || type === "heading");
  const lines = blocks
    .flatMap((block) => linesOf(outline, block))
    .filter(({ offset }) => offset !== line.offset);
  return [...lines, ...section.body.flatMap((block) => marginLines(outline, block))];
}

/** Wider than the accepted form: a line that a person would read as a verdict must not appear next to the real one. */
function looksLikeVerdict(text: string): boolean {
  const bare = text
    .slice(0, LINE_MAX)
    .normalize("NFKC")
    .replaceAll(/\p{Cf}|<[^<>]*>/gu, "");
  return /^[\s\p{P}\p{S}]*(?:(?:final|overall|my|the|new)\s+)*verdict[\s*_`~]*[:=]/iu.test(bare);
}

function isNegative(verdict: Verdict): boolean {
  return verdict === "needs_fix" || verdict === "needs_human" || verdict === "reject";
}

function hasReasons(outline: Outline, section: MarkdownSection, line: TextLine): boolean {
  const lines = section.body.flatMap((block) => linesWithin(outline, block));
  return lines.some(({ text, offset }) => offset !== line.offset && !isPlaceholder(trimBlank(text)));
}

/** The accepted verdict: `word` is its word, `words` are all possible ones, and `line` is its line. */
type ReadVerdict = { readonly word: string; readonly words: readonly string[]; readonly line: TextLine };

const VERDICT = /(?<![\p{L}\p{N}])verdict(?![\p{L}\p{N}])/iu;
const ENDS_IN_VERDICT = /(?<![\p{L}\p{N}])verdict[^\p{L}\p{N}]*(?:(?:is|was|now|becomes)[^\p{L}\p{N}]*)*$/iu;

/**
 * A rival verdict: the first line that names a verdict and another word for it, on the same line or, if the line ends there, on
 * the next one.
 *
 * Only the accepted line has a fixed form. A rival has none, so the search goes by words.
 */
function rivalOf(outline: Outline, section: MarkdownSection, said: ReadVerdict): TextLine | undefined {
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

/** Lists, quotes and code may mention verdicts; `isQuoted` marks their lines. */
function spokenLines(outline: Outline, block: Block): readonly (TextLine & { isQuoted: boolean })[] {
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

/** The text without marks. A tag may be inside a word or between two. */
function formsOf(text: string): readonly string[] {
  const bare = text.normalize("NFKC").replaceAll(/[\p{Cf}*`~\\]/gu, "");
  if (!bare.includes("<")) return [bare];
  return [bare.replaceAll(/<[^<>]*>/g, ""), bare.replaceAll(/<[^<>]*>/g, " ")];
}

/** The longest word first: one may be a prefix of another. */
function otherWords({ word, words }: ReadVerdict): (text: string) => boolean {
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const any = longestFirst.map((each) => each.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)).join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, "giu");
  return (text) =>
    Array.from(text.matchAll(pattern)).some(([found]) => found.toLowerCase() !== word.toLowerCase());
}
