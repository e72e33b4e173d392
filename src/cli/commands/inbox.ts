/** `signalbox inbox`: what waits for a person, in all runs of this machine, the oldest first. */

import type { RunRow, Store } from "../../engine/ports.ts";
import { UserError } from "../../adapters/user-error.ts";
import { isFinished, seeRun, withStore, type Seen } from "../box.ts";
import { EXIT_OK, type Answer, type Command, type Door } from "../command.ts";
import { firstLine, sayAge } from "../say.ts";
import { isStranded, movesOfPerson, nextForPerson, questionOf, type QuestionView } from "../reading/ways.ts";

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
  readonly question: QuestionView | null;
  /** What can be typed, the most likely first. */
  readonly commands: readonly string[];
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
  const rows = [
    ...store.list({ status: "waiting", limit: LIMIT }).rows,
    ...store.list({ attention: true, limit: LIMIT }).rows,
  ];
  const unique = new Map(rows.map((row) => [row.id, row]));
  return [...unique.values()]
    .filter((row) => row.attention !== "" || !isFinished(row))
    .map((row) => itemOf(store, row, door))
    .toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
}

function itemOf(store: Store, row: RunRow, door: Door): InboxItem {
  const { id: run, workflow, goal, state, updatedAt: since, attention } = row;
  const base = { run, workflow, goal, state, since, question: null };
  const damaged = (reason: string): InboxItem => ({
    ...base,
    kind: "damaged",
    what: reason,
    commands: ["signalbox doctor --repair"],
  });
  if (row.status === "damaged") return damaged(attention);
  try {
    const seen = seeRun(store, door, run);
    if (attention !== "")
      return { ...base, kind: "attention", what: attention, commands: [nextForPerson(seen)] };
    if (row.halted)
      return { ...base, kind: "halted", what: "a person has halted it", commands: [nextForPerson(seen)] };
    const question = questionOf(seen);
    if (question !== undefined) {
      const commands = question.options.map(({ command: line }) => line);
      return {
        ...base,
        kind: "question",
        since: question.openedAt,
        what: `${question.id}: ${question.question}`,
        question,
        commands,
      };
    }
    if (isStranded(seen))
      return { ...base, kind: "crashed", what: crashedIn(seen), commands: [nextForPerson(seen)] };
    const open = movesOfPerson(seen);
    const commands = open.length === 0 ? [nextForPerson(seen)] : open.map((way) => way.command);
    return {
      ...base,
      kind: "waiting",
      what: seen.workflow.definition.states[state]?.title || `it is in ${state}`,
      commands,
    };
  } catch (error) {
    // One run that cannot be read must not hide the others.
    if (error instanceof UserError) return damaged(error.message);
    throw error;
  }
}

function crashedIn({ run }: Seen): string {
  const roles = Object.values(run.agents)
    .filter(({ status }) => status === "crashed")
    .map(({ role }) => role);
  return `${roles.join(" and ")} crashed too often`;
}

function show(item: InboxItem, { paint }: Door): string {
  const head = `${paint.bold(item.run)} ${item.workflow}, ${paint.cyan(item.state)}, ${sayAge(item.since, Date.now())}: ${firstLine(item.goal)}`;
  const what = item.kind === "attention" || item.kind === "damaged" ? paint.red(item.what) : item.what;
  return [head, `  ${what}`, ...item.commands.map((line) => `    ${line}`), ""].join("\n");
}
