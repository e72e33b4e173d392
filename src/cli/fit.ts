/**
 * Rows in columns on a terminal of a known width: what does not fit goes on below, under its own column where there is room for words.
 * Commands are for copying, and stay whole; so does the first cell of every row. Without a terminal, lines are as long as they are.
 */

import { columns, widthOf } from "./render/table.ts";

const GAP = "  ";
/** With less room than this, words stand one below the other: a line of their own is better. */
const ROOM_MIN = 30;
/** Of what goes on in a line of its own, beyond the row it belongs to. */
const HANGING = 4;

export function fitted(rows: readonly (readonly string[])[], width: number | undefined): string {
  const full = columns(rows);
  if (width === undefined || full.split("\n").every((line) => widthOf(line) <= width)) return full;
  const starts = startsOf(rows);
  return rows.map((row) => fittedRow(row, starts, width)).join("");
}

/** One text, or a line of a story, with what follows the first line below this many characters. */
export function wrapped(text: string, width: number | undefined, hanging = HANGING): string {
  if (width === undefined) return text;
  return text
    .split("\n")
    .map((line) => {
      const [first = "", ...more] = linesOf(line, { first: width, others: width - hanging, least: hanging });
      return [first, ...more.map((other) => `${" ".repeat(hanging)}${other}`)].join("\n");
    })
    .join("\n");
}

/** What is said beside an answer: the lines that say what to type stay whole. */
export function wrappedTalk(text: string, width: number): string {
  const lines = text.split("\n");
  return lines
    .map((line) => (/^ *(?:(?:next|or): |signalbox )/.test(line) ? line : wrapped(line, width)))
    .join("\n");
}

/** What led to a question, below it. */
export function sayCause(cause: readonly string[], width: number | undefined): readonly string[] {
  return cause.map((line) => `${wrapped(`  > ${line}`.trimEnd(), width)}\n`);
}

/** Where each column begins. */
function startsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const starts = [0];
  for (let at = 0; rows.some((row) => row.length > at + 1); at += 1) {
    const cells = rows.flatMap((row) => (row.length > at + 1 ? [widthOf(row[at] ?? "")] : []));
    starts.push((starts[at] ?? 0) + Math.max(...cells) + GAP.length);
  }
  return starts;
}

function fittedRow(row: readonly string[], starts: readonly number[], width: number): string {
  const [first = "", ...others] = row;
  const indent = " ".repeat(/^ */.exec(first)?.[0].length ?? 0) + " ".repeat(HANGING);
  const lines = [first];
  for (const [index, cell] of others.entries()) {
    if (cell === "") continue;
    const start = starts[index + 1] ?? 0;
    const last = lines.at(-1) ?? "";
    const isFirstLine = lines.length === 1;
    const at = isFirstLine ? start : widthOf(last) + GAP.length;
    const fits = at + widthOf(cell) <= width;
    if (fits || (isFirstLine && width - at >= ROOM_MIN)) {
      const [begun = "", ...rest] = linesOf(cell, { first: width - at, others: width - at, least: 0 });
      lines[lines.length - 1] = `${last}${" ".repeat(at - widthOf(last))}${begun}`;
      lines.push(...rest.map((line) => `${" ".repeat(at)}${line}`));
    } else {
      const room = Math.max(ROOM_MIN, width - indent.length);
      lines.push(...linesOf(cell, { first: room, others: room, least: 0 }).map((line) => `${indent}${line}`));
    }
  }
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

/** `least`: what comes before it belongs to the first line, however long that is. */
type Room = { readonly first: number; readonly others: number; readonly least: number };

/** Broken between words; one that is too long for any line has one of its own. */
function linesOf(text: string, room: Room): string[] {
  const lines: string[] = [];
  let last = "";
  let isBegun = false;
  for (const word of text.split(" ")) {
    const most = lines.length === 0 ? room.first : room.others;
    const isEnough = widthOf(last) > (lines.length === 0 ? room.least : 0);
    if (isEnough && widthOf(last) + 1 + widthOf(word) > most) {
      lines.push(last);
      last = word;
    } else last = isBegun ? `${last} ${word}` : word;
    isBegun = true;
  }
  return [...lines, last];
}
