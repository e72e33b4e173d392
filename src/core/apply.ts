/**
 * What one event changes in a run. It decides nothing: everything that changes is in the event.
 *
 * Invariant: the live run and the replayed run are both made by this function, from the same events.
 */

import type { Event, Reading } from "./event.ts";
import { NO_RUN, slotKey, type Agent, type Held, type Run } from "./run.ts";

export function apply(run: Run, event: Event): Run {
  switch (event.type) {
    case "run-started":
      return { ...NO_RUN, id: event.run, definition: event.definition, params: event.params, tree: event.tree ?? "", seq: 1, startedAt: event.at, updatedAt: event.at };
    case "move-asked":
    case "submitted":
    case "observed":
    case "agent-started":
    case "agent-ended":
    case "answered":
    case "waived":
    case "respawn-asked":
      return { ...run, seq: run.seq + 1, updatedAt: event.at };
    case "param-set":
      return { ...run, seq: run.seq + 1, updatedAt: event.at, params: { ...run.params, [event.name]: event.value } };
    case "tree-seen":
      return { ...run, seq: run.seq + 1, tree: event.tree };
    case "artifact-read":
      return {
        ...run,
        seq: run.seq + 1,
        held: { ...run.held, [slotKey(event.reading.artifact, event.reading.slot)]: heldFrom(event) },
      };
    case "moved":
      return enter(run, event);
    case "counted":
      return {
        ...renew(run, event.renew),
        seq: run.seq + 1,
        counters: { ...run.counters, [event.counter]: event.value },
      };
    case "agent-called":
      return {
        ...setAgent(run, { role: event.role, slot: event.slot, attempt: event.attempt, status: "called", tree: run.tree, inputs: event.inputs }),
        attempts: { ...run.attempts, [event.role]: event.attempt },
      };
    case "agent-alive":
      return setStatus(run, event, "alive");
    case "agent-dismissed":
      return setStatus(run, event, "stopping");
    case "agent-crashed":
      return setStatus(run, event, "crashed");
    case "agent-gone": {
      const { [slotKey(event.role, event.slot)]: _gone, ...agents } = run.agents;
      return { ...run, seq: run.seq + 1, agents };
    }
    case "infrastructure-lost":
      return { ...run, seq: run.seq + 1, infrastructure: event.times };
    case "slots-opened":
      return {
        ...run,
        seq: run.seq + 1,
        slots: { ...run.slots, [event.artifact]: Object.fromEntries(event.slots.map((slot) => [slot, "open" as const])) },
      };
    case "slot-settled":
      return {
        ...run,
        seq: run.seq + 1,
        slots: { ...run.slots, [event.artifact]: { ...run.slots[event.artifact], [event.slot]: event.outcome } },
      };
    case "question-opened":
      return { ...run, seq: run.seq + 1, question: { ask: event.ask, id: event.id, repeats: 0 } };
    case "question-repeated":
      return {
        ...run,
        seq: run.seq + 1,
        question: { ask: event.ask, id: event.id, repeats: (run.question?.repeats ?? 0) + 1 },
      };
    case "question-closed":
      return {
        ...run,
        seq: run.seq + 1,
        question: undefined,
        decisions: [
          ...run.decisions,
          { id: event.id, ask: event.ask, answer: event.answer, text: event.text, by: event.by, state: run.state, at: run.updatedAt },
        ],
      };
    case "waiver-given":
      return {
        ...run,
        seq: run.seq + 1,
        waivers: {
          ...run.waivers,
          [event.artifact]: { artifact: event.artifact, reason: event.reason, tree: event.tree, by: event.by, at: run.updatedAt },
        },
      };
    case "result-kept":
      return { ...run, seq: run.seq + 1 };
  }
}

function enter(run: Run, event: Extract<Event, { type: "moved" }>): Run {
  // A frame belongs to the state it was pushed for: leaving that state by any move drops it.
  const kept = run.frames.filter((frame) => frame.state !== run.state);
  const frames = event.remember ? [...kept, { state: event.to, from: event.from }] : kept;
  const counters = event.reset.length === 0 ? run.counters : { ...run.counters };
  for (const counter of event.reset) Object.assign(counters, { [counter]: 0 });
  return {
    ...renew(run, event.renew),
    seq: run.seq + 1,
    state: event.to,
    entry: run.entry + 1,
    frames,
    counters,
    infrastructure: 0,
  };
}

/** From here on these artifacts must be new: what they hold now is their baseline. */
function renew(run: Run, artifacts: readonly string[]): Run {
  if (artifacts.length === 0) return run;
  const baseline = { ...run.baseline };
  const waivers = { ...run.waivers };
  const slots = { ...run.slots };
  for (const artifact of artifacts) {
    for (const [key, held] of Object.entries(run.held)) {
      if (held.reading.artifact === artifact) baseline[key] = held.reading.digest;
    }
    delete waivers[artifact];
    delete slots[artifact];
  }
  return { ...run, baseline, waivers, slots };
}

function heldFrom(event: { reading: Reading; by: string; tree: string; inputs: Readonly<Record<string, string>> }): Held {
  return { reading: event.reading, by: event.by, tree: event.tree, inputs: event.inputs };
}

function setAgent(run: Run, agent: Agent): Run {
  return { ...run, seq: run.seq + 1, agents: { ...run.agents, [slotKey(agent.role, agent.slot)]: agent } };
}

function setStatus(run: Run, event: { role: string; slot: string; attempt: number }, status: Agent["status"]): Run {
  const known = run.agents[slotKey(event.role, event.slot)];
  const agent: Agent = known ?? { role: event.role, slot: event.slot, attempt: event.attempt, status, tree: run.tree, inputs: {} };
  return setAgent(run, { ...agent, attempt: event.attempt, status });
}
