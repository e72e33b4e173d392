/** Lives of graphs: a list of tasks, an agent that says when it began and ended, and what is known of them. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../../src/adapters/store/open.ts";
import type { ChildRow } from "../../../src/engine/ports/graphs.ts";
import { lookIn, processesOf, type } from "../lives/life.ts";
import { onStage, type Stage } from "./stage.ts";

export type Listed = {
  readonly id: string;
  readonly files: string;
  readonly on?: string;
  readonly complexity?: string;
};

export const list = (tasks: readonly Listed[]): string =>
  tasks
    .map(
      ({ id, files, on = "none", complexity = "easy" }) =>
        `### Task ${id}: Part ${id}\n\nFiles: ${files}\nDependencies: ${on}\nComplexity: ${complexity}\nInstructions: all of it\n`,
    )
    .join("\n");

/** Writes down when it began and ended, and ends as the test says. */
export const WORKER = `
task=$(sed -n 's/^# Task \\([0-9]*\\).*/\\1/p' "$SIGNALBOX_PROMPT" | head -n 1)
say order "begin $task"
[ -e "$LEDGER/hold-$task" ] && await "go-$task"
status=completed
[ -e "$LEDGER/fail-$task" ] && status=failed
cp ".agents/tmp/tasks/$SIGNALBOX_RUN.payload.json" "$LEDGER/payload-$task-$(grep -c "begin $task" "$LEDGER/order").json"
mkdir -p .agents/tmp/tasks
printf '{"taskId":"%s","status":"%s","summary":"did %s","filesModified":[]}' "$task" "$status" "$task" >".agents/tmp/tasks/$SIGNALBOX_RUN.json"
[ -e "$LEDGER/needs-$task" ] && sed "s/{n}/$(grep -c "begin $task" "$LEDGER/order")/" "$LEDGER/needs-$task" >".agents/tmp/tasks/$SIGNALBOX_RUN.json"
say order "end $task"
`;

type Life = {
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What follows the name of the workflow when it is begun. */
  readonly argv?: readonly string[];
  /** Which workflow, and the state in which the tasks are started. */
  readonly of?: { readonly workflow: string; readonly state: string };
  readonly files?: Readonly<Record<string, string>>;
  /** What whoever does a task does, where it is not the usual. */
  readonly worker?: string;
  /** Called before the tasks begin. */
  readonly furnish?: (stage: Stage) => void | Promise<void>;
};

export async function inGraph(
  tasks: readonly Listed[],
  play: (stage: Stage, run: string) => Promise<void>,
  {
    words = [],
    env = {},
    argv = [],
    of = { workflow: "graph", state: "building" },
    files = {},
    worker = WORKER,
    furnish,
  }: Life = {},
): Promise<void> {
  await onStage({ workflow: of.workflow, agents: { worker }, files }, async (stage) => {
    for (const word of words) stage.say(word);
    await furnish?.(stage);
    const run = await stage.begin(of.workflow, ...argv);
    const { workspace } = await stage.until(run, (now) => now.workspace !== undefined && now.isIdle);
    writeFileSync(join(workspace?.path ?? "", "tasks.md"), list(tasks));
    // The next one is started with what we say.
    await stage.until(run, () => processesOf(stage).every(({ kind }) => kind !== "supervisor"));
    const log = { SIGNALBOX_FAILPOINT_LOG: join(stage.ledger, "failpoints") };
    const moved = await type(stage, ["move", run, of.state], { ...env, ...log });
    if (moved.code !== 0) throw new Error(JSON.stringify(moved));
    await play(stage, run);
  });
}

export async function childrenOf(stage: Stage, run: string): Promise<readonly ChildRow[]> {
  const store = openStore(stage.home);
  try {
    return await store.childrenOf(run);
  } finally {
    await store.close();
  }
}

export const outcomes = async (stage: Stage, run: string): Promise<string[]> =>
  (await childrenOf(stage, run)).map(({ task, outcome }) => `${task.id} ${outcome}`);
export const order = (stage: Stage): string[] => stage.said("order").split("\n");
export const at = (stage: Stage, line: string): number => order(stage).indexOf(line);

export const FOUR: readonly Listed[] = [
  { id: "1", files: "a.ts" },
  { id: "2", files: "b.ts", on: "Task 1" },
  { id: "3", files: "c.ts" },
  { id: "4", files: "c.ts" },
];

/** Where something of a graph is written. */
export const PLACES = ["graph", "child", "outcome", "graph-set"].flatMap((name) => [
  `registry.before-${name}`,
  `registry.after-${name}`,
]);

/** Somebody looks now and then, so that there is a supervisor again, until it comes to that. */
export async function looking(stage: Stage, isThere: () => boolean | Promise<boolean>): Promise<void> {
  for (let n = 0; !(await isThere()); n += 1) {
    if (n > 200) throw new Error("it does not come to that");
    await lookIn(stage);
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
}
