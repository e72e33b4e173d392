/** The model as lines for a screen: never more than it has, and none wider. Pure. */

import type { Paint } from "../../paint.ts";
import { nameOf } from "../../../app/board/row.ts";
import { rowNamed, type Mode, type Model, type Form } from "../model.ts";
import { helpLines, pageLines, textRoom } from "../texts.ts";
import { clipped, plain, widthOf, wrapped } from "../width.ts";
import { sayMessage, tableView } from "./table.ts";
import { sayCommand } from "../acts.ts";
import { FIELDS, projectFor } from "../form.ts";

export function view(model: Model, paint: Paint): string[] {
  return linesOf(model, paint).slice(0, model.size.lines);
}

function linesOf(model: Model, paint: Paint): string[] {
  const { mode, size } = model;
  switch (mode.type) {
    case "table":
      return tableView(model, paint);
    case "form":
    case "changes":
    case "answer":
    case "confirm": {
      const panel = panelView(model, mode, paint).slice(0, size.lines);
      const above = tableView(model, paint).slice(0, size.lines - panel.length);
      return [...above, ...panel];
    }
    case "help":
      return textView(model, paint, {
        title: "signalbox watch: keys and columns",
        lines: helpLines(size),
        top: mode.top,
        keys: "j/k scroll   Esc back",
      });
    case "page":
      return pageView(model, mode, paint);
  }
}

function pageView(model: Model, mode: Extract<Mode, { type: "page" }>, paint: Paint): string[] {
  const row = rowNamed(model, mode.run);
  const name = row === undefined ? "" : `  ${nameOf(row)}  ${row.state}`;
  return textView(model, paint, {
    title: `${mode.run}${name}`,
    lines: mode.text === undefined ? ["..."] : pageLines(mode.text, model.size),
    top: mode.top,
    keys: [
      "j/k scroll",
      ...(row?.acts.changes === "" ? ["r ask for changes"] : []),
      ...(row?.acts.answer === "" ? ["a answer"] : []),
      "Esc back",
    ].join("   "),
  });
}

type Text = {
  readonly title: string;
  readonly lines: readonly string[];
  readonly top: number;
  readonly keys: string;
};

function textView(model: Model, paint: Paint, { title, lines, top, keys }: Text): string[] {
  const { size } = model;
  const room = textRoom(size);
  const part = lines.slice(top, top + room);
  const rest = Math.max(0, lines.length - top - room);
  const foot = model.message === undefined ? `${keys}${rest > 0 ? `   ${rest} more lines` : ""}` : undefined;
  return [
    paint.bold(clipped(plain(title), size.columns)),
    ...part.map((line) => clipped(line, size.columns)),
    ...Array.from({ length: room - part.length }, () => ""),
    foot === undefined ? sayMessage(model, paint) : paint.dim(clipped(foot, size.columns)),
  ];
}

/** What lies over the foot of the table: a form, a text to type, a question. */
type Panel = Extract<Mode, { type: "form" | "changes" | "answer" | "confirm" }>;

const FORECAST_LINES = 6;
const ASKED_LINES = 6;
const LABEL = 15;
const LABELS: Readonly<Partial<Record<(typeof FIELDS)[number], string>>> = {
  reviewHarness: "review harness",
};

function panelView(model: Model, mode: Panel, paint: Paint): string[] {
  const { columns } = model.size;
  const rule = paint.dim("-".repeat(columns));
  switch (mode.type) {
    case "form":
      return [rule, ...formLines(model, mode, paint)];
    case "changes":
      return [
        rule,
        paint.bold(clipped(`Changes for ${titleOf(model, mode.run)}`, columns)),
        typed(mode.text, columns),
        hint(model, paint, "Enter sends it back to the agent   Esc leaves it"),
      ];
    case "answer":
      return [
        rule,
        paint.bold(clipped(`Answer for ${titleOf(model, mode.run)}`, columns)),
        ...askedLines(model, mode.run),
        typed(mode.text, columns),
        hint(model, paint, `Enter tells the agent, on to ${plain(mode.to)}   Esc leaves it`),
      ];
    case "confirm":
      return [rule, ...confirmLines(model, mode, paint)];
  }
}

/** What is wrong with what was typed takes the place of the advice. */
function hint(model: Model, paint: Paint, text: string): string {
  return model.message === undefined
    ? paint.dim(clipped(text, model.size.columns))
    : sayMessage(model, paint);
}

/** What the agent asks; all of it is on the page. */
function askedLines(model: Model, run: string): readonly string[] {
  const { columns } = model.size;
  const lines = (rowNamed(model, run)?.asked ?? []).flatMap((line) => wrapped(plain(line), columns));
  const more = lines.length - ASKED_LINES;
  return more > 0 ? [...lines.slice(0, ASKED_LINES), `... ${more} more: v shows all`] : lines;
}

function formLines(model: Model, form: Form, paint: Paint): string[] {
  const { columns } = model.size;
  const project = projectFor(model);
  const where = project === "" ? "this repository" : `project ${project}`;
  const fields = FIELDS.map((field, at) => {
    const isHere = at === form.at;
    const label = clipped(`${isHere ? "> " : "  "}${(LABELS[field] ?? field).padEnd(LABEL)}`, columns);
    const room = columns - widthOf(label);
    const isChoice = field !== "branch" && field !== "summary";
    const value = plain(form[field]);
    const text = isChoice ? clipped(`< ${value === "" ? "as configured" : value} >`, room) : value;
    return `${isHere ? paint.bold(label) : label}${isHere && !isChoice ? typed(value, room) : clipped(text, room)}`;
  });
  const advice = "Tab next field   Enter create   Esc leave it   any key changes a choice";
  return [
    paint.bold(clipped(`A new task in ${plain(where)}`, columns)),
    ...fields,
    hint(model, paint, advice),
  ];
}

/** The end of what was typed is what one wants to see. */
function typed(text: string, columns: number): string {
  let shown = plain(text);
  while (shown !== "" && widthOf(shown) >= columns) shown = shown.replace(/^./su, "");
  return clipped(`${shown}_`, columns);
}

function confirmLines(model: Model, mode: Extract<Mode, { type: "confirm" }>, paint: Paint): string[] {
  const { columns } = model.size;
  const { forecast } = mode;
  const told = (forecast ?? "looking what would happen ...")
    .split("\n")
    .flatMap((line) => wrapped(plain(line), columns))
    .filter((line) => line !== "");
  const advice =
    forecast === undefined
      ? "any key leaves it"
      : `y does it: ${sayCommand(mode.argv)}   any other key leaves it`;
  return [
    paint.yellow(clipped(plain(mode.question), columns)),
    ...told.slice(0, FORECAST_LINES).map((line) => clipped(line, columns)),
    paint.dim(clipped(plain(advice), columns)),
  ];
}

function titleOf(model: Model, run: string): string {
  const row = rowNamed(model, run);
  return row === undefined ? run : `${run} ${plain(nameOf(row))}`;
}
