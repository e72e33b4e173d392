/**
 * Whether a state that the run can still reach needs an artifact in its current content. Content that is reset or archived before
 * that state does not count.
 */

import type { Workflow } from "../model/compile.ts";
import { artifactsIn } from "../model/status.ts";
import type { Run } from "../model/run.ts";
import { ORIGIN, type Move } from "../model/workflow.ts";

/** `gate`: a move, a question or an artifact of one of these waits for it. `context`: an agent gets it to read. */
type Asker = "gate" | "context" | "nobody";

type RunPosition = Pick<Run, "state" | "frames" | "params">;

export function askerAhead(workflow: Workflow, run: RunPosition, name: string): Asker {
  const names = aboutIt(workflow, name);
  const states = statesAhead(workflow, run, name);
  if ([...states].some((state) => isAskedIn(workflow, run, { state, states, names }))) return "gate";
  return [...states].some((state) => isReadIn(workflow, state, name)) ? "context" : "nobody";
}

/** The artifact, and all artifacts that are about it or made from it. */
function aboutIt({ definition }: Workflow, name: string): ReadonlySet<string> {
  const all = new Set([name]);
  for (const known of all)
    for (const [other, { bind, each, every, reader }] of Object.entries(definition.artifacts)) {
      const lists = [each?.artifact, every?.artifact, "tasks" in reader ? reader.tasks : undefined];
      if (bind.includes(known) || lists.includes(known)) all.add(other);
    }
  return all;
}

/** The states that a run can reach while the artifact has its current content. */
function statesAhead(workflow: Workflow, run: RunPosition, name: string): ReadonlySet<string> {
  const states = new Set([run.state]);
  // A move back may lead to a state that is found later, so the search repeats.
  for (let known = 0; known < states.size;) {
    known = states.size;
    for (const state of states)
      for (const move of movesIn(workflow, run, { state, states })) {
        if (isAnotherBehind(workflow, move, name)) continue;
        // A state that was left for a question on the way was reached before.
        for (const to of move.to === ORIGIN ? run.frames.map(({ from }) => from) : [move.to]) states.add(to);
      }
  }
  return states;
}

/** Without moves that the parameters of the run, or its possible origins, exclude. */
function movesIn(
  workflow: Workflow,
  { params, frames }: RunPosition,
  reached: { readonly state: string; readonly states: ReadonlySet<string> },
): readonly Move[] {
  const isOrigin = (state: string): boolean =>
    reached.states.has(state) || frames.some(({ from }) => from === state);
  return (workflow.movesFrom[reached.state] ?? []).filter(({ when }) =>
    when.every((each) => {
      if (each.type === "param") return each.in.includes(params[each.param] ?? "");
      return each.type !== "origin" || each.in.some(isOrigin);
    }),
  );
}

function isAnotherBehind(
  { definition, artifactsPer, countersPer }: Workflow,
  move: Move,
  name: string,
): boolean {
  const scopes = ["entry", move.to, ...move.renew];
  const counters = scopes.flatMap((scope) => countersPer[scope] ?? []);
  const anew = [...scopes, ...counters, ...move.count].flatMap((scope) => artifactsPer[scope] ?? []);
  const aside = [...move.do, ...(definition.states[move.to]?.enter ?? [])].flatMap((action) =>
    action.type === "archive" ? action.artifacts : [],
  );
  return anew.includes(name) || aside.includes(name);
}

function isAskedIn(
  workflow: Workflow,
  run: RunPosition,
  search: {
    readonly state: string;
    readonly states: ReadonlySet<string>;
    readonly names: ReadonlySet<string>;
  },
): boolean {
  const { state, names } = search;
  const { states, asks } = workflow.definition;
  const ask = asks[states[state]?.ask ?? ""];
  const parts = ask?.parts === undefined ? [] : [ask.parts, ...(ask.parts.more ?? [])];
  return (
    [...(ask?.shows ?? []), ...parts.map(({ artifact }) => artifact)].some((name) => names.has(name)) ||
    movesIn(workflow, run, search).some((move) => artifactsIn(move).some((name) => names.has(name)))
  );
}

function isReadIn(workflow: Workflow, state: string, name: string): boolean {
  const { states, roles } = workflow.definition;
  const actions = [
    ...(states[state]?.enter ?? []),
    ...(workflow.movesFrom[state] ?? []).flatMap((move) => move.do),
  ];
  return actions.some((action) => "role" in action && roles[action.role]?.context.includes(name) === true);
}
