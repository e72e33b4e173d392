/**
 * The verdict line of a section.
 *
 * A run is moved by this line, so it is read to the letter: the first line of the section, nothing else on it, and
 * no second line that could be taken for one. Marks around the line, its name or its value are the only decoration.
 */

import type { Verdict } from "../../core/model/verdict.ts";
import type { Flaw } from "../reading/finding.ts";
import { quote } from "../reading/finding.ts";
import { isPlaceholder, trimBlank, unwrap } from "./inline.ts";
import { endOf, linesOf, linesWithin, marginLines, startOf } from "./outline.ts";
import type { Line, Outline, Section } from "./outline.ts";
import { rivalOf } from "./rival.ts";

type Verdicts = Readonly<Record<string, Verdict>>;
type VerdictRead = { readonly verdict: Verdict } | { readonly flaw: Flaw };

const LINE_MAX = 200;

export function verdictOf(outline: Outline, section: Section, verdicts: Verdicts): VerdictRead {
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

/** Of ASCII letters only: the sign for kelvin is no K. */
function fold(word: string): string {
  return word.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function doubtOf(
  outline: Outline,
  section: Section,
  said: { readonly word: string; readonly words: readonly string[]; readonly line: Line },
): Flaw | undefined {
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

/** Begins in the middle of a sentence. */
function goesOn(text: string): boolean {
  return /^[,;:.?!)…–—]|^[^\p{L}\p{N}]*\p{Ll}/u.test(text);
}

/** Lists, quotes, code and HTML may speak of verdicts. Headings and paragraphs may not, nested ones included. */
function otherLines(outline: Outline, section: Section, line: Line): readonly Line[] {
  const blocks = section.body.filter(({ type }) => type === "paragraph" || type === "heading");
  const lines = blocks
    .flatMap((block) => linesOf(outline, block))
    .filter(({ offset }) => offset !== line.offset);
  return [...lines, ...section.body.flatMap((block) => marginLines(outline, block))];
}

/** Wider than what counts: what a person would take for a verdict must not stand beside the one that does. */
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

function hasReasons(outline: Outline, section: Section, line: Line): boolean {
  const lines = section.body.flatMap((block) => linesWithin(outline, block));
  return lines.some(({ text, offset }) => offset !== line.offset && !isPlaceholder(trimBlank(text)));
}
