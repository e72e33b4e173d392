/** A key or a piece of news makes the next model, and says what the world must do. Pure: no clock, no file, no terminal. */

import type { BoardRow } from "../../app/board/row.ts";
import { boundTo, commandOf, enterOf, sayCommand } from "./acts.ts";
import { ended, opened } from "./drafts.ts";
import { formKey, openForm } from "./form.ts";
import { layoutOf, runAt, settled } from "./layout.ts";
import { FILTERS, selectedRow, shown, type Effect, type Model, type News, type Next } from "./model.ts";
import type { Key } from "./keys.ts";
import { confirmKey, helpKey, pageKey, textFor, textKey } from "./overlays.ts";
import { and, told } from "./step.ts";

export function update(model: Model, news: News): Next {
  const { model: after, effects } = decided(model, news);
  return { model: settled(after), effects };
}

function decided(model: Model, news: News): Next {
  switch (news.type) {
    case "key":
    case "text":
    case "mouse":
      return pressed(model, news);
    case "board":
      return and({ ...model, board: news.board, stale: "" });
    case "stale":
      return and({ ...model, stale: news.why });
    case "resized":
      return and({ ...model, size: news.size }, { type: "redraw" });
    case "time":
      return and({ ...model, now: news.now });
    case "page-read":
      return and(pageRead(model, news));
    case "forecast-made":
      return and(forecastMade(model, news));
    case "harnesses-known":
      return and(harnessesKnown(model, news.harnesses));
    case "command-begun":
      return and({ ...model, busy: sayCommand(news.argv), message: undefined });
    case "command-ended":
      return and({
        ...ended(model, news.isGood),
        busy: "",
        message: { text: news.text, tone: news.isGood ? "good" : "bad" },
      });
  }
}

function pageRead(model: Model, { run, text }: { readonly run: string; readonly text: string }): Model {
  const { mode } = model;
  return mode.type === "page" && mode.run === run ? { ...model, mode: { ...mode, text } } : model;
}

function forecastMade(model: Model, { run, text }: { readonly run: string; readonly text: string }): Model {
  const { mode } = model;
  return mode.type === "confirm" && mode.run === run
    ? { ...model, mode: { ...mode, forecast: text } }
    : model;
}

function harnessesKnown(model: Model, harnesses: readonly string[]): Model {
  const { mode } = model;
  const [first = ""] = harnesses;
  const form = mode.type === "form" && mode.harness === "" ? { ...mode, harness: first } : mode;
  return { ...model, harnesses, mode: form };
}

function pressed(model: Model, key: Key): Next {
  if (key.type === "key" && key.name === "ctrl-c") return and(model, { type: "quit" });
  if (key.type === "key" && key.name === "ctrl-z") return and(model, { type: "suspend" });
  if (key.type === "key" && key.name === "ctrl-l") return and(model, { type: "redraw" });
  switch (model.mode.type) {
    case "table":
      return tableKey({ ...model, message: undefined }, key);
    case "help":
      return helpKey(model, model.mode, key);
    case "page":
      return pageKey(model, model.mode, key);
    case "form":
      return formKey(model, model.mode, key);
    case "changes":
    case "answer":
      return textKey(model, model.mode, key);
    case "confirm":
      return confirmKey(model, model.mode, key);
  }
}

function tableKey(model: Model, key: Key): Next {
  if (key.type === "mouse") {
    if (key.what !== "click") return moved(model, key.what === "up" ? -1 : 1);
    const run = runAt(model, key.line);
    return and(run === undefined ? model : { ...model, selected: run });
  }
  // What was pasted is no key.
  if (key.type === "text" && key.pasted) return and(model);
  return tableName(model, key.type === "text" ? key.text : key.name);
}

function tableName(model: Model, name: string): Next {
  const page = layoutOf(model.size).body;
  switch (name) {
    case "j":
    case "down":
      return moved(model, 1);
    case "k":
    case "up":
      return moved(model, -1);
    case "page-down":
      return moved(model, page);
    case "page-up":
      return moved(model, -page);
    case "g":
    case "home":
      return moved(model, -Infinity);
    case "G":
    case "end":
      return moved(model, Infinity);
    case "f":
      return filtered(model);
    case "c":
      return openForm(model);
    case "?":
      return and({ ...model, mode: { type: "help", top: 0 } });
    case "q":
      return and(model, { type: "quit" });
    case "p":
    case "R":
      return told(model, "pull requests are not there yet: push the branch and open one by hand");
  }
  return rowKey(model, name);
}

function moved(model: Model, by: number): Next {
  const rows = shown(model);
  const at = rows.findIndex(({ run }) => run === model.selected);
  const to = Math.min(Math.max(0, at + by), Math.max(0, rows.length - 1));
  return and({ ...model, selected: rows[to]?.run ?? "" });
}

function filtered(model: Model): Next {
  const at = FILTERS.indexOf(model.filter);
  const filter = FILTERS[(at + 1) % FILTERS.length] ?? "active";
  return and({ ...model, filter, top: 0 }, { type: "refresh" });
}

/** Keys that are about the selected run. */
function rowKey(model: Model, name: string): Next {
  const row = selectedRow(model);
  const bound = row === undefined ? undefined : boundOf(row, name);
  if (row === undefined)
    return /^(enter|[wvyramxd])$/.test(name) ? told(model, "no run is selected") : and(model);
  if (name === "y")
    return and(
      { ...model, message: { text: `${row.run} copied, where the terminal allows it`, tone: "note" } },
      { type: "copy", text: row.run },
    );
  if (bound === undefined) return and(model);
  if (bound.why !== "") return told(model, `${bound.name}: ${bound.why}`);
  if (model.busy !== "" && bound.act !== "view") return told(model, `one thing at a time: ${model.busy}`);
  return acted(model, { row, act: bound.act });
}

function boundOf(row: BoardRow, name: string): ReturnType<typeof enterOf> | undefined {
  return name === "w" ? enterOf(row) : boundTo(row).find(({ key }) => key === name);
}

function acted(
  model: Model,
  of: { readonly row: BoardRow; readonly act: ReturnType<typeof enterOf>["act"] },
): Next {
  const { act } = of;
  const { run } = of.row;
  switch (act) {
    case "attach":
      return and(model, { type: "foreground", argv: commandOf(act, run) });
    case "start":
    case "respawn":
    case "resume":
      return and(model, { type: "command", argv: commandOf(act, run) });
    case "view":
      return and(
        { ...model, mode: { type: "page", run, top: 0, text: undefined } },
        { type: "read-page", run },
      );
    case "changes":
    case "answer":
      return and(opened(model, textFor(act, of.row)));
    case "merge":
    case "cancel":
    case "delete":
      return asked(model, { row: of.row, act });
  }
}

function asked(
  model: Model,
  { row, act }: { readonly row: BoardRow; readonly act: "merge" | "cancel" | "delete" },
): Next {
  const { run } = row;
  const name = row.branch === "" ? run : `${run} (${row.branch})`;
  const questions = {
    merge: `Merge ${name}?`,
    cancel: `Cancel ${name}? Its branch stays, and what is not committed is kept.`,
    delete: `Delete ${name}? It is put away; its history and its branch stay.`,
  };
  const forecast = act === "merge" ? undefined : "";
  const effects: Effect[] = act === "merge" ? [{ type: "forecast", run }] : [];
  const mode = {
    type: "confirm",
    run,
    question: questions[act],
    forecast,
    argv: commandOf(act, run),
  } as const;
  return { model: { ...model, mode }, effects };
}
