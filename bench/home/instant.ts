/**
 * Agents that do their part at once, and what is left of a run's time when theirs is taken away: that is ours.
 *
 * Taken away is the time in which at least one agent or check was at work, from its first instruction to its last, as it says
 * itself. Starting its process and noticing its end is ours, and so are git and the disk.
 */

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../figure.ts";
import { node, root, waitFor, withStore, type Stage } from "./stage.ts";

const STARTS = 9;
const HARNESSES = ["claude", "codex", "gemini"];
const NANO = 1_000_000;

/** All in milliseconds. */
export type Round = {
  readonly wall: number;
  readonly agents: number;
  readonly processes: number;
  /** A cold start of ours. */
  readonly next: number;
  /** A cold start of Node. */
  readonly bare: number;
};

/** Has `script`, a file of the bench, be every agent. Gives the command that starts it, for checks. */
export function hire({ folder, env }: Stage, script: string): string {
  mkdirSync(stampsIn(folder));
  const agent = join(folder, "one-for-all.sh");
  copyFileSync(`${root}bench/${script}`, agent);
  // What agents are started with is the person's environment, of which only some is handed on.
  const starter = join(folder, "start.sh");
  writeFileSync(starter, `#!/bin/sh\nBENCH_FOLDER=${folder} exec sh ${agent}\n`);
  chmodSync(starter, 0o700);
  const harnesses = HARNESSES.map((name) => `  ${name}: { driver: command, command: [${starter}] }\n`).join(
    "",
  );
  writeFileSync(
    join(env["XDG_CONFIG_HOME"] ?? "", "signalbox", "config.yaml"),
    `terminal: none\nsandbox: off\nharnesses:\n${harnesses}`,
  );
  return starter;
}

/**
 * From now until the run, which has just begun, is in the state that it was begun for. What it asks a person is answered with
 * `answers`, in turn: until that is typed it waits for them, and from then on it is ours.
 */
export async function timeUntil(
  stage: Stage,
  run: string,
  { state, answers = [] }: { readonly state: string; readonly answers?: readonly string[] },
): Promise<Round> {
  const from = Date.now();
  const waits = await Promise.all(answers.map((answer) => answered(stage, run, answer)));
  const to = await reached(stage, run, state);
  const work = spansIn(stampsIn(stage.folder));
  return {
    wall: to - from,
    agents: covered([...work, ...waits], from, to),
    processes: work.length,
    next: coldStart(stage, stage.argv(["next", run])),
    bare: coldStart(stage, [node, "-e", "0"]),
  };
}

function stampsIn(folder: string): string {
  return join(folder, "stamps");
}

/** When its last event happened, by the journal: whoever waits for it here looks only now and then. */
async function reached({ home }: Stage, run: string, state: string): Promise<number> {
  return withStore(home, (store) =>
    waitFor(`${state} of the run`, async () => {
      const now = (await store.load(run))?.run;
      if (now?.question !== undefined) throw new Error(`it waits for a person in ${now.state}`);
      return now?.state === state ? Date.parse(now.updatedAt) : undefined;
    }),
  );
}

async function answered({ home, say }: Stage, run: string, answer: string): Promise<Span> {
  const asked = await withStore(home, (store) =>
    waitFor(`a question for "${answer}"`, async () => {
      const now = (await store.load(run))?.run;
      return now?.question === undefined ? undefined : Date.parse(now.updatedAt);
    }),
  );
  const typed = Date.now();
  say(["answer", run, answer]);
  return [asked, typed];
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

function coldStart({ env, repo }: Stage, [file, ...args]: readonly [string, ...string[]]): number {
  const times = Array.from({ length: STARTS }, () => {
    const began = performance.now();
    const { status, stderr } = spawnSync(file, args, { cwd: repo, env });
    if (status !== 0) throw new Error(`${args.join(" ")} ended with ${String(status)}: ${String(stderr)}`);
    return performance.now() - began;
  });
  return median(times);
}
