/** What a person can type now, with what each command does. The only place where actions are made. */

import { isFinished, type Seen } from "../runs/find.ts";
import { sayTyped, type Choice } from "./decision/choices.ts";
import { choicesOfForeign } from "./decision/foreign-edits.ts";
import { leftOf } from "./work/kept-files.ts";
import { choicesOfLanded } from "./decision/merged-elsewhere.ts";
import { choicesOfPerson, nextForPerson } from "./moves.ts";
import type { ActionView } from "./run-view.ts";
import { deadlockOf, isStranded, troubleOf } from "./status/trouble.ts";
import { toYou } from "./words.ts";

export function actionsOf(seen: Seen): readonly ActionView[] {
  const known = choicesIn(seen).map(actionOf);
  const next = nextForPerson(seen);
  const isNew = next.includes("VALUE") || known.some(({ command }) => command.startsWith(next));
  return isNew || !isHeldUp(seen) ? known : [{ command: next, sentence: sayNextOf(seen, next) }, ...known];
}

/** A choice in the words of an action. */
export function actionOf({ command, means, takes }: Choice): ActionView {
  return { command, sentence: toYou(means), ...(takes === undefined ? {} : { takes }) };
}

/** As it is typed, with what may be added. */
export function sayCommand({ command, takes }: ActionView): string {
  return sayTyped({ command, ...(takes === undefined ? {} : { takes }) });
}

function choicesIn(seen: Seen): readonly Choice[] {
  const { store, row, run } = seen;
  if (isFinished(row)) return leftOf(seen).choices;
  const foreign = row.halted ? [] : choicesOfForeign(seen);
  const log = { command: `signalbox logs ${run.id}`, means: "print what the agent printed" };
  if (troubleOf(store, row) !== "" || row.halted) return foreign;
  if (isStranded(seen)) return foreign.length > 0 ? foreign : [...restarts(seen), log, ...endings(seen)];
  if (row.status === "waiting" || deadlockOf(seen) !== undefined) return choicesOfPerson(seen);
  return [...foreign, ...choicesOfLanded(seen)];
}

function restarts({ run }: Seen): readonly Choice[] {
  return [{ command: `signalbox resume ${run.id}`, means: "start it again" }];
}

/** How a person ends a run whose agent crashed. */
function endings(seen: Seen): readonly Choice[] {
  return choicesOfPerson(seen).filter(({ means }) => /^(?:cancel|give up)/.test(means));
}

/** Something went wrong or a person stopped it: the next command is what helps. */
function isHeldUp({ store, row }: Seen): boolean {
  return row.halted || troubleOf(store, row) !== "";
}

function sayNextOf({ row }: Seen, next: string): string {
  if (next === "signalbox doctor --repair") return "repair it";
  return row.halted ? "let it go on" : "try again";
}
