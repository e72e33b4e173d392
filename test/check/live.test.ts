/** What the checker may forget. */

import { expect, test } from "vitest";
import { check } from "../../src/core/check/check.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import { showProblem } from "../../src/format/problem.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { goodWorkflow } from "../support/stages.ts";

test("a way back leads only to where a question can be asked from: five stages are a few hundred situations", () => {
  const { defects, nodes } = check(goodWorkflow("five-stages.yaml"));
  expect(defects).toEqual([]);
  expect(nodes).toBeLessThan(1000);
});

test("a fact that only people wait for adds no situation, and its move is taken", () => {
  const moved = "{ from: open, to: over, by: human, when: { merged: holds } }";
  const [without, withFact] = [[], [moved]].map((moves) => check(withMoves(moves)));
  expect(withFact?.defects).toEqual([]);
  expect(withFact?.nodes).toBe(without?.nodes);
});

test("a fact that the engine waits for does", () => {
  const moved = "{ from: open, to: over, by: engine, when: { merged: holds } }";
  expect(check(withMoves([moved])).nodes).toBeGreaterThan(check(withMoves([])).nodes);
});

function withMoves(moves: readonly string[]): Workflow {
  const text = `$schema: workflow-1.schema.json
name: waiting
title: A run that waits for a person
artifacts:
  merged: { fact: branch-merged }
states:
  open: { waits: true }
  put-off: { waits: true }
  over: { final: done }
moves:
${[
  "{ from: start, to: open, by: human }",
  "{ from: open, to: put-off, by: human }",
  "{ from: put-off, to: open, by: human }",
  "{ from: put-off, to: over, by: human }",
  ...moves,
]
  .map((move) => `  - ${move}`)
  .join("\n")}
`;
  const parsed = parseWorkflow({ file: "waiting", bytes: new TextEncoder().encode(text), prompts: {} });
  if (!parsed.ok) throw new Error(parsed.problems.map(showProblem).join("\n"));
  return parsed.workflow;
}
