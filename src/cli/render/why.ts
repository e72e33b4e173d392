/** The moves out of a state: open or closed, and why. */

import { sayTyped } from "../../app/view/decision/choices.ts";
import { sayTask } from "../../app/view/work/children.ts";
import type { MoveView, WhyView } from "../../app/view/run-view.ts";
import { sayAsOf } from "../../app/view/work/artifacts.ts";
import type { Door } from "../command.ts";
import { fitted, wrapped } from "../fit.ts";
import { columns } from "./table.ts";

export function sayWhy(view: WhyView, { paint, width }: Pick<Door, "paint" | "width">): string {
  const { run, state, moves, waits, silent, notes, tasks, actions } = view;
  if (moves.length === 0) return `${run} is in ${state}, and no move leads out of it.\n`;
  const lines = moves.flatMap((move) => [
    `  ${move.open ? paint.green("open  ") : paint.yellow("closed")}  ${paint.bold(move.to)} ${sayBy(move)}`,
    ...sayReasons(move).map((line) => wrapped(`          ${line}`, width)),
  ]);
  const known = [...silent, ...notes].map((line) => `  ${paint.yellow(line)}`);
  const open = columns(tasks.map((task) => ["  task", ...sayTask(task)]));
  const typed = actions.map((action) => [`  ${sayTyped(action)}`, action.sentence]);
  const below = typed.length === 0 ? "" : `You can type:\n${fitted(typed, width)}`;
  const head = wrapped(`${run} is in ${state}: ${waits.sentence}`, width);
  return `${[head, ...lines, ...known].join("\n")}\n${open}${below}`;
}

function sayBy({ by, answer, open }: MoveView): string {
  if (answer !== "") return `by answering ${answer}`;
  if (by.every((name) => name === "engine")) return open ? "happens by itself" : "automatically";
  return `by ${by.map((name) => (name === "human" ? "you" : name)).join(" or ")}`;
}

/** A fact is worded as if it held: it does not yet. */
export function sayOpening(smallest: string): string {
  return / must /.test(smallest) ? `to open it: ${smallest}` : `opens when ${smallest}`;
}

/** Each reason once; what opens it only where that says more than the reasons. */
function sayReasons({ open, reasons, smallest, asOf }: MoveView): readonly string[] {
  const seen = asOf === "" ? [] : [sayAsOf(asOf)];
  if (open) return [...seen, `to do: ${smallest}`];
  const said = reasons.map(({ message, at }) => {
    const place = at === undefined ? "" : `${at.file}:${at.line}:${at.col}: `;
    return `${place}${message.replace(/^happens when /, "")}`;
  });
  const isSaid = said.some((line) => line === smallest);
  return [...seen, ...(isSaid ? [] : said), sayOpening(smallest)];
}
