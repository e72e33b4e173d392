/**
 * A person answers the open question. Only declared options count; any other answer is counted and the question is asked again.
 */

import { isBlank } from "../../text/blank.ts";
import type { Workflow } from "../../model/compile.ts";
import { record, type StepDraft } from "../draft.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { isAnswerOpen, isOpen, isSpent, nearest } from "../../gates/gate.ts";
import { nameOf } from "../intake.ts";
import { invalid, notYourRole, shutAnswer } from "../refuse.ts";
import {
  sayParts,
  valuesOf,
  answeredParts,
  decisive,
  NO_RESPONSE,
  partsOf,
} from "../../gates/question-parts.ts";
import type { Run, PartAnswer } from "../../model/run.ts";
import { count, settle, take } from "../take.ts";
import type { AskRule } from "../../model/workflow.ts";

type AnswerEvent = Extract<Incoming, { type: "answered" }>;

/** Digests of everything that a question shows, as one string. The answer is bound to it. */
export function shownBy(workflow: Workflow, run: Run, ask: string): string {
  const names = workflow.definition.asks[ask]?.shows ?? [];
  return names.map((name) => `${name}=${run.held[name]?.reading.digest ?? ""}`).join(" ");
}

export function answer(draft: StepDraft, event: AnswerEvent): Refusal | undefined {
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
      message: `the content of ${question.id} has changed since it was shown`,
      next: `signalbox show ${run.id}`,
    };
  }
  const declared = workflow.definition.asks[event.ask];
  const refused = declared === undefined ? undefined : refusedParts(draft, declared, event);
  if (refused !== undefined) return refused;
  const wrong =
    declared === undefined ? "this question is not declared" : problemWith(draft, declared, event);
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

/** Every answer that is open now, in the form in which it is given. */
function openValues({ workflow, run }: StepDraft, ask: AskRule): string[] {
  return valuesOf(ask).filter((value) => isAnswerOpen(workflow, run, value));
}

function problemWith(draft: StepDraft, ask: AskRule, event: AnswerEvent): string | undefined {
  if (event.parts === undefined) return problemWithOne(draft, ask, event);
  for (const each of event.parts) {
    const wrong = problemWithOne(draft, ask, each);
    if (wrong !== undefined) return `${each.part}: ${wrong}`;
  }
  return undefined;
}

function problemWithOne(
  draft: StepDraft,
  ask: AskRule,
  event: Pick<AnswerEvent, "answer" | "text">,
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
  if (option.text === "required" && isBlank(event.text ?? "")) return `"${word}" needs a text`;
  return undefined;
}

function askAgain(
  draft: StepDraft,
  event: AnswerEvent,
  fault: { wrong: string; id: string; counter: string | undefined },
): Refusal | undefined {
  const { workflow, run } = draft;
  if (fault.counter === undefined || isSpent(workflow, run, fault.counter)) return invalid(run, fault.wrong);
  record(draft, event);
  count(draft, fault.counter);
  record(draft, { type: "question-repeated", ask: event.ask, id: fault.id, reason: fault.wrong });
  const moved = settle(draft);
  if (!moved) draft.effects.push({ type: "ask-person", ask: event.ask, id: fault.id });
  return undefined;
}

/** `isOpen`: at least one part has no answer yet. */
type Answers = { readonly parts: readonly PartAnswer[]; readonly isOpen: boolean };

/** The answers to the parts. An answer to the whole question is an answer to every part; a question without parts has none. */
function partsBy({ workflow, run }: StepDraft, ask: AskRule, event: AnswerEvent): Answers {
  const by = event.by.type === "human" ? (event.by.name ?? "human") : "";
  const parts = partsOf(workflow, run, event.ask);
  if (event.parts === undefined) {
    const whole = { answer: event.answer, text: event.text ?? "", by };
    return { parts: parts.map((part) => ({ part, ...whole })), isOpen: false };
  }
  const given = event.parts.map((each) => ({ ...each, text: each.text ?? "", by }));
  const all = answeredParts(parts, run.question?.parts ?? [], given);
  const open = parts.filter((part) => !all.some((each) => each.part === part));
  if (open.length > 0 && ask.parts?.rest !== "cancel") return { parts: given, isOpen: true };
  const silent = open.map((part) => ({ part, answer: "", text: NO_RESPONSE, by: "engine" }));
  return { parts: [...all, ...silent], isOpen: false };
}

/** Refuses unknown parts, and answers that together with a concurrent answer would lead to another result. */
function refusedParts({ workflow, run }: StepDraft, ask: AskRule, event: AnswerEvent): Refusal | undefined {
  const { parts: given } = event;
  if (given === undefined) return undefined;
  const parts = partsOf(workflow, run, event.ask);
  const names = given.map(({ part }) => part);
  if (parts.length === 0) return invalid(run, `${event.ask} is not asked in parts`);
  if (names.length === 0) return invalid(run, "no part is answered");
  if (new Set(names).size < names.length) return invalid(run, "a part is answered twice");
  const unknown = names.find((name) => !parts.includes(name));
  if (unknown !== undefined) return invalid(run, `unknown part "${unknown}"`);
  const all = answeredParts(
    parts,
    run.question?.parts ?? [],
    given.map((each) => ({ ...each, text: "", by: "" })),
  );
  const result = decisive(ask, all);
  if (result === event.answer) return undefined;
  return {
    code: "stale",
    message: `together with the answers given meanwhile the result is ${result}, not ${event.answer}`,
    next: `signalbox show ${run.id}`,
  };
}
