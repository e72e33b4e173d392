/** Whether it matters how many runs there are: commands as processes in a home with few and in one with many. */

import { spawnSync } from "node:child_process";
import { openStore } from "../src/adapters/store/open.ts";
import { median, table, thousands, type Figure } from "./figure.ts";
import { onStage, type Stage } from "./home/stage.ts";
import { beginRuns } from "./store.ts";

const ROUNDS = 21;
const FEW = 10;
const MANY = 10_000;
const WANTED = 3;

export function benchList(): Promise<Figure> {
  return onStage((few) => onStage((many) => figureOf(few, many), { files: 1 }), { files: 1 });
}

async function figureOf(few: Stage, many: Stage): Promise<Figure> {
  await fill(few, FEW);
  await fill(many, MANY);
  const commands = { list: ["list"], show: ["show", "run000003"] };
  const round = (): Readonly<Record<"list" | "show", readonly [number, number]>> => ({
    list: [time(few, commands.list), time(many, commands.list)],
    show: [time(few, commands.show), time(many, commands.show)],
  });
  round();
  const rounds = Array.from({ length: ROUNDS }, round);
  const results = (["list", "show"] as const).map((name) => {
    const [small, large] = [0, 1].map((at) => median(rounds.map((one) => one[name][at] ?? Number.NaN)));
    return { name, small: small ?? Number.NaN, large: large ?? Number.NaN };
  });
  const ratio = (results[0]?.large ?? Number.NaN) / (results[0]?.small ?? Number.NaN);
  const rows = results.map(({ name, small, large }) => [
    `\`signalbox ${name}\``,
    small.toFixed(1),
    large.toFixed(1),
    (large / small).toFixed(2),
  ]);
  return {
    name: `\`list\` with ${thousands(MANY)} runs, against \`list\` with ${FEW}`,
    wanted: `at most ${WANTED} times`,
    got: `${ratio.toFixed(2)} times`,
    ok: ratio <= WANTED,
    details: `${table(["command", `ms with ${FEW}`, `ms with ${thousands(MANY)}`, "ratio"], rows)}\n\nWhole processes; median of ${ROUNDS} alternating runs. All of them are under way.`,
  };
}

async function fill({ home }: Stage, count: number): Promise<void> {
  const store = openStore(home);
  await beginRuns(store, count);
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
