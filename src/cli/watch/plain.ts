/** The board without a screen: as text once, and then a line for each thing that changes. */

import { isOver, needsPerson, type BoardRow, type BoardView } from "../../app/board/row.ts";
import { sayClock } from "../../app/view/words.ts";
import type { Emit } from "../../app/outcome.ts";
import type { Paint } from "../paint.ts";
import { columns } from "../render/table.ts";
import { nameOf, placed, roundWord, sayPhase, workWords } from "./columns.ts";
import { plain } from "./width.ts";

/** The whole table; without a terminal as wide as it is. */
export function sayBoard(
  { rows, projects, more }: BoardView,
  on: { readonly paint: Paint; readonly now: number; readonly width?: number | undefined },
): string {
  const { paint, now } = on;
  const waiting = rows.filter(needsPerson).length;
  const head = [
    waiting === 0 ? "nothing waits for you" : `${waiting} ${waiting === 1 ? "waits" : "wait"} for you`,
    ...projects.map(({ project, atWork, agents }) => `${plain(project)} ${atWork}/${agents} agents`),
  ].join(", ");
  if (rows.length === 0) return `${head}\n`;
  const list = placed(rows, { columns: on.width ?? Number.MAX_SAFE_INTEGER, now });
  const table = [
    list.map(({ title }) => paint.dim(title)),
    ...rows.map((row) => list.map(({ cell, paint: colour }) => colour(row, paint)(plain(cell(row, now))))),
  ];
  return `${head}\n${columns(table)}${more > 0 ? `${more} more that are over: signalbox list --all\n` : ""}`;
}

type Change = "there" | "changed" | "gone";

/** One row on one line, with what it waits for in full. */
function sayRow(row: BoardRow, change: Change): string {
  const words = [
    row.run,
    nameOf(row),
    change === "gone" ? "gone" : row.state,
    change === "gone" ? "" : sayPhase(row),
    row.session === "none" ? "" : `session ${row.session}`,
    row.round === null || row.round.value === 0 ? "" : `round ${roundWord(row)}`,
    workWords(row) === "?" ? "" : workWords(row),
    row.waits.sentence,
  ];
  return words
    .filter((word) => word !== "")
    .map(plain)
    .join("  ");
}

type Watched = {
  readonly look: () => Promise<BoardView>;
  /** Until something may have changed, or a moment has passed. */
  readonly wait: (signal: AbortSignal) => Promise<void>;
  readonly emit: Emit;
  readonly now: () => number;
};

/** Programs get the rows of the first look marked as such; people have seen them in the table. */
export async function follow({ look, wait, emit, now }: Watched, signal: AbortSignal): Promise<void> {
  let before = new Map<string, BoardRow>();
  let isFirst = true;
  while (!signal.aborted) {
    const { rows } = await look();
    const after = new Map(rows.map((row) => [row.run, row]));
    const tell = (row: BoardRow, change: Change): void => {
      const at = new Date(now()).toISOString();
      const text = isFirst ? "" : `${sayClock(at)}  ${sayRow(row, change)}\n`;
      emit({ text, data: dataOf(row, { at, change }) });
    };
    for (const [run, row] of after) {
      const known = before.get(run);
      if (known === undefined) tell(row, "there");
      else if (!isSame(known, row)) tell(row, "changed");
    }
    for (const [run, row] of before) if (!after.has(run)) tell(row, "gone");
    before = after;
    isFirst = false;
    await wait(signal);
  }
}

function isSame(a: BoardRow, b: BoardRow): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export type RowData = Omit<BoardRow, "acts" | "answerTo" | "gate"> & {
  readonly over: boolean;
  readonly person: boolean;
};

/** A row for programs. */
export function rowData(of: BoardRow): RowData {
  const { acts: _acts, answerTo: _answerTo, gate: _gate, ...row } = of;
  return { ...row, over: isOver(row), person: needsPerson(row) };
}

function dataOf(
  row: BoardRow,
  of: { readonly at: string; readonly change: Change },
): Readonly<Record<string, unknown>> {
  return { ...of, ...rowData(row) };
}
