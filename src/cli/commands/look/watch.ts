/** `signalbox watch`: what all runs do, as it happens. On a terminal a screen with keys; otherwise lines. */

import { setTimeout as pause } from "node:timers/promises";
import { needsPerson, type BoardView, type ProjectView } from "../../../app/board/row.ts";
import { scopeOf } from "../../../app/board/scope.ts";
import { requireHome, withStore } from "../../../app/runs/find.ts";
import { EXIT_INTERRUPTED, EXIT_OK } from "../../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { EXIT_TERMINATED, live, type Watching } from "../../watch/live.ts";
import { follow, rowData, sayBoard, type RowData } from "../../watch/plain.ts";
import { sourceOf, type Source } from "../../watch/source.ts";
import { hasTerminal } from "../../watch/terminal.ts";

/** What `--once --json` gives; without `--once`, one document for each change: a row with `at` and `change`. */
export type WatchData = {
  readonly rows: readonly RowData[];
  /** Runs that are over and were left out. */
  readonly more: number;
  readonly projects: readonly ProjectView[];
  /** How many wait for a person. */
  readonly waiting: number;
};

const POLL_MS = 250;
const LOOK_MS = 2000;
/** How long the first look at the work may take where the table is printed once. */
const WORK_MS = 5000;

export const command: Command = {
  usage: "[--all] [--project NAME | --here] [--once] [--no-mouse]",
  about:
    "Shows the runs of this machine as they go: where each is, whether its session lives, how much work is in it, what it waits for.\nAt a terminal it is a screen with keys (? explains them): attach, start, view, ask for changes, merge, cancel. Each key runs the command\nthat you would type; watching itself changes nothing. Without a terminal, the table and then a line for each change; with --json, a document a line.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "also runs that are over" },
    project: { takes: "NAME", about: "only those of this project" },
    here: { about: "only those of the repository that you are in" },
    once: { about: "print the table once, and leave" },
    "no-mouse": { about: "leave the mouse to the terminal" },
  },
  examples: ["signalbox watch", "signalbox watch --here --all", "signalbox watch --once --json"],
  answer: (given, door) =>
    withStore(door, async (store) => {
      const on: Watching = {
        door,
        home: requireHome(door),
        repo: await scopeOf(store, given, door),
        project: given.options["project"] ?? "",
        filter: given.options["all"] === undefined ? "active" : "all",
        mouse: given.options["no-mouse"] === undefined,
      };
      if (given.options["once"] !== undefined) return once(on);
      const isScreen = hasTerminal() && given.options["json"] === undefined;
      return isScreen ? onScreen(on) : inLines(on);
    }),
};

function wantedBy({ repo, filter }: Watching): { readonly repo: string; readonly over: boolean } {
  return { repo, over: filter !== "active" };
}

async function once(on: Watching): Promise<Answer> {
  const { promise: isKnown, resolve } = Promise.withResolvers<void>();
  const source = sourceOf({ ...on, onWork: () => undefined, onRest: resolve });
  try {
    source.want((await source.look(wantedBy(on))).rows);
    await Promise.race([isKnown, pause(WORK_MS, undefined, { ref: false })]);
    return answerOf(await source.look(wantedBy(on)), on.door);
  } finally {
    await source.close();
  }
}

function answerOf(board: BoardView, { paint, width }: Pick<Door, "paint" | "width">): Answer {
  const waiting = board.rows.filter(needsPerson).length;
  const data: WatchData = {
    rows: board.rows.map(rowData),
    more: board.more,
    projects: board.projects,
    waiting,
  };
  const count = board.rows.length;
  const next = waiting > 0 ? "signalbox inbox" : "signalbox watch";
  return {
    exit: EXIT_OK,
    code: "ok",
    message: `${count} ${count === 1 ? "run" : "runs"}, ${waiting} ${waiting === 1 ? "waits" : "wait"} for you`,
    data: () => data,
    text: () => sayBoard(board, { paint, width, now: Date.now() }),
    next,
    talk: `  next: ${next}\n`,
  };
}

function onScreen(on: Watching): Answer {
  return { ...SILENT, stream: (_emit, signal) => live(on, signal) };
}

/** Nothing is printed before the first look. */
const SILENT: Answer = {
  exit: EXIT_OK,
  code: "ok",
  message: "watching",
  data: () => ({}),
  text: () => "",
  next: "",
};

/** People get the table first, programs its rows one by one. */
async function inLines(on: Watching): Promise<Answer> {
  const source = sourceOf({ ...on, onWork: () => undefined });
  const first = await source.look(wantedBy(on));
  return {
    ...SILENT,
    text: () =>
      sayBoard(first, {
        paint: on.door.paint,
        width: on.door.width,
        now: Date.now(),
      }),
    stream: async (emit, signal) => {
      try {
        const look = async (): Promise<BoardView> => {
          const board = await source.look(wantedBy(on));
          source.want(board.rows);
          return board;
        };
        await follow({ look, wait: (until) => waitFor(source, until), emit, now: () => Date.now() }, signal);
      } finally {
        await source.close();
      }
      return signal.reason === "SIGTERM" ? EXIT_TERMINATED : EXIT_INTERRUPTED;
    },
  };
}

/** Until somebody has written, or it is time to look at processes and at the work. */
async function waitFor(source: Source, signal: AbortSignal): Promise<void> {
  const until = performance.now() + LOOK_MS;
  while (!signal.aborted && performance.now() < until) {
    await pause(POLL_MS, undefined, { signal }).catch(ignoreAbort);
    if (source.isChanged()) return;
  }
  if (!signal.aborted) await source.seeToIt();
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === "AbortError")) throw error;
}
