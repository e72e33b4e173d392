/** Tells the core what happened to a task, and reads its answer in the words of the description. */

import type { Actor, Effect, Facts as CoreFacts, Incoming, Reading } from "../../src/core/model/event.ts";
import type { Verdict } from "../../src/core/model/verdict.ts";
import type { Facts, Speaker, TaskEvent, Text } from "./event.ts";

const AT = "2026-01-01T00:00:00.000Z";
const VERDICTS: Readonly<Record<"PASS" | "FAIL", Verdict>> = { PASS: "pass", FAIL: "needs_fix" };

export function incomingOf(event: TaskEvent, definition: string): Incoming {
  if (isStarted(event)) return started(event, definition);
  if (isAsked(event)) return asked(event);
  switch (event.type) {
    case "SUBMIT":
      return { type: "submitted", at: AT, by: actorOf(event), ...factsOf(event) };
    case "OBSERVE": {
      const { readings = [], ...facts } = factsOf(event);
      const known = [...readings, ...factReading("turn", event.turn), ...landing(event.merged)];
      return { type: "observed", at: AT, ...facts, readings: known };
    }
    case "WORKER_STARTED":
    case "REVIEWER_STARTED":
      return { type: "agent-started", at: AT, slot: "", role: roleOf(event.type), attempt: event.attempt };
    case "WORKER_ENDED":
    case "REVIEWER_ENDED": {
      const cause = event.infrastructure ? "infrastructure" : "exited";
      const { attempt } = event;
      return {
        type: "agent-ended",
        at: AT,
        slot: "",
        role: roleOf(event.type),
        attempt,
        cause,
        ...factsOf(event),
      };
    }
    case "WAIVE": {
      const { artifact, reason, tree } = event;
      return {
        type: "waived",
        at: AT,
        by: actorOf(event),
        artifact,
        reason,
        ...(tree === undefined ? {} : { tree }),
      };
    }
    case "RESPAWN":
      return { type: "respawn-asked", at: AT, by: actorOf(event), role: event.role };
    case "SET":
      return { type: "param-set", at: AT, by: actorOf(event), name: event.name, value: "new" };
  }
}

type Started = Extract<TaskEvent, { type: `START.${string}` }>;
type Asked = Extract<TaskEvent, { type: `ASK.${string}` }>;

function isStarted(event: TaskEvent): event is Started {
  return event.type.startsWith("START.");
}

function isAsked(event: TaskEvent): event is Asked {
  return event.type.startsWith("ASK.");
}

function started(event: Started, definition: string): Incoming {
  const to = event.type.slice("START.".length);
  return {
    type: "run-started",
    at: AT,
    by: actorOf(event),
    run: "T-1",
    definition,
    to,
    params: {},
    ...factsOf(event),
  };
}

function asked(event: Asked): Incoming {
  return {
    type: "move-asked",
    at: AT,
    by: actorOf(event),
    to: event.type.slice("ASK.".length),
    ...factsOf(event),
  };
}

function roleOf(type: `${"WORKER" | "REVIEWER"}_${string}`): string {
  return type.startsWith("WORKER") ? "worker" : "reviewer";
}

function actorOf({ by, attempt }: Speaker): Actor {
  return by === "human" ? { type: "human" } : { type: "agent", role: by, slot: "", attempt };
}

function factsOf(facts: Facts): CoreFacts {
  const readings = [
    ...section("plan", facts.plan),
    ...section("handoff", facts.handoff),
    ...section("review", facts.review),
  ];
  return {
    ...(readings.length === 0 ? {} : { readings }),
    ...(facts.tree === undefined ? {} : { tree: facts.tree }),
    ...(facts.workspace === true ? { reserved: ["workspace"] } : {}),
  };
}

function section(artifact: string, text: Text | undefined): Reading[] {
  if (text === undefined) return [];
  const faults = text.ok ? [] : [{ at: { file: "TASK.md", line: 1, col: 1 }, reason: "not valid" }];
  const verdict = text.verdict === undefined ? {} : { verdict: VERDICTS[text.verdict] };
  return [
    { artifact, slot: "", found: text.id !== "", digest: text.id, faults, ...verdict, fields: {}, lists: {} },
  ];
}

function factReading(artifact: string, holds: boolean | undefined): Reading[] {
  if (holds === undefined) return [];
  return [
    { artifact, slot: "", found: holds, digest: holds ? "yes" : "no", faults: [], fields: {}, lists: {} },
  ];
}

function landing(seen: "missing" | "seen" | undefined): Reading[] {
  if (seen === undefined) return [];
  return [
    {
      artifact: "merged",
      slot: "",
      found: seen !== "missing",
      digest: seen,
      faults: [],
      fields: {},
      lists: {},
    },
  ];
}

/** One effect in a few words. What starts or stops a resource nobody counts is left out. */
export function describeEffect(effect: Effect): string {
  switch (effect.type) {
    case "start-agent":
      return `start ${effect.role} ${effect.attempt} ${effect.prompt}`;
    case "stop-agent":
      return `stop ${effect.role} ${effect.attempt}`;
    case "tell-agent":
      return `tell ${effect.role} ${effect.attempt} ${effect.message}`;
    case "release-resource":
      return `release ${effect.resource}`;
    case "archive-artifacts":
      return `archive ${effect.artifacts.join(" ")}`;
    case "start-next":
      return "start next";
    case "run-check":
    case "start-tasks":
    case "ask-person":
    case "perform":
      return effect.type;
  }
}
