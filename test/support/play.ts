/** Plays stories on a workflow through `step`, and tells what happened in one line per event. */

import type { Workflow } from "../../src/core/model/compile.ts";
import type { Actor, Effect, Event, Incoming, Reading } from "../../src/core/model/event.ts";
import { NO_RUN, slotKey, type Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import type { Verdict } from "../../src/core/model/verdict.ts";
import type { Literal } from "../../src/core/model/value.ts";

export const AT = "2026-11-15T08:00:00Z";
export const HUMAN: Actor = { type: "human" };

export type Played = { run: Run; events: Event[]; lines: string[] };

/** What an actor's word on the command line looks like, for a run as it is. */
export function agent(run: Run, role: string, slot = ""): Actor {
  const attempt = run.agents[slotKey(role, slot)]?.attempt ?? run.attempts[role] ?? 0;
  return { type: "agent", role, slot, attempt };
}

let digests = 0;

export function reading(artifact: string, more: Partial<Reading> = {}): Reading {
  digests += 1;
  return {
    artifact,
    slot: "",
    found: true,
    digest: `sha256:${digests}`,
    faults: [],
    fields: {},
    lists: {},
    ...more,
  };
}

export function verdict(artifact: string, value: Verdict, more: Partial<Reading> = {}): Reading {
  return reading(artifact, { verdict: value, ...more });
}

export function start(
  workflow: Workflow,
  to?: string,
  more: { readings?: Reading[]; reserved?: string[]; params?: Record<string, Literal> } = {},
): Incoming {
  return {
    type: "run-started",
    by: HUMAN,
    at: AT,
    run: "R1",
    definition: workflow.hash(),
    params: {},
    tree: "t1",
    reserved: ["workspace"],
    ...(to === undefined ? {} : { to }),
    ...more,
  };
}

type Word = Incoming | ((run: Run) => Incoming);

/** Plays the words one after the other. A refused one is a line of its own and changes nothing. */
export function play(workflow: Workflow, words: readonly Word[], from: Run = NO_RUN): Played {
  const played: Played = { run: from, events: [], lines: [] };
  for (const word of words) {
    const event = typeof word === "function" ? word(played.run) : word;
    const after = step(workflow, played.run, event);
    if (!after.ok) {
      played.lines.push(`refused: ${after.refusal.code}: ${after.refusal.message}`);
      continue;
    }
    played.run = after.run;
    played.events.push(...after.events);
    played.lines.push(
      [after.run.state, ...countersOf(after.run), ...after.effects.map(sayEffect)].join(", "),
    );
  }
  return played;
}

export function trace(workflow: Workflow, words: readonly Word[]): string {
  return play(workflow, words).lines.join("\n");
}

function countersOf(run: Run): string[] {
  return Object.entries(run.counters)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => `${name} ${value}`);
}

function sayEffect(effect: Effect): string {
  switch (effect.type) {
    case "start-agent":
      return `start-agent ${slotKey(effect.role, effect.slot)} #${effect.attempt} (${effect.prompt})`;
    case "stop-agent":
      return `stop-agent ${slotKey(effect.role, effect.slot)} #${effect.attempt}`;
    case "tell-agent":
      return `tell-agent ${effect.role} (${effect.message})`;
    case "run-check":
    case "start-tasks":
      return `${effect.type} ${effect.artifact}`;
    case "release-resource":
      return `release-resource ${effect.resource}`;
    case "archive-artifacts":
      return `archive ${effect.artifacts.join(" ")}`;
    case "ask-person":
      return `ask-person ${effect.id}`;
    case "perform":
      return `perform ${effect.name}`;
    case "start-next":
      return effect.type;
  }
}
