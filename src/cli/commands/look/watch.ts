/** `signalbox watch`: what all runs do, as it happens. On a terminal a screen with keys; otherwise lines. */

import { scopeOf } from "../../../app/setup/project-named.ts";
import { call } from "../../../app/client.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Given } from "../../../app/invocation.ts";
import { withStore } from "../../../app/runs/find.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { live } from "../../watch/live.ts";
import { hasTerminal } from "../../watch/terminal.ts";
import { needsPerson, type BoardView, type ShownRow } from "../../../app/board/row.ts";
import type { Paint } from "../../paint.ts";
import { clip, columns } from "../../render/table.ts";
import { placed } from "../../watch/columns.ts";
import { plain } from "../../watch/width.ts";

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
  answer: (given, door): Promise<Answer> => {
    const { json, once } = given.options;
    return once === undefined && json === undefined && hasTerminal()
      ? onScreen(given, door)
      : inLines(given, door);
  },
};

function onScreen({ options }: Given, door: Door): Promise<Answer> {
  const { project, here } = options;
  return withStore(door, async (store) => {
    const on = {
      door,
      repo: await scopeOf(store, { project, here: here !== undefined }, door),
      project: project ?? "",
      filter: options["all"] === undefined ? ("active" as const) : ("all" as const),
      mouse: options["no-mouse"] === undefined,
    };
    return {
      exit: EXIT_OK,
      code: "ok",
      message: "watching",
      data: () => ({}),
      text: () => "",
      next: "",
      stream: (_emit, signal) => live(on, signal),
    };
  });
}

/** People get the table first, programs its rows one by one. */
async function inLines({ options }: Given, door: Door): Promise<Answer> {
  const [all, here, once] = ["all", "here", "once"].map((name) => options[name] !== undefined);
  const outcome = await call(door, "watch", { all, here, once, project: options["project"] });
  const answer = answerOf(outcome, () =>
    sayBoard(outcome.data, { paint: door.paint, width: door.width, now: Date.now() }),
  );
  return once === true ? answer : { ...answer, talk: "" };
}

type ShownBoard = Omit<BoardView, "rows"> & { readonly rows: readonly ShownRow[] };

/** The whole table; without a terminal as wide as it is. */
export function sayBoard(
  { rows, projects, more }: ShownBoard,
  on: { readonly paint: Paint; readonly now: number; readonly width?: number | undefined },
): string {
  const { paint, now } = on;
  const waiting = rows.filter(needsPerson).length;
  const head = [
    waiting === 0 ? "nothing waits for you" : `${waiting} ${waiting === 1 ? "waits" : "wait"} for you`,
    ...projects.map(({ project, atWork, agents }) => `${plain(project)} ${atWork}/${agents} agents`),
  ].join(", ");
  if (rows.length === 0) return `${head}\n`;
  const list = placed(rows, { columns: on.width ?? Number.MAX_SAFE_INTEGER, now });
  const clipped = (text: string, width: number): string =>
    on.width === undefined ? text : clip(text, width);
  const table = [
    list.map(({ title, width }) => paint.dim(clipped(title, width))),
    ...rows.map((row) =>
      list.map(({ cell, width, paint: colour }) => colour(row, paint)(clipped(plain(cell(row, now)), width))),
    ),
  ];
  return `${head}\n${columns(table, on.width === undefined ? undefined : " ")}${more > 0 ? `${more} more that are over: signalbox list --all\n` : ""}`;
}
