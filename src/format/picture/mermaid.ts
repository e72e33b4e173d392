/**
 * A workflow as a Mermaid `stateDiagram-v2`.
 *
 * The text uses only the simplest syntax, and every label is escaped: Mermaid ends a label at a colon or a semicolon, and
 * interprets some words as commands anywhere in a line.
 */

import type { Workflow } from "../../core/model/compile.ts";
import { START, type SourcePlace } from "../../core/model/workflow.ts";
import { graphOf, type DrawnState, type Diagram, type Helpers, type StateKind } from "./graph.ts";

const LINE_MAX = 60;

const STYLES: Readonly<Record<Exclude<StateKind, "plain">, string>> = {
  human: "fill:#fff3cd,stroke:#b8860b,color:#3d2f00",
  final: "fill:#d1e7dd,stroke:#0f5132,color:#0a3622",
  cancelled: "fill:#e2e3e5,stroke:#41464b,color:#2b2f32",
  failed: "fill:#f8d7da,stroke:#842029,color:#58151c",
};

export function mermaid(workflow: Workflow, helpers: Helpers, options: { expanded: boolean }): string {
  const graph = graphOf(workflow, helpers, options);
  const ids = idsOf(graph);
  const id = (name: string): string => ids.get(name) ?? "";
  return [
    "stateDiagram-v2",
    `  %% ${harmless(workflow.definition.name)}: ${harmless(workflow.definition.title)}`,
    ...(options.expanded ? madeBySugar(workflow).map((line) => `  %% ${harmless(line)}`) : []),
    ...statesOf(graph, id),
    ...graph.moves.map(
      ({ from, to, labels }) => `  ${from === START ? "[*]" : id(from)} --> ${id(to)} : ${labelOf(labels)}`,
    ),
    ...graph.states.filter(isFinal).map(({ name }) => `  ${id(name)} --> [*]`),
    ...classesOf(graph, id),
    "",
  ].join("\n");
}

function isFinal({ kind }: DrawnState): boolean {
  return kind === "final" || kind === "cancelled" || kind === "failed";
}

function statesOf(graph: Diagram, id: (name: string) => string): string[] {
  const stages = [...new Set(graph.states.map(({ stage }) => stage).filter((stage) => stage !== ""))];
  const inStage = (wanted: string): string[] =>
    graph.states
      .filter(({ stage }) => stage === wanted)
      .map((state) => declare(id(state.name), sayState(state)));
  return [
    ...inStage("").map((line) => `  ${line}`),
    ...stages.flatMap((stage) => {
      const name = id(stageKey(stage));
      const title = name === stage ? [] : [`  ${declare(name, stage)}`];
      return [...title, `  state ${name} {`, ...inStage(stage).map((line) => `    ${line}`), "  }"];
    }),
  ];
}

function sayState({ name, title }: DrawnState): string {
  return title === "" ? name : `${name} ${title}`;
}

function declare(id: string, text: string): string {
  return `state "${harmless(text)}" as ${id}`;
}

/** Lists all guards, because each may be decisive; a long label has several lines. */
function labelOf(labels: readonly string[]): string {
  const line = labels.map(harmless).join(" / ");
  return line.length > LINE_MAX ? labels.map(harmless).join("<br/>") : line;
}

function classesOf(graph: Diagram, id: (name: string) => string): string[] {
  return (["human", "final", "cancelled", "failed"] as const).flatMap((kind) => {
    const members = graph.states.filter((state) => state.kind === kind).map(({ name }) => id(name));
    return members.length === 0
      ? []
      : [`  classDef ${kind} ${STYLES[kind]}`, `  class ${members.join(",")} ${kind}`];
  });
}

/** Words that Mermaid interprets as the start of another construct. */
const RESERVED =
  /^(state|note|class|classdef|style|click|href|direction|scale|hide|as|end|default|acctitle|accdescr|root)$/i;

function idsOf(graph: Diagram): Map<string, string> {
  const ids = new Map<string, string>();
  // Mermaid ignores case in some places.
  const taken = new Set<string>();
  const give = (key: string, name: string): void => {
    const plain = name.replaceAll(/[^A-Za-z0-9_]/g, "_");
    const word = /^[A-Za-z]/.test(plain) && !RESERVED.test(plain) ? plain : `s_${plain}`;
    let id = word;
    for (let count = 2; taken.has(id.toLowerCase()); count += 1) id = `${word}_${count}`;
    taken.add(id.toLowerCase());
    ids.set(key, id);
  };
  for (const { name } of graph.states) give(name, name);
  for (const { stage } of graph.states)
    if (stage !== "" && !ids.has(stageKey(stage))) give(stageKey(stage), stage);
  return ids;
}

/** A stage may have the name of a state; names have no spaces. */
function stageKey(stage: string): string {
  return `stage ${stage}`;
}

function harmless(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("%%", "%")
    .replaceAll('"', "'")
    .replaceAll(/[;#]/g, ",")
    .replaceAll(":", " -")
    .replaceAll("<", "(")
    .replaceAll(">", ")")
    .replaceAll("[[", "[")
    .replaceAll(/direction (?=tb|bt|rl|lr)/gi, "direction-");
}

/** Lists what stages expand to besides states and moves, with the phase that generated it. */
function madeBySugar(workflow: Workflow): string[] {
  const { definition } = workflow;
  const { counters, artifacts, states, places } = definition;
  const phases = new Set(
    Object.entries(states).flatMap(([name, { stage }]) =>
      stage === undefined ? [] : [spot(places[`states.${name}`])],
    ),
  );
  const stages = new Set(Object.values(states).map(({ stage }) => `${stage ?? ""}.restarts`));
  const rules = new Set(definition.moves.map((move) => spot(move.at)));
  const made = (kind: string, name: string): boolean => phases.has(spot(places[`${kind}.${name}`]));
  const lines = [
    ...Object.entries(counters)
      .filter(([name]) => made("counters", name) || stages.has(name))
      .map(
        ([name, { max, per }]) =>
          `counter ${name} (at most ${typeof max === "object" ? `$${max.param}` : max} per ${per})`,
      ),
    ...Object.entries(artifacts)
      .filter(([name]) => made("artifacts", name))
      .map(
        ([name, { file, by, fresh }]) =>
          `artifact ${name} (${file === "" ? "" : `${file}, `}by ${by.join(" or ")}, new per ${fresh})`,
      ),
    ...definition.ends
      .filter((end) => rules.has(spot(end.at)))
      .map(
        (end) => `end of ${end.role} in ${end.in}${end.count === undefined ? "" : ` (counts ${end.count})`}`,
      ),
  ];
  return lines.length === 0
    ? ["no sugar is used here"]
    : ["made by sugar, beside the states and moves below", ...lines];
}

function spot(place: SourcePlace | undefined): string {
  return place === undefined ? "nowhere" : `${place.file}:${place.line}:${place.col}`;
}
