/**
 * A person answers an open question.
 *
 * Only the options count; anything else is asked again, and counted where the workflow counts. The answer is bound to what was
 * shown, so that nobody approves what has changed since.
 */

import { UserError } from "../../../adapters/user-error.ts";
import { maxOf } from "../../../core/gates/gate.ts";
import type { Question } from "../../../engine/ports/journal.ts";
import type { Store } from "../../../engine/ports/store.ts";
import type { Submission } from "../../../engine/submit/write.ts";
import { filtered } from "../../../engine/lists.ts";
import { inLine } from "../../../engine/queue/position.ts";
import { descendantsOf } from "../../../engine/tasks/descendants.ts";
import { eventKey, runOf, type Acting, type Done } from "../../context.ts";
import type { Looking } from "../../declare.ts";
import { EXIT_GATE, EXIT_NOT_YOURS, EXIT_WAITING } from "../../exit-codes.ts";
import { isUnknownRun } from "../../failure.ts";
import { success, type Outcome } from "../../outcome.ts";
import { conflict } from "../../refusal.ts";
import { runMeant, seeRun, workflowOf, type Seen } from "../../runs/find.ts";
import { seenOf } from "../../runs/load.ts";
import type { DataOf, InputOf } from "../../schemas.ts";
import { causeOf } from "../../view/decision/cause.ts";
import { sayTyped } from "../../view/decision/choices.ts";
import {
  choicesOf,
  declaredQuestionOf,
  partCommands,
  questionOf,
  type QuestionView,
} from "../../view/decision/question.ts";
import { shownWord } from "../../view/decision/shown-digest.ts";
import { askedIn } from "../../view/decision/task-choices.ts";
import { nextForPerson } from "../../view/actions.ts";
import { toYou } from "../../view/words.ts";
import { askingTask } from "../../view/work/children.ts";
import { acknowledge, type Acknowledgement } from "../acknowledged.ts";
import { answeredIn, answerWith, type Answering } from "./answer-with.ts";
import { answerMeant, freeAnswer } from "./answer-words.ts";
import { givePermission, permissionMeant } from "./permission.ts";
import { lookAgain } from "./refresh-question.ts";
import { requireEntry } from "../one-decision.ts";
import { carryOut, hasVerb, keyBelow, keyUsed, nothingFor, onlyAskingTask } from "../verbs.ts";

const HELP = "signalbox answer --help";

export async function answerQuestion(
  on: Acting,
  input: InputOf<"answer">,
): Promise<Outcome<Acknowledgement>> {
  const { parts: typed = [] } = input;
  const given = eventKey(on, input.key);
  const asking = { store: on.box.store, find: (word?: string) => runOf(on, word) };
  const named = typed.length === 0 ? await meantBy(asking, input) : await askedOf(asking, input);
  const { value } = named;
  const known = await keyUsed(on, named.run, given);
  const { seen, notes, isBelow } = await whoAsks(
    await seenOf(on, known?.run ?? named.run),
    known !== undefined,
  );
  const key = known?.key ?? (isBelow ? keyBelow(named.run, given) : given);
  const asked = known === undefined ? permissionMeant(seen, { decision: input.decision, value }) : undefined;
  if (asked !== undefined) return givePermission(on, { run: seen.run.id, asked, value, key });
  const question = await declaredQuestionOf(seen);
  if (question === undefined && known === undefined) {
    if (!hasVerb(seen, "answer")) throw await nothingAsked(seen);
    // Where an agent asks on its page, the answer is words, and leads where the workflow says.
    const text = [value, input.text].filter(Boolean).join("\n\n");
    const entry = isBelow ? undefined : input.entry;
    return carryOut(on, { verb: "answer", run: seen.run.id, text, shown: input.shown, entry, key });
  }
  if (known === undefined && !isBelow) requireEntry(seen, input.entry);
  if (known === undefined) await requireShown(on, seen, input.shown);
  const said =
    typed.length > 0
      ? inParts(seen, typed, known !== undefined)
      : saidIn(seen, question, { ...input, value });
  const done = await answerWith(on, {
    seen,
    ...said,
    text: said.text ?? input.text,
    key,
    refusedAs: (refused) => notCounted(refused, question, { run: seen.run.id, part: said.parts?.[0]?.part }),
  });
  return outcomeOf(on, { ...done, told: [...notes, ...done.told] }, said.value);
}

/** The open question that a person would answer with these words, for a door that asks at a terminal. */
export async function openQuestion(
  { door, store }: Looking,
  { decision }: InputOf<"question">,
): Promise<Outcome<DataOf<"question">>> {
  if (store === undefined) throw nothingOpen();
  const asking = { store, find: (word?: string) => runMeant(store, door, word) };
  const { run, value } = await meantBy(asking, { decision, either: true });
  const { seen } = await whoAsks(await seeRun(store, door, run), false);
  const question = value === undefined ? await questionOf(seen) : undefined;
  return success(question?.question ?? `run ${run} asks nothing`, {
    run: seen.run.id,
    question: question ?? null,
    cause: await causeOf(seen),
    free: (question === undefined ? undefined : freeAnswer(seen, question, true)) ?? null,
    inWords: value === undefined && question === undefined ? await askedInWords(seen) : null,
    entry: seen.run.entry,
  });
}

/** What the agent wrote; where it wrote nothing, what the state is for. */
async function askedInWords(seen: Seen): Promise<readonly string[] | null> {
  const { workflow, run } = seen;
  if (!hasVerb(seen, "answer")) return null;
  return ((await askedIn(seen)) || toYou(workflow.definition.states[run.state]?.title ?? run.state)).split(
    "\n",
  );
}

type SaidAnswer = Pick<Answering, "value" | "text" | "parts">;

function inParts(seen: Seen, typed: readonly string[], isKnown: boolean): SaidAnswer {
  return isKnown ? { value: "", parts: [] } : answeredIn(seen, typed);
}

function saidIn(
  seen: Seen,
  question: QuestionView | undefined,
  { value, text, typed = false }: Pick<InputOf<"answer">, "value" | "text" | "typed">,
): SaidAnswer {
  if (value === undefined)
    throw new UserError(
      "bad-usage",
      question === undefined ? "say the answer: VALUE" : `say the answer to ${question.id}`,
      question === undefined ? HELP : commandsOf(question),
    );
  if (question === undefined) return { value };
  const free = freeAnswer(seen, question, typed);
  const meant = answerMeant(question, { value, isTyped: typed, hasText: text !== undefined, free });
  return { value: meant.said, text: meant.text };
}

/** A run whose task asks is answered there, and the person is told so. */
async function whoAsks(
  seen: Seen,
  isKnown: boolean,
): Promise<{ readonly seen: Seen; readonly notes: readonly string[]; readonly isBelow: boolean }> {
  const own = { seen, notes: [], isBelow: false };
  if (isKnown || (await questionOf(seen)) !== undefined || hasVerb(seen, "answer")) return own;
  const asking = await onlyAskingTask(seen, "answer");
  if (
    asking === undefined ||
    ((await questionOf(asking.seen)) === undefined && !hasVerb(asking.seen, "answer"))
  )
    return own;
  return {
    isBelow: true,
    seen: asking.seen,
    notes: [`task ${asking.task} of ${seen.run.id} asks: this went to ${asking.seen.run.id}`],
  };
}

/** A caller that says what it saw has lost a race when it is no longer so; otherwise the answer is for what the run last read. */
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

async function outcomeOf(on: Acting, done: Done, value: string): Promise<Outcome<Acknowledgement>> {
  const events = done.accepted?.events ?? [];
  const again = events.find((event) => event.type === "question-repeated");
  if (events.some((event) => event.type === "parts-answered"))
    return acknowledge(done, await sayOpen(await seenOf(on, done.run)));
  if (again === undefined) return acknowledge(done, `the answer is ${value}`);
  const now = await seenOf(on, done.run);
  const question = await questionOf(now);
  const isLeft = events.some((event) => event.type === "moved");
  return {
    ...acknowledge(done),
    exit: question !== undefined || now.row.status === "waiting" ? EXIT_WAITING : EXIT_GATE,
    code: isLeft ? "asked-too-often" : "asked-again",
    message: isLeft
      ? `${again.reason}; ${again.id} was asked often enough: ${sayWhere(done, question)}`
      : `${again.id} is asked again${sayTimes(now)}: ${again.reason}`,
    next: question === undefined ? await nextForPerson(now) : commandsOf(question),
  };
}

/** How often that goes on, where the workflow counts it: asked once, and again until the count is spent. */
function sayTimes({ workflow, run }: Seen): string {
  const counter = workflow.definition.asks[run.question?.ask ?? ""]?.reask ?? "";
  if (counter === "") return "";
  return `, ${run.counters[counter] ?? 0} of ${maxOf(workflow, run, counter) - 1} times`;
}

async function sayOpen(seen: Seen): Promise<string> {
  const { id, parts = [] } = (await questionOf(seen)) ?? { id: "" };
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

/** How a run is found, for a call that acts and for one that looks. */
type QuestionFinder = { readonly store: Store; readonly find: (word?: string) => Promise<string> };

type MeantQuestion = { readonly run: string; readonly value: string | undefined };

/** With `parts` the answers are there: the one word can only be the question. */
async function askedOf(
  on: QuestionFinder,
  { decision, value, text }: InputOf<"answer">,
): Promise<MeantQuestion> {
  if (value !== undefined || text !== undefined)
    throw new UserError("bad-usage", "with --part, each answer and its text stand in it", HELP);
  return {
    run: decision === undefined ? await onlyRun(on) : await runAsking(on, decision),
    value: undefined,
  };
}

async function meantBy(
  on: QuestionFinder,
  { decision, value, either }: Pick<InputOf<"answer">, "decision" | "value" | "either">,
): Promise<MeantQuestion> {
  if (decision === undefined) return { run: await onlyRun(on), value };
  if (either !== true) return { run: await runAsking(on, decision), value };
  // One word is an answer, unless it can only be the name of a question or of a run.
  const run = await runNamed(on, decision);
  return run === undefined ? { run: await onlyRun(on), value: decision } : { run, value: undefined };
}

/** By the id of the question, by RUN/ID, or by the run. */
async function runAsking(on: QuestionFinder, word: string): Promise<string> {
  const run = await runNamed(on, word);
  if (run !== undefined) return run;
  throw new UserError(
    "unknown-decision",
    `nothing is asked under the name "${word}", and no run has it`,
    "signalbox inbox",
  );
}

async function runNamed(on: QuestionFinder, word: string): Promise<string | undefined> {
  const { store } = on;
  const asked = await store.questions({ open: true, id: word });
  const [only, another] = asked;
  if (only !== undefined && another === undefined) return only.run;
  if (another !== undefined) throw whichQuestion(word, asked);
  const [name = "", id] = word.split("/");
  if (id !== undefined && (await store.questions({ open: true, id })).length === 0) return undefined;
  try {
    return await on.find(name);
  } catch (error) {
    if (isUnknownRun(error)) return undefined;
    throw error;
  }
}

/** The run that we are in, its only task that asks, or the only one that asks at all. */
async function onlyRun(on: QuestionFinder): Promise<string> {
  const { store } = on;
  const asked = await askingRuns(store);
  try {
    const run = await on.find();
    const below = new Set(await descendantsOf(store, run));
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

/** A run that asks; `id` is that of its question, and missing where it waits for an answer in words. */
type AskingRun = Pick<Question, "run"> & Partial<Pick<Question, "id">>;

const WAITING_MAX = 1000;

async function askingRuns(store: Store): Promise<readonly AskingRun[]> {
  const asked = await store.questions({ open: true });
  const others = new Set(asked.map(({ run }) => run));
  const isNext = await inLine(store);
  const { rows } = await store.list({ status: "waiting", limit: WAITING_MAX });
  const inWords = await filtered(rows, async ({ id }) => {
    const kept = others.has(id) || isNext.has(id) ? undefined : await store.load(id);
    return kept !== undefined && hasVerb({ ...kept, workflow: await workflowOf(store, kept.row) }, "answer");
  });
  return [...asked, ...inWords.map(({ id }) => ({ run: id }))];
}

function whichQuestion(word: string, asked: readonly AskingRun[]): UserError {
  const names = asked.map(({ run, id }) => (id === undefined ? run : `${run}/${id}`)).join(", ");
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
async function nothingAsked(seen: Seen): Promise<UserError> {
  const run = seen.run.id;
  const { task, seen: asks } = (await askingTask(seen)) ?? { task: "", seen };
  if ((await questionOf(asks)) === undefined) return nothingFor(seen, "answer");
  return new UserError(
    "not-in-map",
    `run ${run} asks nothing now; its task ${task} does, as ${asks.run.id}`,
    {
      next: `signalbox show ${asks.run.id}`,
      exit: EXIT_NOT_YOURS,
    },
  );
}
