/** What the caller can do with a run now. */

import { sayTyped } from "../../app/view/decision/choices.ts";
import { sayReads } from "../../app/view/decision/question.ts";
import type { ActionView, DecisionView, NextView } from "../../app/view/run-view.ts";
import { sayAsOf } from "../../app/view/work/artifacts.ts";
import type { Door } from "../command.ts";
import { fitted, sayCause, wrapped } from "../fit.ts";
import { sayOpening } from "./why.ts";

type Where = Pick<Door, "paint" | "cwd" | "width">;

/** People get verbs; with `all`, also other moves, what is closed and what is still to be written. Agents get all of theirs. */
export function sayNextSteps(
  view: NextView,
  door: Where & { readonly all: boolean; readonly next: string },
): string {
  const { paint, width, next } = door;
  const { missing } = view;
  if (view.waits.kind === "over") return `${view.run} is over: it is ${view.state}.\n`;
  const isPerson = view.for === "human";
  const hasVerb = view.actions.some(({ verb }) => verb !== undefined && verb !== "cancel");
  // Where no verb applies, moves are all that a person has.
  const isAll = door.all || !isPerson || (isForPerson(view) && !hasVerb);
  const shut = isAll ? view.moves.filter(({ open }) => !open) : [];
  const where = isPerson ? [`${wrapped(view.waits.sentence, width)}\n`] : [];
  const others = view.others.map((action) => typedRow(action, view));
  return [
    next === "" ? `There is nothing for ${view.for} to do in ${view.state}.\n` : `${paint.bold(next)}\n`,
    ...(view.question === null ? where : []),
    ...sayQuestion(view, door),
    block("You can type", openRows(view), width),
    block(
      "Not now",
      view.closed.map(({ verb, reason }) => [verb, reason]),
      width,
    ),
    isAll ? block("Other moves", others, width) : sayMore(view, door),
    block(
      "Not yet",
      shut.map(({ to, smallest }) => [to, sayOpening(smallest)]),
      width,
    ),
    block(
      "To write",
      missing
        .filter(({ at }) => isAll || at !== undefined)
        .map(({ artifact, file, standing, reason, at }) => [
          artifact,
          file,
          standing,
          `${reason}${at === undefined ? "" : ` (${at.file}:${at.line}:${at.col})`}`,
        ]),
      width,
    ),
  ].join("");
}

function isForPerson({ waits, status }: NextView): boolean {
  return waits.kind === "person" || waits.kind === "attention" || status === "waiting";
}

/** A person's actions, or an agent's open moves; each with the time of the work that it depends on. */
function openRows(view: NextView): readonly (readonly string[])[] {
  if (view.for === "human") return view.actions.map((action) => typedRow(action, view));
  return view.moves
    .filter(({ open, command }) => open && command !== "")
    .map(({ command, means, asOf }) => [command, asOf === "" ? means : `${means}, ${sayAsOf(asOf)}`]);
}

function typedRow(action: ActionView, { moves }: NextView): readonly string[] {
  const asOf = moves.find(({ command }) => command === action.command)?.asOf ?? "";
  return [sayTyped(action), asOf === "" ? action.sentence : `${action.sentence}, ${sayAsOf(asOf)}`];
}

function sayMore({ run, others }: NextView, { paint }: Where): string {
  return others.length === 0 ? "" : `${paint.dim(`Other moves: signalbox next ${run} --all`)}\n`;
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
