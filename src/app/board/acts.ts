/** Which acts apply to a run now; where one does not, why. The commands decide: this only spares people what they would refuse. */

import { waysFor } from "../../core/explain/verbs.ts";
import type { Facts } from "./facts.ts";
import { isOver, type Act, type BoardRow, type Terminal } from "./row.ts";

type RunSituation = Pick<BoardRow, "state" | "status" | "session" | "waits" | "queued"> & {
  readonly terminal: Terminal;
};

export function actsOf(facts: Facts | undefined, on: RunSituation): Readonly<Record<Act, string>> {
  if (facts === undefined || on.status === "damaged")
    return every("it is damaged: signalbox doctor --repair");
  const over = isOver(on) ? `it is ${on.status}` : "";
  return {
    start: over || (isBegun(facts, on) ? "it has begun" : ""),
    attach: over || attaching(on, facts.seen.run.id),
    respawn: over || (on.session === "dead" ? "" : "no agent of it has crashed"),
    resume: on.waits.kind === "stopped" || on.waits.kind === "attention" ? "" : "nothing holds it up",
    view: facts.page === "" && !facts.isAsking ? `${facts.seen.row.workflow} has no page to show` : "",
    changes: over || (facts.isSendingBack ? "" : `${on.state} is not where a person asks for changes`),
    answer: over || answering(facts, on),
    merge: over || (facts.finishing ?? `nobody can finish it from ${on.state}`),
    cancel: over,
    delete: over === "" ? "it is not over: cancel it first" : "",
  };
}

/** It has done something, or a person decides about something else than its start. */
function isBegun({ seen: { run, workflow } }: Facts, { waits }: RunSituation): boolean {
  if (Object.keys(run.attempts).length > 0) return true;
  const isStart = waits.kind === "queue" || waits.kind === "person" || waits.kind === "stopped";
  return !isStart || waysFor({ workflow, run }, "accept").open.every(({ deliver }) => deliver === true);
}

function answering({ answerTo, isAsking, seen }: Facts, { state }: RunSituation): string {
  if (isAsking) return `it wants a choice (v shows it): signalbox answer ${seen.run.id}`;
  return answerTo === "" ? `${state} is not where a person answers` : "";
}

function attaching({ session, terminal }: RunSituation, run: string): string {
  if (session === "alive" && terminal === "none")
    return `it has no terminal; what it prints: signalbox logs ${run} -f`;
  switch (session) {
    case "alive":
      return "";
    case "idle":
      return "its agent sits between two turns, without a process";
    case "dead":
      return "its agent is dead";
    case "unknown":
      return "nobody can tell whether its agent lives";
    case "none":
      return "no agent of it was started";
  }
}

function every(reason: string): Readonly<Record<Act, string>> {
  return {
    start: reason,
    attach: reason,
    respawn: reason,
    resume: reason,
    view: reason,
    changes: reason,
    answer: reason,
    merge: reason,
    cancel: reason,
    delete: reason,
  };
}
