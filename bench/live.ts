/** What it costs to have many agents at work: the memory of our own processes, and their time while nothing happens. */

import { readFileSync } from "node:fs";
import { fileArtifacts } from "../src/adapters/files/artifacts/artifacts.ts";
import { gitWorkspaces } from "../src/adapters/git/workspace/workspaces.ts";
import { runFolders } from "../src/adapters/home/paths.ts";
import { openStore } from "../src/adapters/store/open.ts";
import { workflowsOf, type Box } from "../src/engine/box.ts";
import type { Store } from "../src/engine/ports/store.ts";
import { begin } from "../src/engine/submit/begin.ts";
import { submit } from "../src/engine/submit/submit.ts";
import { table, thousands, type Figure } from "./figure.ts";
import { onStage, processesOf, waitFor, type Stage } from "./home/stage.ts";
import { loadTask } from "./task/load.ts";

const RUNS = 1000;
const AGENTS = 200;
const WATCHED_MS = 20_000;
const MEGABYTES_WANTED = 150 + 3 * AGENTS;
const SHARE_WANTED = 0.05;
const TICKS_PER_SECOND = 100;
const FILES = 3;

export function benchLive(): Promise<Figure> {
  return onStage(async (stage) => measure(stage), { files: FILES });
}

async function measure(stage: Stage): Promise<Figure> {
  // A person was here: what agents are started with is a person's.
  stage.say(["run", "task", "The first one", "--detach", "--no-start"]);
  const store = openStore(stage.home);
  try {
    await fill(stage, store);
    stage.say(["list"]);
    await waitFor("all agents", async () =>
      (await store.agents({ status: "running" })).length >= AGENTS ? true : undefined,
    );
    await waitFor("a quiet moment", async () =>
      (await store.nextDue()) === undefined && (await store.behind()).length === 0 ? true : undefined,
    );
  } finally {
    await store.close();
  }
  sleep(WATCHED_MS / 4);
  const ours = oursOf(stage);
  const before = secondsOf(ours.all);
  const began = performance.now();
  sleep(WATCHED_MS);
  const share = ((secondsOf(ours.all) - before) * 1000) / (performance.now() - began);
  return figureOf(ours, share);
}

async function fill(stage: Stage, store: Store): Promise<void> {
  const box = boxOf(stage, store);
  const workflow = loadTask();
  const by = { type: "human", name: "bench" } as const;
  const base = stage.head;
  for (let n = 0; n < RUNS - 1; n += 1) {
    const id = `run${String(n).padStart(5, "0")}`;
    const birth = { workflow: "task", goal: `Part ${n}`, repo: stage.repo, base };
    await begin(box, { run: id, by, workflow, birth, params: { branch: `signalbox/${id}` } });
    if (n >= AGENTS) continue;
    const moved = await submit(box, {
      run: id,
      by,
      event: ({ kept: _kept, ...facts }) => ({ type: "move-asked", by, to: "planning", ...facts }),
    });
    if (moved.type !== "accepted") throw new Error(`${id}: ${JSON.stringify(moved)}`);
  }
}

function boxOf({ home, env }: Stage, store: Store): Box {
  return {
    clock: { now: () => Date.now(), mono: () => performance.now() },
    store,
    artifacts: fileArtifacts(store),
    workspaces: gitWorkspaces({ home, env }),
    folders: (run) => runFolders(home, run),
    workflow: workflowsOf(store),
  };
}

type Ours = {
  readonly supervisor: readonly number[];
  readonly shims: readonly number[];
  readonly all: readonly number[];
};

/** The agents themselves are not ours. */
function oursOf(stage: Stage): Ours {
  const pids = processesOf(stage).map((pid) => ({ pid, line: textOf(`/proc/${pid}/cmdline`).split("\0") }));
  const supervisor = pids.filter(({ line }) => line.includes("supervise")).map(({ pid }) => pid);
  const shims = pids
    .filter(({ line }) => line.some((word) => word.endsWith("/shim.sh")))
    .map(({ pid }) => pid);
  if (supervisor.length !== 1 || shims.length < AGENTS)
    throw new Error(`${supervisor.length} supervisors and ${shims.length} shims are alive`);
  return { supervisor, shims, all: [...supervisor, ...shims] };
}

function figureOf({ supervisor, shims, all }: Ours, share: number): Figure {
  const pss = kilobytesOf(all, "Pss") / 1024;
  const row = (name: string, pids: readonly number[]): string[] => [
    name,
    String(pids.length),
    (kilobytesOf(pids, "Pss") / 1024).toFixed(1),
    (kilobytesOf(pids, "Rss") / 1024).toFixed(1),
  ];
  return {
    name: `${AGENTS} live agents and ${thousands(RUNS)} runs: all processes of ours, without the agents`,
    wanted: `at most ${MEGABYTES_WANTED} MB (150 and 3 for each agent), under ${SHARE_WANTED * 100} % of a core when nothing happens`,
    got: `${pss.toFixed(0)} MB, ${(share * 100).toFixed(1)} %`,
    ok: pss <= MEGABYTES_WANTED && share < SHARE_WANTED,
    details: `${table(["", "processes", "MB (PSS)", "MB (RSS)"], [row("supervisor", supervisor), row("shims", shims)])}\n\nPSS counts what processes share once. Time is that of all of them over ${WATCHED_MS / 1000} seconds in which nothing happens. Every agent has a workspace of its own.`,
  };
}

function kilobytesOf(pids: readonly number[], name: string): number {
  const one = (pid: number): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
  return pids.reduce((sum, pid) => sum + one(pid), 0);
}

function secondsOf(pids: readonly number[]): number {
  const one = (pid: number): number => {
    const stat = textOf(`/proc/${pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  };
  return pids.reduce((sum, pid) => sum + one(pid), 0);
}

function textOf(file: string): string {
  return readFileSync(file, "utf8");
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
