/** The runs of one workflow in a project, with whether an agent is at work: `list`, as a workflow declares it. */

import { withStore } from "../../app/runs/find.ts";
import { listTasks } from "../../app/view/lists/task-list.ts";
import { answerOf } from "../acted.ts";
import type { Command } from "../command.ts";
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
      const outcome = await listTasks(store, given, { cwd: door.cwd, env: door.env, limit });
      return answerOf(outcome, () => sayTaskRows(outcome.data.tasks, { ...door, now: Date.now() }));
    }),
};
