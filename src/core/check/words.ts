/** Describes events and paths in words, for people who read a counterexample. */

import type { Workflow } from "../model/compile.ts";
import type { Actor, Event, Incoming, Reading } from "../model/event.ts";
import type { Run } from "../model/run.ts";
import { explainedStatus } from "../gates/status-reason.ts";
import { SEVERITIES } from "../model/verdict.ts";

export function sayEvent(workflow: Workflow, after: Run, event: Incoming): string {
  switch (event.type) {
    case "run-started":
      return `a person starts a run${event.to === undefined ? "" : ` in ${event.to}`}`;
    case "move-asked": {
      const written = (event.readings ?? []).map((reading) => reading.artifact).join(" and ");
      return `${sayActor(event.by)} ${written === "" ? "" : `writes ${written} and `}asks for ${event.to}`;
    }
    case "submitted":
      return `${sayActor(event.by)} ${sayReadings(workflow, after, event)}`;
    case "observed":
      return sayObserved(workflow, after, event);
    case "agent-started":
      return `${event.role} is up`;
    case "agent-ended": {
      const left = (event.readings ?? []).map((reading) => reading.artifact).join(" and ");
      const who = `${event.role}${event.slot === "" ? "" : ` of ${event.slot}`}`;
      return `${who} ends${left === "" ? "" : `, leaving ${left}`}${event.cause === "infrastructure" ? " with the machine" : ""}`;
    }
    case "turn-reported":
      return `turn ${event.turn} of ${event.role} is over`;
    case "answered":
      return event.answer === ""
        ? "a person gives an answer that is none of the options"
        : `a person answers ${event.answer}`;
    case "waived":
      return `a person waives ${event.artifact}`;
    case "respawn-asked":
      return `a person has ${event.role} started again`;
    case "param-set":
      return `${sayActor(event.by)} sets ${event.name}`;
    case "permission-asked":
      return `${sayActor(event.by)} asks for permission to use ${event.tool}`;
    case "permission-answered":
      return `a person answers ${event.answer}`;
    case "permissions-dropped":
      return `${event.role} no longer waits for permission`;
  }
}

/** The consequences beyond the event itself: moves, counts, crashes. */
export function sayConsequences(events: readonly Event[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "moved":
        return [`-> ${event.to}`];
      case "counted":
        return [`${event.counter} is ${event.value}`];
      case "agent-crashed":
        return [`${event.role} is marked as crashed`];
      case "agent-called":
        return [`${event.role}${event.slot === "" ? "" : ` of ${event.slot}`} is started`];
      case "question-opened":
        return [`${event.ask} is asked`];
      case "slot-settled":
        return [`${event.artifact} of ${event.slot} ${event.outcome}`];
      case "run-started":
      case "move-asked":
      case "submitted":
      case "observed":
      case "agent-started":
      case "agent-ended":
      case "turn-reported":
      case "answered":
      case "waived":
      case "respawn-asked":
      case "param-set":
      case "permission-asked":
      case "permission-answered":
      case "permissions-dropped":
      case "permission-closed":
      case "tree-seen":
      case "artifact-seen":
      case "artifact-read":
      case "agent-alive":
      case "agent-gone":
      case "agent-dismissed":
      case "infrastructure-lost":
      case "slots-opened":
      case "question-repeated":
      case "parts-answered":
      case "question-closed":
      case "waiver-given":
      case "result-kept":
        return [];
    }
  });
}

function sayActor(actor: Actor): string {
  if (actor.type === "human") return "a person";
  if (actor.type === "engine") return "the engine";
  return actor.slot === "" ? actor.role : `${actor.role} of ${actor.slot}`;
}

function sayObserved(workflow: Workflow, after: Run, event: Extract<Incoming, { type: "observed" }>): string {
  const [first] = event.readings ?? [];
  if (first === undefined) return event.tree === undefined ? "a resource is free" : "the work is changed";
  if (workflow.definition.artifacts[first.artifact]?.reader.type === "files")
    return `files of ${first.artifact} are changed`;
  const isEngines = workflow.definition.artifacts[first.artifact]?.by.includes("engine") === true;
  if (!isEngines) return `another author changes ${first.artifact}`;
  return `the engine sees ${sayReadings(workflow, after, event)}`;
}

function sayReadings(
  workflow: Workflow,
  after: Run,
  event: Extract<Incoming, { type: "submitted" | "observed" }>,
): string {
  const [first] = event.readings ?? [];
  if (first === undefined) return "changes the work";
  if (workflow.definition.artifacts[first.artifact]?.reader.type === "files")
    return `changes files of ${first.artifact}`;
  const verb = event.type === "observed" ? "" : "submits ";
  const fields = Object.entries(first.fields).filter(([name]) => name !== "outcome");
  const parts = [
    sayOutcome(workflow, after, first),
    ...fields.map(([name, inner]) => `${name} ${String(inner)}`),
  ];
  const detail = parts.filter((part) => part !== "").join(", ");
  return `${verb}${first.artifact}${detail === "" ? "" : `: ${detail}`}`;
}

/** The claimed verdict, and the verdict that counts if the issues contradict it. */
function sayOutcome(workflow: Workflow, after: Run, reading: Reading): string {
  if (reading.faults.length > 0) return "invalid";
  if (reading.verdict === undefined) {
    const { standing } = explainedStatus(workflow, after, reading.artifact);
    return standing === "holds" ? "holds" : String(reading.fields["outcome"] ?? "");
  }
  const worst = SEVERITIES.find((severity) => (reading.issues?.[severity] ?? 0) > 0);
  const isOdd = worst !== undefined && (reading.verdict === "pass" || reading.verdict === "pass_with_notes");
  return isOdd ? `${reading.verdict}, with an issue of severity ${worst}` : reading.verdict;
}
