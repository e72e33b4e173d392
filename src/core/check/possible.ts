/**
 * Everything that could happen to a run in its present state, as events for `step`.
 *
 * Contents are abstract: an artifact is new and has one of the outcomes that somebody's guard can tell apart; a fan-out has
 * two members; the tree is the one it was or another. The checker and the simulator both draw from here, so what is
 * proven is what the real core does.
 */

import { isUp } from "../act.ts";
import type { Workflow } from "../compile.ts";
import type { Actor, Incoming, Reading } from "../event.ts";
import { isOpen, isSpent, targetOf } from "../gate.ts";
import type { Agent, Run } from "../run.ts";
import { isGood, worth } from "../standing.ts";
import { shownBy } from "../steps/answer.ts";
import type { Artifact, Move } from "../workflow.ts";
import { outcomesOf, type Outcome } from "./outcomes.ts";

export type Happening = {
  readonly event: Incoming;
  /** A person did it: loops through here are bounded by people. */
  readonly human: boolean;
  /** The artifact whose outcome this brings, if it brings one. */
  readonly artifact?: string;
};

const HUMAN: Actor = { type: "human" };
const AT = "";
/** Two members are enough to have all, some and none of them succeed. */
export const SLOTS = ["one", "other"];

export function possible(workflow: Workflow, run: Run): Happening[] {
  const { definition, movesFrom } = workflow;
  if (definition.states[run.state]?.final !== undefined) return [];
  const moves = movesFrom[run.state] ?? [];
  const relevant = relevantTo(moves);
  const agents = Object.values(run.agents);
  return [
    ...agents.filter(isUp).flatMap((agent) => byAgent(workflow, run, { agent, moves, relevant })),
    ...byEngine(workflow, run, relevant),
    ...byHuman(workflow, run, { moves, relevant }),
    ...agents.filter((agent) => agent.status === "crashed").map((agent): Happening => ({ human: true, event: { type: "respawn-asked", by: HUMAN, at: AT, role: agent.role } })),
  ];
}

function relevantTo(moves: readonly Move[]): string[] {
  return [...new Set(moves.flatMap((move) => [...move.need, ...move.when.flatMap((condition) => ("artifact" in condition ? [condition.artifact] : []))]))];
}

type Site = { readonly moves: readonly Move[]; readonly relevant: readonly string[] };

function byAgent(workflow: Workflow, run: Run, on: Site & { agent: Agent }): Happening[] {
  const { role, slot, attempt } = on.agent;
  const by: Actor = { type: "agent", role, slot, attempt };
  const asks = on.moves.filter((move) => isAskable(workflow, run, move, role)).map((move): Happening => ({ human: false, event: asked(run, move, by) }));
  const ended: Happening = { human: false, event: { type: "agent-ended", at: AT, role, slot, attempt, cause: "exited" } };
  const edits = workflow.definition.roles[role]?.access === "write" ? editsOf(workflow, run, false) : [];
  return [...submissions(workflow, run, { relevant: on.relevant, who: role, slot, by, human: false }), ...asks, ended, ...edits];
}

function byEngine(workflow: Workflow, run: Run, relevant: readonly string[]): Happening[] {
  const names = relevant.filter((name) => workflow.definition.artifacts[name]?.by.includes("engine"));
  return names.flatMap((name) => {
    const artifact = workflow.definition.artifacts[name];
    if (artifact === undefined) return [];
    const reserved = reservedBy(workflow, run);
    return outcomesOf(workflow, name, artifact).map((outcome): Happening => ({
      human: false,
      artifact: name,
      event: { type: "observed", at: AT, readings: [readingOf(run, name, "", outcome)], reserved },
    }));
  });
}

function byHuman(workflow: Workflow, run: Run, on: Site): Happening[] {
  const asks = on.moves.filter((move) => isAskable(workflow, run, move, "human"));
  const needed = [...new Set(on.moves.flatMap((move) => move.need))];
  return [
    ...submissions(workflow, run, { relevant: on.relevant, who: "human", slot: "", by: HUMAN, human: true }),
    ...asks.map((move): Happening => ({ human: true, event: asked(run, move, HUMAN) })),
    ...needed
      .filter((name) => !isGood(worth(workflow, run, name).standing))
      .map((artifact): Happening => ({ human: true, event: { type: "waived", by: HUMAN, at: AT, artifact, reason: "accepted" } })),
    ...answers(workflow, run, on.moves),
    ...editsOf(workflow, run, true),
  ];
}

/** Asking for a move that is shut is refused and changes nothing. */
function isAskable(workflow: Workflow, run: Run, move: Move, who: string): boolean {
  return move.answer === undefined && move.by.includes(who) && isOpen(workflow, run, move, move.reserve);
}

function answers(workflow: Workflow, run: Run, moves: readonly Move[]): Happening[] {
  const { question } = run;
  if (question === undefined) return [];
  const { ask } = question;
  const shown = shownBy(workflow, run, ask);
  const words = [...new Set(moves.flatMap((move) => (move.answer === undefined ? [] : [move.answer])))];
  const reask = workflow.definition.asks[ask]?.reask;
  if (reask !== undefined && !isSpent(workflow, run, reask)) words.push("");
  return words.map((answer): Happening => ({ human: true, event: { type: "answered", by: HUMAN, at: AT, ask, answer, text: "because", shown } }));
}

function submissions(workflow: Workflow, run: Run, on: { relevant: readonly string[]; who: string; slot: string; by: Actor; human: boolean }): Happening[] {
  const artifacts = Object.entries(workflow.definition.artifacts);
  return on.relevant.flatMap((name) => {
    const artifact = workflow.definition.artifacts[name];
    if (artifact === undefined || !artifact.by.includes(on.who)) return [];
    if ((artifact.each === undefined) !== (on.slot === "")) return [];
    // Artifacts that are the same text are read together.
    const same = artifacts.filter(([other, declared]) => other !== name && isSameText(artifact, declared) && declared.by.includes(on.who)).map(([other]) => other);
    return outcomesOf(workflow, name, artifact).map((outcome): Happening => ({
      human: on.human,
      artifact: name,
      event: { type: "submitted", by: on.by, at: AT, readings: [name, ...same].map((each) => readingOf(run, each, on.slot, outcome)) },
    }));
  });
}

function isSameText(a: Artifact, b: Artifact): boolean {
  if (a.file === "" || a.file !== b.file || a.reader.type !== b.reader.type) return false;
  return a.reader.type !== "section" || b.reader.type !== "section" || a.reader.heading === b.reader.heading;
}

function asked(run: Run, move: Move, by: Actor): Incoming {
  return { type: "move-asked", by, at: AT, to: targetOf(run, move), reserved: move.reserve };
}

/** The work changes: worth a look only while something is bound to it. */
function editsOf(workflow: Workflow, run: Run, human: boolean): Happening[] {
  const bound = Object.entries(workflow.definition.artifacts).filter(([, artifact]) => artifact.bind.includes("tree"));
  const matters = bound.some(
    ([name, artifact]) =>
      run.held[name]?.tree === run.tree || run.waivers[name]?.tree === run.tree || artifact.by.some((role) => Object.values(run.agents).some((agent) => agent.role === role && isUp(agent) && agent.tree === run.tree)),
  );
  if (!matters) return [];
  const event: Incoming = human ? { type: "submitted", by: HUMAN, at: AT, tree: `t${run.seq}` } : { type: "observed", at: AT, tree: `t${run.seq}` };
  return [{ human, event }];
}

function reservedBy(workflow: Workflow, run: Run): string[] {
  return (workflow.movesFrom[run.state] ?? []).flatMap((move) => move.reserve);
}

/** A reading with a digest that was never there before. */
export function readingOf(run: Run, artifact: string, slot: string, outcome: Outcome): Reading {
  return { artifact, slot, found: true, digest: `d${run.seq}`, faults: [], ...outcome };
}
