/** The table: header, rows, and at the foot more about the selected one and what can be done with it. */

import { isOver, needsPerson, sayPhase, type BoardRow } from "../../../app/board/row.ts";
import { firstLine } from "../../../app/view/words.ts";
import type { Paint } from "../../paint.ts";
import { boundTo } from "../acts.ts";
import { placed, type Placed, same } from "../columns.ts";
import { layoutOf } from "../layout.ts";
import { selectedRow, shown, type Model } from "../model.ts";
import { clipped, padded, plain, widthOf } from "../width.ts";

export function tableView(model: Model, paint: Paint): string[] {
  const rows = shown(model);
  const { body, foot } = layoutOf(model.size);
  const seen = rows.slice(model.top, model.top + body);
  const columns = placed(seen, { columns: model.size.columns, now: model.now });
  const lines = seen.map((row) => rowLine(model, { row, columns, paint }));
  const filled = rows.length === 0 ? noRows(model) : lines;
  return [
    header(model, paint),
    paint.dim(titles(columns, model.size.columns)),
    ...Array.from({ length: body }, (_none, at) => filled[at] ?? ""),
    ...footer(model, paint).slice(-foot),
  ];
}

function header(model: Model, paint: Paint): string {
  const { board, filter, size } = model;
  const waiting = board.rows.filter(needsPerson).length;
  const count = shown(model).length;
  const more = board.more > 0 && filter !== "active" ? ` of ${count + board.more}` : "";
  const parts = [
    { text: "signalbox", colour: paint.bold },
    waiting === 0
      ? { text: "nothing waits for you", colour: same }
      : { text: `${waiting} ${waiting === 1 ? "waits" : "wait"} for you`, colour: paint.yellow },
    { text: `${filter}: ${count}${more}`, colour: same },
    ...(model.project === "" ? [] : [{ text: `project ${plain(model.project)}`, colour: same }]),
    ...(board.projects.length === 0 ? [] : [{ text: `agents: ${agentWords(model)}`, colour: same }]),
  ];
  let room = size.columns;
  const said: string[] = [];
  for (const { text, colour } of parts) {
    const gap = said.length === 0 ? 0 : 3;
    if (room - gap <= 0) break;
    said.push(`${" ".repeat(gap)}${colour(clipped(text, room - gap))}`);
    room -= gap + widthOf(text);
  }
  return said.join("");
}

function agentWords({ board }: Model): string {
  return board.projects
    .map(({ project, atWork, agents }) => `${plain(project)} ${atWork}/${agents}`)
    .join(", ");
}

function titles(columns: readonly Placed[], width: number): string {
  return clipped(
    `  ${columns.map(({ title, width: room }) => padded(title, room)).join(" ")}`,
    width,
  ).trimEnd();
}

type Shown = {
  readonly row: BoardRow;
  readonly columns: readonly Placed[];
  readonly paint: Paint;
};

function rowLine(model: Model, { row, columns, paint }: Shown): string {
  const isSelected = row.run === model.selected;
  const cells = columns.map(({ cell, width, paint: colourOf }, at) => {
    const text = padded(plain(cell(row, model.now)), width);
    const colour = isOver(row) && at === 0 ? paint.dim : colourOf(row, paint);
    return isSelected && at === 0 ? paint.bold(text) : colour(text);
  });
  return `${isSelected ? "> " : "  "}${cells.join(" ")}`;
}

function noRows({ filter, board, size }: Model): string[] {
  const lines =
    filter === "active"
      ? ["No run is under way.", "", "c creates a task, f shows what is over, ? explains."]
      : ["No run is like that.", "", "f shows others."];
  return board.rows.length === 0 && filter === "all"
    ? ["There are no runs yet.", "", clipped("c creates a task, ? explains.", size.columns)]
    : lines.map((line) => clipped(line, size.columns));
}

/** Four lines; a small screen shows the last two. */
function footer(model: Model, paint: Paint): string[] {
  const row = selectedRow(model);
  return [
    ...(row === undefined ? ["", ""] : about(model, row)),
    sayMessage(model, paint),
    keys(model, paint),
  ];
}

const SUMMARY_MAX = 500;

/** More than the columns have room for. */
function about({ size }: Model, row: BoardRow): string[] {
  const { run, summary, waits } = row;
  const phase = sayPhase(row) === "" ? "" : `  ${plain(sayPhase(row))}`;
  return [
    clipped(`${run}${phase}  ${plain(firstLine(summary, SUMMARY_MAX))}`, size.columns),
    clipped(plain(waits.sentence), size.columns),
  ];
}

type Shortcut = { readonly text: string; readonly isDim: boolean };

const ALWAYS: readonly Shortcut[] = [
  { text: "f filter", isDim: false },
  { text: "c create", isDim: false },
];
const LAST: readonly Shortcut[] = [
  { text: "? help", isDim: false },
  { text: "q quit", isDim: false },
];

/** What does not fit is in the help. */
function keys(model: Model, paint: Paint): string {
  const row = selectedRow(model);
  const own =
    row === undefined
      ? []
      : boundTo(row).map(({ key, name, why }) => ({ text: `${key} ${name}`, isDim: why !== "" }));
  const all = [...own, ...ALWAYS, ...LAST];
  const gap = 2;
  const widthAll = (list: readonly Shortcut[]): number =>
    list.reduce((sum, { text }) => sum + text.length + gap, -gap);
  let middle = [...own, ...ALWAYS];
  // What does nothing now goes first.
  while (middle.length > 0 && widthAll([...middle, ...LAST]) > model.size.columns) {
    const at = middle.findLastIndex(({ isDim }) => isDim);
    middle = middle.toSpliced(at === -1 ? middle.length - 1 : at, 1);
  }
  const list = widthAll(all) <= model.size.columns ? all : [...middle, ...LAST];
  if (widthAll(list) > model.size.columns) return clipped("? help  q quit", model.size.columns);
  return list.map(({ text, isDim }) => (isDim ? paint.dim(text) : text)).join(" ".repeat(gap));
}

/** The line that says what is going on: a command at work, its answer, or why a key did nothing. */
export function sayMessage({ message, busy, stale, size }: Model, paint: Paint): string {
  const fit = (text: string): string => clipped(plain(text), size.columns);
  if (message !== undefined) {
    const colour = { good: paint.green, bad: paint.red, note: paint.yellow }[message.tone];
    return colour(fit(message.text));
  }
  if (busy !== "") return paint.dim(fit(`${busy} ...`));
  return stale === "" ? "" : paint.red(fit(`not up to date: ${stale}`));
}
