/** Many tasks, some of them at work in terminals: what a look at all of them costs, against a look at ten runs without any. */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../src/adapters/store/open.ts";
import { median, table, thousands, type Figure } from "./figure.ts";
import { onStage, waitFor, withStore, type Stage } from "./home/stage.ts";
import { beginRuns } from "./store.ts";

const ROUNDS = 21;
const FEW = 10;
const MANY = 1000;
const LIVE = 50;
const WANTED = 3;

export function benchTasks(): Promise<Figure> {
  return onStage((few) => onStage((many) => figureOf(few, many), { files: 3, terminal: true }), { files: 1 });
}

async function figureOf(few: Stage, many: Stage): Promise<Figure> {
  await withStore(few.home, (store) => beginRuns(store, FEW));
  await fill(many);
  const round = (): readonly [number, number] => [
    time(few, ["list"]),
    time(many, ["task", "list", "--limit", "50"]),
  ];
  round();
  const rounds = Array.from({ length: ROUNDS }, round);
  const small = median(rounds.map(([one]) => one));
  const large = median(rounds.map(([, one]) => one));
  const calls = tmuxCalls(many, ["task", "list"]);
  const ratio = large / small;
  const rows = [
    ["`signalbox list`", String(FEW), "0", small.toFixed(1)],
    ["`signalbox task list`", thousands(MANY), String(calls), large.toFixed(1)],
  ];
  return {
    name: `\`task list\` with ${thousands(MANY)} tasks and ${LIVE} live terminal sessions, against \`list\` with ${FEW} runs`,
    wanted: `at most ${WANTED} times, and one call of tmux`,
    got: `${ratio.toFixed(2)} times, ${calls} ${calls === 1 ? "call" : "calls"}`,
    ok: ratio <= WANTED && calls <= 1,
    details: `${table(["command", "runs", "calls of tmux", "ms"], rows)}\n\nWhole processes; median of ${ROUNDS} alternating runs.`,
  };
}

async function fill(stage: Stage): Promise<void> {
  const created = Array.from({ length: LIVE }, (_, n) =>
    stage.say(["task", "create", `part-${n}`, `Part ${n}`, "--quiet"]),
  );
  const store = openStore(stage.home);
  await beginRuns(store, MANY - created.length, stage.repo);
  await waitFor("all agents", async () =>
    (await store.agents({ status: "running" })).length >= LIVE ? true : undefined,
  );
  await waitFor("a quiet moment", async () =>
    (await store.nextDue()) === undefined && (await store.behind()).length === 0 ? true : undefined,
  );
  await store.close();
}

function time({ argv, repo, env }: Stage, words: readonly string[]): number {
  const [file, ...args] = argv(words);
  const begin = performance.now();
  const { status, stderr } = spawnSync(file, args, { cwd: repo, env, stdio: ["ignore", "ignore", "pipe"] });
  const took = performance.now() - begin;
  if (status !== 0) throw new Error(`${words.join(" ")} ended with ${String(status)}: ${String(stderr)}`);
  return took;
}

/** Counted by standing in for tmux on the path. */
function tmuxCalls(stage: Stage, words: readonly string[]): number {
  const bin = join(stage.folder, "bin");
  const log = join(stage.folder, "tmux.log");
  const real = spawnSync("sh", ["-c", "command -v tmux"], { encoding: "utf8", env: stage.env }).stdout.trim();
  rmSync(log, { force: true });
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "tmux"), `#!/bin/sh\necho x >>${log}\nexec ${real} "$@"\n`);
  chmodSync(join(bin, "tmux"), 0o755);
  stage.say(words, { env: { PATH: `${bin}:${stage.env["PATH"] ?? ""}` } });
  return existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n").length : 0;
}
