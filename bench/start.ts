/**
 * How long commands take as processes, as they were last built, against Node doing nothing. Agents call them all the time.
 *
 * Two state homes: a quiet one, in which a run waits for a person, and one at work, with a live agent and a supervisor.
 */

import { spawnSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, table, type Figure } from "./figure.ts";
import { gitCallsOf, timeGit } from "./home/git.ts";
import { node, onStage, root, waitFor, type Stage, type Variables } from "./home/stage.ts";

const ROUNDS = 41;
const RUNS = 10;
/** The first calls of a command fill the compile cache. */
const WARM_UP = 5;

type Command = {
  readonly says: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Variables;
  readonly input?: () => string;
  /** At most so many times `node -e 0`; none where it is only printed. */
  readonly wanted?: number;
  /** What git itself takes is printed apart. */
  readonly git?: () => number;
};

export function benchStart(): Promise<Figure> {
  return onStage((quiet) =>
    onStage(async (busy) => {
      const commands = [
        ...general(quiet),
        ...reads(quiet, await waitingRun(quiet)),
        ...(await atWork(busy, await startedRun(busy))),
      ];
      return figureOf(commands, quiet);
    }),
  );
}

function general({ env, argv }: Stage): readonly Command[] {
  return [
    { says: "signalbox --version", argv: argv(["--version"]), cwd: root, env },
    { says: "signalbox check task", argv: argv(["check", "task"]), cwd: root, env, wanted: 3 },
  ];
}

function reads({ env, argv, repo }: Stage, run: string): readonly Command[] {
  const read = (words: readonly string[]): Command => ({
    says: `signalbox ${words[0] ?? ""}`,
    argv: argv(words),
    cwd: repo,
    env,
    wanted: 2,
  });
  return [read(["show", run]), read(["next", run]), read(["list"])];
}

/** A run with a workspace and the files of its life so far, that waits for a person; and others beside it. */
async function waitingRun(stage: Stage): Promise<string> {
  const runs = Array.from({ length: RUNS }, (_, n) =>
    stage.say([
      "run",
      "task",
      `Dates in the export are off by one, part ${n}`,
      "--detach",
      "--to",
      "reviewing",
    ]),
  );
  const [run = ""] = runs;
  for (const one of runs)
    await waitFor("the workspaces", async () => isThere(await stage.workspace(one)) || undefined);
  writeFileSync(join(await stage.workspace(run), "TASK.md"), TASK);
  stage.say(["submit", run, "fix_instructions", "-"], { input: "Nothing to fix.\n" });
  return run;
}

const TASK = `# Dates in the export are off by one

## Context

Reported by two people in different time zones.

## Plan

APPROACH: keep the day as it is written, and convert only where it is shown.
TOUCHING: the export and its tests.

## Handoff

DONE: the export writes the day as it was entered.
REMAINING: nothing.
DECISIONS: no new dependency.
`;

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

async function startedRun(stage: Stage): Promise<string> {
  const run = stage.say(["run", "task", "Dates in the export are off by one", "--detach"]);
  await stage.voiceOf(run);
  writeFileSync(join(await stage.workspace(run), "TASK.md"), TASK);
  return run;
}

async function atWork(stage: Stage, run: string): Promise<readonly Command[]> {
  const { env, argv, repo } = stage;
  const agent = { ...env, ...(await stage.voiceOf(run)) };
  const cwd = await stage.workspace(run);
  let plans = 0;
  const plan = (): string => `APPROACH: in ${++plans} steps\nTOUCHING: the export\n`;
  const index = indexOf(cwd);
  // Agents' commands are answered by the supervisor, git and all: only a person's calls git itself.
  stage.say(["move", "clarification"], { env: agent });
  const calls = gitCallsOf(stage, (path) =>
    stage.say(["move", run, "planning"], { env: { ...env, ...path } }),
  );
  const git = (): number => timeGit(calls, index);
  return [
    { says: "signalbox show, with a live agent", argv: argv(["show", run]), cwd: repo, env },
    { says: "signalbox next, by the agent", argv: argv(["next"]), cwd, env: agent },
    { says: "signalbox list, with a live agent", argv: argv(["list"]), cwd: repo, env },
    {
      says: "signalbox move, by the agent",
      argv: argv(["move", "clarification"]),
      cwd,
      env: agent,
      wanted: 2.6,
    },
    {
      says: "signalbox move, by a person, signed",
      argv: argv(["move", run, "planning"]),
      cwd: repo,
      env,
      wanted: 2.6,
      git,
    },
    {
      says: "signalbox submit of a Markdown section, by the agent",
      argv: argv(["submit", "plan", "-"]),
      cwd,
      env: agent,
      input: plan,
      wanted: 2.6,
    },
  ];
}

/** A workspace is a clone of its own. */
function indexOf(workspace: string): string {
  return join(workspace, ".git", "index");
}

type Round = {
  readonly nothing: number;
  readonly times: readonly number[];
  readonly gits: readonly number[];
};

function figureOf(commands: readonly Command[], { env }: Stage): Figure {
  const nothing: Command = { says: "node -e 0", argv: [node, "-e", "0"], cwd: root, env };
  // The first runs of each fill the caches of the compiler and of the file system.
  const round = (): Round => {
    const results = commands.map((command) => ({ time: time(command), git: command.git?.() ?? 0 }));
    return {
      nothing: time(nothing),
      times: results.map((one) => one.time),
      gits: results.map((one) => one.git),
    };
  };
  for (let n = 0; n < WARM_UP; n += 1) round();
  const rounds = Array.from({ length: ROUNDS }, round);
  const base = median(rounds.map((one) => one.nothing));
  const results = commands.map((command, n) => {
    const ms = median(rounds.map(({ times }) => times[n] ?? Number.NaN));
    const git = median(rounds.map(({ gits }) => gits[n] ?? Number.NaN));
    return { command, ms, git, ratio: (ms - git) / base };
  });
  const rows = results.map(({ command: { says, wanted }, ms, git, ratio }) => [
    `\`${says.split(",")[0] ?? ""}\`${says.includes(",") ? says.slice(says.indexOf(",")) : ""}`,
    ms.toFixed(1),
    git === 0 ? "" : git.toFixed(1),
    ratio.toFixed(2),
    wanted === undefined ? "" : wanted.toFixed(1),
  ]);
  const promised = results.filter(({ command }) => command.wanted !== undefined);
  return {
    name: "commands as processes, against `node -e 0`",
    wanted: "reads at most 2.0 times, `move` and `submit` 2.6, `check task` 3",
    got: promised
      .map(({ command, ratio }) => `${command.says.split(/[ ,]/)[1] ?? ""} ${ratio.toFixed(2)}`)
      .join(", "),
    ok: promised.every(({ command: { wanted = 0 }, ratio }) => ratio <= wanted),
    details: `${table(["command", "ms", "of that git", "ratio", "wanted"], [["`node -e 0`", base.toFixed(1), "", "1.00", ""], ...rows])}\n\nMedian of ${ROUNDS} alternating runs with the same Node, after ${WARM_UP} that fill the compile cache. Ratios are without what git itself takes: the same calls of git were timed alone in each round. Reads are of a quiet home with ${RUNS} runs; with a live agent, a supervisor is at work beside the command.`,
  };
}

function time({ says, argv: [file, ...args], cwd, env, input }: Command): number {
  const begin = performance.now();
  const { status, stderr } = spawnSync(file, args, {
    cwd,
    env,
    ...(input === undefined ? {} : { input: input() }),
    stdio: [input === undefined ? "ignore" : "pipe", "ignore", "pipe"],
  });
  const took = performance.now() - begin;
  if (status !== 0) throw new Error(`${says} ended with ${String(status)}: ${String(stderr)}`);
  return took;
}
