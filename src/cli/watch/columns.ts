/** The columns of the table: what each says about a run, how wide it is, and which go first where there is no room. */

import { roundWord, workWords, type ShownRow } from "../../app/board/row.ts";
import { firstLine } from "../../app/view/words.ts";
import type { Paint } from "../paint.ts";
import { styleOf } from "../render/table.ts";
import { plain, widthOf } from "./width.ts";

type Column = {
  readonly title: string;
  readonly cell: (row: ShownRow, now: number) => string;
  readonly paint: (row: ShownRow, paint: Paint) => (text: string) => string;
  /** At least so wide, where the cells are, and at most. */
  readonly min: number;
  readonly max: number;
  /** The lowest goes first. */
  readonly rank: number;
  /** Only there where some row has something in it. */
  readonly isSparse?: true;
};

const GAP = 1;
const MARK = 2;

export const same = (text: string): string => text;

const PROJECT = "PROJECT";

const COLUMNS: readonly Column[] = [
  {
    title: "SUMMARY",
    cell: ({ summary, name, run, workflow }) =>
      firstLine(summary, SUMMARY_MAX) || (name === run ? workflow : name),
    paint: () => same,
    min: 24,
    max: 60,
    rank: 9,
  },
  {
    title: "STATE",
    cell: ({ state }) => state,
    paint: colourOf,
    min: 9,
    max: 16,
    rank: 8,
  },
  {
    title: "PHASE",
    cell: ({ phase }) => phase,
    paint: () => same,
    min: 5,
    max: 26,
    rank: 4.5,
    isSparse: true,
  },
  { title: "GATE", cell: ({ gate }) => gate, paint: () => same, min: 7, max: 9, rank: 1, isSparse: true },
  { title: "WAITS FOR", cell: ({ waits }) => waits.short, paint: colourOf, min: 9, max: 16, rank: 7 },
  { title: "SESSION", cell: sessionWord, paint: sessionColour, min: 7, max: 7, rank: 4 },
  { title: "ROUND", cell: roundWord, paint: () => same, min: 5, max: 5, rank: 2 },
  { title: "WORK", cell: workWords, paint: () => same, min: 10, max: 16, rank: 3, isSparse: true },
  {
    title: "AGE",
    cell: ({ updatedAt }, now) => shortAge(updatedAt, now),
    paint: (_row, paint) => paint.dim,
    min: 3,
    max: 4,
    rank: 6,
  },
  {
    title: PROJECT,
    cell: ({ project }) => project,
    paint: (_row, paint) => paint.dim,
    min: 6,
    max: 16,
    rank: 2.5,
  },
  { title: "RUN", cell: ({ name }) => name, paint: (_row, paint) => paint.dim, min: 8, max: 24, rank: 5 },
];

const SUMMARY_MAX = 200;

export type Placed = Column & { readonly width: number };

/** As wide as what they hold, within what there is. */
export function placed(
  rows: readonly ShownRow[],
  room: { readonly columns: number; readonly now: number },
): Placed[] {
  const isOneProject = new Set(rows.map(({ repo }) => repo)).size <= 1;
  const said = COLUMNS.filter(
    ({ title, isSparse, cell }) =>
      !(title === PROJECT && isOneProject) &&
      (isSparse !== true || rows.some((row) => cell(row, room.now) !== "")),
  );
  let fitting = said.map((column) => sized(column, rows, room.now));
  for (;;) {
    const over = MARK + fitting.reduce((sum, { width }) => sum + width + GAP, -GAP) - room.columns;
    if (over <= 0) return fitting;
    const narrower = narrowed(fitting, over);
    if (narrower !== undefined) return narrower;
    if (fitting.length <= 1)
      return fitting.map((column) => ({ ...column, width: Math.max(1, room.columns - MARK) }));
    const lowest = Math.min(...fitting.map(({ rank }) => rank));
    fitting = fitting.filter(({ rank }) => rank !== lowest);
  }
}

function sized(column: Column, rows: readonly ShownRow[], now: number): Placed {
  const { title, cell, min, max } = column;
  const widest = Math.max(title.length, ...rows.map((row) => widthOf(plain(cell(row, now)))));
  return { ...column, min: Math.min(min, widest), width: Math.min(max, widest) };
}

/** The widest gives first; undefined where even the narrowest are too wide. */
function narrowed(columns: readonly Placed[], over: number): Placed[] | undefined {
  const least = columns.reduce((sum, { width, min }) => sum + width - Math.min(width, min), 0);
  if (least < over) return undefined;
  const result = columns.map((column) => ({ ...column }));
  for (let left = over; left > 0; left -= 1) {
    const widest = result
      .filter(({ width, min }) => width > min)
      .reduce((a, b) => (b.width - b.min > a.width - a.min ? b : a));
    widest.width -= 1;
  }
  return result;
}

function colourOf(row: ShownRow, paint: Paint): (text: string) => string {
  return paint[styleOf(row)];
}

function sessionWord({ session }: ShownRow): string {
  if (session === "none") return "-";
  return session === "unknown" ? "?" : session;
}

function sessionColour({ session }: ShownRow, paint: Paint): (text: string) => string {
  if (session === "alive") return paint.green;
  return session === "dead" ? paint.red : same;
}

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "m"],
];

/** `4m`; the screen says what it is the age of. */
function shortAge(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  if (Number.isNaN(seconds)) return "?";
  for (const [length, unit] of UNITS) if (seconds >= length) return `${Math.floor(seconds / length)}${unit}`;
  return `${seconds}s`;
}
