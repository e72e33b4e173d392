/**
 * The diagram of a run's workflow, with the states and moves that the run has visited.
 *
 * `graphOf` says which states and moves are drawn, dagre where, and the journal how often the run came there. A phase that consists of
 * several states is drawn as one. Of a large workflow, only the surroundings of the run are drawn. All sizes are in pixels of the page.
 */

import { graphlib, layout } from "@dagrejs/dagre";
import { graphOf, type Diagram, type DrawnState } from "../../format/picture/graph.ts";
import { START, type Definition } from "../../core/model/workflow.ts";
import type { Looking } from "../declare.ts";
import { success, type Outcome } from "../outcome.ts";
import { seeRun, type Seen } from "../runs/find.ts";
import type { DataOf, InputOf } from "../schemas.ts";

type Picture = DataOf<"picture">;

const CHARACTER_PX = 8;
const PADDING_PX = 28;
const STATE_HEIGHT_PX = 34;
const START_PX = 16;
const MARGIN_PX = 8;
/** With more moves than these, lines cross so often that people cannot follow them. */
const MOVES_MAX = 60;

export async function drawRun(
  { door, store }: Looking,
  { run }: InputOf<"picture">,
): Promise<Outcome<Picture>> {
  const seen = await seeRun(store, door, run);
  const picture = await pictureOf(seen);
  return success(`${seen.run.id}: ${picture.states.length} states`, picture);
}

async function pictureOf(seen: Seen): Promise<Picture> {
  const { workflow, run } = seen;
  const helpers = phasesOfHelperStates(workflow.definition);
  const drawnAs = (state: string): string => helpers.get(state) ?? state;
  const path = await pathOf(seen, drawnAs);
  const current = drawnAs(run.state);
  const whole = withoutUntakenCancels(graphOf(workflow, helpers, { expanded: false }), path);
  const { states, moves } = whole.moves.length > MOVES_MAX ? surroundings(whole, path, current) : whole;
  const placed = layOut(states, moves);
  return {
    run: run.id,
    ...placed.size,
    more: whole.states.length - states.length,
    states: states.map((state) => ({
      name: state.name,
      title: state.title,
      label: labelOf(state),
      kind: state.kind,
      ...placed.state(state.name),
      visits: path.filter(({ to, isInside }) => to === state.name && !isInside).length,
      current: state.name === current,
    })),
    moves: moves.map(({ from, to, labels }) => ({
      from,
      to,
      labels: [...labels],
      points: placed.points(from, to),
      taken: path.filter((step) => step.from === from && step.to === to).length,
    })),
  };
}

/** People can cancel from most states, and so many lines would hide the other moves. Only a cancelling move that the run took is drawn. */
function withoutUntakenCancels({ states, moves }: Diagram, path: readonly TakenMove[]): Diagram {
  const isCancelled = (name: string): boolean =>
    states.some((state) => state.name === name && state.kind === "cancelled");
  const drawn = moves.filter((move) => !isCancelled(move.to) || isIn(path, move));
  return {
    states: states.filter(({ name }) => !isCancelled(name) || drawn.some(({ to }) => to === name)),
    moves: drawn,
  };
}

/** The moves that the run took, and those that it can take from its current state. */
function surroundings({ states, moves }: Diagram, path: readonly TakenMove[], current: string): Diagram {
  const drawn = moves.filter((move) => move.from === current || isIn(path, move));
  const isDrawn = (name: string): boolean =>
    name === current || drawn.some(({ from, to }) => name === from || name === to);
  return { states: states.filter(({ name }) => isDrawn(name)), moves: drawn };
}

function isIn(path: readonly TakenMove[], move: DrawnEnds): boolean {
  return path.some(({ from, to }) => from === move.from && to === move.to);
}

/** A number says nothing without its title. */
function labelOf({ name, title }: DrawnState): string {
  return /^\d/.test(name) && title !== "" ? `${name} ${title}` : name;
}

/** The helper states of phases, each with the phase that represents it in the diagram. */
function phasesOfHelperStates({ stages = [] }: Definition): ReadonlyMap<string, string> {
  return new Map(
    stages
      .flatMap(({ phases = [] }) => phases)
      .flatMap(({ id, states }) => states.filter((name) => name !== id).map((name) => [name, id] as const)),
  );
}

type DrawnEnds = { readonly from: string; readonly to: string };

/** A move that the run took, between states as they are drawn. `isInside`: both are the same phase. */
type TakenMove = DrawnEnds & { readonly isInside: boolean };

/** In the order of the journal. As in the diagram, moves inside of a phase are left out, except for its loops, which a counter bounds. */
async function pathOf(
  { store, run, workflow }: Seen,
  drawnAs: (state: string) => string,
): Promise<readonly TakenMove[]> {
  return (await store.events(run.id, 1)).flatMap(({ event }) => {
    if (event.type !== "moved") return [];
    const [from, to] = [drawnAs(event.from), drawnAs(event.to)];
    const isInside = from === to && event.from !== event.to;
    const isLoop = (workflow.definition.moves[event.rule]?.count.length ?? 0) > 0;
    return isInside && !isLoop ? [] : [{ from, to, isInside }];
  });
}

type PlacedDiagram = {
  readonly size: Pick<Picture, "width" | "height" | "start">;
  state(name: string): Pick<Picture["states"][number], "x" | "y" | "width" | "height">;
  points(from: string, to: string): { x: number; y: number }[];
};

function layOut(states: readonly DrawnState[], moves: readonly DrawnEnds[]): PlacedDiagram {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "TB", nodesep: 26, ranksep: 40 });
  graph.setDefaultEdgeLabel(() => ({}));
  graph.setNode(START, { width: START_PX, height: START_PX });
  for (const state of states)
    graph.setNode(state.name, {
      width: labelOf(state).length * CHARACTER_PX + PADDING_PX,
      height: STATE_HEIGHT_PX,
    });
  for (const { from, to } of moves) graph.setEdge(from, to);
  layout(graph);
  // Dagre draws some moves outside of the rectangle that it reports: the picture is the smallest one that holds all of them.
  const bends = moves.flatMap(({ from, to }) => pointsOf(graph.edge(from, to)));
  const [xs, ys] = [bends.map(({ x }) => x), bends.map(({ y }) => y)];
  const [left, top] = [Math.min(0, ...xs), Math.min(0, ...ys)];
  const right = Math.max(numberOf(graph.graph(), "width"), ...xs);
  const bottom = Math.max(numberOf(graph.graph(), "height"), ...ys);
  const pointOf = (node: unknown): { x: number; y: number } => ({
    x: numberOf(node, "x") - left + MARGIN_PX,
    y: numberOf(node, "y") - top + MARGIN_PX,
  });
  return {
    size: {
      width: right - left + 2 * MARGIN_PX,
      height: bottom - top + 2 * MARGIN_PX,
      start: pointOf(graph.node(START)),
    },
    state: (name) => {
      const node: unknown = graph.node(name);
      return { ...pointOf(node), width: numberOf(node, "width"), height: numberOf(node, "height") };
    },
    points: (from, to) => pointsOf(graph.edge(from, to)).map(pointOf),
  };
}

/** Dagre has no types for its results. */
function numberOf(value: unknown, name: string): number {
  return Number(typeof value === "object" && value !== null ? Reflect.get(value, name) : 0);
}

function pointsOf(edge: unknown): { x: number; y: number }[] {
  const points: unknown = typeof edge === "object" && edge !== null ? Reflect.get(edge, "points") : [];
  return Array.isArray(points)
    ? points.map((point: unknown) => ({ x: numberOf(point, "x"), y: numberOf(point, "y") }))
    : [];
}
