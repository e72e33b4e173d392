/**
 * Everything that could happen to a run in its present state, as events for `step`.
 *
 * Contents are abstract: an artifact is new and has one of the outcomes that somebody's guard can tell apart; a fan-out has
 * two members; the tree is the one it was or another. The checker and the simulator both draw from here, so what is
 * proven is what the real core does.
 *
 * An artifact that only its own author's moves read is written when it is needed: with the wish for the move, or at the
 * author's end. Writing it earlier leads nowhere else, because whoever has written can still do all that and no more.
 */

import { isUp } from "../act.ts";
import { endKey, type Workflow } from "../compile.ts";
import type { Actor, Incoming, Reading } from "../event.ts";
import { isOpen, isSpent, targetOf } from "../gate.ts";
import type { Agent, Run } from "../run.ts";
import { isGood, standingOf } from "../standing.ts";
import { shownBy } from "../steps/answer.ts";
import type { Move } from "../workflow.ts";
import { outcomesOf, type Outcome } from "./outcomes.ts";
import { sitesOf, type Site } from "./site.ts";

export type Happening = {
  readonly event: Incoming;
  /** A person did it: loops through here are bounded by people. */
  readonly human: boolean;
  /** The artifact whose outcome this brings, if it brings one. */
  readonly artifact?: string;
};

const HUMAN: Actor = { type: "human" };
const AT = "";

export function possible(workflow: Workflow, run: Run): Happening[] {
  const site = sitesOf(workflow).get(run.state);
  if (site === undefined) return [];
  const happenings: Happening[] = [];
  for (const id in run.agents) {
    const agent = run.agents[id];
    if (agent === undefined) continue;
    if (isUp(agent)) byAgent(workflow, run, { site, agent, happenings });
    else if (agent.status === "crashed")
      happenings.push({ human: true, event: { type: "respawn-asked", by: HUMAN, at: AT, role: agent.role } });
  }
  byEngine(workflow, run, site, happenings);
  byHuman(workflow, run, site, happenings);
  return happenings;
}

function byAgent(
  workflow: Workflow,
  run: Run,
  on: { site: Site; agent: Agent; happenings: Happening[] },
): void {
  const { site, happenings } = on;
  const { role, slot, attempt } = on.agent;
  const by: Actor = { type: "agent", role, slot, attempt };
  submissions(workflow, run, { site, who: role, slot, by, happenings });
  asks(workflow, run, { moves: site.movesBy.get(role) ?? [], who: role, by, happenings });
  const rule = workflow.ends[endKey(role, run.state)];
  const tried =
    rule?.try === undefined ? undefined : site.movesBy.get(role)?.find((move) => move.to === rule.try);
  const left = tried === undefined ? undefined : owed(workflow, run, tried, role);
  const ended = { type: "agent-ended", at: AT, role, slot, attempt, cause: "exited" } as const;
  if (left !== undefined && left.length > 0)
    happenings.push({ human: false, event: { ...ended, readings: left } });
  happenings.push({ human: false, event: ended });
  if (workflow.definition.roles[role]?.access === "write" && isBoundNow(workflow, run, site))
    happenings.push({ human: false, event: { type: "observed", at: AT, tree: `t${run.seq}` } });
}

function byEngine(workflow: Workflow, run: Run, site: Site, happenings: Happening[]): void {
  for (const name of site.watched) {
    const artifact = workflow.definition.artifacts[name];
    if (artifact === undefined) continue;
    for (const outcome of outcomesOf(workflow, name, artifact)) {
      happenings.push({
        human: false,
        artifact: name,
        event: {
          type: "observed",
          at: AT,
          readings: [readingOf(run, name, "", outcome)],
          reserved: site.reserve,
        },
      });
    }
  }
}

function byHuman(workflow: Workflow, run: Run, site: Site, happenings: Happening[]): void {
  submissions(workflow, run, { site, who: "human", slot: "", by: HUMAN, happenings });
  asks(workflow, run, { moves: site.movesBy.get("human") ?? [], who: "human", by: HUMAN, happenings });
  for (const artifact of site.waivable) {
    if (!isGood(standingOf(workflow, run, artifact)))
      happenings.push({
        human: true,
        event: { type: "waived", by: HUMAN, at: AT, artifact, reason: "accepted" },
      });
  }
  answers(workflow, run, site, happenings);
  if (isBoundNow(workflow, run, site))
    happenings.push({ human: true, event: { type: "submitted", by: HUMAN, at: AT, tree: `t${run.seq}` } });
}

/** Wishes for moves that can be granted: asking for one that is shut is refused and changes nothing. */
function asks(
  workflow: Workflow,
  run: Run,
  on: { moves: readonly Move[]; who: string; by: Actor; happenings: Happening[] },
): void {
  const human = on.who === "human";
  for (const move of on.moves) {
    const readings = owed(workflow, run, move, on.who);
    if (readings === undefined) continue;
    on.happenings.push({
      human,
      event: {
        type: "move-asked",
        by: on.by,
        at: AT,
        to: targetOf(run, move),
        reserved: move.reserve,
        readings,
      },
    });
  }
}

/** What this author must write for the move, or nothing at all when the move is shut for other reasons. */
function owed(workflow: Workflow, run: Run, move: Move, who: string): Reading[] | undefined {
  const missing = move.need.filter((name) => !isGood(standingOf(workflow, run, name)));
  if (missing.length === 0) return isOpen(workflow, run, move, move.reserve) ? [] : undefined;
  if (!missing.every((name) => workflow.definition.artifacts[name]?.by.includes(who))) return undefined;
  if (!isOpen(workflow, run, { ...move, need: [] }, move.reserve)) return undefined;
  return missing.flatMap((name) => {
    const artifact = workflow.definition.artifacts[name];
    const good =
      artifact === undefined
        ? undefined
        : outcomesOf(workflow, name, artifact).find(
            (outcome) => outcome.verdict === undefined || outcome.verdict === "pass",
          );
    return good === undefined ? [] : [readingOf(run, name, "", good)];
  });
}

function answers(workflow: Workflow, run: Run, site: Site, happenings: Happening[]): void {
  const { question } = run;
  if (question === undefined) return;
  const { ask } = question;
  const shown = shownBy(workflow, run, ask);
  const reask = workflow.definition.asks[ask]?.reask;
  const words = reask === undefined || isSpent(workflow, run, reask) ? site.answers : [...site.answers, ""];
  for (const answer of words)
    happenings.push({
      human: true,
      event: { type: "answered", by: HUMAN, at: AT, ask, answer, text: "because", shown },
    });
}

function submissions(
  workflow: Workflow,
  run: Run,
  on: { site: Site; who: string; slot: string; by: Actor; happenings: Happening[] },
): void {
  for (const name of on.site.submittedBy.get(on.who) ?? []) {
    const artifact = workflow.definition.artifacts[name];
    if (artifact === undefined || (artifact.each === undefined) !== (on.slot === "")) continue;
    const same = on.site.sameText.get(name) ?? [];
    for (const outcome of outcomesOf(workflow, name, artifact)) {
      const readings = [
        name,
        ...same.filter((other) => workflow.definition.artifacts[other]?.by.includes(on.who)),
      ].map((each) => readingOf(run, each, on.slot, outcome));
      on.happenings.push({
        human: on.who === "human",
        artifact: name,
        event: { type: "submitted", by: on.by, at: AT, readings },
      });
    }
  }
}

/** The work may change at any time; that is worth a look only while something is bound to it. */
function isBoundNow(workflow: Workflow, run: Run, site: Site): boolean {
  return site.bound.some((name) => {
    if (run.held[name]?.tree === run.tree || run.waivers[name]?.tree === run.tree) return true;
    const by = workflow.definition.artifacts[name]?.by ?? [];
    return by.some((role) => {
      const agent = run.agents[role];
      return agent !== undefined && isUp(agent) && agent.tree === run.tree;
    });
  });
}

/** A reading with a digest that was never there before. */
function readingOf(run: Run, artifact: string, slot: string, outcome: Outcome): Reading {
  return { artifact, slot, found: true, digest: `d${run.seq}`, faults: [], ...outcome };
}
