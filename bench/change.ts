/** A change is planned by agents that do their part at once: what is left of its time when theirs is taken away is ours. */

import { median, table, type Figure } from "./figure.ts";
import { hire, timeUntil, type Round } from "./home/instant.ts";
import { onStage, type Stage } from "./home/stage.ts";

const ROUNDS = 5;
const SPECS = 5;
/** The proposal, the digests of the main specs, each spec, the tasks, and the challenge. */
const STEPS = SPECS + 4;
const FILES = 30;
/** Cold starts of ours that a step may cost. */
const WANTED = 2;

export async function benchChange(): Promise<Figure> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await onStage(measure, { files: FILES }));
  const of = (value: (round: Round) => number): number => median(rounds.map(value));
  const perStep = ({ wall, agents }: Round): number => (wall - agents) / STEPS;
  const starts = of((round) => perStep(round) / round.next);
  const rows = [
    ["the whole of it, from `plan --detach` to `challenged`", of(({ wall }) => wall)],
    ["of that, at least one agent at work", of(({ agents }) => agents)],
    [`ours, for each of ${STEPS} steps`, of(perStep)],
    ["`signalbox next`, a cold start of ours", of(({ next }) => next)],
    ["`node -e 0`, a cold start of Node", of(({ bare }) => bare)],
  ] as const;
  const bare = of((round) => perStep(round) / round.bare);
  return {
    name: `\`plan\` to \`challenged\` with agents that take no time (${SPECS} specs that depend on each other, ${STEPS} steps): our time for a step, against a cold start of ours`,
    wanted: `at most ${WANTED} times`,
    got: `${starts.toFixed(2)} times`,
    ok: starts <= WANTED,
    details: `${table(
      ["", "ms"],
      rows.map(([what, ms]) => [what, ms.toFixed(1)]),
    )}

Median of ${ROUNDS} changes, each in a state home of its own, with ${of(({ processes }) => processes)} processes of agents. A cold start is \`signalbox next\`, as an agent types it; against \`node -e 0\` it is ${bare.toFixed(2)} times. Both are measured right after each run.`,
  };
}

async function measure(stage: Stage): Promise<Round> {
  hire(stage, "change/agent.sh");
  // The first run proves the workflow: that is once, and before anything begins.
  const run = stage.say(["plan", "more", "More files", "--detach"]);
  return timeUntil(stage, run, { state: "challenged" });
}
