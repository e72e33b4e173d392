/** Whether it matters how many changes a repository has: `list` as a process, in one with few and in one with many. */

import { quickly } from "./store.ts";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SqliteStore } from "../src/adapters/store/open.ts";
import type { Workflow } from "../src/core/model/compile.ts";
import { NO_RUN } from "../src/core/model/run.ts";
import { step } from "../src/core/step/step.ts";
import { median, table, type Figure } from "./figure.ts";
import { onStage, withStore, type Stage } from "./home/stage.ts";
import { loadWorkflow } from "./task/load.ts";

const ROUNDS = 21;
const FEW = 5;
const MANY = 500;
const WANTED = 3;
const COMMANDS = [
  ["list", "--here"],
  ["list", "--here", "--limit", String(MANY)],
  ["list", "--here", "--phase", "proposed"],
] as const;

export function benchChanges(): Promise<Figure> {
  return onStage((few) => onStage((many) => figureOf(few, many), { files: 1 }), { files: 1 });
}

async function figureOf(few: Stage, many: Stage): Promise<Figure> {
  await fill(few, FEW);
  await fill(many, MANY);
  const round = (): readonly (readonly [number, number])[] =>
    COMMANDS.map((words) => [time(few, words), time(many, words)]);
  round();
  const rounds = Array.from({ length: ROUNDS }, round);
  const results = COMMANDS.map((words, at) => {
    const of = (side: 0 | 1): number => median(rounds.map((one) => one[at]?.[side] ?? Number.NaN));
    return { words, small: of(0), large: of(1), ratio: of(1) / of(0) };
  });
  const worst = Math.max(...results.map(({ ratio }) => ratio));
  return {
    name: `\`list --here\` in a repository with ${MANY} changes, against one with ${FEW}`,
    wanted: `at most ${WANTED} times`,
    got: `${results.map(({ ratio }) => ratio.toFixed(2)).join(", ")} times`,
    ok: worst <= WANTED,
    details: `${table(
      ["command", `ms with ${FEW}`, `ms with ${MANY}`, "ratio"],
      results.map(({ words, small, large, ratio }) => [
        `\`signalbox ${words.join(" ")}\``,
        small.toFixed(1),
        large.toFixed(1),
        ratio.toFixed(2),
      ]),
    )}\n\nWhole processes; median of ${ROUNDS} alternating runs. All of them are under way, and each has its folder. The first shows fifty at most, the second all of them; the third looks at each for its phase.`,
  };
}

async function fill({ home, repo }: Stage, count: number): Promise<void> {
  const workflow = loadWorkflow("change");
  await withStore(home, async (store) => {
    await store.commit([{ type: "define", hash: workflow.hash(), definition: workflow.definition }]);
    await quickly(store, async () => {
      for (let n = 0; n < count; n += 1) await begin(store, workflow, { repo, change: `change-${n}` });
    });
  });
}

/** It waits, with nothing left to be done for it: nobody is started by whoever looks. */
async function begin(
  store: SqliteStore,
  workflow: Workflow,
  { repo, change }: { readonly repo: string; readonly change: string },
): Promise<void> {
  const folder = join(repo, "changes", change);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "proposal.md"), `## Summary\n\nThe change ${change}.\n`);
  const at = "2026-01-01T00:00:00.000Z";
  const by = { type: "human" } as const;
  const definition = workflow.hash();
  const begun = step(workflow, NO_RUN, {
    type: "run-started",
    at,
    by,
    run: change,
    definition,
    params: { change },
    readings: [],
    reserved: ["place"],
  });
  if (!begun.ok) throw new Error(`${change} refuses: ${begun.refusal.message}`);
  const appended = await store.commit([
    {
      type: "append",
      entry: {
        run: change,
        seq: 0,
        head: "",
        at,
        by,
        events: begun.events,
        after: begun.run,
        status: "running",
        deeds: [],
        birth: { workflow: "change", goal: `The change ${change}`, repo, base: "main" },
      },
    },
  ]);
  if (appended.type !== "written") throw new Error(`${change}: ${JSON.stringify(appended)}`);
}

function time({ argv, repo, env }: Stage, words: readonly string[]): number {
  const [file, ...args] = argv(words);
  const begun = performance.now();
  const { status, stderr } = spawnSync(file, args, { cwd: repo, env, stdio: ["ignore", "ignore", "pipe"] });
  const took = performance.now() - begun;
  if (status !== 0) throw new Error(`${words.join(" ")} ended with ${String(status)}: ${String(stderr)}`);
  return took;
}
