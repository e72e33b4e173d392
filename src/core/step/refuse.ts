/** Refusals: a code, one sentence, the position, and the next command. */

import { sayForeign } from "../gates/accepted-artifacts.ts";
import { closest } from "../text/closest.ts";
import type { Workflow } from "../model/compile.ts";
import type { Reading, Refusal } from "../model/event.ts";
import { targetOf, type Unmet } from "../gates/gate.ts";
import type { Run } from "../model/run.ts";
import type { ExplainedStatus } from "../gates/status-reason.ts";
import { START, type Move } from "../model/workflow.ts";

export function finished(run: Run): Refusal {
  return {
    code: "finished",
    message: `run ${run.id} is finished: it is ${run.state}`,
    next: `signalbox show ${run.id}`,
  };
}

export function superseded(run: Run, agent: { role: string; attempt: number }): Refusal {
  const now = run.attempts[agent.role] ?? 0;
  return {
    code: "stale",
    // The attempt may have ended without a successor.
    message: `attempt ${agent.attempt} of ${agent.role} no longer counts; ${now === agent.attempt ? "it is over" : `attempt ${now} does`}`,
    next: `stop working on run ${run.id}`,
  };
}

export function unknownState(workflow: Workflow, run: Run, to: string): Refusal {
  const near = closest(to, Object.keys(workflow.definition.states));
  const targets = [...new Set((workflow.movesFrom[run.state] ?? []).map((move) => targetOf(run, move)))];
  const there = targets.length === 0 ? "" : `; from ${run.state} it goes to ${targets.join(", ")}`;
  const hint = near === undefined ? there : `; did you mean "${near}"?`;
  return { code: "not-in-map", message: `unknown state "${to}"${hint}`, next: `signalbox why ${run.id}` };
}

export function notInMap(workflow: Workflow, run: Run, to: string): Refusal {
  const targets = [
    ...new Set((workflow.movesFrom[run.state] ?? []).map((move) => targetOf(run, move))),
  ].filter((target) => target !== "");
  const list = targets.length === 0 ? "nowhere" : targets.join(", ");
  return {
    code: "not-in-map",
    message: `no move leads from ${run.state} to ${to}; from here it goes to ${list}`,
    next: `signalbox why ${run.id}`,
  };
}

export function notYourRole(
  run: Run,
  act: { who: string; what: string; allowed: readonly string[]; move?: Move },
): Refusal {
  const allowed = act.allowed.map((name) =>
    name === "human" ? "a person" : name === "engine" ? "the engine, by itself" : name,
  );
  return {
    code: "not-your-role",
    message: `${act.what} is for ${allowed.join(" or ")}, not for ${act.who === "human" ? "a person" : act.who}`,
    ...(act.move === undefined ? {} : { at: act.move.at }),
    next: `signalbox next ${run.id}`,
  };
}

export function waitingForPerson(run: Run): Refusal {
  const question = run.question;
  return question === undefined
    ? {
        code: "waiting-for-person",
        message: `run ${run.id} waits for a person in ${run.state}`,
        next: `signalbox show ${run.id}`,
      }
    : {
        code: "waiting-for-person",
        message: `run ${run.id} waits for a person's answer to ${question.id}`,
        next: `signalbox answer ${question.id} VALUE`,
      };
}

export function notOpen(run: Run, to: string, reasons: readonly Unmet[]): Refusal {
  const first = reasons[0];
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more)` : "";
  return {
    code: first?.code ?? "gate-not-met",
    message: `${run.state} to ${to}: ${first?.message ?? "its gate is not met"}${more}`,
    ...(first?.at === undefined ? {} : { at: first.at }),
    next: wayOut(run, to, first),
  };
}

/** An option of the question that is closed for this run. */
export function shutAnswer(
  run: Run,
  choice: { answer: string; reasons: readonly Unmet[]; open: readonly string[] },
): Refusal {
  const [first] = choice.reasons;
  const commands = choice.open.map((value) => `signalbox answer ${run.id} ${value}`);
  return {
    code: first?.code ?? "gate-not-met",
    message: `${run.question?.id ?? ""}: "${choice.answer}" cannot be chosen now: ${first?.message ?? "its gate is not met"}`,
    ...(first?.at === undefined ? {} : { at: first.at }),
    next: commands.length === 0 ? `signalbox why ${run.id}` : commands.join(", or: "),
  };
}

/** A run that could not start is not stored, so `move` cannot refer to it. */
function wayOut(run: Run, to: string, first: Unmet | undefined): string {
  if (first === undefined) return `signalbox why ${run.id}`;
  return run.state === START ? first.mend : `${first.mend}, then: signalbox move ${run.id} ${to}`;
}

/** A longer list would not help: people fix a few faults at a time. */
const FAULTS_MAX = 20;

/** Rejects a submission and lists every fault, so that one fix is enough. */
export function unusable(run: Run, { artifact, faults }: Reading, found: ExplainedStatus): Refusal {
  const others = found.reason === faults[0]?.reason ? faults.slice(1, FAULTS_MAX) : [];
  const also = others.map(({ at, reason }) => `; also ${at.line}:${at.col}: ${reason}`);
  return {
    code: found.standing === "stale" ? "stale" : "gate-not-met",
    message: `${artifact} is ${found.standing}: ${found.reason}${also.join("")}`,
    ...(found.at === undefined ? {} : { at: found.at }),
    next: `${found.mend ?? `fix ${artifact}`}, then: signalbox submit ${run.id} ${artifact}`,
  };
}

/** Rejects a submission about a text that another author has changed: it would not count. */
export function notAccepted(workflow: Workflow, run: Run, name: string): Refusal {
  return {
    code: "stale",
    message: sayForeign(workflow, run, name),
    next: `signalbox submit ${run.id} ${name}, if the new text is yours; otherwise restore the accepted one`,
  };
}

export function leadsElsewhere(run: Run, asked: string, computed: string): Refusal {
  return {
    code: "gate-not-met",
    message: `what was submitted leads from ${run.state} to ${computed}, not to ${asked}`,
    next: `signalbox move ${run.id} ${computed}`,
  };
}

export function invalid(run: Run, message: string): Refusal {
  return { code: "invalid", message, next: `signalbox show ${run.id}` };
}
