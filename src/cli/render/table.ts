/** Rows in columns, and the colour of a status. */

import type { Paint } from "../paint.ts";

export function paintStatus(word: string, paint: Paint): string {
  if (/^(done)\b/i.test(word)) return paint.green(word);
  if (/^(needs attention|failed|damaged)\b/i.test(word)) return paint.red(word);
  if (/^(waits|halted)\b/.test(word)) return paint.yellow(word);
  return word;
}

/** Rows in columns; the last one is as long as it likes. Cells may be painted: `width` is of what is seen. */
export function columns(rows: readonly (readonly string[])[], gap = "  "): string {
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
  // oxlint-disable-next-line no-control-regex
  return cell.replaceAll(/\u001B\[\d+m/g, "").length;
}
