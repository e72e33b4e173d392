/** A key or a piece of news makes the next model, and says what the world must do. Pure: no clock, no file, no terminal. */

import type { BoardRow } from "../../app/board/row.ts";
import { boundTo, commandOf, enterOf, sayCommand, answerCommand, changesCommand } from "./acts.ts";
import { ended, opened, and, told, sent, closed, edited } from "./step.ts";
import { formKey, openForm } from "./form.ts";
import { layoutOf, runAt, settled } from "./layout.ts";
import {
  FILTERS,
  selectedRow,
  shown,
  rowNamed,
  type Effect,
  type Model,
  type News,
  type Next,
  type Mode,
} from "./model.ts";
import type { Key } from "./keys.ts";

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
  return { ...model, harnesses };
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

/** Keys while something lies over the table: help, a page, a question, a text. */

type Of<T extends Mode["type"]> = Extract<Mode, { type: T }>;

const WHEEL = 3;

function helpKey(model: Model, mode: Of<"help">, key: Key): Next {
  const by = scrolled(model, key);
  if (by !== undefined) return and({ ...model, mode: { ...mode, top: Math.max(0, mode.top + by) } });
  return isClosing(key, "?") ? closed(model) : and(model);
}

function pageKey(model: Model, mode: Of<"page">, key: Key): Next {
  const by = scrolled(model, key);
  if (by !== undefined) return and({ ...model, mode: { ...mode, top: Math.max(0, mode.top + by) } });
  if (isClosing(key, "v")) return closed(model);
  const act = key.type === "text" && !key.pasted ? PAGE_ACTS[key.text] : undefined;
  if (act === undefined) return and(model);
  const row = rowNamed(model, mode.run);
  const why = row?.acts[act] ?? "it is not on the board any more";
  if (row === undefined || why !== "") return told(model, `${act}: ${why}`);
  return and(opened(model, textFor(act, row)));
}

/** Keys that do something with what one has read. */
const PAGE_ACTS: Readonly<Record<string, "changes" | "answer">> = { r: "changes", a: "answer" };

/** A text is asked for. */
function textFor(act: "changes" | "answer", { run, answerTo }: BoardRow): Of<"changes" | "answer"> {
  return act === "changes" ? { type: act, run, text: "" } : { type: act, run, to: answerTo, text: "" };
}

/** Enter sends it; the agent needs words. */
function textKey(model: Model, mode: Of<"changes" | "answer">, key: Key): Next {
  if (key.type === "key" && key.name === "escape") return closed(model);
  if (key.type === "key" && key.name === "enter") {
    const said = mode.text.trim();
    const isAnswer = mode.type === "answer";
    if (said === "") return told(model, isAnswer ? "type the answer first" : "type what to change first");
    return sent(model, mode, isAnswer ? answerCommand(mode.run, said) : changesCommand(mode.run, said));
  }
  const text = edited(mode.text, key);
  return and(text === undefined ? model : { ...model, mode: { ...mode, text } });
}

/** Only y is a yes: a key that was pressed by mistake changes nothing. */
function confirmKey(model: Model, mode: Of<"confirm">, key: Key): Next {
  if (key.type === "mouse" || (key.type === "text" && key.pasted)) return and(model);
  if (key.type !== "text" || key.text !== "y")
    return told({ ...model, mode: { type: "table" } }, "nothing was done");
  if (mode.forecast === undefined) return and(model);
  return closed(model, { type: "command", argv: mode.argv });
}

/** Lines to go; undefined where the key does not scroll. */
function scrolled({ size }: Model, key: Key): number | undefined {
  if (key.type === "mouse") return key.what === "click" ? 0 : key.what === "up" ? -WHEEL : WHEEL;
  const page = Math.max(1, size.lines - 3);
  switch (key.type === "text" ? key.text : key.name) {
    case "j":
    case "down":
      return 1;
    case "k":
    case "up":
      return -1;
    case "page-down":
    case " ":
      return page;
    case "page-up":
      return -page;
    case "g":
    case "home":
      return -Infinity;
    case "G":
    case "end":
      return Infinity;
  }
  return undefined;
}

function isClosing(key: Key, own: string): boolean {
  if (key.type === "key") return key.name === "escape";
  return key.type === "text" && !key.pasted && (key.text === "q" || key.text === own);
}
