/**
 * A whole session with agents that do their part at once: what is left of its time when theirs is taken away is ours. Once with a
 * few tasks, and once with many, of which none may cost more for it.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median, table, type Figure } from "./figure.ts";
import { hire, timeUntil, type Round } from "./home/instant.ts";
import { onStage, withStore, type Stage } from "./home/stage.ts";

const ROUNDS = 3;
const FEW = 12;
const MANY = 100;
const FILES = 30;
/** Cold starts of ours that a dispatch may cost. */
const WANTED = 2;
/** What it may cost with many tasks, against few. */
const GROWTH = 1.3;

type Session = Round & { readonly dispatches: number };

export async function benchOrchestrated(): Promise<Figure> {
  const few: Session[] = [];
  const many: Session[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    few.push(await onStage((stage) => measure(stage, FEW), { files: FILES }));
    many.push(await onStage((stage) => measure(stage, MANY), { files: FILES }));
  }
  const starts = of(few, (round) => ours(round) / round.next);
  const growth = of(many, ours) / of(few, ours);
  const perTask = of(many, ({ wall, agents }) => (wall - agents) / MANY);
  const perTaskOfFew = of(few, ({ wall, agents }) => (wall - agents) / FEW);
  const rows = [
    ["dispatches, by the journal", count(few), count(many)],
    ["the whole session in seconds, from `run --detach` to `DONE`", inSeconds(few), inSeconds(many)],
    ["of that, an agent or a check at work, or a person's turn", busy(few), busy(many)],
    ["ours for each dispatch, in ms", inMs(few, ours), inMs(many, ours)],
    ["ours for each task, in ms", perTaskOfFew.toFixed(1), perTask.toFixed(1)],
    ["`signalbox next`, a cold start of ours, in ms", ...cold(({ next }) => next)],
    ["`node -e 0`, a cold start of Node, in ms", ...cold(({ bare }) => bare)],
  ];
  return {
    name: `A whole session of \`orchestrated\` with agents that take no time (full, per-batch, ${FEW} tasks): our time for a dispatch, against a cold start of ours; and with ${MANY} tasks, against ${FEW}`,
    wanted: `at most ${WANTED} times; at most ${GROWTH} times`,
    got: `${starts.toFixed(2)} times; ${growth.toFixed(2)} times`,
    ok: starts <= WANTED && growth <= GROWTH,
    details: `${table(["", `${FEW} tasks`, `${MANY} tasks`], rows)}

Median of ${ROUNDS} alternating sessions each, all in state homes of their own. Each task has a coder, a reviewer, QA and Security, one after the other. A cold start is \`signalbox next\`, as an agent types it; it is measured right after each session. For each task ${MANY} of them cost ${(perTask / perTaskOfFew).toFixed(2)} times what ${FEW} do.`,
  };

  function cold(value: (round: Session) => number): readonly [string, string] {
    return [inMs(few, value), inMs(many, value)];
  }
}

function of(rounds: readonly Session[], value: (round: Session) => number): number {
  return median(rounds.map(value));
}

function ours({ wall, agents, dispatches }: Session): number {
  return (wall - agents) / dispatches;
}

function count(rounds: readonly Session[]): string {
  return of(rounds, ({ dispatches }) => dispatches).toFixed(0);
}

function inSeconds(rounds: readonly Session[]): string {
  return (of(rounds, ({ wall }) => wall) / 1000).toFixed(1);
}

function busy(rounds: readonly Session[]): string {
  return (of(rounds, ({ agents }) => agents) / 1000).toFixed(1);
}

function inMs(rounds: readonly Session[], value: (round: Session) => number): string {
  return of(rounds, value).toFixed(1);
}

async function measure(stage: Stage, tasks: number): Promise<Session> {
  hire(stage, "orchestrated/agent.sh");
  writeFileSync(join(stage.folder, "tasks"), `${tasks}\n`);
  const run = stage.say(["run", "orchestrated", "More files", "--detach"]);
  const round = await timeUntil(stage, run, { state: "DONE", answers: ["approved", "per-batch"] });
  return { ...round, dispatches: await dispatchesOf(stage, run) };
}

/** Agents that were called, by the journals of the session and of the runs that were made of it. */
async function dispatchesOf({ home }: Stage, session: string): Promise<number> {
  return withStore(home, async (store) => {
    const runs = [session, ...(await store.childrenOf(session)).map(({ run }) => run)];
    const events = (await Promise.all(runs.map((run) => store.events(run)))).flat();
    return events.filter(({ event }) => event.type === "agent-called").length;
  });
}
