/**
 * How much room a text takes on a terminal, and what of it fits.
 *
 * Terminals do not agree about joined emoji, flags and marks that change how the sign before them looks. So those are taken
 * apart or left out before anything is counted: what is left is as wide everywhere.
 */

import { harmless } from "../paint.ts";

/** Signs that take two cells. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
const NONE = /^\p{M}$/u;
/** Joiners, variation selectors, tags, skin tones, and everything else that is not seen. */
const UNSEEN = /[\p{Cf}\uFE00-\uFE0F\u{E0100}-\u{E01EF}\p{Emoji_Modifier}\u115F\u1160\u3164\uFFA0]/gu;
const FLAG = /[\u{1F1E6}-\u{1F1FF}]/gu;
const FLAG_A = 0x1f1e6;
const LETTER_A = 0x41;
/** Marks on one sign; more are no language. */
const MARKS = /(\p{M}{3})\p{M}+/gu;
const PLAIN = /^[\u0020-\u007E]*$/;

/** One line that commands nothing, of signs whose width is known. */
export function plain(text: string): string {
  if (PLAIN.test(text)) return text;
  return harmless(text.replaceAll(/\s+/g, " "))
    .normalize("NFC")
    .replaceAll(UNSEEN, "")
    .replaceAll(MARKS, "$1")
    .replaceAll(FLAG, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) - FLAG_A + LETTER_A));
}

/** Of a text that is `plain`. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const sign of text) width += widthOfSign(sign);
  return width;
}

function widthOfSign(sign: string): number {
  if (NONE.test(sign)) return 0;
  return WIDE.test(sign) ? 2 : 1;
}

/** What fits; where something is cut off, two dots say so. */
export function clipped(text: string, width: number): string {
  if (width <= 0) return "";
  if (widthOf(text) <= width) return text;
  if (width < 4) return taken(text, width);
  return `${taken(text, width - 2)}..`;
}

/** Exactly so wide. */
export function padded(text: string, width: number): string {
  const shown = clipped(text, width);
  return shown + " ".repeat(Math.max(0, width - widthOf(shown)));
}

function taken(text: string, width: number): string {
  let room = width;
  let result = "";
  for (const sign of text) {
    room -= widthOfSign(sign);
    if (room < 0) break;
    result += sign;
  }
  return result;
}

/** Broken into lines that fit, at spaces where there are any. */
export function wrapped(text: string, width: number): string[] {
  if (width <= 0) return [];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (widthOf(line) > width) {
      const part = taken(line, width);
      // A sign that is wider than the line.
      if (part === "") return lines;
      lines.push(part);
      line = line.slice(part.length);
    }
  }
  return [...lines, line];
}
