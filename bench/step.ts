/** `step` against XState's `transition`: the same map, the same stories, in one process. */

import { transition } from "xstate";
import type { Workflow } from "../src/core/model/compile.ts";
import type { Incoming } from "../src/core/model/event.ts";
import { NO_RUN } from "../src/core/model/run.ts";
import { step } from "../src/core/step/step.ts";
import { median, table, thousands, type Figure } from "./figure.ts";
import type { TaskEvent } from "./task/event.ts";
import { incomingOf } from "./task/incoming.ts";
import { loadTask } from "./task/load.ts";
import { machine } from "./task/machine.ts";
import { newPair, newSnapshot, play, type Snapshot } from "./task/play.ts";
import { STORIES, type Story } from "./task/stories.ts";

const WANTED = 5;
const ROUNDS = 31;
const BATCH_MS = 40;
const NEW = newSnapshot();

type Told = { readonly story: Story; readonly incoming: readonly Incoming[] };
type Runner = (told: Told) => void;
type Speed = { readonly ours: number; readonly theirs: number; readonly ratio: number };

export function benchStep(): Figure {
  const workflow = loadTask();
  const refused = STORIES.map((story) => compare(workflow, story));
  const told = STORIES.map((story) => ({
    story,
    incoming: story.events.map((event) => incomingOf(event, workflow.hash())),
  }));
  const runOurs = ours(workflow);
  const all = race(told, runOurs, theirs);
  const rows = told.map((one, index) => {
    const { ours: own, theirs: other, ratio } = race([one], runOurs, theirs);
    const { events, name } = one.story;
    return [
      name,
      String(events.length),
      String(refused[index]),
      thousands(own),
      thousands(other),
      ratio.toFixed(1),
    ];
  });
  const events = STORIES.reduce((sum, story) => sum + story.events.length, 0);
  const total = refused.reduce((sum, count) => sum + count, 0);
  rows.push([
    "all together",
    String(events),
    String(total),
    thousands(all.ours),
    thousands(all.theirs),
    all.ratio.toFixed(1),
  ]);
  return {
    name: "`step` against XState's `transition()`, same map and events, one process",
    wanted: `at least ${WANTED} times as fast`,
    got: `${all.ratio.toFixed(1)} times`,
    ok: all.ratio >= WANTED,
    details: `${table(["story", "events", "refused", "step/s", "transition/s", "ratio"], rows)}\n\nBoth went through the same states, counters, agents and effects, event by event, before they were timed. Median of ${ROUNDS} alternating batches.`,
  };
}

/** Both engines must tell the same story before their speed means anything. Gives the number of refusals. */
function compare(workflow: Workflow, { name, events, ends }: Story): number {
  let pair = newPair();
  let refused = 0;
  for (const [index, event] of events.entries()) {
    const { pair: after, ours: own, theirs: other } = play(workflow, pair, event);
    if (JSON.stringify(own) !== JSON.stringify(other)) {
      throw new Error(
        `${name}, event ${index} (${event.type}): ${JSON.stringify(own)} is not ${JSON.stringify(other)}`,
      );
    }
    refused += own.accepted ? 0 : 1;
    pair = after;
  }
  if (pair.run.state !== ends) throw new Error(`${name} ends in ${pair.run.state}, not ${ends}`);
  return refused;
}

function ours(workflow: Workflow): Runner {
  return ({ incoming }) => {
    let run = NO_RUN;
    for (const event of incoming) {
      const next = step(workflow, run, event);
      if (next.ok) ({ run } = next);
    }
  };
}

function theirs({ story }: Told): void {
  let snapshot = NEW;
  for (const event of story.events) [snapshot] = advance(snapshot, event);
}

function advance(snapshot: Snapshot, event: TaskEvent): readonly [Snapshot, unknown] {
  return transition(machine, snapshot, event);
}

function race(told: readonly Told[], own: Runner, other: Runner): Speed {
  const steps = told.reduce((sum, { incoming }) => sum + incoming.length, 0);
  const laps = { own: calibrate(told, own), other: calibrate(told, other) };
  const speeds = Array.from({ length: ROUNDS }, () => ({
    own: (steps * laps.own) / seconds(told, own, laps.own),
    other: (steps * laps.other) / seconds(told, other, laps.other),
  }));
  return {
    ours: median(speeds.map((speed) => speed.own)),
    theirs: median(speeds.map((speed) => speed.other)),
    ratio: median(speeds.map((speed) => speed.own / speed.other)),
  };
}

/** Warms up, and finds how many laps fill a batch. */
function calibrate(told: readonly Told[], run: Runner): number {
  let laps = 1;
  while (seconds(told, run, laps) * 1000 < BATCH_MS) laps *= 2;
  return laps;
}

function seconds(told: readonly Told[], run: Runner, laps: number): number {
  const begin = performance.now();
  for (let lap = 0; lap < laps; lap += 1) for (const one of told) run(one);
  return (performance.now() - begin) / 1000;
}
