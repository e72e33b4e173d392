/** `signalbox list`: the runs of this machine, those that wait for a person first. */

import { call } from "../../../app/client.ts";
import { STATUSES } from "../../../app/view/lists/list.ts";
import { answerOf } from "../../acted.ts";
import type { Answer, Command } from "../../command.ts";
import { numberOption } from "../../number-option.ts";
import { sayRuns } from "../../render/list.ts";

const HELP = "signalbox list --help";
const LIMIT = 50;
const LIMIT_MAX = 100_000;

export const command: Command = {
  usage: "[--all] [--state S] [--phase P] [--status S] [--workflow W] [--repo PATH | --here] [--limit N]",
  about:
    "Lists the runs of this machine that are under way, those that wait for you first; with --all, also those that have ended.",
  words: { min: 0, max: 0 },
  options: {
    all: { about: "also those that have ended" },
    state: { takes: "STATE", about: "only those in this state" },
    phase: { takes: "PHASE", about: "only those in this phase, of workflows whose states have one" },
    status: { takes: STATUSES.join("|"), about: "only those with this status" },
    workflow: { takes: "NAME", about: "only those of this workflow" },
    repo: { takes: "PATH", about: "only those of this repository" },
    here: { about: "only those of the repository that you are in" },
    limit: { takes: "N", about: `at most so many; ${LIMIT} unless given` },
  },
  examples: [
    "signalbox list",
    "signalbox list --here --status waiting",
    "signalbox list --all --limit 200 --json",
  ],
  async answer(given, door): Promise<Answer> {
    const { all, state, phase, status, workflow, repo, here } = given.options;
    const limit = numberOption(given, "limit", { otherwise: LIMIT, min: 1, max: LIMIT_MAX, help: HELP });
    const outcome = await call(door, "list", {
      all: all !== undefined,
      state,
      phase,
      status,
      workflow,
      repo,
      here: here !== undefined,
      limit,
    });
    return answerOf(outcome, () => sayRuns(outcome.data.runs, { ...door, now: Date.now() }));
  },
};
