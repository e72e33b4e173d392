/** What a task has that other runs have not: work that is merged or sent back, and questions on its page. */

import type { Workflow } from "../../../core/model/compile.ts";
import { targetOf } from "../../../core/gates/gate.ts";
import type { VerbWay } from "../../../core/explain/verbs.ts";
import type { Run } from "../../../core/model/run.ts";
import { isGood } from "../../../core/gates/artifact-status.ts";
import { explainedStatus } from "../../../core/gates/status-reason.ts";
import type { Move } from "../../../core/model/workflow.ts";
import { factsNamed } from "../../../engine/supervise/fact.ts";
import type { Seen } from "../../runs/find.ts";
import { withoutColours } from "../words.ts";
import { acceptedText } from "./findings.ts";

type Of = { readonly workflow: Workflow; readonly run: Run };

const MERGED = "branch-merged";
/** The artifact that holds what an agent wants to know. */
const QUESTIONS = "questions";
const LINES_MAX = 12;

/** A person's move that ends it well, after which it is merged: not one that confirms a merge elsewhere. */
export function isFinishing({ workflow, run }: Of, move: Move): boolean {
  return (
    move.by.includes("human") &&
    move.answer === undefined &&
    workflow.definition.states[targetOf(run, move)]?.final === "done" &&
    factsNamed(workflow, move, MERGED).length === 0
  );
}

/** It waits for a person who neither finishes it, nor simply accepts it, nor answers a question. */
export function isAtALoss({ workflow, run }: Of): boolean {
  if (run.question !== undefined || workflow.definition.states[run.state]?.waits !== true) return false;
  const moves = workflow.movesFrom[run.state] ?? [];
  const isAcceptable = moves.some(
    ({ mark, when, waive }) => mark?.verb === "accept" && when.length === 0 && waive.length === 0,
  );
  const isFinal = moves.some((move) => isFinishing({ workflow, run }, move));
  return !isSetAside({ workflow, run }) && !isAcceptable && !isFinal;
}

/**
 * What `send-back` means in a workflow without verbs: the person's move that begins a new cycle and tells an agent, which is what a
 * request for changes is.
 */
export function impliedBack({ workflow, run }: Of): VerbWay | undefined {
  const { counters, moves } = workflow.definition;
  if (moves.some(({ mark }) => mark !== undefined)) return undefined;
  const scopes = new Set(Object.values(counters).map(({ per }) => per));
  const move = (workflow.movesFrom[run.state] ?? []).find(
    ({ by, answer, renew, do: actions }) =>
      by.includes("human") &&
      answer === undefined &&
      renew.some((scope) => scopes.has(scope)) &&
      actions.some(({ type }) => type === "tell"),
  );
  if (move === undefined) return undefined;
  const to = targetOf(run, move);
  return {
    name: to,
    to,
    kind: "move",
    steps: [{ type: "move", to }],
    text: "required",
    label: "",
    waives: move.waive,
  };
}

/** The questions of a run that was set aside; empty where it has none. Only for people to read: nothing is decided by it. */
export async function askedIn(seen: Pick<Seen, "store" | "workflow" | "run">): Promise<string> {
  const { workflow, run } = seen;
  const reading = run.held[QUESTIONS]?.reading;
  if (!isSetAside(seen) || reading === undefined) return "";
  if (workflow.definition.artifacts[QUESTIONS]?.reader.type !== "section") return "";
  return isGood(explainedStatus(workflow, run, QUESTIONS).standing)
    ? clipped(await acceptedText(seen, reading))
    : "";
}

/** It waits in a state that somebody who has a question puts it into, and that remembers where it came from. */
export function isSetAside({
  workflow: { definition },
  run,
}: Pick<Of, "workflow"> & { readonly run: Pick<Run, "state"> }): boolean {
  const { moves, states } = definition;
  return states[run.state]?.waits === true && moves.some(({ to, remember }) => remember && to === run.state);
}

function clipped(text: string): string {
  const said = text.trim().split(/\r?\n/);
  const lines = [...said.slice(0, LINES_MAX), ...(said.length > LINES_MAX ? ["..."] : [])];
  return withoutColours(lines.join("\n")).replaceAll("\u001B", "\uFFFD");
}
