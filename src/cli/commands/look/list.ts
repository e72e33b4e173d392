/** `signalbox list`: the runs of this machine, those under way first. */

import { withStore } from "../../../app/runs/find.ts";
import { EXIT_OK } from "../../../app/exit-codes.ts";
import type { Given } from "../../../app/invocation.ts";
import { listOf, STATUSES } from "../../../app/view/lists/list.ts";
import type { RunSummary } from "../../../app/view/run-view.ts";
import type { Answer, Command } from "../../command.ts";
import { numberOption } from "../../number-option.ts";
import { sayRuns } from "../../render/list.ts";

const HELP = "signalbox list --help";
const LIMIT = 50;
const LIMIT_MAX = 100_000;

export const command: Command = {
  usage: "[--all] [--state S] [--phase P] [--status S] [--workflow W] [--repo PATH | --here] [--limit N]",
  about:
    "Lists the runs of this machine that are under way, the newest first; with --all, also those that have ended.",
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
  answer: (given, door) =>
    withStore(door, (store) => {
      const limit = numberOption(given, "limit", { otherwise: LIMIT, min: 1, max: LIMIT_MAX, help: HELP });
      const { runs, more, queues, hasEnded } = listOf(store, given, { cwd: door.cwd, env: door.env, limit });
      const next = nextFor(runs, hasEnded && isPlain(given));
      return {
        exit: EXIT_OK,
        code: "ok",
        message: `${runs.length} ${runs.length === 1 ? "run" : "runs"}${more > 0 ? `, and ${more} more` : ""}`,
        data: () => ({ runs, more }),
        text: () => sayRuns(runs, { ...door, now: Date.now() }),
        next,
        talk: [
          ...(runs.length === 0 ? [`  ${sayNone(given, hasEnded)}`] : []),
          ...(more > 0 ? [`  ${more} more: --limit ${runs.length + more}`] : []),
          ...queues.map((each) => `  ${each}`),
          `  next: ${next}`,
          "",
        ].join("\n"),
      } satisfies Answer;
    }),
};

/** No filter was given. */
function isPlain({ options }: Given): boolean {
  return ["all", "state", "phase", "status", "workflow", "repo", "here"].every(
    (name) => options[name] === undefined,
  );
}

function sayNone(given: Given, hasEnded: boolean): string {
  if (!isPlain(given)) return "No run matches.";
  return hasEnded ? "No run is under way." : "No runs yet.";
}

function nextFor(runs: readonly RunSummary[], hasEnded: boolean): string {
  if (runs.length === 0) return hasEnded ? "signalbox list --all" : "signalbox run WORKFLOW GOAL";
  const isYours = ({ waits }: RunSummary): boolean =>
    ["person", "crashed", "attention", "stopped"].includes(waits.kind);
  return runs.some(isYours) ? "signalbox inbox" : `signalbox show ${runs[0]?.run ?? ""}`;
}
