import { expect, test } from "vitest";
import { switchesOf, variantsOf } from "../../src/core/check/explore/variants.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { checkFixture, fixturesIn } from "./corpus.ts";

const large = checkFixture(
  fixturesIn("good").find(({ name }) => name === "thirteen-phases.yaml") ?? fail(),
).workflow;

test("five stages that can be disabled are explored in full only where all are there", () => {
  const variants = variantsOf(large ?? fail());
  const stages = ["explore", "plan", "implement", "test", "final"].map((name) => `${name}_stage`);
  expect([...switchesOf(large ?? fail())]).toEqual(stages);
  const whole = variants.filter((params) => stages.every((name) => params[name] === true));
  expect(whole.map(({ restarts, tries }) => [restarts, tries])).toEqual([
    [1, 1],
    [0, 1],
    [2, 2],
  ]);
  const rest = variants.filter((params) => !whole.includes(params));
  expect(rest.length).toBe(31 * 2);
  expect(new Set(rest.map(({ restarts }) => restarts))).toEqual(new Set([0, 1]));
});

const WITH = { question: "a question in the stage", reviewed: "only notes are told", plain: "nothing" };

test.for<[keyof typeof WITH, string, string]>([
  ["plain", "high", "on"],
  ["reviewed", "low medium high", "on"],
  ["question", "high", ""],
])("with %s there is one threshold to try, and a switch, or not", ([what, thresholds, switches]) => {
  const workflow = pair(what);
  const blocks = new Set(variantsOf(workflow).map(({ block }) => block));
  expect([...blocks].join(" ")).toBe(thresholds);
  expect([...switchesOf(workflow)].join(" ")).toBe(switches);
});

/** A stage with a review, and one that can be disabled. */
function pair(what: keyof typeof WITH): Workflow {
  const second = what === "question" ? "{ ask: go }" : "{ run: worker, out: last.md }";
  const text = `$schema: workflow-1.schema.json
name: pair
title: Two stages
params: { block: { enum: [low, medium, high], default: low }, on: { bool: true } }
roles: { worker: {}, critic: { access: read } }
stages:
  FIRST:
    stuck: stuck
    phases:
      text: { run: worker, out: text.md }
      judge:
        review: text
        by: critic
        out:
          in: judge.json
          json: true
          block: $block
          review: { verdict: status, values: { good: pass, bad: needs_fix }, issues: issues }
  SECOND: { enabled: $on, stuck: stuck, then: closing, phases: { last: ${second} } }
states: { closing: { waits: true }, closed: { final: done }, noted: { final: done } }
moves:
  - { from: start, to: text, by: human }
  - { from: closing, to: closed, by: human, when: { judge: ${what === "reviewed" ? "pass" : "[pass, pass_with_notes]"} } }
  - { from: closing, to: noted, by: human }
asks:
  stuck: { question: stuck, options: { retry: { to: origin, new: judge.cycle } } }
${what === "question" ? "  go: { question: go, options: { yes: { to: closing } } }" : ""}`;
  const prompts = Object.fromEntries(
    ["worker", "critic", "stuck", "go"].map((name) => [name, { file: `${name}.md`, text: "Do it.\n" }]),
  );
  const parsed = parseWorkflow({ file: "pair.yaml", bytes: new TextEncoder().encode(text), prompts });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join());
  return parsed.workflow;
}

function fail(): never {
  throw new Error("the corpus lacks a file");
}
