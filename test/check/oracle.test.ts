import fc from "fast-check";
import { expect, test } from "vitest";
import { check } from "../../src/core/check/check.ts";
import { explore } from "../../src/core/check/explore/explore.ts";
import { nodesOf } from "../../src/core/check/explore/graph.ts";
import { compile, type Workflow } from "../../src/core/model/compile.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { definitions } from "./definitions.ts";
import { walk, worstOf } from "./naive.ts";
import { replay } from "./replay.ts";
import { choicesIn, stagedFiles, textOf } from "./staged.ts";

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;
const RUNS = isDeep ? 5_000 : 60;
const STAGED_RUNS = isDeep ? 1_000 : 6;
const NODES_MAX = 3_000;
const ROUNDS = 50;
/** Printed when a property fails; set it to see the same definitions again. */
const seed = Number(process.env["SIGNALBOX_SEED"]);

/** The figures of the checker, or that there is a loop which can be gone round again and again. */
function verdictOf(workflow: Workflow): string {
  const { defects, worst } = check(workflow);
  const loops = defects.filter(({ code }) => code === "unbounded-loop" || code === "budget-without-exit");
  const isSpent = loops.some(({ code }) => code === "budget-without-exit");
  if (!loops.some(({ code }) => code === "unbounded-loop") && !(isSpent && Object.keys(worst).length === 0))
    return worstIn(worst);
  const isPlayed = loops.every(({ trace }) => replay(workflow, trace, ROUNDS).length > 0);
  return isPlayed ? UNBOUNDED : `a loop that cannot be gone round: ${JSON.stringify(loops)}`;
}

const UNBOUNDED = "unbounded";

function worstIn(worst: Readonly<Record<string, number>> | undefined): string {
  if (worst === undefined) return UNBOUNDED;
  const names = Object.keys(worst).filter((name) => name === "moves" || name.startsWith("start "));
  return names
    .toSorted()
    .flatMap((name) => (worst[name] === 0 ? [] : [`${name} ${worst[name]}`]))
    .join(", ");
}

function reachedIn(workflow: Workflow): ReadonlySet<string> {
  const observer = { node: () => undefined, edge: () => undefined };
  const { graph } = explore(workflow, { params: [{}], observer, nodesMax: NODES_MAX });
  const nodes = Array.from({ length: nodesOf(graph) }, (_, node) => graph.nodeState.at(node));
  return new Set(nodes.map((state) => graph.states[state] ?? ""));
}

test(`random definitions are bounded just where a naive walk says so (seed ${seed})`, () => {
  let compared = 0;
  fc.assert(
    fc.property(definitions, (definition) => {
      const workflow = compile(definition, () => "random");
      const naive = walk(workflow, { max: NODES_MAX, people: "all" });
      if (!naive.complete) return;
      compared += 1;
      expect(verdictOf(workflow)).toBe(worstIn(worstOf(naive)));
      expect(reachedIn(workflow)).toEqual(new Set(naive.runs.map(({ state }) => state)));
    }),
    { numRuns: RUNS, seed },
  );
  expect(compared).toBeGreaterThan(RUNS / 2);
}, 600_000);

const PROMPTS = Object.fromEntries(
  ["worker", "critic", "stuck", "go"].map((name) => [name, { file: `prompts/${name}.md`, text: "Do it.\n" }]),
);

test(`random stages, some of them disabled, are bounded just where a naive walk with every parameter says so (seed ${seed})`, () => {
  let compared = 0;
  fc.assert(
    fc.property(stagedFiles, (file) => {
      const text = textOf(file);
      const parsed = parseWorkflow({
        file: "random",
        bytes: new TextEncoder().encode(text),
        prompts: PROMPTS,
      });
      if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join());
      const naive = walk(parsed.workflow, { max: NODES_MAX, people: "all", params: choicesIn(text) });
      if (!naive.complete) return;
      compared += 1;
      expect(verdictOf(parsed.workflow)).toBe(worstIn(worstOf(naive)));
    }),
    { numRuns: STAGED_RUNS, seed },
  );
  expect(compared).toBeGreaterThan(STAGED_RUNS / 4);
}, 600_000);
