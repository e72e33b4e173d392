/**
 * What a run's journal says that only a row of the board needs. It changes only with the journal, so it is computed once for each
 * event: a board of a thousand runs costs as much as what has changed.
 */

import { chosenFrom, waysFor } from "../../core/explain/verbs.ts";
import { maxOf } from "../../core/gates/gate.ts";
import { hasPhases, phaseOf } from "../../core/projection/phase.ts";
import { entriesOf } from "../../core/projection/schedule.ts";
import type { Seen } from "../runs/find.ts";
import { askedIn, impliedBack } from "../view/decision/task-choices.ts";
import { permissionOf } from "../view/decision/permission.ts";
import { isOver, type BoardRow, type Act, type Terminal } from "./row.ts";

export type Facts = {
  readonly seen: Seen;
  /** Where in its schedule it is, and the gate there; empty where there is none. */
  readonly phase: string;
  readonly gate: string;
  readonly round: BoardRow["round"];
  /** It waits with a question that has options. */
  readonly isAsking: boolean;
  /** Why a person cannot deliver it now, empty where they can; undefined where its workflow delivers nothing here. */
  readonly finishing: string | undefined;
  /** A person can send it back. */
  readonly isSendingBack: boolean;
  /** The state that a person's words lead to; empty where no agent asks for them. */
  readonly answerTo: string;
  readonly asked: readonly string[];
  /** The file that tells people about the run, in its workspace; empty where there is none. */
  readonly page: string;
};

export async function factsOf(seen: Seen): Promise<Facts> {
  const isAsking = seen.run.question !== undefined || permissionOf(seen.run) !== undefined;
  const [answer] = isAsking ? [] : chosenFrom(waysFor(seen, "answer").open);
  return {
    seen,
    ...phaseIn(seen),
    round: roundOf(seen),
    isAsking,
    finishing: finishingIn(seen),
    isSendingBack: waysFor(seen, "send-back").open.length > 0 || impliedBack(seen) !== undefined,
    answerTo: answer?.to ?? "",
    asked: (await askedIn(seen)).split("\n").filter((line) => line !== ""),
    page: pageOf(seen),
  };
}

function finishingIn(seen: Seen): string | undefined {
  const { workflow, run } = seen;
  const { open, closed } = waysFor({ workflow, run }, "accept");
  if (open.some(({ deliver, kind }) => deliver === true && kind === "move")) return "";
  const path = open.find(({ deliver }) => deliver === true);
  if (path !== undefined)
    return `from ${run.state}, type it: signalbox accept ${run.id}${path.text === "required" ? ' "TEXT"' : ""}`;
  const delivers = (workflow.movesFrom[run.state] ?? []).filter(({ mark }) => mark?.deliver === true);
  return closed.find(({ name }) => delivers.some(({ to }) => to === name))?.reason;
}

function phaseIn({ workflow, run }: Seen): Pick<Facts, "phase" | "gate"> {
  const { definition } = workflow;
  const isFinal = definition.states[run.state]?.final !== undefined;
  if (hasPhases(definition)) return { phase: isFinal ? "" : phaseOf(definition, run.state), gate: "" };
  const here = run.progress?.phase;
  const entry =
    isFinal || here === undefined ? undefined : entriesOf(workflow, run).find(({ phase }) => phase === here);
  if (entry === undefined) return { phase: "", gate: "" };
  const { phase, name, gate } = entry;
  return { phase: name === phase ? phase : `${phase} ${name}`, gate: gate?.status ?? "" };
}

/** Of the counter that the workflow calls a round. */
function roundOf({ workflow, run }: Seen): BoardRow["round"] {
  const name = Object.keys(workflow.definition.counters).find((each) => /(^|_|-)round$/.test(each));
  return name === undefined ? null : { value: run.counters[name] ?? 0, max: maxOf(workflow, run, name) };
}

function pageOf({ workflow }: Seen): string {
  const { projections, artifacts } = workflow.definition;
  const shown = projections.find(({ as }) => as === "front-matter")?.file;
  const written = Object.values(artifacts).find(({ file }) => file !== "" && !file.includes("{"))?.file;
  return shown ?? written ?? "";
}

/** Which acts apply to a run now; where one does not, why. The commands decide: this only spares people what they would refuse. */

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
    resume: ["stopped", "attention", "parked"].includes(on.waits.kind) ? "" : "nothing holds it up",
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
  if (Object.keys(run.attempts).length > 0 || run.question !== undefined) return true;
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
