/** Where a move leads, in words, and the order in which people are told: what goes on, what goes back, what ends it early. */

import { scheduleOf, type Workflow } from "../../../core/model/compile.ts";
import { targetOf } from "../../../core/gates/gate.ts";
import type { Run } from "../../../core/model/run.ts";
import type { ActionView } from "../run-view.ts";
import { ORIGIN, type Move, type Phase } from "../../../core/model/workflow.ts";

export type Meaning = { readonly rank: number; readonly words: string };

/** Something to type, and where it leads. `takes` is what may be added, and need not. */
export type Choice = { readonly command: string; readonly means: string; readonly takes?: string };

/** As it is typed, with what may be added. */
export function sayTyped({ command, takes = "" }: Pick<ActionView, "command" | "takes">): string {
  return takes === "" ? command : `${command} ${takes}`;
}

const RANKS = { end: 0, on: 1, back: 2, aside: 3, failed: 4, cancelled: 5 };

export function meaningOf(workflow: Workflow, run: Run, move: Move): Meaning {
  const { states } = workflow.definition;
  const to = targetOf(run, move);
  const { final, title = "" } = states[to] ?? {};
  const named = title === "" ? to : `${to} (${title})`;
  switch (final) {
    case "done":
      return { rank: RANKS.end, words: `on to ${to} (${title === "" ? "the end" : `the end: ${title}`})` };
    case "failed":
      return { rank: RANKS.failed, words: `give up: ${named}` };
    case "cancelled":
      return { rank: RANKS.cancelled, words: title === "" ? "cancel" : `cancel (${title})` };
    case undefined:
  }
  if (move.remember) return { rank: RANKS.aside, words: `to ${named} for now` };
  if (to === run.state) return { rank: RANKS.back, words: `${named} again` };
  const waiving = `${named}${sayWaiving(run, move)}`;
  return move.to === ORIGIN || isBack(workflow, run, to)
    ? { rank: RANKS.back, words: `back to ${waiving}` }
    : { rank: RANKS.on, words: `on to ${waiving}` };
}

/** A person who leads a run past a failed verdict must know it. */
function sayWaiving(run: Run, { waive }: Move): string {
  const failed = waive.filter((name) => FAILED.has(run.held[name]?.reading.verdict ?? ""));
  return failed.length === 0 ? "" : `; this waives the failed ${failed.join(" and ")}`;
}

export const FAILED: ReadonlySet<string> = new Set(["needs_fix", "needs_human", "reject"]);

/** Where there is a schedule, it says what comes first; otherwise whoever writes a workflow lists its states in the order in which a good run comes through them. */
function isBack(workflow: Workflow, run: Run, to: string): boolean {
  const schedule = scheduleOf(workflow.definition).map(({ phase }) => phase.id);
  const here = schedule.indexOf(run.progress?.phase ?? "");
  if (here < 0) {
    const names = Object.keys(workflow.definition.states);
    const from = run.frames.findLast(({ state }) => state === run.state)?.from ?? run.state;
    return names.indexOf(to) <= names.indexOf(from);
  }
  const phase = phaseAhead(workflow, to);
  if (phase === undefined) return false;
  const there = schedule.indexOf(phase.id);
  return there < here || (there === here && phase.states[0] === to);
}

/** The phase that a state belongs to, or that the moves from there lead to first. None behind the last one. */
function phaseAhead({ phases, movesFrom }: Workflow, state: string): Phase | undefined {
  const seen = new Set([state]);
  for (const each of seen) {
    const entry = phases[each];
    if (entry !== undefined) return entry.phase;
    for (const move of movesFrom[each] ?? []) if (!move.remember) seen.add(move.to);
  }
  return undefined;
}

export function isCancelling({ rank }: Meaning): boolean {
  return rank === RANKS.cancelled;
}
