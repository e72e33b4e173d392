/** The runs of one workflow in a project, with whether an agent is at work: `list`, as a workflow declares it. */

import { withStore } from "../../app/runs/find.ts";
import { EXIT_OK } from "../../app/exit-codes.ts";
import type { Given } from "../../app/invocation.ts";
import type { TaskSummary } from "../../app/view/run-view.ts";
import { tasksIn } from "../../app/view/lists/task-list.ts";
import type { Answer, Command } from "../command.ts";
import { numberOption } from "../number-option.ts";
import { sayTaskRows } from "../render/list.ts";

const HELP = "signalbox list --help";
const LIMIT = 1000;
const LIMIT_MAX = 100_000;

export const command: Command = {
  usage: "[--all] [--status STATE] [--project PROJECT] [--limit N]",
  about:
    "Lists the open runs of this workflow in this project, the newest first: whether an agent of it lives (●), is dead (✗) or unknown (?), its summary, state, what it waits for,\nreview round, age, branch and id. Outside of any repository, those of all projects.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "also those that are over" },
    status: { takes: "STATE", about: "only those in this state" },
    project: { takes: "PROJECT", about: "those of this project" },
    workflow: { takes: "NAME", about: "those of this workflow" },
    limit: { takes: "N", about: `at most so many; ${LIMIT} unless given` },
  },
  examples: ["signalbox list", "signalbox list --all --json"],
  answer: (given, door) =>
    withStore(door, async (store) => {
      const limit = numberOption(given, "limit", { otherwise: LIMIT, min: 1, max: LIMIT_MAX, help: HELP });
      const { tasks, more, queues } = await tasksIn(store, given, { cwd: door.cwd, env: door.env, limit });
      const next = nextFor(tasks);
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}${more > 0 ? `, and ${more} more` : ""}`,
        data: () => ({ tasks, more }),
        text: () => sayTaskRows(tasks, { ...door, now: Date.now() }),
        next,
        talk: [
          ...(tasks.length === 0 ? [`  ${sayNone(given)}`] : []),
          ...(more > 0 ? [`  ${more} more: --limit ${tasks.length + more}`] : []),
          ...queues.map((each) => `  ${each}`),
          `  next: ${next}`,
          "",
        ].join("\n"),
      } satisfies Answer;
    }),
};

function sayNone({ options: { all, status, project } }: Given): string {
  const where = project === undefined ? "this project" : `the project ${project}`;
  if (status !== undefined) return `No task in ${status} in ${where}.`;
  return all === undefined ? `No open task in ${where}.` : `No task in ${where}.`;
}

function nextFor(tasks: readonly TaskSummary[]): string {
  const [first] = tasks;
  if (first === undefined) return "signalbox create SUMMARY";
  const isYours = ({ waits }: TaskSummary): boolean =>
    ["person", "crashed", "attention", "stopped"].includes(waits.kind);
  return tasks.some(isYours) ? "signalbox inbox" : `signalbox show ${first.run}`;
}
