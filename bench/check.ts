/** `check` of a small and a large product: time must grow with the product and no faster, and memory stay small. */

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { peakMegabytes } from "./check/peak.ts";
import { median, table, thousands, type Figure } from "./figure.ts";

/** Budgets that make products of about 10,000 and 100,000 nodes. */
const SMALL = 6;
const LARGE = 15;
const ROUNDS = 5;
const WANTED = 0.5;
const WANTED_MB = 300;

type Result = {
  readonly nodes: number;
  readonly edges: number;
  readonly seconds: number;
};

const program = fileURLToPath(new URL("check/process.ts", import.meta.url));

export function benchCheck(): Figure {
  const rounds = Array.from({ length: ROUNDS }, () => ({ small: measure(SMALL), large: measure(LARGE) }));
  const small = rounds.map((round) => round.small);
  const large = rounds.map((round) => round.large);
  const ratio = median(large.map(speed)) / median(small.map(speed));
  const peak = Math.max(...rounds.map(() => peakMegabytes(LARGE)));
  return {
    name: "`check` of a product of 100,000 nodes: linear and small",
    wanted: `nodes/s at least ${WANTED} of those at 10,000; under ${WANTED_MB} MB`,
    got: `${ratio.toFixed(2)}; ${peak.toFixed(0)} MB`,
    ok: ratio >= WANTED && peak < WANTED_MB,
    details: `${table(["nodes", "edges", "s", "nodes/s"], [row(small), row(large)])}\n\nMedian of ${ROUNDS} alternating runs, each in a process of its own after a warm-up. Memory is the largest resident set of the command on the large one, in ${ROUNDS} runs.`,
  };
}

function measure(max: number): Result {
  const text = execFileSync(process.execPath, [program, String(SMALL), String(max)], { encoding: "utf8" });
  const { defects, ...result } = JSON.parse(text) as Result & { defects: readonly string[] };
  if (defects.length > 0) throw new Error(`the product is not proven: ${defects.join("; ")}`);
  return result;
}

function speed({ nodes, seconds }: Result): number {
  return nodes / seconds;
}

function row(results: readonly Result[]): string[] {
  const [{ nodes, edges } = { nodes: 0, edges: 0 }] = results;
  const seconds = median(results.map((result) => result.seconds));
  return [thousands(nodes), thousands(edges), seconds.toFixed(2), thousands(median(results.map(speed)))];
}
