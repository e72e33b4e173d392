/**
 * Records of the questions to people: one for each question, updated when it is asked again under the same name; and by ask every
 * answer, with its consequences. Computed from the events. Asking is an event of its own, so the record exists before a person
 * can answer.
 */

import { change, type OwnRun } from "../step/apply.ts";
import type { Workflow } from "../model/compile.ts";
import { artifactsIn } from "../model/status.ts";
import type { Event } from "../model/event.ts";
import { phaseOf } from "./phase.ts";
import { partsOf, valuesOf } from "../gates/question-parts.ts";
import { reads } from "./project.ts";
import { NO_RUN, type PartAnswer, type Run } from "../model/run.ts";
import type { AskRule, Definition } from "../model/workflow.ts";

/** *cancelled*: a person postponed it, or it was asked too often. *skipped*: the run continued without an answer. */
type QuestionStatus = "pending" | "answered" | "cancelled" | "skipped";

type QuestionRecord = {
  readonly id: string;
  readonly ask: string;
  readonly question: string;
  /** The part, for a question in parts: each part has its own record. */
  readonly part: string | null;
  /** Every answer of the workflow, as it is given. */
  readonly options: readonly string[];
  readonly state: string;
  readonly phase: string;
  /** The state in which the question arose, if the run returns to it; and its phase, or else the current one. */
  readonly origin: string | null;
  readonly context: string;
  /** The author of the artifact that led to the question, or the actor of the move. */
  readonly askedBy: string;
  readonly askedAt: string;
  /** How often it was asked, and the number of invalid answers. */
  readonly times: number;
  readonly invalid: number;
  readonly status: QuestionStatus;
  readonly answer: string | null;
  readonly text: string;
  readonly by: string | null;
  /** Why it has no valid answer. */
  readonly reason: string | null;
  readonly resolvedAt: string | null;
};

/** An answer, and the agent that was started for it: *queued* until it is alive, *completed* when the question is asked again. */
type AnswerRecord = {
  readonly id: string;
  readonly option: string;
  readonly answer: string;
  readonly text: string;
  readonly by: string;
  readonly state: string;
  readonly at: string;
  /** For a question in parts: `part`, `answer` and `text` of each. */
  readonly parts: readonly PartAnswer[];
  readonly followed: "none" | "queued" | "dispatched" | "completed";
  readonly role: string | null;
  readonly startedAt: string | null;
};

type AskedQuestion = {
  readonly times: number;
  readonly invalid: number;
  readonly answers: readonly AnswerRecord[];
  readonly last: AnswerRecord | null;
  /** The last answer of each option. */
  readonly options: Readonly<Record<string, AnswerRecord>>;
};

export type Questions = {
  readonly questions: readonly QuestionRecord[];
  readonly asked: Readonly<Record<string, AskedQuestion>>;
};

/** Whether any projection shows these values; otherwise the caller need not read all events. */
export function showsQuestions({ projections }: Pick<Definition, "projections">): boolean {
  return projections.some(
    (each) => "data" in each && (reads(each.data, "run.questions") || reads(each.data, "run.asked")),
  );
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

type AskTally = { times: number; invalid: number; readonly answers: Mutable<AnswerRecord>[] };

type QuestionWalk = {
  readonly workflow: Workflow;
  readonly run: OwnRun;
  /** By id of the question. */
  readonly records: Map<string, readonly Mutable<QuestionRecord>[]>;
  readonly asked: Map<string, AskTally>;
  /** The fault of the last invalid answer. */
  wrong: string;
  /** The actor of the last move. */
  mover: string;
  /** Closed by the last event: the next move decides what that means. */
  closed: readonly Mutable<QuestionRecord>[];
  /** Answered by the last event: no further incoming event since. */
  given: Mutable<AnswerRecord> | undefined;
};

export function questionsIn(
  workflow: Workflow,
  events: Iterable<Event>,
  textOf: (ask: AskRule, run: Run) => string,
): Questions {
  const walk: QuestionWalk = {
    workflow,
    run: { ...NO_RUN },
    records: new Map(),
    asked: new Map(),
    wrong: "",
    mover: "",
    closed: [],
    given: undefined,
  };
  for (const event of events) {
    change(walk.run, event);
    if ("at" in event) walk.given = undefined;
    note(walk, event, textOf);
  }
  return {
    questions: [...walk.records.values()].flat(),
    asked: Object.fromEntries([...walk.asked].map(([ask, tally]) => [ask, askedOf(tally)])),
  };
}

function askedOf({ times, invalid, answers }: AskTally): AskedQuestion {
  const options = Object.fromEntries(answers.map((given) => [given.option, given]));
  return { times, invalid, answers, last: answers.at(-1) ?? null, options };
}

function note(walk: QuestionWalk, event: Event, textOf: (ask: AskRule, run: Run) => string): void {
  if (event.type === "question-opened") open(walk, event, textOf);
  if (event.type === "question-repeated") {
    walk.wrong = event.reason;
    for (const record of walk.records.get(event.id) ?? []) record.invalid += 1;
    tallyOf(walk, event.ask).invalid += 1;
  }
  if (event.type === "parts-answered") answerParts(walk, event);
  if (event.type === "question-closed") close(walk, event);
  if (event.type === "moved") moved(walk, event);
  if (event.type === "agent-called" && walk.given?.followed === "none") {
    walk.given.followed = "queued";
    walk.given.role = event.role;
  }
  if (event.type === "agent-alive") started(walk, event.role);
}

type QuestionOpened = Extract<Event, { type: "question-opened" }>;

function open(
  walk: QuestionWalk,
  { ask, id }: QuestionOpened,
  textOf: (ask: AskRule, run: Run) => string,
): void {
  const { workflow, run, records } = walk;
  const { definition } = workflow;
  const declared = definition.asks[ask];
  const tally = tallyOf(walk, ask);
  for (const given of tally.answers) given.followed = "completed";
  tally.times += 1;
  const origin = run.frames.findLast(({ state }) => state === run.state)?.from ?? null;
  walk.wrong = "";
  const before = records.get(id)?.[0];
  const parts = partsOf(workflow, run, ask);
  const record: QuestionRecord = {
    id,
    ask,
    question: declared === undefined ? "" : textOf(declared, run),
    part: null,
    options: declared === undefined ? [] : valuesOf(declared),
    state: run.state,
    phase: phaseOf(definition, run.state),
    origin,
    context: phaseOf(definition, origin ?? run.state),
    askedBy: walk.mover,
    askedAt: run.updatedAt,
    times: (before?.times ?? 0) + 1,
    invalid: before?.invalid ?? 0,
    status: "pending",
    answer: null,
    text: "",
    by: null,
    reason: null,
    resolvedAt: null,
  };
  const each = parts.map((part, index) => ({ ...record, id: `${id}.${index + 1}`, part }));
  records.set(id, each.length === 0 ? [{ ...record }] : each);
}

/** A part with an answer counts as answered while other parts are open. */
function answerParts(walk: QuestionWalk, event: Pick<Closed, "id" | "parts">): void {
  for (const { part, answer, text, by } of event.parts ?? [])
    for (const record of walk.records.get(event.id) ?? []) {
      if (record.part !== part) continue;
      const isSilent = answer === "";
      Object.assign(record, {
        status: isSilent ? "cancelled" : "answered",
        answer: isSilent ? null : answer,
        text: isSilent ? "" : text,
        by,
        reason: isSilent ? text : null,
        resolvedAt: walk.run.updatedAt,
      });
    }
}

type Closed = Extract<Event, { type: "question-closed" }>;

function close(walk: QuestionWalk, event: Closed): void {
  const { ask, id, answer, text, by } = event;
  const { state, updatedAt: at } = walk.run;
  answerParts(walk, event);
  const records = walk.records.get(id) ?? [];
  for (const record of records.filter(({ status }) => status === "pending"))
    Object.assign(record, { text, by, answer: answer === "" ? null : answer, resolvedAt: at });
  walk.closed = records.filter((each) => each.status === "pending" || each.answer === answer);
  if (answer === "") return;
  const [option = ""] = answer.split("/");
  const nobody = { followed: "none", role: null, startedAt: null } as const;
  const given: Mutable<AnswerRecord> = {
    id,
    option,
    answer,
    text,
    by,
    state,
    at,
    parts: event.parts ?? [],
    ...nobody,
  };
  tallyOf(walk, ask).answers.push(given);
  walk.given = given;
}

function moved(walk: QuestionWalk, event: Extract<Event, { type: "moved" }>): void {
  const { workflow, run } = walk;
  walk.mover = ledBy(workflow, run, event);
  for (const record of walk.closed) settle(walk, record, event);
  walk.closed = [];
}

/** The move that follows a question decides the question's status. */
function settle(
  { workflow, wrong }: QuestionWalk,
  closed: Mutable<QuestionRecord>,
  event: Extract<Event, { type: "moved" }>,
): void {
  const way = `${event.from} -> ${event.to}, by ${event.by}`;
  if (closed.answer !== null) {
    // An answer that returns the run to its origin, or cancels it, does not answer the question itself.
    const isOver = workflow.definition.states[event.to]?.final === "cancelled";
    closed.status = event.remember || isOver ? "cancelled" : "answered";
    closed.reason = closed.status === "answered" ? null : closed.text === "" ? way : closed.text;
    return;
  }
  const isTooOften = wrong !== "";
  closed.status = isTooOften || event.by === "human" ? "cancelled" : "skipped";
  closed.reason = isTooOften ? `asked ${closed.invalid} times: ${wrong}` : way;
}

/** The role whose artifact the move depends on, if any. */
function ledBy({ definition }: Workflow, run: Run, event: Extract<Event, { type: "moved" }>): string {
  const names = artifactsIn({ need: [], when: definition.moves[event.rule]?.when ?? [] });
  const by = names.map((name) => run.held[name]?.by).find((each) => each !== undefined && each !== "");
  return by ?? event.by;
}

function started(walk: QuestionWalk, role: string): void {
  for (const { answers } of walk.asked.values())
    for (const given of answers)
      if (given.followed === "queued" && given.role === role) {
        given.followed = "dispatched";
        given.startedAt = walk.run.updatedAt;
      }
}

function tallyOf({ asked }: QuestionWalk, ask: string): AskTally {
  const known = asked.get(ask) ?? { times: 0, invalid: 0, answers: [] };
  asked.set(ask, known);
  return known;
}
