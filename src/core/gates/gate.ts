/**
 * Whether a move is open, and if not, why.
 *
 * `unmet` returns every reason, so that `why` and a refusal use the same words.
 */

import type { Workflow } from "../model/compile.ts";
import type { RefusalCode } from "../model/event.ts";
import { valueIn } from "../model/field.ts";
import { QUESTION_DEPTH_MAX, type Run } from "../model/run.ts";
import { isGood, standingOf, valueOf } from "./artifact-status.ts";
import { explainedStatus } from "./status-reason.ts";
import { FACTS } from "../model/vocabulary.ts";
import type { Literal } from "../model/value.ts";
import {
  ORIGIN,
  type Condition,
  type Move,
  type SourcePlace,
  type ArtifactStatus,
} from "../model/workflow.ts";

export type Unmet = {
  readonly code: Extract<RefusalCode, "gate-not-met" | "stale" | "unchanged" | "budget-spent">;
  readonly message: string;
  readonly at?: SourcePlace;
  /** The smallest change that would meet the condition. */
  readonly mend: string;
};

/** A run, and the resources that the edge has reserved for the event. */
export type Situation = {
  readonly workflow: Workflow;
  readonly run: Run;
  readonly reserved: readonly string[];
  /** The run that holds each other resource. */
  readonly taken?: Readonly<Record<string, string>>;
};

export function unmet(situation: Situation, move: Move): Unmet[] {
  const { workflow, run, reserved } = situation;
  return [
    ...move.when
      .filter((condition) => !holds(workflow, run, condition))
      .map((condition) => explain(workflow, run, condition)),
    ...move.need
      .filter((name) => !isGood(standingOf(workflow, run, name)))
      .map((name) => explainNeed(workflow, run, name)),
    ...move.count
      .filter((counter) => isExhausted(situation, move, counter))
      .map((counter) => spent(workflow, run, counter)),
    ...(isTooDeep(run, move) ? [TOO_DEEP] : []),
    ...move.reserve
      .filter((resource) => !reserved.includes(resource))
      .map((resource) => notReserved(resource, situation.taken?.[resource])),
  ];
}

/** The reasons of the move with the fewest reasons: that move is worth explaining. */
export function nearest(situation: Situation, moves: readonly Move[]): Unmet[] {
  const all = moves.map((move) => unmet(situation, move));
  return all.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

export function isOpen(situation: Situation, move: Move): boolean {
  const { workflow, run, reserved } = situation;
  for (const condition of move.when) if (!holds(workflow, run, condition)) return false;
  for (const name of move.need) if (!isGood(standingOf(workflow, run, name))) return false;
  for (const counter of move.count) if (isExhausted(situation, move, counter)) return false;
  for (const resource of move.reserve) if (!reserved.includes(resource)) return false;
  return !isTooDeep(run, move);
}

/** Whether this answer opens a move of the current state. Resources are ignored: they are reserved with the answer. */
export function isAnswerOpen(workflow: Workflow, run: Run, answer: string): boolean {
  const moves = workflow.movesFrom[run.state] ?? [];
  return moves.some(
    (move) => move.answer === answer && isOpen({ workflow, run, reserved: move.reserve }, move),
  );
}

export function holds(workflow: Workflow, run: Run, condition: Condition): boolean {
  switch (condition.type) {
    case "artifact":
      return condition.in.includes(standingOf(workflow, run, condition.artifact));
    case "field":
      return (
        isUsable(standingOf(workflow, run, condition.artifact)) &&
        condition.in.includes(fieldOf(workflow, run, condition) ?? "")
      );
    case "least":
      return (
        isUsable(standingOf(workflow, run, condition.artifact)) &&
        Number(fieldOf(workflow, run, condition) ?? -1) >= condition.min
      );
    case "most":
      return (
        isUsable(standingOf(workflow, run, condition.artifact)) &&
        Number(fieldOf(workflow, run, condition) ?? Infinity) <= condition.max
      );
    case "counter":
      return isSpent(workflow, run, condition.counter) === (condition.is === "spent");
    case "param":
      return condition.in.includes(run.params[condition.param] ?? "");
    case "origin":
      return condition.in.includes(originOf(run));
  }
}

/** The state that the run came from, if the current state remembers it. */
function originOf(run: Run): string {
  const frame = run.frames.at(-1);
  return frame !== undefined && frame.state === run.state ? frame.from : "";
}

export function targetOf(run: Run, move: Move): string {
  return move.to === ORIGIN ? originOf(run) : move.to;
}

export function isSpent(workflow: Workflow, run: Run, counter: string): boolean {
  return (run.counters[counter] ?? 0) >= maxOf(workflow, run, counter);
}

export function maxOf(workflow: Workflow, run: Run, counter: string): number {
  const declared = workflow.definition.counters[counter];
  return declared === undefined ? 0 : Number(valueOf(run, declared.max));
}

/** A move that starts a counter's scope again may count it once, if the budget allows any. */
function isExhausted({ workflow, run }: Situation, move: Move, counter: string): boolean {
  const per = workflow.definition.counters[counter]?.per ?? "run";
  const isBegun = per === "entry" || per === targetOf(run, move) || move.renew.includes(per);
  return isBegun ? maxOf(workflow, run, counter) < 1 : isSpent(workflow, run, counter);
}

/** Whether an artifact of this status may be read by guards. */
export function isUsable(standing: ArtifactStatus): boolean {
  return standing !== "missing" && standing !== "invalid" && standing !== "stale";
}

function fieldOf(
  { definition }: Workflow,
  run: Run,
  { artifact, field }: { readonly artifact: string; readonly field: string },
): Literal | undefined {
  return valueIn(definition.artifacts[artifact]?.reader, run.held[artifact]?.reading, field);
}

function sayWanted(condition: Extract<Condition, { type: "field" | "least" | "most" }>): string {
  switch (condition.type) {
    case "field":
      return condition.in.join(" or ");
    case "least":
      return `at least ${condition.min}`;
    case "most":
      return `at most ${condition.max}`;
  }
}

/** Describes a fact that the engine observes; undefined for other artifacts. */
function factOf({ definition }: Workflow, name: string): string | undefined {
  const reader = definition.artifacts[name]?.reader;
  return reader?.type === "fact" ? FACTS[reader.fact]?.says : undefined;
}

function explain(workflow: Workflow, run: Run, condition: Condition): Unmet {
  switch (condition.type) {
    case "artifact": {
      const fact = factOf(workflow, condition.artifact);
      if (fact !== undefined) return { code: "gate-not-met", message: `happens when ${fact}`, mend: fact };
      const found = explainedStatus(workflow, run, condition.artifact);
      const wanted = condition.in.join(" or ");
      const isForChanged = condition.in.every((standing) => standing === "stale");
      return {
        code: found.standing === "stale" ? "stale" : isForChanged ? "unchanged" : "gate-not-met",
        message: `${condition.artifact} must be ${wanted}, but ${found.reason === "" ? `it is ${found.standing}` : found.reason}`,
        ...(found.at === undefined ? {} : { at: found.at }),
        mend: found.mend ?? `${condition.artifact} becomes ${wanted}`,
      };
    }
    case "field":
    case "least":
    case "most": {
      const wanted = sayWanted(condition);
      const { standing, reason } = explainedStatus(workflow, run, condition.artifact);
      const fact = factOf(workflow, condition.artifact);
      if (fact !== undefined && !isUsable(standing))
        return { code: "gate-not-met", message: `happens when ${fact}`, mend: fact };
      // Then its content does not count, even if the value would be right.
      const found = isUsable(standing)
        ? `it is ${fieldOf(workflow, run, condition) ?? "not given"}`
        : `${condition.artifact} is ${standing}${reason === "" ? "" : `: ${reason}`}`;
      const message = `${condition.artifact}.${condition.field} must be ${wanted}, but ${found}`;
      return {
        code: "gate-not-met",
        message,
        mend: `${condition.artifact}.${condition.field} becomes ${wanted}`,
      };
    }
    case "counter": {
      const message = `${condition.counter} is ${run.counters[condition.counter] ?? 0} of ${maxOf(workflow, run, condition.counter)}, and this needs it ${condition.is}`;
      return {
        code: condition.is === "below" ? "budget-spent" : "gate-not-met",
        message,
        mend: `${condition.counter} is ${condition.is}`,
      };
    }
    case "param": {
      const message = `this run has ${condition.param} ${run.params[condition.param] ?? "unset"}, and this needs ${condition.in.join(" or ")}`;
      return {
        code: "gate-not-met",
        message,
        mend: `start a run with ${condition.param} ${condition.in[0] ?? ""}`,
      };
    }
    case "origin": {
      const message = `this leads back only to a run that came from ${condition.in.join(" or ")}, and this one came from ${originOf(run) || "elsewhere"}`;
      return { code: "gate-not-met", message, mend: "take another move" };
    }
  }
}

function explainNeed(workflow: Workflow, run: Run, name: string): Unmet {
  const found = explainedStatus(workflow, run, name);
  const artifact = workflow.definition.artifacts[name];
  const author = (artifact?.by ?? []).map((by) => (by === "human" ? "a person" : by)).join(" or ");
  return {
    code: found.standing === "stale" ? "stale" : "gate-not-met",
    message: `${name} is ${found.standing}${found.reason === "" ? "" : `: ${found.reason}`}`,
    ...(found.at === undefined ? {} : { at: found.at }),
    mend:
      found.mend ??
      `${author} must ${found.standing === "missing" ? "write" : "renew"} ${name}, or a person waives it`,
  };
}

function spent(workflow: Workflow, run: Run, counter: string): Unmet {
  const max = maxOf(workflow, run, counter);
  return {
    code: "budget-spent",
    message: `${counter} is spent: ${run.counters[counter] ?? 0} of ${max}`,
    mend: "a person must decide",
  };
}

const TOO_DEEP: Unmet = {
  code: "budget-spent",
  message: `questions are at most ${QUESTION_DEPTH_MAX} deep`,
  mend: "answer the open question first",
};

function isTooDeep(run: Run, move: Move): boolean {
  return move.remember && run.frames.length >= QUESTION_DEPTH_MAX;
}

/** `holder` is the run that has the resource, if known. */
export function notReserved(resource: string, holder?: string): Unmet {
  if (holder !== undefined)
    return {
      code: "gate-not-met",
      message: `the ${resource} is in use: run ${holder} works there, and only one run can at a time`,
      mend: `wait until ${holder} releases the place (signalbox show ${holder} says what it waits for) or end it (signalbox cancel ${holder})`,
    };
  return { code: "gate-not-met", message: `no ${resource} is free`, mend: `a ${resource} becomes free` };
}
