/** Answers to parts of a question: what they make of it, and whether it is answered by now. */

import type { Draft } from "../draft.ts";
import type { Incoming, Refusal } from "../../model/event.ts";
import { answeredParts, decisive, NO_RESPONSE, partsOf } from "../../gates/question-parts.ts";
import { invalid } from "../refuse.ts";
import type { PartAnswer } from "../../model/run.ts";
import type { Ask } from "../../model/workflow.ts";

type Answered = Extract<Incoming, { type: "answered" }>;

/** `isOpen`: something is still to be answered. */
type Answers = { readonly parts: readonly PartAnswer[]; readonly isOpen: boolean };

/** What the event says of each part. An answer to the whole is one to every part; a question that is one whole has none. */
export function partsBy({ workflow, run }: Draft, ask: Ask, event: Answered): Answers {
  const by = event.by.type === "human" ? (event.by.name ?? "human") : "";
  const parts = partsOf(workflow, run, event.ask);
  const { answer, text = "" } = event;
  if (event.parts === undefined)
    return { parts: parts.map((part) => ({ part, answer, text, by })), isOpen: false };
  const given = event.parts.map((each) => ({ ...each, text: each.text ?? "", by }));
  const all = answeredParts(parts, run.question?.parts ?? [], given);
  const open = parts.filter((part) => !all.some((each) => each.part === part));
  if (open.length > 0 && ask.parts?.rest !== "cancel") return { parts: given, isOpen: true };
  const silent = open.map((part) => ({ part, answer: "", text: NO_RESPONSE, by: "engine" }));
  return { parts: [...all, ...silent], isOpen: false };
}

/** Parts that are not there, or that somebody else has answered meanwhile so that the run goes elsewhere. */
export function refusedParts({ workflow, run }: Draft, ask: Ask, event: Answered): Refusal | undefined {
  const { parts: given } = event;
  if (given === undefined) return undefined;
  const parts = partsOf(workflow, run, event.ask);
  const names = given.map(({ part }) => part);
  if (parts.length === 0) return invalid(run, `${event.ask} is not asked in parts`);
  if (names.length === 0) return invalid(run, "no part is answered");
  if (new Set(names).size < names.length) return invalid(run, "a part is answered twice");
  const unknown = names.find((name) => !parts.includes(name));
  if (unknown !== undefined) return invalid(run, `there is no part "${unknown}"`);
  const all = answeredParts(
    parts,
    run.question?.parts ?? [],
    given.map((each) => ({ ...each, text: "", by: "" })),
  );
  const answer = decisive(ask, all);
  if (answer === event.answer) return undefined;
  return {
    code: "stale",
    message: `with what is answered by now, it would be ${answer} and not ${event.answer}`,
    next: `signalbox show ${run.id}`,
  };
}
