/** Takes a move: its state, counters and scopes, actions and question, in this order. */

import { waivedFor } from "../gates/accepted-artifacts.ts";
import { act } from "./act.ts";
import { NONE } from "../model/compile.ts";
import { record, type StepDraft } from "./draft.ts";
import { isOpen, targetOf } from "../gates/gate.ts";
import type { Run } from "../model/run.ts";
import { valueOf } from "../gates/artifact-status.ts";
import { answeredFor, changeOf } from "./schedule-change.ts";
import { START, type Move } from "../model/workflow.ts";

/** `check` rejects every definition that allows more engine moves in a row. */
const SETTLE_MAX = 100;

/** Who takes the move, and the text that a person gave with it. */
type Taker = { readonly by: string; readonly words?: string };

const ENGINE: Taker = { by: "engine" };

export function take(draft: StepDraft, move: Move, { by, words = "" }: Taker): void {
  const { workflow, run } = draft;
  const from = run.state;
  const to = targetOf(run, move);
  if (run.question !== undefined) {
    record(draft, {
      type: "question-closed",
      ask: run.question.ask,
      id: run.question.id,
      answer: "",
      text: "",
      by,
    });
  }
  // Counters and state change in one event before any effect, so that an agent started by this move sees its round.
  record(draft, {
    type: "moved",
    rule: workflow.ruleOf.get(move) ?? -1,
    from,
    to,
    by,
    remember: move.remember,
    ...begun(draft, to, move),
    ...noted(draft, move),
    ...changeOf(draft, to, move),
  });
  for (const counter of move.count) count(draft, counter);
  for (const artifact of move.waive) {
    record(draft, {
      type: "waiver-given",
      artifact,
      reason: words === "" ? `${from} to ${to}` : words,
      ...waivedFor(workflow, draft.run, artifact),
      by,
      ...answeredFor(workflow, artifact),
    });
  }
  const state = workflow.definition.states[to];
  // Old agents stop before new ones start: a role may be in both lists.
  act(draft, move.do);
  act(draft, state?.enter ?? NONE);
  if (state?.ask !== undefined) openQuestion(draft, state.ask);
}

export function count(draft: StepDraft, counter: string): void {
  const value = (draft.run.counters[counter] ?? 0) + 1;
  record(draft, { type: "counted", counter, value, renew: draft.workflow.artifactsPer[counter] ?? NONE });
}

/** Takes moves of the engine until none is open. Returns whether it took any. */
export function settle(draft: StepDraft): boolean {
  const { workflow } = draft;
  for (let moves = 0; moves < SETTLE_MAX; moves += 1) {
    const candidates = workflow.engineMovesFrom[draft.run.state];
    const move = candidates?.find((candidate) => isOpen(draft, candidate));
    if (move === undefined) return moves > 0;
    take(draft, move, ENGINE);
  }
  return true;
}

/**
 * Every move starts a new entry and the scope of its target state; some start further scopes. A counter that is reset also starts
 * the scope of artifacts that must change after it. Content from before the run does not count as new.
 */
function begun(
  { workflow, run }: StepDraft,
  to: string,
  move: Move,
): { reset: readonly string[]; renew: readonly string[] } {
  const { countersPer, artifactsPer } = workflow;
  const reset = namesPer(countersPer, to, move);
  const renew = namesPer(artifactsPer, to, move);
  if (move.from === START)
    return { reset, renew: Object.values(run.held).map((held) => held.reading.artifact) };
  const counted = reset.filter((counter) => artifactsPer[counter] !== undefined);
  if (counted.length === 0) return { reset, renew };
  return { reset, renew: [...renew, ...counted.flatMap((counter) => artifactsPer[counter] ?? NONE)] };
}

/** The new values of text parameters, with references to other parameters resolved now. */
function noted({ run }: StepDraft, { set }: Move): { set?: Readonly<Record<string, string>> } {
  if (set === undefined) return {};
  return {
    set: Object.fromEntries(Object.entries(set).map(([name, value]) => [name, String(valueOf(run, value))])),
  };
}

function namesPer(
  per: Readonly<Record<string, readonly string[]>>,
  to: string,
  move: Move,
): readonly string[] {
  const entry = per["entry"] ?? NONE;
  const own = per[to];
  if (own === undefined && move.renew.length === 0) return entry;
  return [...entry, ...(own ?? NONE), ...move.renew.flatMap((scope) => per[scope] ?? NONE)];
}

/** The highest number so far. Questions with their own name do not use numbers. */
function numberIn({ decisions }: Run): number {
  return Math.max(0, ...decisions.map(({ id }) => Number(NUMBERED.exec(id)?.[1] ?? 0)));
}

const NUMBERED = /^UD-(\d+)$/;

function openQuestion(draft: StepDraft, ask: string): void {
  const declared = draft.workflow.definition.asks[ask];
  const id = declared !== undefined && declared.id !== "" ? declared.id : `UD-${numberIn(draft.run) + 1}`;
  record(draft, { type: "question-opened", ask, id });
  draft.effects.push({ type: "ask-person", ask, id });
}
