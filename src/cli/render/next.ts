/** What the caller can do with a run now. */

import { sayCommand } from "../../app/view/actions.ts";
import type { NextOutcome } from "../../app/view/next.ts";
import { sayReads } from "../../app/view/decision/question.ts";
import type { DecisionView, NextView } from "../../app/view/run-view.ts";
import { sayAsOf } from "../../app/view/work/work-seen.ts";
import type { Door } from "../command.ts";
import { fitted, wrapped } from "../fit.ts";
import { sayCause } from "./cause.ts";
import { sayOpening } from "./why.ts";

type Where = Pick<Door, "paint" | "cwd" | "width">;

export function sayNextSteps({ view, next, missing }: NextOutcome, door: Where): string {
  const { paint, width } = door;
  if (view.waits.kind === "over") return `${view.run} is over: it is ${view.state}.\n`;
  const shut = view.moves.filter(({ open }) => !open);
  const where = view.for === "human" ? [`${wrapped(view.waits.sentence, width)}\n`] : [];
  return [
    next === "" ? `There is nothing for ${view.for} to do in ${view.state}.\n` : `${paint.bold(next)}\n`,
    ...(view.question === null ? where : []),
    ...sayQuestion(view, door),
    block("Open", openRows(view), width),
    block(
      "Not yet",
      shut.map(({ to, smallest }) => [to, sayOpening(smallest)]),
      width,
    ),
    block(
      "To write",
      missing.map(({ artifact, file, standing, reason, at }) => [
        artifact,
        file,
        standing,
        `${reason}${at === undefined ? "" : ` (${at.file}:${at.line}:${at.col})`}`,
      ]),
      width,
    ),
  ].join("");
}

/** A person's actions, or an agent's open moves; each with the time of the work that it depends on. */
function openRows({ actions, moves, waits, for: role }: NextView): readonly (readonly string[])[] {
  const open = moves.filter((move) => move.open && move.command !== "");
  const own = open.map(({ command, means, asOf }) => [
    command,
    asOf === "" ? means : `${means}, ${sayAsOf(asOf)}`,
  ]);
  if (role !== "human" || actions.length === 0) return own;
  const typed = actions.map((action) => {
    const asOf = moves.find(({ command }) => command === action.command)?.asOf ?? "";
    return [sayCommand(action), asOf === "" ? action.sentence : `${action.sentence}, ${sayAsOf(asOf)}`];
  });
  // What went wrong is repaired first, and keeps nobody from an open move.
  const isRepair = waits.kind === "attention" && !actions.some(({ command }) => isMove(open, command));
  return isRepair ? [...typed, ...own] : typed;
}

function isMove(moves: NextView["moves"], typed: string): boolean {
  return moves.some(({ command }) => command === typed);
}

function sayQuestion({ decision, question }: NextView, { cwd, width }: Where): readonly string[] {
  if (decision === null || (question === null && decision.asked.length === 0)) return [];
  const head = question === null ? [] : [`${wrapped(`${question.id}: ${decision.question}`, width)}\n`];
  return [...head, ...sayCause(decision.asked, width), ...readsOf(decision, cwd)];
}

function readsOf({ reads, parts }: DecisionView, cwd: string): readonly string[] {
  return [...sayReads(reads, cwd), ...parts].map((line) => `  ${line}\n`);
}

function block(title: string, rows: readonly (readonly string[])[], width: number | undefined): string {
  if (rows.length === 0) return "";
  const inner = rows.map((row) => [`  ${row[0] ?? ""}`, ...row.slice(1)]);
  return `${title}:\n${fitted(inner, width)}`;
}
