/** The model as lines for a screen: never more than it has, and none wider. Pure. */

import type { Paint } from "../../paint.ts";
import { nameOf } from "../columns.ts";
import { rowNamed, type Mode, type Model } from "../model.ts";
import { helpLines, pageLines, textRoom } from "../texts.ts";
import { clipped, plain } from "../width.ts";
import { sayMessage } from "./message.ts";
import { panelView } from "./panel.ts";
import { tableView } from "./table.ts";

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
