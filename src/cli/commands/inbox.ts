/** `signalbox inbox`: what waits for a person, in all runs of this machine, the oldest first. */

import { sayDeadlock } from "../../engine/deadlocks.ts";
import { inLine } from "../../engine/line.ts";
import type { RunRow } from "../../engine/ports/journal.ts";
import type { Store } from "../../engine/ports/store.ts";
import { UserError } from "../../adapters/user-error.ts";
import { isFinished, seeRun, withStore, type Seen } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Answer, Command, Door } from "../command.ts";
import { fitted, wrapped } from "../fit.ts";
import { firstLine, sayAge } from "../../app/view/words.ts";
import { aboutOf } from "../../app/view/about.ts";
import { sayTyped, type Choice } from "../../app/view/choices.ts";
import { causeOf } from "../../app/view/cause.ts";
import { sayCause } from "../render/cause.ts";
import { choicesOfLanded, landedIn, sayLanded } from "../../app/view/landed.ts";
import { choicesOfForeign } from "../../app/view/foreign-edits.ts";
import { choicesOf, questionOf, sayParts, sayReads, type QuestionView } from "../../app/view/question.ts";
import { askedIn } from "../../app/view/task-choices.ts";
import {
  deadlockOf,
  deadlocksIn,
  isStranded,
  sayCrashed,
  troubleOf,
  withoutWorkspace,
} from "../../app/view/trouble.ts";
import { choicesOfPerson, nextForPerson } from "../../app/view/moves.ts";

const LIMIT = 1000;

/** What `--json` gives for each. */
export type InboxItem = {
  readonly run: string;
  readonly workflow: string;
  readonly goal: string;
  readonly state: string;
  /** `question`, `attention`, `halted`, `crashed`, `damaged`, or `waiting` for a move. */
  readonly kind: "question" | "attention" | "halted" | "crashed" | "damaged" | "waiting";
  readonly since: string;
  readonly what: string;
  /** What stands on its page for people to answer, or why it asks; empty where nothing does. */
  readonly asked: string;
  readonly question: QuestionView | null;
  /** What can be typed, the most likely first. */
  readonly commands: readonly string[];
  /** The same, with where each leads. */
  readonly choices: readonly Choice[];
};

export type InboxData = { readonly items: readonly InboxItem[] };

export const command: Command = {
  usage: "",
  about:
    "Lists what waits for a person: open questions, runs that wait for a move, and runs that need attention. The oldest comes first, each with what to type.",
  words: { min: 0, max: 0 },
  options: {},
  examples: ["signalbox inbox", "signalbox inbox --json"],
  answer: (_given, door) =>
    withStore(door, (store) => {
      const items = store === undefined ? [] : itemsOf(store, door);
      const data: InboxData = { items };
      const next = items[0]?.commands[0] ?? "signalbox list";
      return {
        exit: EXIT_OK,
        code: "ok",
        message:
          items.length === 0
            ? "nothing waits for you"
            : `${items.length} ${items.length === 1 ? "run waits" : "runs wait"} for you`,
        data: () => data,
        text: () =>
          items.length === 0 ? "Nothing waits for you.\n" : items.map((item) => show(item, door)).join("\n"),
        next,
        ...(items.length === 0 ? { talk: `  next: ${next}\n` } : {}),
      } satisfies Answer;
    }),
};

function itemsOf(store: Store, door: Door): InboxItem[] {
  const deadlocks = deadlocksIn(store);
  const rows = [
    ...store.list({ status: "waiting", limit: LIMIT }).rows,
    ...store.list({ attention: true, limit: LIMIT }).rows,
    ...[...deadlocks.keys()].flatMap((run) => store.load(run)?.row ?? []),
    ...landedIn(store),
    ...withoutWorkspace(store),
  ];
  const unique = new Map(rows.map((row) => [row.id, row]));
  const isNext = inLine(store);
  return [...unique.values()]
    .filter((row) => troubleOf(store, row) !== "" || row.halted || !isNext.has(row.id))
    .filter((row) => !isFinished(row) || troubleOf(store, row) !== "")
    .map((row) => itemOf(store, row, door))
    .toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
}

function itemOf(store: Store, row: RunRow, door: Door): InboxItem {
  const { id: run, workflow, goal, state, updatedAt: since, attention } = row;
  const base = { run, workflow, goal, state, since, asked: "", question: null };
  const damaged = (reason: string): InboxItem => ({
    ...base,
    kind: "damaged",
    what: reason,
    ...typed([{ command: "signalbox doctor --repair", means: "" }]),
  });
  if (row.status === "damaged") return damaged(attention);
  try {
    const seen = seeRun(store, door, run);
    const own = itemSeen(seen);
    return {
      ...base,
      ...own,
      goal: aboutOf(seen.workflow.definition, seen.run, row),
      what: `${ofTask(store, run)}${own.what}`,
    };
  } catch (error) {
    // One run that cannot be read must not hide the others.
    if (error instanceof UserError) return damaged(error.message);
    throw error;
  }
}

/** A task of another run has a name that nobody gave it. */
function ofTask(store: Store, run: string): string {
  const child = store.childAs(run);
  return child === undefined ? "" : `task ${child.task.id} of ${child.parent}: `;
}

type Own = Pick<InboxItem, "kind" | "what" | "commands" | "choices"> & Partial<InboxItem>;

function itemSeen(seen: Seen): Own {
  const { row, workflow } = seen;
  const known = row.halted ? [] : choicesOfForeign(seen);
  const mend = typed(known.length > 0 ? known : [{ command: nextForPerson(seen), means: "" }]);
  const trouble = troubleOf(seen.store, row);
  if (trouble !== "") return { kind: "attention", what: trouble, ...mend };
  if (row.halted) return { kind: "halted", what: "a person has halted it", ...mend };
  const deadlock = deadlockOf(seen);
  if (deadlock !== undefined) {
    const ways = choicesOfPerson(seen);
    return {
      kind: "attention",
      what: sayDeadlock(deadlock),
      ...(ways.length === 0 ? mend : typed(ways)),
    };
  }
  const question = questionOf(seen);
  if (question !== undefined)
    return {
      kind: "question",
      since: question.openedAt,
      what: `${question.id}: ${question.question}`,
      asked: causeOf(seen).join("\n"),
      question,
      ...typed(choicesOf(question)),
    };
  if (isStranded(seen)) return { kind: "crashed", what: sayCrashed(seen), ...mend };
  const landed = sayLanded(seen);
  if (landed !== "" && row.status === "running") {
    const goOn = { command: `signalbox show ${row.id}`, means: "it is not: the run goes on" };
    return { kind: "waiting", what: landed, ...typed([...choicesOfLanded(seen), goOn]) };
  }
  const choices = choicesOfPerson(seen);
  const title = workflow.definition.states[row.state]?.title || `it is in ${row.state}`;
  const what = landed === "" ? title : `${title}; ${landed}`;
  return { kind: "waiting", what, asked: askedIn(seen), ...(choices.length === 0 ? mend : typed(choices)) };
}

function typed(choices: readonly Choice[]): Pick<InboxItem, "commands" | "choices"> {
  return { commands: choices.map(({ command: line }) => line), choices };
}

/** A question may have several lines; they belong to its run. */
function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`.trimEnd())
    .join("\n");
}

function show(item: InboxItem, { paint, cwd, width }: Door): string {
  const head = `${paint.bold(item.run)} ${item.workflow}, ${paint.cyan(item.state)}, ${sayAge(item.since, Date.now())}: ${firstLine(item.goal)}`;
  const what = item.kind === "attention" || item.kind === "damaged" ? paint.red(item.what) : item.what;
  const reads = sayReads(item.question?.reads ?? [], cwd).map((line) => `    ${line}`);
  const choices = fitted(
    item.choices.map((choice) => [`    ${sayTyped(choice)}`, choice.means]),
    width,
  );
  const asked = item.asked === "" ? [] : sayCause(item.asked.split("\n"), width);
  const said = wrapped(indented(what), width);
  const parts = item.question === null ? [] : sayParts({ run: item.run, ...item.question });
  const lines = parts.map((line) => `    ${line}`);
  return `${head}\n${said}\n${asked.join("")}${[...reads, ...lines].map((line) => `${line}\n`).join("")}${choices}`;
}
