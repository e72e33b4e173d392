/**
 * How soon a reviewer is at work: from the worker's command to the reviewer's first instruction, against what nobody can do without: one
 * start of Node and one window of tmux with a process in it.
 */

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, table, type Figure } from "./figure.ts";
import { node, onStage, waitFor, type Stage } from "./home/stage.ts";

const ROUNDS = 10;
const WANTED = 2;
const NANO = 1_000_000;

export function benchReview(): Promise<Figure> {
  return onStage((stage) => figureOf(stage), { terminal: true });
}

async function figureOf(stage: Stage): Promise<Figure> {
  writeAgents(stage);
  const socket = join(stage.folder, "bare");
  const tmux = (...args: string[]): void => {
    const { status, stderr } = spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      env: stage.env,
    });
    if (status !== 0) throw new Error(`tmux ${args.join(" ")}: ${String(stderr)}`);
  };
  tmux("new-session", "-d", "-s", "bare", "sleep 100000");
  try {
    const rounds: (readonly [ours: number, least: number])[] = [];
    for (let n = 0; n < ROUNDS; n += 1) rounds.push([await review(stage, n), await bare(stage, n, socket)]);
    const ours = median(rounds.map(([one]) => one));
    const least = median(rounds.map(([, one]) => one));
    const ratio = ours / least;
    const rows = [
      ["`task update --status agent-review`, until the reviewer's first instruction", ours.toFixed(1)],
      ["`node -e 0` and `tmux new-window`, until the first instruction in it", least.toFixed(1)],
    ];
    return {
      name: "From `--status agent-review` to the reviewer's first instruction, against starting Node and a window of tmux",
      wanted: `at most ${WANTED} times`,
      got: `${ratio.toFixed(2)} times`,
      ok: ratio <= WANTED,
      details: `${table(["", "ms"], rows)}\n\nMedian of ${ROUNDS} alternating rounds, each with a task of its own.`,
    };
  } finally {
    tmux("kill-server");
  }
}

function writeAgents({ folder, env }: Stage): void {
  writeFileSync(
    join(folder, "worker.sh"),
    `set -e
cd "$PWD"
echo 'APPROACH: one line' | signalbox submit plan - --quiet
signalbox update --status working --quiet
# Nobody is done in a second: files that were written in this one would be read once more.
sleep 2.5
echo more >>part-0/file-0.txt
git commit --quiet --all --message more
sleep 2.5
echo 'DONE: one line' | signalbox submit handoff - --quiet
: >${folder}/ready-$SIGNALBOX_RUN
while [ ! -e ${folder}/go-$SIGNALBOX_RUN ]; do sleep 0.02; done
date +%s%N >${folder}/from-$SIGNALBOX_RUN
signalbox update --status agent-review --quiet
exec sleep 100000
`,
  );
  writeFileSync(join(folder, "reviewer.sh"), `date +%s%N >${folder}/to-$SIGNALBOX_RUN\nexec sleep 100000\n`);
  writeFileSync(
    join(folder, "bare.sh"),
    `date +%s%N >"$1"\n"$3" -e 0\ntmux -S "$4" new-window -d -t bare: sh -c 'date +%s%N >"$0"' "$2"\n`,
  );
  writeFileSync(
    join(env["XDG_CONFIG_HOME"] ?? "", "signalbox", "config.yaml"),
    `sandbox: off\nharnesses:\n  worker: { command: [sh, ${folder}/worker.sh], terminal: [sh, ${folder}/worker.sh] }\n  reviewer: { command: [sh, ${folder}/reviewer.sh] }\n`,
  );
}

async function review(stage: Stage, n: number): Promise<number> {
  const { folder } = stage;
  const made = stage.say([
    "task",
    "create",
    `part-${n}`,
    `Part ${n}`,
    "--harness",
    "worker",
    "--review-harness",
    "reviewer",
    "--json",
  ]);
  const { run } = JSON.parse(made) as { run: string };
  await waitFor(`the handoff of ${run}`, () => (existsSync(join(folder, `ready-${run}`)) ? true : undefined));
  sleep(500);
  writeFileSync(join(folder, `go-${run}`), "");
  const to = await waitFor(`the reviewer of ${run}`, () => stampIn(join(folder, `to-${run}`)));
  const took = to - (stampIn(join(folder, `from-${run}`)) ?? Number.NaN);
  stage.say(["task", "cancel", run, "--yes"]);
  return took;
}

async function bare({ folder, env }: Stage, n: number, socket: string): Promise<number> {
  const [from, to] = [join(folder, `bare-from-${n}`), join(folder, `bare-to-${n}`)];
  spawnSync("sh", [join(folder, "bare.sh"), from, to, node, socket], { env });
  const end = await waitFor("the bare window", () => stampIn(to));
  return end - (stampIn(from) ?? Number.NaN);
}

function stampIn(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8").trim();
  return text === "" ? undefined : Number(text) / NANO;
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
