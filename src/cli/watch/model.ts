/** Everything that the screen shows, as data. Keys and news make the next one (`update.ts`), `view` makes lines of it. */

import { isOver, type BoardRow, type BoardView } from "../../app/board/row.ts";
import type { Key } from "./keys.ts";

export type Filter = "all" | "active" | "done";

export type Size = { readonly columns: number; readonly lines: number };

/** What a command said, or why a key does nothing. */
type Message = { readonly text: string; readonly tone: "good" | "bad" | "note" };

export type Form = {
  readonly type: "form";
  readonly at: number;
  readonly branch: string;
  readonly summary: string;
  readonly harness: string;
  /** Empty for the usual one. */
  readonly reviewHarness: string;
  readonly status: string;
};

/** A text that somebody types. */
export type Typed =
  | Form
  /** What is to be changed. */
  | { readonly type: "changes"; readonly run: string; readonly text: string }
  /** What a person says to whoever has asked, and the state that this leads to. */
  | { readonly type: "answer"; readonly run: string; readonly to: string; readonly text: string };

export type Mode =
  | { readonly type: "table" }
  | { readonly type: "help"; readonly top: number }
  /** A page; `text` is undefined until it was read. */
  | { readonly type: "page"; readonly run: string; readonly top: number; readonly text: string | undefined }
  | Typed
  | {
      readonly type: "confirm";
      readonly run: string;
      readonly question: string;
      /** What would happen; undefined until it is known. */
      readonly forecast: string | undefined;
      readonly argv: readonly string[];
    };

export type Model = {
  readonly board: BoardView;
  readonly filter: Filter;
  /** A run; empty where there is none. */
  readonly selected: string;
  /** The first row on the screen. */
  readonly top: number;
  readonly size: Size;
  readonly mode: Mode;
  /** What was typed for the command that is being carried out. */
  readonly sent: Typed | undefined;
  /** What was typed for one that was refused, while something else was on the screen. */
  readonly draft: Typed | undefined;
  readonly message: Message | undefined;
  /** The command that is being carried out. */
  readonly busy: string;
  readonly now: number;
  /** The project whose runs are shown; empty for all. */
  readonly project: string;
  readonly harnesses: readonly string[];
  /** Why the board cannot be brought up to date; empty where it is. */
  readonly stale: string;
};

/** Something that the world must do. None of it changes a run, but by the command that a person would type. */
export type Effect =
  | { readonly type: "quit" }
  | { readonly type: "suspend" }
  | { readonly type: "redraw" }
  /** Other runs are to be shown. */
  | { readonly type: "refresh" }
  | { readonly type: "copy"; readonly text: string }
  | { readonly type: "read-page"; readonly run: string }
  | { readonly type: "forecast"; readonly run: string }
  | { readonly type: "harnesses" }
  | { readonly type: "command"; readonly argv: readonly string[] }
  /** It takes the terminal, and gives it back. */
  | { readonly type: "foreground"; readonly argv: readonly string[] };

export type News =
  | Key
  | { readonly type: "board"; readonly board: BoardView }
  | { readonly type: "stale"; readonly why: string }
  | { readonly type: "resized"; readonly size: Size }
  | { readonly type: "time"; readonly now: number }
  | { readonly type: "page-read"; readonly run: string; readonly text: string }
  | { readonly type: "forecast-made"; readonly run: string; readonly text: string }
  | { readonly type: "harnesses-known"; readonly harnesses: readonly string[] }
  | { readonly type: "command-begun"; readonly argv: readonly string[] }
  | { readonly type: "command-ended"; readonly text: string; readonly isGood: boolean };

export type Next = { readonly model: Model; readonly effects: readonly Effect[] };

export const TABLE: Mode = { type: "table" };

export const FILTERS: readonly Filter[] = ["active", "all", "done"];

export function begin(of: {
  readonly size: Size;
  readonly filter: Filter;
  readonly project: string;
  readonly now: number;
}): Model {
  return {
    ...of,
    board: { rows: [], more: 0, projects: [] },
    selected: "",
    top: 0,
    mode: TABLE,
    sent: undefined,
    draft: undefined,
    message: undefined,
    busy: "",
    harnesses: [],
    stale: "",
  };
}

/** Rows that pass the filter. */
export function shown({ board, filter }: Pick<Model, "board" | "filter">): readonly BoardRow[] {
  switch (filter) {
    case "all":
      return board.rows;
    case "active":
      return board.rows.filter((row) => !isOver(row) || row.waits.kind !== "over");
    case "done":
      return board.rows.filter(isOver);
  }
}

export function selectedRow(model: Model): BoardRow | undefined {
  return shown(model).find(({ run }) => run === model.selected);
}

export function rowNamed({ board }: Model, run: string): BoardRow | undefined {
  return board.rows.find((row) => row.run === run);
}
