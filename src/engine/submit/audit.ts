/**
 * Whether what followed could follow: a decision that nobody made is found even where the chain holds.
 *
 * Only people's acts are signed. Somebody who writes into the database leaves them out and writes down what would have followed; so
 * every answer, waiver and person's move must stand behind the act that it follows from, and every move must be in the definition.
 * What a move's gate asks for is not judged again: another version of this program may have judged otherwise.
 */

import type { Workflow } from "../../core/model/compile.ts";
import type { Actor, Event, Incoming } from "../../core/model/event.ts";
import { type PartAnswer, isSameAttempt } from "../../core/model/run.ts";
import { ORIGIN, type Move } from "../../core/model/workflow.ts";
import type { Recorded } from "../ports/journal.ts";

/** Takes the events of a run in their order; says what is wrong with one. */
export function auditor(
  workflow: Workflow,
): (recorded: Pick<Recorded, "event" | "by">) => string | undefined {
  let act: Incoming | undefined;
  let move: Move | undefined;
  /** Of the question that is open: what people said of its parts. */
  let given: PartAnswer[] = [];
  return ({ event, by }) => {
    switch (event.type) {
      case "moved":
        move = workflow.definition.moves[event.rule];
        return wrongMove(event, move, act);
      case "question-closed":
        return event.answer === "" ||
          (isAnswer(act, event.ask, event.answer) && areGiven(event.parts ?? [], act, given))
          ? undefined
          : `the answer ${event.answer} to ${event.id}, which nobody gave`;
      case "parts-answered":
        if (act?.type !== "answered" || !isPersons(act) || !areGiven(event.parts, act, []))
          return `answers to parts of ${event.id}, which nobody gave`;
        given = [...given, ...event.parts];
        return undefined;
      case "question-opened":
        given = [];
        return undefined;
      case "waiver-given":
        return move?.waive.includes(event.artifact) === true || isWaiver(act, event.artifact)
          ? undefined
          : `a waiver of ${event.artifact}, which nobody gave`;
      case "run-started":
      case "move-asked":
      case "submitted":
      case "answered":
      case "waived":
      case "respawn-asked":
      case "param-set":
      case "permission-asked":
      case "permission-answered":
        act = event;
        move = undefined;
        return isSame(event.by, by) ? undefined : "an act in the name of somebody else";
      case "permission-closed":
        return event.answer === "" || isPermission(act, event.id, event.answer)
          ? undefined
          : `the answer ${event.answer} to permission ${event.id}, which nobody gave`;
      case "observed":
      case "agent-started":
      case "agent-ended":
      case "turn-reported":
      case "permissions-dropped":
        act = event;
        move = undefined;
        return undefined;
      case "tree-seen":
      case "artifact-seen":
      case "artifact-read":
      case "counted":
      case "agent-called":
      case "agent-alive":
      case "agent-gone":
      case "agent-dismissed":
      case "agent-crashed":
      case "infrastructure-lost":
      case "slots-opened":
      case "slot-settled":
      case "question-repeated":
      case "result-kept":
        return undefined;
    }
  };
}

type Moved = Extract<Event, { type: "moved" }>;

function wrongMove(moved: Moved, move: Move | undefined, act: Incoming | undefined): string | undefined {
  const what = `a move from ${moved.from} to ${moved.to} by ${moved.by}`;
  if (move === undefined || move.from !== moved.from || (move.to !== ORIGIN && move.to !== moved.to))
    return `${what}, which is not in its workflow`;
  if (!move.by.includes(moved.by)) return `${what}, for whom it is not`;
  if (Object.keys(moved.set ?? {}).some((name) => move.set?.[name] === undefined))
    return `${what}, which sets what it does not set in its workflow`;
  const isGiven = act?.type === "answered" && isPersons(act) && act.answer === move.answer;
  if (move.answer !== undefined && !isGiven)
    return `${what}, for which nobody gave the answer ${move.answer}`;
  return moved.by === "human" && !isPersons(act) ? `${what}, for which nobody asked` : undefined;
}

function isAnswer(act: Incoming | undefined, ask: string, answer: string): boolean {
  return act?.type === "answered" && isPersons(act) && act.ask === ask && act.answer === answer;
}

function isPermission(act: Incoming | undefined, id: string, answer: string): boolean {
  return act?.type === "permission-answered" && isPersons(act) && act.id === id && act.answer === answer;
}

/** What a part is answered with, somebody has said of it; to the whole, or to the part before others were. */
function areGiven(
  parts: readonly PartAnswer[],
  act: Incoming | undefined,
  before: readonly PartAnswer[],
): boolean {
  const said = act?.type === "answered" ? act : undefined;
  return parts.every(
    ({ part, answer }) =>
      answer === "" ||
      (said !== undefined && said.parts === undefined && said.answer === answer) ||
      [...before, ...(said?.parts ?? [])].some((each) => each.part === part && each.answer === answer),
  );
}

function isWaiver(act: Incoming | undefined, artifact: string): boolean {
  return act?.type === "waived" && isPersons(act) && act.artifact === artifact;
}

function isPersons(act: Incoming | undefined): boolean {
  return act !== undefined && "by" in act && act.by.type === "human";
}

function isSame(a: Actor, b: Actor): boolean {
  if (a.type !== "agent" || b.type !== "agent") return a.type === b.type;
  return isSameAttempt(a, b);
}
