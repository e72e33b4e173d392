/** A whole run of five stages with agents that do their part at once: what is left of its time when theirs is taken away is ours. */

import { median, table, type Figure } from "./figure.ts";
import { hire, timeUntil, type Round } from "./home/instant.ts";
import { onStage, type Stage } from "./home/stage.ts";

const ROUNDS = 5;
const PHASES = 13;
const FILES = 30;
/** Cold starts of ours that a phase may cost. */
const WANTED = 2;

export async function benchStaged(): Promise<Figure> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await onStage(measure, { files: FILES }));
  const of = (value: (round: Round) => number): number => median(rounds.map(value));
  const perPhase = ({ wall, agents }: Round): number => (wall - agents) / PHASES;
  const starts = of((round) => perPhase(round) / round.next);
  const rows = [
    ["the whole run, from `run --detach` to `completed`", of(({ wall }) => wall)],
    ["of that, at least one agent or check at work", of(({ agents }) => agents)],
    [`ours, for each of ${PHASES} phases`, of(perPhase)],
    ["`signalbox next`, a cold start of ours", of(({ next }) => next)],
    ["`node -e 0`, a cold start of Node", of(({ bare }) => bare)],
  ] as const;
  const bare = of((round) => perPhase(round) / round.bare);
  return {
    name: "A whole run of `staged` with agents that take no time (13 phases, 8 tasks, one fix): our time for a phase, against a cold start of ours",
    wanted: `at most ${WANTED} times`,
    got: `${starts.toFixed(2)} times`,
    ok: starts <= WANTED,
    details: `${table(
      ["", "ms"],
      rows.map(([what, ms]) => [what, ms.toFixed(1)]),
    )}

Median of ${ROUNDS} runs, each in a state home of its own, with ${of(({ processes }) => processes)} processes of agents and checks. A cold start is \`signalbox next\`, as an agent types it; against \`node -e 0\` it is ${bare.toFixed(2)} times. Both are measured right after each run.`,
  };
}

async function measure(stage: Stage): Promise<Round> {
  const check = hire(stage, "staged/agent.sh");
  const params = [
    "git_workflow=commit",
    "compact_stages=false",
    `lint_command=${check}`,
    `test_command=${check}`,
  ];
  // The first run proves the workflow: that is once, and before anything begins.
  const run = stage.say([
    "run",
    "staged",
    "More files",
    "--detach",
    ...params.flatMap((param) => ["--param", param]),
  ]);
  return timeUntil(stage, run, { state: "completed" });
}
