import { expect, test } from "vitest";
import { check } from "../../src/core/check/check.ts";
import { lateParams, variantsOf } from "../../src/core/check/explore/variants.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";

const HAND = "{ from: approved, to: handed, by: engine, when: { end: hand } }";
const HAND_ON = "{ from: approved, to: handed, by: engine, when: { end: hand, on: true } }";
const HAND_OFF = "{ from: approved, to: handed, by: engine, when: { end: hand, on: false } }";
/** The stage's own artifact: what is made of this are two moves, one of them for runs without the stage. */
const HAND_TEXT = "{ from: approved, to: handed, by: engine, when: { end: hand }, need: text }";
const DIRECT = "{ from: start, to: approved, by: human }";
const HOLD = [
  "{ from: [start, text], to: held, by: human, remember: true, do: [stop all] }",
  "{ from: held, to: closed, by: human }",
];
const GO_ON = "{ from: held, to: approved, by: human }";
const GO_BACK = "{ from: held, to: approved, by: human, when: { origin: text } }";

test.for<[string, readonly string[], string, string, number]>([
  ["how it ends is all that it decides", [HAND], "end", "", 3],
  ["who gets there has the stage", [HAND_ON], "end", "", 3],
  ["who is without it would be led there, and nobody is", [HAND_TEXT], "end", "", 3],
  ["a question leads only those there who were in the stage", [HAND_ON, ...HOLD, GO_BACK], "end", "", 3],
  // Neither of the two parameters is wrong by itself, and nothing shows before both are tried together.
  ["some get there without the stage", [HAND_ON, DIRECT], "", "dead-end", 4],
  ["a question leads all there", [HAND_ON, ...HOLD, GO_ON], "", "dead-end", 4],
  ["all get there, and all go on", [HAND_ON, HAND_OFF, DIRECT], "", "", 4],
])("a word about another parameter: %s", ([, moves, late, defects, variants]) => {
  const workflow = withMoves(moves);
  expect(lateParams(workflow).join()).toBe(late);
  expect([...new Set(check(workflow).defects.map(({ code }) => code))].join()).toBe(defects);
  expect(variantsOf(workflow).length).toBe(variants);
});

/** A stage that can be disabled, behind it a state in which it is decided how the run ends. */
function withMoves(moves: readonly string[]): Workflow {
  const isHeld = moves.some((move) => move.includes("held"));
  const text = `$schema: workflow-1.schema.json
name: late
title: Two ends
params: { on: { bool: true }, end: { enum: [keep, hand], default: keep } }
roles: { worker: {} }
stages:
  FIRST: { stuck: stuck, phases: { first: { run: worker, out: first.md } } }
  WORK: { enabled: $on, stuck: stuck, then: closing, phases: { text: { run: worker, out: text.md, then: approved } } }
states:
  approved: {}
  ${isHeld ? "held: { waits: true }" : ""}
  closing: { waits: true }
  closed: { final: done }
  handed: { final: done }
moves:
  - { from: start, to: first, by: human }
  - { from: approved, to: closing, by: engine, when: { end: keep } }
  - { from: closing, to: closed, by: human }
${moves.map((move) => `  - ${move}`).join("\n")}
asks:
  stuck: { question: stuck, options: { retry: { to: origin } } }`;
  const prompts = Object.fromEntries(
    ["worker", "stuck"].map((name) => [name, { file: `${name}.md`, text: "Do it.\n" }]),
  );
  const parsed = parseWorkflow({ file: "late.yaml", bytes: new TextEncoder().encode(text), prompts });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join());
  return parsed.workflow;
}
