/** One event through both engines, with their answers in the same words. */

import { initialTransition, transition, type SnapshotFrom } from "xstate";
import type { Workflow } from "../../src/core/model/compile.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { LIMITS } from "./context.ts";
import type { Limits, TaskEvent } from "./event.ts";
import { describeEffect, incomingOf } from "./incoming.ts";
import { machine } from "./machine.ts";

export type Snapshot = SnapshotFrom<typeof machine>;

/** The same task in both engines. */
export type Pair = { readonly run: Run; readonly snapshot: Snapshot };

/** What can be seen of a task from outside, after an event. */
export type View = {
  readonly accepted: boolean;
  readonly state: string;
  readonly counters: string;
  readonly agents: string;
  readonly effects: readonly string[];
};

export function newSnapshot(limits: Limits = LIMITS): Snapshot {
  return initialTransition(machine, limits)[0];
}

export function newPair(limits?: Limits): Pair {
  return { run: NO_RUN, snapshot: newSnapshot(limits) };
}

export function play(
  workflow: Workflow,
  pair: Pair,
  event: TaskEvent,
): { pair: Pair; ours: View; theirs: View } {
  const ours = step(workflow, pair.run, incomingOf(event, workflow.hash()));
  const accepted = pair.snapshot.can(event);
  const [next, actions] = transition(machine, pair.snapshot, event);
  const run = ours.ok ? ours.run : pair.run;
  return {
    pair: { run, snapshot: next },
    ours: {
      accepted: ours.ok,
      ...viewOfRun(run),
      effects: inOrder(ours.ok ? ours.effects.map(describeEffect) : []),
    },
    theirs: { accepted, ...viewOfSnapshot(next), effects: inOrder(actions.flatMap(describeAction)) },
  };
}

function viewOfRun({
  state,
  counters,
  agents,
  attempts,
  infrastructure,
}: Run): Pick<View, "state" | "counters" | "agents"> {
  const { review_round: round = 0, crash_count: crashes = 0, question_count: questions = 0 } = counters;
  const agent = (role: string): string => {
    const status = agents[role]?.status ?? "none";
    return `${attempts[role] ?? 0} ${status === "called" || status === "alive" ? "up" : status}`;
  };
  return {
    state,
    counters: `round ${round}, crashes ${crashes}, questions ${questions}, losses ${infrastructure}`,
    agents: `worker ${agent("worker")}, reviewer ${agent("reviewer")}`,
  };
}

function viewOfSnapshot({ value, context }: Snapshot): Pick<View, "state" | "counters" | "agents"> {
  const { round, crashes, questions, losses, worker, reviewer } = context;
  return {
    state: value,
    counters: `round ${round}, crashes ${crashes}, questions ${questions}, losses ${losses}`,
    agents: `worker ${worker.attempt} ${worker.is}, reviewer ${reviewer.attempt} ${reviewer.is}`,
  };
}

const EFFECTS: Readonly<Record<string, string>> = {
  startWorker: "start worker",
  tellWorker: "tell worker",
  stopWorker: "stop worker",
  startReviewer: "start reviewer",
  stopReviewer: "stop reviewer",
  releaseWorkspace: "release workspace",
  startNext: "start next",
  archiveReview: "archive review",
  archiveHandoff: "archive handoff",
  archiveCycle: "archive handoff review",
  archiveInstructions: "archive fix_instructions",
};

function describeAction(action: { readonly type: string; readonly params: unknown }): string[] {
  const words = EFFECTS[action.type];
  if (words === undefined) return [];
  const { params } = action;
  if (typeof params !== "object" || params === null || !("attempt" in params) || !("text" in params))
    return [words];
  if (params.attempt === 0) return [];
  return [`${words} ${String(params.attempt)} ${String(params.text)}`.trim()];
}

/** All agents are stopped at once: which of them comes first means nothing. */
function inOrder(effects: readonly string[]): string[] {
  const stops = effects.filter((effect) => effect.startsWith("stop ")).toSorted();
  let index = 0;
  return effects.map((effect) => (effect.startsWith("stop ") ? (stops[index++] ?? effect) : effect));
}
