/**
 * The meaning of a verb for one run now: the open marked moves and answers, and the open paths.
 *
 * Every candidate is tried with `step` on the current run, so every offered way is one that `step` accepts. Resources are
 * reserved when a move is requested; they close nothing here.
 */

import type { Workflow } from "../model/compile.ts";
import type { Event, Facts, Incoming } from "../model/event.ts";
import { targetOf } from "../gates/gate.ts";
import { valuesOf } from "../gates/question-parts.ts";
import type { Run } from "../model/run.ts";
import { step } from "../step/step.ts";
import { shownBy } from "../step/events/answer.ts";
import {
  ORIGIN,
  type Move,
  type AskOption,
  type PathStep,
  type Verb,
  type WithText,
} from "../model/workflow.ts";

type WayStep =
  | { readonly type: "move"; readonly to: string }
  | { readonly type: "answer"; readonly answer: string };

/** One way to carry out a verb. */
export type VerbWay = {
  /** The value that selects this way among several: the answer, or the target state. */
  readonly name: string;
  /** The state of the run afterwards. */
  readonly to: string;
  readonly kind: "move" | "answer" | "path";
  readonly steps: readonly WayStep[];
  readonly text: WithText;
  readonly into?: string;
  readonly deliver?: true;
  /** The definition's text for people; empty if it has none. */
  readonly label: string;
  /** Artifacts that the person waives on the way. */
  readonly waives: readonly string[];
};

/** A run, and the current facts about its files and its work. */
type Situated = { readonly workflow: Workflow; readonly run: Run; readonly facts?: Facts };

/** A way that the definition has here, and that is closed now. */
type ClosedWay = { readonly name: string; readonly reason: string; readonly next: string };

/** `open` lists marked moves and answers first, then paths in the order of the definition. */
export type Ways = { readonly open: readonly VerbWay[]; readonly closed: readonly ClosedWay[] };

export function waysFor(situated: Situated, verb: Verb): Ways {
  const tried = candidatesFor(situated, verb).map((way) => trial(situated, way));
  const open = tried.flatMap((each) => ("to" in each ? [each] : []));
  return {
    open: open.filter(({ name }, index) => open.findIndex((other) => other.name === name) === index),
    closed: tried.flatMap((each) => ("reason" in each ? [each] : [])),
  };
}

/** Selects among the open ways: by name, else the marked ones, else the first path. If several remain, a person must decide. */
export function chosenFrom(open: readonly VerbWay[], name?: string): readonly VerbWay[] {
  if (name !== undefined) {
    const exact = open.filter((way) => way.name === name);
    return exact.length > 0 ? exact : open.filter((way) => way.to === name || routeOf(way) === name);
  }
  const marked = open.filter(({ kind }) => kind !== "path");
  return marked.length > 0 ? marked : open.slice(0, 1);
}

function routeOf({ kind, name }: VerbWay): string | undefined {
  return kind === "answer" ? name.split("/")[1] : undefined;
}

/** A way before it is tried: its target, its waivers and whether it is open are not known yet. */
type WayCandidate = Omit<VerbWay, "to" | "waives" | "steps"> & {
  readonly path: readonly PathStep[];
  /** If several moves lead to the same state, only this one counts. */
  readonly move?: Move;
};

function candidatesFor({ workflow, run }: Situated, verb: Verb): WayCandidate[] {
  const { definition, movesFrom } = workflow;
  const moves = (movesFrom[run.state] ?? []).flatMap((move): WayCandidate[] => {
    const { mark } = move;
    if (mark?.verb !== verb) return [];
    const state = targetOf(run, move);
    return [{ ...howOf(mark), name: state, kind: "move", path: [{ type: "state", state }], move, label: "" }];
  });
  const ask = definition.asks[definition.states[run.state]?.ask ?? ""];
  const answers = (ask === undefined ? [] : valuesOf(ask)).flatMap((answer): WayCandidate[] => {
    const option: AskOption | undefined = ask?.options[answer.split("/")[0] ?? ""];
    if (option?.verb !== verb) return [];
    const { text, label } = option;
    return [{ name: answer, kind: "answer", path: [{ type: "answer", answer }], text, label }];
  });
  const paths = (definition.verbs ?? []).flatMap((each): WayCandidate[] =>
    each.verb === verb && each.in === run.state
      ? [{ ...howOf(each), name: nameOf(each.path.at(-1)), kind: "path", path: each.path, label: "" }]
      : [],
  );
  return [...moves, ...answers, ...paths];
}

function howOf({
  text,
  into,
  deliver,
}: NonNullable<Move["mark"]>): Pick<VerbWay, "text" | "into" | "deliver"> {
  return { text, ...(into === undefined ? {} : { into }), ...(deliver === undefined ? {} : { deliver }) };
}

function nameOf(last: PathStep | undefined): string {
  if (last === undefined || last.type === "origin") return ORIGIN;
  return last.type === "state" ? last.state : last.answer;
}

function trial({ workflow, run, facts = {} }: Situated, candidate: WayCandidate): VerbWay | ClosedWay {
  const { path, move, ...way } = candidate;
  const steps: WayStep[] = [];
  const waives: string[] = [];
  let now = run;
  for (const each of path) {
    const next = resolved(now, each);
    if (next === undefined) return closed(way.name, now, "the run does not remember where it came from");
    const from = now;
    const known = steps.length === 0 ? facts : {};
    const tried = step(workflow, now, eventOf({ workflow, run: now, facts: known }, next));
    if (!tried.ok) return { name: way.name, reason: tried.refusal.message, next: tried.refusal.next };
    const taken = takenIn(workflow, tried.events, from.state);
    const isMeant = taken !== undefined && (move === undefined || taken === move);
    if (!isMeant || !isWhere(next, { from, taken, state: tried.run.state }))
      return closed(way.name, from, `${from.state} leads elsewhere now`);
    steps.push(next);
    waives.push(...taken.waive);
    now = tried.run;
  }
  // Only now is the name of the origin known.
  const name = way.name === ORIGIN ? now.state : way.name;
  return { ...way, name, to: now.state, steps, waives };
}

function closed(name: string, { id }: Run, reason: string): ClosedWay {
  return { name, reason, next: `signalbox why ${id}` };
}

function resolved(run: Run, each: PathStep): WayStep | undefined {
  if (each.type === "answer") return each;
  if (each.type === "state") return { type: "move", to: each.state };
  const frame = run.frames.at(-1);
  return frame !== undefined && frame.state === run.state ? { type: "move", to: frame.from } : undefined;
}

/** The move by which the run left a state. */
function takenIn({ definition }: Workflow, events: readonly Event[], from: string): Move | undefined {
  const moved = events.find((event) => event.type === "moved" && event.from === from);
  return moved?.type === "moved" ? definition.moves[moved.rule] : undefined;
}

/** The engine may continue by itself after a move; a path continues only from the state that it names. */
function isWhere(next: WayStep, { from, taken, state }: { from: Run; taken: Move; state: string }): boolean {
  return next.type === "answer" || targetOf(from, taken) === next.to || state === next.to;
}

function eventOf({ workflow, run, facts }: Situated, next: WayStep): Incoming {
  const by = { type: "human" } as const;
  const at = run.updatedAt;
  if (next.type === "answer") {
    const ask = workflow.definition.states[run.state]?.ask ?? "";
    return {
      type: "answered",
      by,
      at,
      ask,
      answer: next.answer,
      text: "words",
      shown: shownBy(workflow, run, ask),
    };
  }
  const reserved = (workflow.movesFrom[run.state] ?? []).flatMap(({ reserve }) => reserve);
  return { type: "move-asked", by, at, to: next.to, note: "words", ...facts, reserved };
}
