/**
 * What an agent may type, told to it by the definition it works under.
 *
 * A list that somebody writes by hand promises what the map refuses as soon as the map changes. Moves, what they need, the
 * artifacts that count from this role and the details it may set are all in the definition, so the list is made from there.
 */

import type { Workflow } from "../../core/model/compile.ts";
import { awaits } from "../../core/explain/review-policy.ts";
import type { Artifact } from "../../core/model/artifact.ts";
import { ORIGIN, START, type Move } from "../../core/model/workflow.ts";

type Definition = Workflow["definition"];

/** The list for a role while the run is in this state; a sentence where there is nothing. */
export function commandsIn({ definition }: Workflow, role: string, state: string): string {
  const lines = [...linesIn(definition, role, state), ...linesAnywhere(definition, role)];
  return lines.length > 0 ? lines.join("\n") : `- Nothing: in ${state} the run goes on without you.`;
}

/** What a role can do in this state that a move waits for; nothing where it has no say. */
export function commandsNow({ definition }: Workflow, role: string, state: string): readonly string[] {
  return linesIn(definition, role, state);
}

/** The same for every state in which the role has a say, for a role that lives through several. */
export function commandsByState({ definition }: Workflow, role: string): string {
  const inState = (state: string): string[] => linesIn(definition, role, state);
  const states = Object.keys(definition.states).filter((state) => inState(state).length > 0);
  const always = linesAnywhere(definition, role);
  return [
    ...states.map((state) => `In ${state}:\n\n${inState(state).join("\n")}`),
    ...(always.length === 0 ? [] : [`At any time:\n\n${always.join("\n")}`]),
  ].join("\n\n");
}

function linesIn(definition: Definition, role: string, state: string): string[] {
  const here = definition.moves.filter(({ from }) => from === state && from !== START);
  const own = here.filter((move) => move.by.includes(role) && move.answer === undefined);
  const artifacts = artifactsOf(definition, role, (name) => here.some((move) => awaits(move, name)));
  return [
    ...artifacts.map(([name, artifact]) => submitLine(name, artifact, here)),
    ...Array.from(
      Map.groupBy(own, ({ to }) => to),
      ([to, ways]) => moveLine(definition, to, ways),
    ),
  ];
}

/** What no move waits for may be written at any time. */
function linesAnywhere(definition: Definition, role: string): string[] {
  const isFree = (name: string): boolean => !definition.moves.some((move) => awaits(move, name));
  return [
    ...artifactsOf(definition, role, isFree).map(([name, artifact]) => submitLine(name, artifact, [])),
    ...detailsOf(definition, role).map((name) => `- \`signalbox update --${name} TEXT\``),
  ];
}

function artifactsOf(
  { artifacts }: Definition,
  role: string,
  isDue: (name: string) => boolean,
): [string, Artifact][] {
  return Object.entries(artifacts).filter(
    ([name, { file, by }]) => file !== "" && by.includes(role) && isDue(name),
  );
}

function submitLine(name: string, artifact: Artifact, here: readonly Move[]): string {
  const isJudged = here.some((move) => move.by.includes("engine") && awaits(move, name));
  const decides = isJudged ? " Where the run goes then is decided by what it says, not by you." : "";
  return `- \`signalbox submit ${name} -\`: standard input becomes ${shapeOf(artifact)}.${decides}`;
}

function shapeOf({ file, reader }: Artifact): string {
  if (reader.type !== "section") return `\`${file}\``;
  const { heading, any, all, verdicts } = reader;
  const listed = (words: readonly string[]): string => words.map((word) => `\`${word}:\``).join(", ");
  const lines = Object.keys(verdicts ?? {}).map((word) => `\`Verdict: ${word}\``);
  return [
    `\`## ${heading}\` in ${file}`,
    ...(any.length === 0 ? [] : [`with at least one of ${listed(any)}`]),
    ...(all.length === 0 ? [] : [`with ${listed(all)}`]),
    ...(lines.length === 0 ? [] : [`the first line is ${lines.join(" or ")} and nothing else`]),
  ].join("; ");
}

/** Of several ways to the same state, one may need less than the others: then nothing is promised to be needed. */
function moveLine({ counters }: Definition, to: string, ways: readonly Move[]): string {
  const needs = ways.some(({ need }) => need.length === 0) ? [] : ways.flatMap(({ need }) => need);
  const limits = ways.flatMap(({ count }) => count).map((name) => counters[name]?.max);
  const notes = [
    ...(needs.length === 0 ? [] : [`needs ${[...new Set(needs)].join(" and ")}`]),
    ...limits.flatMap((max) => (typeof max === "number" ? [`at most ${max} times`] : [])),
    ...(to === ORIGIN ? ["where the run came from"] : []),
  ];
  const said = notes.length === 0 ? "" : `: ${[...new Set(notes)].join(", ")}`;
  return `- \`signalbox update --status ${to}\`${said}`;
}

/** `signalbox update` has an option for each of these. */
const DETAILS = ["summary", "branch"];

function detailsOf({ params }: Definition, role: string): string[] {
  return DETAILS.filter((name) => {
    const param = params[name];
    return param?.type === "text" && param.set.includes(role);
  });
}
