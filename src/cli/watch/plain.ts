/** The board without a screen: as text. */

import { needsPerson, type BoardView, type ShownRow } from "../../app/board/row.ts";
import type { Paint } from "../paint.ts";
import { clip, columns } from "../render/table.ts";
import { placed } from "./columns.ts";
import { plain } from "./width.ts";

type ShownBoard = Omit<BoardView, "rows"> & { readonly rows: readonly ShownRow[] };

/** The whole table; without a terminal as wide as it is. */
export function sayBoard(
  { rows, projects, more }: ShownBoard,
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
  const clipped = (text: string, width: number): string =>
    on.width === undefined ? text : clip(text, width);
  const table = [
    list.map(({ title, width }) => paint.dim(clipped(title, width))),
    ...rows.map((row) =>
      list.map(({ cell, width, paint: colour }) => colour(row, paint)(clipped(plain(cell(row, now)), width))),
    ),
  ];
  return `${head}\n${columns(table, on.width === undefined ? undefined : " ")}${more > 0 ? `${more} more that are over: signalbox list --all\n` : ""}`;
}
