/** A person answers the open question. Only the options count; anything else is asked again, and counted. */

import { isBlank } from "../../text/blank.ts";
import type { Workflow } from "../../model/compile.ts";
import { record, type Draft } from "../draft.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { isAnswerOpen, isOpen, isSpent, nearest } from "../../gates/gate.ts";
import { nameOf } from "../intake.ts";
import { invalid, notYourRole, shutAnswer } from "../refuse.ts";
import { sayParts, valuesOf } from "../../gates/question-parts.ts";
import type { Run } from "../../model/run.ts";
import { count, settle, take } from "../take.ts";
import type { Ask } from "../../model/workflow.ts";
import { partsBy, refusedParts } from "./answer-parts.ts";

type Answered = Extract<Incoming, { type: "answered" }>;

/** What a question shows, as one string: the answer is bound to it. */
export function shownBy(workflow: Workflow, run: Run, ask: string): string {
  const names = workflow.definition.asks[ask]?.shows ?? [];
  return names.map((name) => `${name}=${run.held[name]?.reading.digest ?? ""}`).join(" ");
}

export function answer(draft: Draft, event: Answered): Refusal | undefined {
  const { workflow, run } = draft;
  const who = nameOf(event.by);
  if (event.by.type !== "human")
    return notYourRole(run, { who, what: "answering a question", allowed: ["human"] });
  const { question } = run;
  if (question === undefined || question.ask !== event.ask) {
    return {
      code: "not-in-map",
      message: `run ${run.id} does not ask "${event.ask}" now`,
      next: `signalbox inbox`,
    };
  }
  if (event.shown !== shownBy(workflow, run, event.ask)) {
    return {
      code: "stale",
      message: `what ${question.id} is about has changed since it was shown`,
      next: `signalbox show ${run.id}`,
    };
  }
  const declared = workflow.definition.asks[event.ask];
  const refused = declared === undefined ? undefined : refusedParts(draft, declared, event);
  if (refused !== undefined) return refused;
  const wrong = declared === undefined ? "nobody asks this" : problemWith(draft, declared, event);
  if (wrong !== undefined)
    return askAgain(draft, event, { wrong, id: question.id, counter: declared?.reask });
  const moves = (workflow.movesFrom[run.state] ?? []).filter(
    (candidate) => candidate.answer === event.answer,
  );
  const move = moves.find((candidate) => isOpen(draft, candidate));
  if (move === undefined)
    return moves.length === 0
      ? invalid(run, `"${event.answer}" leads nowhere`)
      : shutAnswer(run, {
          answer: event.answer,
          reasons: nearest(draft, moves),
          open: declared === undefined ? [] : openValues(draft, declared),
        });
  record(draft, event);
  const { ask } = event;
  const { id } = question;
  const { parts, isOpen: isPartial } =
    declared === undefined ? { parts: [], isOpen: false } : partsBy(draft, declared, event);
  if (isPartial) {
    record(draft, { type: "parts-answered", ask, id, parts });
    return undefined;
  }
  const text = event.text ?? (event.parts === undefined ? "" : sayParts(parts));
  record(draft, {
    type: "question-closed",
    ask,
    id,
    answer: event.answer,
    text,
    by: event.by.name ?? "human",
    ...(parts.length === 0 ? {} : { parts }),
  });
  take(draft, move, { by: "human", words: text });
  settle(draft);
  return undefined;
}

/** Every answer that counts now, as it is given. */
function openValues({ workflow, run }: Draft, ask: Ask): string[] {
  return valuesOf(ask).filter((value) => isAnswerOpen(workflow, run, value));
}

function problemWith(draft: Draft, ask: Ask, event: Answered): string | undefined {
  if (event.parts === undefined) return problemWithOne(draft, ask, event);
  for (const each of event.parts) {
    const wrong = problemWithOne(draft, ask, each);
    if (wrong !== undefined) return `${each.part}: ${wrong}`;
  }
  return undefined;
}

function problemWithOne(
  draft: Draft,
  ask: Ask,
  event: Pick<Answered, "answer" | "text">,
): string | undefined {
  const [word = "", route] = event.answer.split("/");
  const option = Object.hasOwn(ask.options, word) ? ask.options[word] : undefined;
  if (option === undefined) {
    const open = new Set(openValues(draft, ask).map((value) => value.split("/")[0]));
    return `"${event.answer}" is not one of ${[...open].join(", ")}`;
  }
  if (option.routes.length > 0 && (route === undefined || !option.routes.includes(route))) {
    return `"${word}" needs one of ${option.routes.map((name) => `${word}/${name}`).join(", ")}`;
  }
  if (option.routes.length === 0 && route !== undefined) return `"${word}" takes no route`;
  if (option.text === "required" && isBlank(event.text ?? "")) return `"${word}" needs a text that says what`;
  return undefined;
}

function askAgain(
  draft: Draft,
  event: Answered,
  on: { wrong: string; id: string; counter: string | undefined },
): Refusal | undefined {
  const { workflow, run } = draft;
  if (on.counter === undefined || isSpent(workflow, run, on.counter)) return invalid(run, on.wrong);
  record(draft, event);
  count(draft, on.counter);
  record(draft, { type: "question-repeated", ask: event.ask, id: on.id, reason: on.wrong });
  const moved = settle(draft);
  if (!moved) draft.effects.push({ type: "ask-person", ask: event.ask, id: on.id });
  return undefined;
}
