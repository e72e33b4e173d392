/**
 * A person answers the question that a run waits with.
 *
 * Only the options count; anything else is asked again, and counted where the workflow counts. The answer is bound to what was
 * shown, so that nobody approves what has changed since.
 */

import { UserError } from "../../adapters/user-error.ts";
import { maxOf } from "../../core/gate.ts";
import { descendantsOf } from "../../engine/descendants.ts";
import type { Question } from "../../engine/ports/journal.ts";
import type { Submission } from "../../engine/write.ts";
import { answeredBefore, eventKey, runOf, type Acting, type Done } from "../context.ts";
import { EXIT_GATE, EXIT_NOT_YOURS, EXIT_OK, EXIT_WAITING } from "../exit-codes.ts";
import type { InputOf } from "../schemas.ts";
import type { Outcome } from "../outcome.ts";
import { conflict } from "../refusal.ts";
import type { Seen } from "../runs/find.ts";
import { seenOf } from "../runs/load.ts";
import { causeOf } from "../view/cause.ts";
import { askingTask } from "../view/children.ts";
import { sayTyped } from "../view/choices.ts";
import { nextForPerson } from "../view/moves.ts";
import { choicesOf, partCommands, questionOf, type QuestionView } from "../view/question.ts";
import { shownWord } from "../view/shown-digest.ts";
import { acknowledge, type Acknowledgement } from "./acknowledged.ts";
import { answerWith, type Answering } from "./answer.ts";
import { answeredIn } from "./answer-parts.ts";
import { lookAgain } from "./refresh-question.ts";

const HELP = "signalbox answer --help";

export async function answerQuestion(
  on: Acting,
  input: InputOf<"answer">,
): Promise<Outcome<Acknowledgement>> {
  const { parts: typed } = input;
  const key = eventKey(on, input.key);
  const { run, value } = typed.length === 0 ? meantBy(on, input.words) : askedOf(on, input);
  const seen = seenOf(on, run);
  const known = answeredBefore(on, run, key);
  const question = questionOf(seen);
  if (question === undefined && known === undefined) throw nothingAsked(seen, value);
  if (known === undefined) await requireShown(on, seen, input.shown);
  if (typed.length > 0) {
    const { parts, value: decides } =
      known === undefined ? answeredIn(seen, typed) : { parts: [], value: "" };
    return outcomeOf(on, await submitAnswer(on, { seen, key, value: decides, parts }), decides);
  }
  if (value === undefined) throw noValue(question);
  return outcomeOf(on, await submitAnswer(on, { seen, key, value, text: input.text }), value);
}

type OpenQuestion = {
  readonly run: string;
  readonly isUnanswered: boolean;
  readonly question: QuestionView | null;
  readonly cause: readonly string[];
  readonly shown: string;
};

/** What a person is shown who is asked for the answer. */
export function openQuestion(on: Acting, { words }: InputOf<"open-question">): Outcome<OpenQuestion> {
  const { run, value } = meantBy(on, words);
  const seen = seenOf(on, run);
  const question = questionOf(seen) ?? null;
  return {
    exit: EXIT_OK,
    code: "ok",
    message: question === null ? `run ${run} asks nothing now` : question.question,
    data: {
      run,
      isUnanswered: value === undefined,
      question,
      cause: causeOf(seen),
      shown: shownWord(seen.workflow, seen.run),
    },
    next: "",
    notes: [],
  };
}

/** Whoever says what they saw has lost a race when it is no longer so; whoever does not, answers for what the run last took in. */
async function requireShown(on: Acting, seen: Seen, word: string | undefined): Promise<void> {
  const { workflow, run } = seen;
  const id = run.question?.id ?? "";
  if (word !== undefined && word !== shownWord(workflow, run))
    throw conflict(run.id, `what ${id} is about has changed since it was shown as ${word}`);
  const changed = await lookAgain(on, seen);
  if (changed === "") return;
  if (word !== undefined) throw conflict(run.id, changed);
  throw new UserError("stale", changed, { next: `signalbox show ${run.id}`, exit: EXIT_GATE });
}

type Given = Pick<Answering, "seen" | "value" | "text" | "key" | "parts">;

function submitAnswer(on: Acting, given: Given): Promise<Done> {
  const { seen, parts } = given;
  return answerWith(on, {
    ...given,
    refusedAs: (refused) =>
      notCounted(refused, questionOf(seen), { run: seen.run.id, part: parts?.[0]?.part }),
  });
}

/** Not one of the options, and the workflow does not count that: the question stays as it is. */
function notCounted(
  { refusal }: Extract<Submission, { type: "refused" }>,
  question: QuestionView | undefined,
  of: { readonly run: string; readonly part: string | undefined },
): UserError | undefined {
  if (refusal.code !== "invalid" || question === undefined) return undefined;
  const ofPart = partCommands(question, of);
  return new UserError("not-an-option", `${question.id}: ${refusal.message}`, {
    next: ofPart.length > 0 ? ofPart.join(", or: ") : commandsOf(question),
    exit: EXIT_GATE,
  });
}

function outcomeOf(on: Acting, done: Done, value: string): Outcome<Acknowledgement> {
  const events = done.accepted?.events ?? [];
  const again = events.find((event) => event.type === "question-repeated");
  if (events.some((event) => event.type === "parts-answered"))
    return acknowledge(done, sayOpen(seenOf(on, done.run)));
  if (again === undefined) return acknowledge(done, `the answer is ${value}`);
  const now = seenOf(on, done.run);
  const question = questionOf(now);
  const isLeft = events.some((event) => event.type === "moved");
  const message = isLeft
    ? `${again.reason}; ${again.id} was asked often enough: ${sayWhere(done, question)}`
    : `${again.id} is asked again${sayTimes(now)}: ${again.reason}`;
  const next = question === undefined ? nextForPerson(now) : commandsOf(question);
  return {
    ...acknowledge(done),
    exit: question !== undefined || now.row.status === "waiting" ? EXIT_WAITING : EXIT_GATE,
    code: isLeft ? "asked-too-often" : "asked-again",
    message,
    next,
  };
}

/** How often that goes on, where the workflow counts it: asked once, and again until the count is spent. */
function sayTimes({ workflow, run }: Seen): string {
  const counter = workflow.definition.asks[run.question?.ask ?? ""]?.reask ?? "";
  if (counter === "") return "";
  return `, ${run.counters[counter] ?? 0} of ${maxOf(workflow, run, counter) - 1} times`;
}

function sayOpen(seen: Seen): string {
  const { id, parts = [] } = questionOf(seen) ?? { id: "" };
  const open = parts.filter(({ answer }) => answer === null).map(({ number }) => number);
  return `${id} is still open: part ${open.join(", ")} of ${parts.length}`;
}

function sayWhere({ run, from, to }: Done, question: QuestionView | undefined): string {
  const asks = question === undefined ? "" : `, and asks ${question.id}: ${question.question}`;
  return `${run} goes from ${from} to ${to}${asks}`;
}

function commandsOf(question: QuestionView): string {
  return choicesOf(question).map(sayTyped).join(", or: ");
}

/** With `--part` the answers are there: the one word can only be the question. */
function askedOf(on: Acting, { words, text }: InputOf<"answer">): Meant {
  const [first, second] = words;
  if (second !== undefined || text !== undefined)
    throw new UserError("bad-usage", "with --part, each answer and its text stand in it", HELP);
  return { run: first === undefined ? onlyRun(on) : runAsking(on, first), value: undefined };
}

type Meant = { readonly run: string; readonly value: string | undefined };

function meantBy(on: Acting, [first, second]: readonly string[]): Meant {
  if (first === undefined) return { run: onlyRun(on), value: undefined };
  if (second !== undefined) return { run: runAsking(on, first), value: second };
  // One word is an answer, unless it can only be the name of a question or of a run.
  const run = runNamed(on, first);
  return run === undefined ? { run: onlyRun(on), value: first } : { run, value: undefined };
}

/** By the id of the question, by RUN/ID, or by the run. */
function runAsking(on: Acting, word: string): string {
  const run = runNamed(on, word);
  if (run !== undefined) return run;
  throw new UserError(
    "unknown-decision",
    `nothing is asked under the name "${word}", and no run has it`,
    "signalbox inbox",
  );
}

function runNamed(on: Acting, word: string): string | undefined {
  const { store } = on.box;
  const asked = store.questions({ open: true, id: word });
  const [only, another] = asked;
  if (only !== undefined && another === undefined) return only.run;
  if (another !== undefined) throw whichQuestion(word, asked);
  const [name = "", id] = word.split("/");
  if (id !== undefined && store.questions({ open: true, id }).length === 0) return undefined;
  try {
    return runOf(on, name);
  } catch (error) {
    if (error instanceof UserError && error.code === "unknown-run") return undefined;
    throw error;
  }
}

/** The run that we are in, its only task that asks, or the only one that asks at all. */
function onlyRun(on: Acting): string {
  const { store } = on.box;
  const asked = store.questions({ open: true });
  try {
    const run = runOf(on, undefined);
    const below = new Set(descendantsOf(store, run));
    const [only, another] = asked.filter((question) => below.has(question.run));
    const isOwn = only === undefined || asked.some((question) => question.run === run);
    if (isOwn || another !== undefined) return run;
    return only.run;
  } catch (error) {
    const [only, another] = asked;
    if (!(error instanceof UserError) || error.code !== "which-run") throw error;
    if (only === undefined) throw nothingOpen();
    if (another === undefined) return only.run;
    throw whichQuestion("", asked);
  }
}

function whichQuestion(word: string, asked: readonly Question[]): UserError {
  const names = asked.map(({ run, id }) => `${run}/${id}`).join(", ");
  const what = word === "" ? "several questions are open" : `"${word}" is asked more than once`;
  return new UserError("which-decision", `${what}: ${names}`, "signalbox inbox");
}

function nothingOpen(): UserError {
  return new UserError("not-in-map", "nothing is asked at the moment", {
    next: "signalbox inbox",
    exit: EXIT_NOT_YOURS,
  });
}

/** Where one of its tasks asks, that is what was meant; whoever answers says so. */
function nothingAsked(seen: Seen, value: string | undefined): UserError {
  const run = seen.run.id;
  const { task, seen: asks } = askingTask(seen) ?? { task: "", seen };
  const isAsked = questionOf(asks) !== undefined;
  const other = isAsked ? `; its task ${task} does, as ${asks.run.id}` : "";
  const look = value === undefined ? `signalbox show ${run}` : `signalbox why ${run}`;
  return new UserError("not-in-map", `run ${run} asks nothing now${other}`, {
    next: isAsked ? `signalbox show ${asks.run.id}` : look,
    exit: EXIT_NOT_YOURS,
  });
}

function noValue(question: QuestionView | undefined): UserError {
  return new UserError(
    "bad-usage",
    question === undefined ? "say the answer: VALUE" : `say the answer to ${question.id}`,
    question === undefined ? HELP : commandsOf(question),
  );
}
