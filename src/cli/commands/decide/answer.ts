/**
 * `signalbox answer`: a person answers the question that a run waits with.
 *
 * Only the options count; anything else is asked again, and counted where the workflow counts. The answer is bound to what was
 * shown, so that nobody approves what has changed since.
 */

import { requirePerson } from "../../../adapters/person/who.ts";
import { UserError } from "../../../adapters/user-error.ts";
import { maxOf } from "../../../core/gates/gate.ts";
import { descendantsOf } from "../../../engine/tasks/descendants.ts";
import type { Question } from "../../../engine/ports/journal.ts";
import type { Submission } from "../../../engine/submit/write.ts";
import { acted, answerOf as outcomeAnswer, talkOf } from "../../acted.ts";
import { acting, runOf, type Acting, type Done } from "../../../app/context.ts";
import { answerWith, type Answering } from "../../../app/act/answer.ts";
import { answeredIn } from "../../../app/act/answer-parts.ts";
import { answerMeant } from "../../../app/act/answer-words.ts";
import { carryOut, hasVerb, runOfKey } from "../../../app/act/verbs.ts";
import { callOf } from "../../verb.ts";
import type { Seen } from "../../../app/runs/find.ts";
import { EXIT_GATE, EXIT_NOT_YOURS, EXIT_WAITING } from "../../../app/exit-codes.ts";
import type { Given } from "../../../app/invocation.ts";
import type { Answer, Command, Door } from "../../command.ts";
import { textIn } from "../../../app/text-input.ts";
import { seenOf } from "../../../app/runs/load.ts";
import { lookAgain } from "../../../app/act/refresh-question.ts";
import { causeOf } from "../../../app/view/decision/cause.ts";
import { askingTask } from "../../../app/view/work/children.ts";
import { sayTyped } from "../../../app/view/decision/choices.ts";
import {
  choicesOf,
  partCommands,
  questionOf,
  type QuestionView,
} from "../../../app/view/decision/question.ts";
import { nextForPerson } from "../../../app/view/actions.ts";
import { conflict } from "../../../app/refusal.ts";
import { shownWord } from "../../../app/view/decision/shown-digest.ts";

const HELP = "signalbox answer --help";

export const command: Command = {
  usage: "[DECISION] (VALUE [--text TEXT | --text -] | --part N=VALUE...) [--shown WORD] [--key KEY]",
  about:
    "Answers the question that a run waits with. DECISION is its id, RUN/ID, or the run; in a workspace, or where only one is open, it may be left out.\nWithout VALUE, at a terminal, the question is shown first. There VALUE may be in any case, the beginning of an option or its number in the list, and a typing mistake is refused. Where an agent only needs to know something, VALUE is the answer in your words. Only people can answer.\nOf a question in parts, VALUE answers all of them.",
  words: { min: 0, max: 2 },
  options: {
    text: { takes: "TEXT", about: "what goes with the answer; - reads it from the standard input" },
    part: {
      takes: "N=VALUE[: TEXT]",
      many: true,
      about: "answers part N of a question in parts; may be given several times",
    },
    shown: { takes: "WORD", about: "only if this is what the question shows; the word is printed with it" },
    key: { takes: "KEY", about: "the same key twice answers once, and gives the same answer" },
  },
  examples: [
    "signalbox answer UD-1 approve",
    "signalbox answer UD-3 --part 1=fix-now --part '2=accept: it is a test'",
    'signalbox answer k3d9 changes --text "keep the old name"',
  ],
  answer: (given, door): Promise<Answer> =>
    acting(door, async (on) => {
      requirePerson(on.who);
      const typed = given.lists["part"] ?? [];
      const named = typed.length === 0 ? meantBy(on, given.words) : askedOf(on, given);
      const { value } = named;
      const known = runOfKey(on, named.run, given.options["key"]);
      const { seen, notes } = whoAsks(seenOf(on, known ?? named.run), known !== undefined);
      const question = questionOf(seen);
      if (question === undefined && known === undefined)
        return answerInWords(on, seen, { value, given, door });
      if (known === undefined) await requireShown(on, seen, given);
      if (typed.length > 0) {
        const { parts, value: decides } =
          known === undefined ? answeredIn(seen, typed) : { parts: [], value: "" };
        const done = await submitAnswer(on, { seen, given, value: decides, text: undefined, parts });
        return answerOf(on, { ...done, told: [...notes, ...done.told] }, decides);
      }
      const { said, text } =
        value === undefined
          ? await atTerminal(question, seen, door)
          : question === undefined
            ? { said: value, text: undefined }
            : answerMeant(seen, question, {
                value,
                isTyped: door.isTyped?.() === true,
                hasText: given.options["text"] !== undefined,
              });
      const done = await submitAnswer(on, { seen, given, value: said, text });
      return answerOf(on, { ...done, told: [...notes, ...done.told] }, said);
    }),
};

/** A run whose task asks is answered there, and the person is told so. */
function whoAsks(seen: Seen, isKnown: boolean): { readonly seen: Seen; readonly notes: readonly string[] } {
  if (isKnown || questionOf(seen) !== undefined || hasVerb(seen, "answer")) return { seen, notes: [] };
  const asking = askingTask(seen);
  if (asking === undefined || questionOf(asking.seen) === undefined) return { seen, notes: [] };
  return {
    seen: asking.seen,
    notes: [`task ${asking.task} of ${seen.run.id} asks: this went to ${asking.seen.run.id}`],
  };
}

/** Where an agent asks on its page, the answer is words, and leads where the workflow says. */
async function answerInWords(
  on: Acting,
  seen: Seen,
  { value, given, door }: { value: string | undefined; given: Given; door: Door },
): Promise<Answer> {
  const { id: run } = seen.run;
  if (!hasVerb(seen, "answer")) throw nothingAsked(seen, value);
  const option = given.options["text"];
  const text = [value, option === "-" ? textIn(door.cwd, "-") : option].filter(Boolean).join("\n\n");
  return outcomeAnswer(await carryOut(on, { ...callOf(given, door), verb: "answer", run, text }));
}

/** Whoever says what they saw has lost a race when it is no longer so; whoever does not, answers for what the run last took in. */
async function requireShown(on: Acting, seen: Seen, { options }: Given): Promise<void> {
  const { workflow, run } = seen;
  const word = options["shown"];
  const id = run.question?.id ?? "";
  if (word !== undefined && word !== shownWord(workflow, run))
    throw conflict(run.id, `what ${id} is about has changed since it was shown as ${word}`);
  const changed = await lookAgain(on, seen);
  if (changed === "") return;
  if (word !== undefined) throw conflict(run.id, changed);
  throw new UserError("stale", changed, { next: `signalbox show ${run.id}`, exit: EXIT_GATE });
}

type Said = {
  readonly seen: Seen;
  readonly given: Given;
  readonly value: string;
  readonly text?: string | undefined;
  readonly parts?: Answering["parts"];
};

function submitAnswer(on: Acting, { seen, given, value, text: typed, parts }: Said): Promise<Done> {
  const { key, text: option } = given.options;
  const text = typed ?? (option === "-" ? textIn(on.door.cwd, "-") : option);
  return answerWith(on, {
    seen,
    value,
    text,
    key,
    parts,
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

function answerOf(on: Acting, done: Done, value: string): Answer {
  const events = done.accepted?.events ?? [];
  const again = events.find((event) => event.type === "question-repeated");
  if (events.some((event) => event.type === "parts-answered"))
    return acted(done, sayOpen(seenOf(on, done.run)));
  if (again === undefined) return acted(done, `the answer is ${value}`);
  const now = seenOf(on, done.run);
  const question = questionOf(now);
  const isLeft = events.some((event) => event.type === "moved");
  const message = isLeft
    ? `${again.reason}; ${again.id} was asked often enough: ${sayWhere(done, question)}`
    : `${again.id} is asked again${sayTimes(now)}: ${again.reason}`;
  const next = question === undefined ? nextForPerson(now) : commandsOf(question);
  return {
    ...acted(done),
    exit: question !== undefined || now.row.status === "waiting" ? EXIT_WAITING : EXIT_GATE,
    code: isLeft ? "asked-too-often" : "asked-again",
    message,
    text: () => `${message}\n`,
    next,
    talk: talkOf(done.told, next),
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
function askedOf(on: Acting, { words, options }: Given): Meant {
  const [first, second] = words;
  if (second !== undefined || options["text"] !== undefined)
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

/** Shows the question, then asks. What was shown is what the answer is bound to. */
async function atTerminal(
  question: QuestionView | undefined,
  seen: Seen,
  { cwd }: Door,
): Promise<{ said: string; text?: string | undefined }> {
  const { isatty } = process.getBuiltinModule("node:tty");
  if (question === undefined || !isatty(0) || !isatty(2))
    throw new UserError(
      "bad-usage",
      question === undefined ? "say the answer: VALUE" : `say the answer to ${question.id}`,
      question === undefined ? HELP : commandsOf(question),
    );
  const { askPerson } = await import("../../prompt.ts");
  const { stdin: input, stderr: output } = process;
  return askPerson(question, {
    run: seen.run.id,
    cause: causeOf(seen),
    cwd,
    input,
    output,
    width: output.columns,
    meant: (typed) => answerMeant(seen, question, { value: typed, isTyped: true, hasText: false }),
  });
}
