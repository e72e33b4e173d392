/**
 * A whole run of five stages with agents that do their part at once: what is left of its time when theirs is taken away is ours.
 *
 * Taken away is the time in which at least one agent or check was at work, from its first instruction to its last, as it says
 * itself. Starting its process and noticing its end is ours, and so are git and the disk.
 */

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../src/adapters/store/open.ts";
import { median, table, type Figure } from "./figure.ts";
import { node, onStage, root, waitFor, type Stage } from "./home/stage.ts";

const ROUNDS = 5;
const PHASES = 13;
const FILES = 30;
/** Cold starts of ours that a phase may cost. */
const WANTED = 2;
const NANO = 1_000_000;

/** All in milliseconds. */
type Round = {
  readonly wall: number;
  readonly agents: number;
  readonly processes: number;
  readonly next: number;
  readonly bare: number;
};

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

function measure(stage: Stage): Round {
  const stamps = prepare(stage);
  // The first run proves the workflow: that is once, and before anything begins.
  const run = begin(stage);
  const from = Date.now();
  const to = endOf(stage, run);
  const work = spansIn(stamps);
  return {
    wall: to - from,
    agents: covered(work, from, to),
    processes: work.length,
    next: coldStart(stage, stage.argv(["next", run])),
    bare: coldStart(stage, [node, "-e", "0"]),
  };
}

function prepare({ folder, env }: Stage): string {
  const stamps = join(folder, "stamps");
  mkdirSync(stamps);
  const agent = join(folder, "one-for-all.sh");
  copyFileSync(`${root}bench/staged/agent.sh`, agent);
  // What agents are started with is the person's environment, of which only some is handed on.
  const starter = join(folder, "start.sh");
  writeFileSync(starter, `#!/bin/sh\nBENCH_FOLDER=${folder} exec sh ${agent}\n`);
  chmodSync(starter, 0o700);
  const harnesses = ["claude", "codex"].map((name) => `  ${name}: { command: [${starter}] }\n`).join("");
  writeFileSync(
    join(env["XDG_CONFIG_HOME"] ?? "", "signalbox", "config.yaml"),
    `terminal: none\nharnesses:\n${harnesses}`,
  );
  return stamps;
}

function begin(stage: Stage): string {
  const check = join(stage.folder, "start.sh");
  const params = [
    "git_workflow=commit",
    "compact_stages=false",
    `lint_command=${check}`,
    `test_command=${check}`,
  ];
  return stage.say([
    "run",
    "staged",
    "More files",
    "--detach",
    ...params.flatMap((param) => ["--param", param]),
  ]);
}

/** When its last event happened, by the journal: whoever waits for it here looks only now and then. */
function endOf({ home }: Stage, run: string): number {
  const store = openStore(home);
  try {
    return waitFor("the end of the run", () => {
      const now = store.load(run)?.run;
      if (now?.question !== undefined) throw new Error(`it waits for a person in ${now.state}`);
      return now?.state === "completed" ? Date.parse(now.updatedAt) : undefined;
    });
  } finally {
    store.close();
  }
}

type Span = readonly [from: number, to: number];

function spansIn(folder: string): readonly Span[] {
  return readdirSync(folder).map((name) => {
    const [from = "", to = ""] = readFileSync(join(folder, name), "utf8").split(" ");
    return [Number(from) / NANO, Number(to) / NANO] as const;
  });
}

/** How much of the time there was at least one of them. */
function covered(spans: readonly Span[], from: number, to: number): number {
  let sum = 0;
  let last = from;
  for (const [begun, ended] of spans.toSorted(([a], [b]) => a - b)) {
    const end = Math.min(ended, to);
    sum += Math.max(0, end - Math.max(begun, last));
    last = Math.max(last, end);
  }
  return sum;
}

const STARTS = 9;

function coldStart({ env, repo }: Stage, [file, ...args]: readonly [string, ...string[]]): number {
  const times = Array.from({ length: STARTS }, () => {
    const began = performance.now();
    const { status, stderr } = spawnSync(file, args, { cwd: repo, env });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${String(status)}: ${String(stderr)}`);
    return performance.now() - began;
  });
  return median(times);
}
