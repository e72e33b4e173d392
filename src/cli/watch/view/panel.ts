/** What lies over the foot of the table: a form, a text to type, a question. */

import type { Paint } from "../../paint.ts";
import { sayCommand } from "../acts.ts";
import { FIELDS, projectFor } from "../form.ts";
import { rowNamed, type Form, type Mode, type Model } from "../model.ts";
import { nameOf } from "../columns.ts";
import { clipped, plain, widthOf, wrapped } from "../width.ts";
import { sayMessage } from "./message.ts";

type Panel = Extract<Mode, { type: "form" | "changes" | "answer" | "confirm" }>;

const FORECAST_LINES = 6;
const LABEL = 15;
const LABELS: Readonly<Partial<Record<(typeof FIELDS)[number], string>>> = {
  reviewHarness: "review harness",
};

export function panelView(model: Model, mode: Panel, paint: Paint): string[] {
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
        paint.dim(clipped("Enter sends it back to the agent (also without a text)   Esc leaves it", columns)),
      ];
    case "answer":
      return [
        rule,
        paint.bold(clipped(`Answer for ${titleOf(model, mode.run)}`, columns)),
        typed(mode.text, columns),
        paint.dim(
          clipped(
            `Enter tells the agent, on to ${plain(mode.to)} (also without a text)   Esc leaves it`,
            columns,
          ),
        ),
      ];
    case "confirm":
      return [rule, ...confirmLines(model, mode, paint)];
  }
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
  const hint = "Tab next field   Enter create   Esc leave it   any key changes a choice";
  return [
    paint.bold(clipped(`A new task in ${plain(where)}`, columns)),
    ...fields,
    model.message === undefined ? paint.dim(clipped(hint, columns)) : sayMessage(model, paint),
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
  const hint =
    forecast === undefined
      ? "any key leaves it"
      : `y does it: ${sayCommand(mode.argv)}   any other key leaves it`;
  return [
    paint.yellow(clipped(plain(mode.question), columns)),
    ...told.slice(0, FORECAST_LINES).map((line) => clipped(line, columns)),
    paint.dim(clipped(plain(hint), columns)),
  ];
}

function titleOf(model: Model, run: string): string {
  const row = rowNamed(model, run);
  return row === undefined ? run : `${run} ${plain(nameOf(row))}`;
}
