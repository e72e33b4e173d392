/** Rows in columns: the one table of all listings, and what it shares with other layouts. */

import type { RunSummary } from "../../app/view/run-view.ts";
import { unpainted, type Paint } from "../paint.ts";

type Style = keyof Paint;

/** A text with its colour. Tables clip the text and paint what is left. */
export type Cell = string | { readonly text: string; readonly style: Style };

export type Column = {
  readonly title: string;
  /** It gives way where the terminal is narrow, down to so many characters. */
  readonly min?: number;
};

const GAP = "  ";

/** A header and rows that fit the width. Columns in which nothing stands are left out. */
export function table(
  columnsOf: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { paint, width }: { readonly paint: Paint; readonly width?: number | undefined },
): string {
  if (rows.length === 0) return "";
  const shown = columnsOf.flatMap((column, at) =>
    rows.some((row) => textOf(row[at] ?? "") !== "") ? [{ ...column, at }] : [],
  );
  const widths = fit(
    shown.map(({ title, min, at }) => ({
      natural: Math.max(title.length, ...rows.map((row) => textOf(row[at] ?? "").length)),
      min,
    })),
    width,
  );
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, at) => {
        const text = clip(textOf(cell), widths[at] ?? 0);
        const painted = typeof cell === "string" ? text : paint[cell.style](text);
        return at === cells.length - 1 ? painted : painted + " ".repeat((widths[at] ?? 0) - text.length);
      })
      .join(GAP)
      .trimEnd();
  const header = line(shown.map(({ title }) => ({ text: title, style: "dim" as const })));
  return [header, ...rows.map((row) => line(shown.map(({ at }) => row[at] ?? "")))]
    .map((each) => `${each}\n`)
    .join("");
}

/** Takes what is too much from the widest column that can give way, again and again. */
function fit(
  columnsOf: readonly { readonly natural: number; readonly min: number | undefined }[],
  width: number | undefined,
): readonly number[] {
  const widths = columnsOf.map(({ natural }) => natural);
  const total = (): number => widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
  const max = width ?? Number.POSITIVE_INFINITY;
  for (let over = total() - max; over > 0; over = total() - max) {
    const room = widths.map((each, at) => each - (columnsOf[at]?.min ?? each));
    const most = Math.max(...room);
    if (most <= 0) break;
    const at = room.indexOf(most);
    widths[at] = (widths[at] ?? 0) - Math.min(most, over);
  }
  return widths;
}

export function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, Math.max(0, max - 1))}…`;
}

function textOf(cell: Cell): string {
  return typeof cell === "string" ? cell : cell.text;
}

/** Colour by meaning: red went wrong, yellow is yours, green is done, dim is the machine's. */
export function styleOf({ waits, status, stuck }: Pick<RunSummary, "waits" | "status" | "stuck">): Style {
  if (status === "done") return "green";
  if (stuck) return "red";
  switch (waits.kind) {
    case "crashed":
    case "attention":
      return "red";
    case "person":
    case "stopped":
      return "yellow";
    case "over":
      return status === "cancelled" ? "dim" : "red";
    case "agent":
    case "check":
    case "child":
    case "queue":
    case "parked":
      return "dim";
  }
}

const SHORT = 4;

/** Ids as people type them: as many letters as tell these runs apart. */
export function shortIds(ids: readonly string[]): (id: string) => string {
  return (id) => {
    for (let length = SHORT; length < id.length; length += 1)
      if (ids.filter((other) => other.startsWith(id.slice(0, length))).length === 1)
        return id.slice(0, length);
    return id;
  };
}

/** Rows in columns; the last one is as long as it likes. Cells may be painted: `width` is of what is seen. */
export function columns(rows: readonly (readonly string[])[], gap = GAP): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.slice(0, -1).entries())
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  return rows
    .map((row) =>
      row
        .map((cell, at) =>
          at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - widthOf(cell)),
        )
        .join(gap)
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** As people see it. */
export function widthOf(cell: string): number {
  return unpainted(cell).length;
}
