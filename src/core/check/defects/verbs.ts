/** Remarks about a definition's verbs. None is a defect: `move` and `answer` work without verbs. */

import type { Workflow } from "../../model/compile.ts";
import { VERBS, type Move, type SourcePlace, type Verb } from "../../model/workflow.ts";
import { placeOfState } from "../defect.ts";

export type CheckNote = {
  readonly code: "no-verb" | "same-verb";
  readonly at: SourcePlace;
  readonly message: string;
};

export function notesOn(workflow: Workflow): CheckNote[] {
  return [...withoutVerb(workflow), ...openTogether(workflow)];
}

/** One note for all states, so that a definition without verbs gets one note only. */
function withoutVerb(workflow: Workflow): CheckNote[] {
  const { states, verbs = [] } = workflow.definition;
  const waiting = Object.entries(states).filter(([, { waits, final }]) => waits && final === undefined);
  const silent = waiting
    .map(([name]) => name)
    .filter((name) => marksIn(workflow, name).length === 0 && !verbs.some((each) => each.in === name));
  const [first] = silent;
  if (first === undefined) return [];
  const message = `no verb of people (${VERBS.join(", ")}) applies in ${silent.join(", ")}: mark moves and options with "verb"`;
  return [{ code: "no-verb", at: placeOfState(workflow, first), message }];
}

function openTogether(workflow: Workflow): CheckNote[] {
  return Object.keys(workflow.definition.states).flatMap((state) => {
    const marks = marksIn(workflow, state);
    return marks.flatMap((mark, index): CheckNote[] => {
      const other = marks
        .slice(0, index)
        .find((each) => each.verb === mark.verb && each.guards === mark.guards);
      if (other === undefined) return [];
      const message = `in ${state}, ${mark.verb} always means both ${other.name} and ${mark.name}: people have to choose with --to`;
      return [{ code: "same-verb", at: mark.at, message }];
    });
  });
}

type VerbMark = {
  readonly verb: Verb;
  readonly name: string;
  /** The conditions of the move: two moves with the same conditions are open together. */
  readonly guards: string;
  readonly at: SourcePlace;
};

/** The person chooses between the routes of one option, so together they are one mark. */
function marksIn({ definition, movesFrom }: Workflow, state: string): VerbMark[] {
  const moves = movesFrom[state] ?? [];
  const options = definition.asks[definition.states[state]?.ask ?? ""]?.options ?? {};
  const ofMoves = moves.flatMap((move): VerbMark[] =>
    move.mark === undefined
      ? []
      : [{ verb: move.mark.verb, name: move.to, guards: guardsOf([move]), at: move.at }],
  );
  const ofOptions = Object.entries(options).flatMap(([name, { verb }]): VerbMark[] => {
    const own = moves.filter(({ answer }) => answer?.split("/")[0] === name);
    const [first] = own;
    return verb === undefined || first === undefined
      ? []
      : [{ verb, name, guards: guardsOf(own), at: first.at }];
  });
  return [...ofMoves, ...ofOptions];
}

function guardsOf(moves: readonly Move[]): string {
  return JSON.stringify(moves.map(({ when, need, count }) => ({ when, need, count })));
}
