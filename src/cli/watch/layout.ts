/** Which rows are where: the table scrolls no further than it must, and a click finds what it sees. */

import { helpLines, pageLines, textRoom } from "./texts.ts";
import { shown, type Model, type Size } from "./model.ts";

/** Header and titles of columns. */
const HEAD_LINES = 2;
/** About the selected run, a message, keys. */
const FOOT_LINES = 4;
const FOOT_LINES_SMALL = 2;
const SMALL = 12;

export type Layout = {
  /** Lines for rows, one for each. */
  readonly body: number;
  readonly foot: number;
};

export function layoutOf(size: Size): Layout {
  const foot = size.lines < SMALL ? FOOT_LINES_SMALL : FOOT_LINES;
  const body = Math.max(1, size.lines - HEAD_LINES - foot);
  return { body, foot };
}

/** The same with a selection that exists, and is on the screen. */
export function settled(model: Model): Model {
  const rows = shown(model);
  const { body: fit } = layoutOf(model.size);
  const at = rows.findIndex(({ run }) => run === model.selected);
  const index = Math.max(0, at);
  const selected = rows[index]?.run ?? "";
  const last = Math.max(0, rows.length - fit);
  const top = Math.min(Math.max(model.top, index - fit + 1), index, last);
  return { ...model, selected, top, mode: scrolledTo(model) };
}

/** A text is scrolled to its end at most. */
function scrolledTo({ mode, size }: Model): Model["mode"] {
  if (mode.type !== "page" && mode.type !== "help") return mode;
  const count = mode.type === "help" ? helpLines(size).length : pageLines(mode.text ?? "", size).length;
  return { ...mode, top: Math.min(mode.top, Math.max(0, count - textRoom(size))) };
}

/** The run under a line of the screen, counted from 1. */
export function runAt(model: Model, line: number): string | undefined {
  const rows = shown(model);
  const index = line - HEAD_LINES - 1;
  return index < 0 || index >= layoutOf(model.size).body ? undefined : rows[model.top + index]?.run;
}
