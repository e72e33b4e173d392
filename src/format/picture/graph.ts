/** A workflow as data for a diagram: its states with their kinds, and the moves between them. */

import type { Workflow } from "../../core/model/compile.ts";
import {
  ORIGIN,
  START,
  type Condition,
  type Definition,
  type Move,
  type State,
} from "../../core/model/workflow.ts";

/**
 * *human*: waits for a person. *final*, *cancelled* and *failed*: the run ends here with success, unfinished or with a failure.
 */
export type StateKind = "plain" | "human" | "final" | "cancelled" | "failed";

export type DrawnState = {
  readonly name: string;
  readonly title: string;
  readonly stage: string;
  readonly kind: StateKind;
};

/** `from` is `start` for a start move. Moves between the same two states are combined, with a label for each. */
type DrawnMove = { readonly from: string; readonly to: string; readonly labels: readonly string[] };

export type Diagram = { readonly states: readonly DrawnState[]; readonly moves: readonly DrawnMove[] };

/** Helper states that stages generate, with the phase that represents each. */
export type Helpers = ReadonlyMap<string, string>;

export function graphOf(workflow: Workflow, helpers: Helpers, { expanded }: { expanded: boolean }): Diagram {
  const drawnAs = (name: string): string => (expanded ? name : (helpers.get(name) ?? name));
  const states = Object.entries(workflow.definition.states).filter(([name]) => drawnAs(name) === name);
  return {
    states: states.map(([name, state]) => ({
      name,
      title: state.title,
      stage: state.stage ?? "",
      kind: kindOf(state),
    })),
    moves: merge(workflow.definition, drawnAs),
  };
}

function kindOf(state: State): StateKind {
  if (state.final !== undefined) return state.final === "done" ? "final" : state.final;
  return state.waits || state.ask !== undefined ? "human" : "plain";
}

function merge({ moves, counters, artifacts }: Definition, drawnAs: (name: string) => string): DrawnMove[] {
  const drawn = new Map<string, { from: string; to: string; labels: string[] }>();
  for (const move of moves) {
    for (const target of targetsOf(moves, move)) {
      const from = drawnAs(move.from);
      const to = drawnAs(target);
      const isInside = from === to && move.from !== target;
      // While a phase is drawn as one state, only its loops are shown.
      if (isInside && move.count.length === 0) continue;
      const key = `${from} ${to}`;
      const known = drawn.get(key) ?? { from, to, labels: [] };
      drawn.set(key, known);
      const label = isInside ? loopOf(counters, move) : labelOf(artifacts, move);
      if (!known.labels.includes(label)) known.labels.push(label);
    }
  }
  return [...drawn.values()];
}

/** The name of the helper state without its phase, and its limit: `fix, at most 2`. */
function loopOf(counters: Definition["counters"], { from, to, count }: Move): string {
  const most = count.flatMap((name) => {
    const max = counters[name]?.max ?? 0;
    return [`at most ${typeof max === "object" ? `$${max.param}` : max}`];
  });
  return [to.startsWith(`${from}-`) ? to.slice(from.length + 1) : to, ...most].join(", ");
}

/** A move back leads to every state from which its own state is entered with `remember`. */
function targetsOf(moves: readonly Move[], move: Move): readonly string[] {
  if (move.to !== ORIGIN) return [move.to];
  const into = moves.filter((other) => other.to === move.from && other.remember && other.from !== START);
  const asked = move.when.find((condition) => condition.type === "origin");
  const origins = [...new Set(into.map((other) => other.from))];
  return asked === undefined ? origins : origins.filter((name) => asked.in.includes(name));
}

/** The actors, then the conditions: `worker, human [plan]`. A person's answer replaces the word `human`. */
function labelOf(artifacts: Definition["artifacts"], move: Move): string {
  const who = move.answer === undefined ? move.by.join(", ") : `answer ${move.answer}`;
  const gate = [...move.need, ...move.when.flatMap((condition) => sayCondition(artifacts, condition))];
  return gate.length === 0 ? who : `${who} [${gate.join(", ")}]`;
}

function sayCondition(artifacts: Definition["artifacts"], condition: Condition): string[] {
  switch (condition.type) {
    case "artifact": {
      const isInOrder = artifacts[condition.artifact]?.each?.inOrder === true;
      return [`${condition.artifact}${isInOrder ? " in order" : ""} ${condition.in.join(" or ")}`];
    }
    case "field":
      return [`${condition.artifact}.${condition.field} ${condition.in.join(" or ")}`];
    case "least":
      return [`${condition.artifact}.${condition.field} at least ${condition.min}`];
    case "most":
      return [`${condition.artifact}.${condition.field} at most ${condition.max}`];
    case "counter":
      return [`${condition.counter} ${condition.is}`];
    case "param":
      return [`${condition.param} ${condition.in.join(" or ")}`];
    case "origin":
      return [];
  }
}
