/**
 * How long a graph of tasks takes, from its start to the word that all is done: forty tasks with durations by their complexity, four at the same
 * time, against the best list schedule that can be computed for them by somebody who knows all durations.
 */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diceOf } from "../src/app/workflows/simulate.ts";
import { startable, type GraphTask, type TaskStanding } from "../src/core/tasks/graph.ts";
import { table, type Figure } from "./figure.ts";
import { onStage, root, waitFor, withStore, type Stage } from "./home/stage.ts";

const TASKS = 40;
const SLOTS = 4;
const WANTED = 1.05;
const SEED = 20_261_115;
/** In seconds: an agent takes longer, and then what is between two of them matters less. */
const DURATIONS = { easy: 3, medium: 6, hard: 12 } as const;

type Timed = GraphTask & { readonly complexity: keyof typeof DURATIONS };

export function benchGraph(): Promise<Figure> {
  const tasks = randomTasks();
  return onStage((stage) => figureOf(stage, tasks));
}

function randomTasks(): readonly Timed[] {
  const dice = diceOf(SEED);
  const pick = (below: number): number => Math.floor(dice() * below);
  return Array.from({ length: TASKS }, (_, n) => ({
    id: String(n + 1),
    files: [`part-${n}.txt`],
    dependsOn: [...new Set(Array.from({ length: Math.min(n, pick(3)) }, () => String(pick(n) + 1)))],
    complexity: (["easy", "medium", "hard"] as const)[pick(3)] ?? "easy",
  }));
}

async function figureOf(stage: Stage, tasks: readonly Timed[]): Promise<Figure> {
  furnish(stage);
  const run = stage.say(["run", "graph", "Forty tasks", "--detach"]);
  const path = await waitFor("the workspace", async () => (await stage.workspace(run)) || undefined);
  writeFileSync(join(path, "tasks.md"), listOf(tasks));
  const from = performance.now();
  stage.say(["move", run, "building"]);
  await waitFor("the end", () =>
    withStore(stage.home, async (store) =>
      (await store.load(run))?.run.state === "done" ? true : undefined,
    ),
  );
  const took = (performance.now() - from) / 1000;
  const best = bestOf(tasks);
  const ratio = took / best;
  const work = tasks.reduce((sum, { complexity }) => sum + DURATIONS[complexity], 0);
  const rows = [
    ["all of it, as it went", took.toFixed(1)],
    ["the best list schedule of five orders", best.toFixed(1)],
    ["the work, over four places", (work / SLOTS).toFixed(1)],
  ];
  return {
    name: `a random graph of ${TASKS} tasks with ${SLOTS} places, against the best list schedule for it`,
    wanted: `at most ${WANTED} times`,
    got: `${ratio.toFixed(3)} times`,
    ok: ratio <= WANTED,
    details: `${table(["", "s"], rows)}\n\nSeed ${SEED}; agents that sleep for ${Object.values(DURATIONS).join(", ")} seconds by complexity.`,
  };
}

function furnish({ repo, folder, env, say }: Stage): void {
  const workflows = join(repo, ".signalbox", "workflows");
  mkdirSync(workflows, { recursive: true });
  cpSync(join(root, "test/e2e/activities/workflows/graph"), join(workflows, "graph"), { recursive: true });
  const file = join(workflows, "graph", "workflow.yaml");
  writeFileSync(file, readFileSync(file, "utf8").replace("most: 2", `most: ${SLOTS}`));
  writeFileSync(
    join(folder, "worker.sh"),
    `task=$(sed -n 's/^# Task \\([0-9]*\\).*/\\1/p' "$SIGNALBOX_PROMPT" | head -n 1)
sleep "$(sed -n "/^### Task $task:/,/^Complexity/s/^Complexity: //p" tasks.md | sed 's/easy/${DURATIONS.easy}/;s/medium/${DURATIONS.medium}/;s/hard/${DURATIONS.hard}/')"
mkdir -p .agents/tmp/tasks
printf '{"taskId":"%s","status":"completed","summary":"done","filesModified":[]}' "$task" >".agents/tmp/tasks/$SIGNALBOX_RUN.json"
`,
  );
  writeFileSync(
    join(env["XDG_CONFIG_HOME"] ?? "", "signalbox", "config.yaml"),
    `terminal: none\nsandbox: off\nharnesses:\n  scripted: { command: [sh, ${folder}/worker.sh] }\n`,
  );
  say(["trust"]);
}

function listOf(tasks: readonly Timed[]): string {
  return tasks
    .map(({ id, files, dependsOn, complexity }) => {
      const on = dependsOn.length === 0 ? "none" : dependsOn.map((each) => `Task ${each}`).join(", ");
      return `### Task ${id}: Part ${id}\n\nFiles: ${files.join(", ")}\nDependencies: ${on}\nComplexity: ${complexity}\nInstructions: wait\n`;
    })
    .join("\n");
}

/** Of the usual order and some that were drawn: each starts what is ready in its own order. */
function bestOf(tasks: readonly Timed[]): number {
  const dice = diceOf(SEED + 1);
  const orders = [tasks, ...Array.from({ length: 4 }, () => tasks.toSorted(() => dice() - 0.5))];
  return Math.min(...orders.map(lengthOf));
}

function lengthOf(tasks: readonly Timed[]): number {
  const now = new Map<string, TaskStanding>();
  const ends = new Map<string, number>();
  const known = new Map(tasks.map((task) => [task.id, task]));
  for (let at = 0; ;) {
    for (const id of startable(tasks, now, SLOTS)) {
      now.set(id, "running");
      ends.set(id, at + DURATIONS[known.get(id)?.complexity ?? "easy"]);
    }
    if (ends.size === 0) return at;
    at = Math.min(...ends.values());
    for (const [id, end] of ends)
      if (end === at) {
        ends.delete(id);
        now.set(id, "done");
      }
  }
}
