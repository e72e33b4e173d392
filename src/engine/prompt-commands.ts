/**
 * What an agent may type, told to it by the definition it works under.
 *
 * A list that somebody writes by hand promises what the map refuses as soon as the map changes. Moves, what they need, the
 * artifacts that count from this role and the details it may set are all in the definition, so the list is made from there.
 */

import type { Workflow } from "../core/compile.ts";
import { ORIGIN, START, type Artifact, type Move } from "../core/workflow.ts";

/** The list for a role while the run is in this state; a sentence where there is nothing. */
export function commandsIn({ definition }: Workflow, role: string, state: string): string {
  const moves = definition.moves.filter(({ from }) => from === state);
  const own = moves.filter((move) => move.by.includes(role) && move.answer === undefined);
  const targets = Map.groupBy(own, ({ to }) => to);
  const lines = [
    ...Array.from(targets, ([to, ways]) => moveLine(definition, to, ways)),
    ...artifactsOf(definition, role, moves).map((name) => submitLine(definition, name, moves)),
    ...detailsOf(definition, role).map(
      (name) => `- \`signalbox task update --${name} TEXT\`: changes the ${name}.`,
    ),
  ];
  if (lines.length > 0) return lines.join("\n");
  return `- Nothing: while the run is in ${state}, it is others who go on.`;
}

/** The same for every state in which the role may type something, for a role that lives through several. */
export function commandsByState(workflow: Workflow, role: string): string {
  const { states, moves } = workflow.definition;
  const isTheirs = (state: string): boolean =>
    moves.some((move) => move.from === state && move.from !== START && move.by.includes(role));
  return Object.keys(states)
    .filter(isTheirs)
    .map((state) => `While the state is ${state}:\n\n${commandsIn(workflow, role, state)}`)
    .join("\n\n");
}

type Definition = Workflow["definition"];

function moveLine({ states, counters }: Definition, to: string, ways: readonly Move[]): string {
  const where = to === ORIGIN ? "where the run came from" : to;
  const title = states[to]?.title ?? "";
  const needs = ways.some(({ need }) => need.length === 0)
    ? []
    : [...new Set(ways.flatMap(({ need }) => need))];
  const counted = [...new Set(ways.flatMap(({ count }) => count))].flatMap((name) => {
    const max = counters[name]?.max;
    return typeof max === "number" ? [`at most ${max} times`] : [];
  });
  const said = title === "" || title === where ? where : `${where} (${title})`;
  return `- \`signalbox task update --status ${to}\`: on to ${[said, ...counted].join(", ")}.${needs.length === 0 ? "" : ` Needs ${needs.join(" and ")}.`}`;
}

/** What a move out of this state waits for, and what no move waits for at all: that may be written at any time. */
function artifactsOf({ artifacts, moves }: Definition, role: string, here: readonly Move[]): string[] {
  return Object.entries(artifacts).flatMap(([name, { file, by }]) => {
    const isAwaited = (move: Move): boolean => awaits(move, name);
    const isDue = here.some(isAwaited) || !moves.some(isAwaited);
    return file !== "" && by.includes(role) && isDue ? [name] : [];
  });
}

function awaits({ need, when }: Move, name: string): boolean {
  return (
    need.includes(name) || when.some((condition) => "artifact" in condition && condition.artifact === name)
  );
}

function submitLine({ artifacts }: Definition, name: string, here: readonly Move[]): string {
  const artifact = artifacts[name];
  const isJudged = here.some((move) => move.by.includes("engine") && awaits(move, name));
  const decides = isJudged ? " Where the run goes then is decided by what it says, not by you." : "";
  return `- \`signalbox submit ${name} -\`: hands in ${name} from standard input${artifact === undefined ? "" : shapeOf(artifact)}.${decides}`;
}

function shapeOf({ file, reader }: Artifact): string {
  if (reader.type !== "section") return `, which becomes \`${file}\``;
  const { heading, any, all, verdicts } = reader;
  const fields = (names: readonly string[], word: string): string =>
    names.map((name) => `\`${name}:\``).join(` ${word} `);
  const wants = [
    ...(any.length === 0 ? [] : [`with ${fields(any, "or")}`]),
    ...(all.length === 0 ? [] : [`with ${fields(all, "and")}`]),
    ...(verdicts === undefined
      ? []
      : [
          `its first line ${Object.keys(verdicts)
            .map((word) => `\`Verdict: ${word}\``)
            .join(" or ")} and nothing else`,
        ]),
  ];
  return [`, which becomes \`## ${heading}\` in ${file}`, ...wants].join(", ");
}

/** `signalbox task update` has an option for each of these. */
const DETAILS = ["summary", "branch"];

function detailsOf({ params }: Definition, role: string): string[] {
  return DETAILS.filter((name) => {
    const param = params[name];
    return param?.type === "text" && param.set.includes(role);
  });
}
