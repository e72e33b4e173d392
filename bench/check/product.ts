/** A workflow whose product of states, counters, artifacts and agents is as large as one likes. */

import type { Workflow } from "../../src/core/model/compile.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";

const GATES = ["style", "tests", "security"];

export const PROMPTS: Readonly<Record<string, string>> = {
  worker: "Do your part.\n",
  reviewer: "Do your part.\n",
};

/** Work goes through three reviews; each may send it back `max` times, so the product grows with the cube of `max`. */
export function productText(max: number): string {
  return [
    "$schema: ../../schema/workflow-1.schema.json",
    "name: product",
    "title: Work that passes three reviews, each with a budget of its own",
    "counters:",
    "  crash: { max: 2, per: entry }",
    ...GATES.map((gate) => `  ${gate}_round: { max: ${max}, per: run }`),
    "artifacts:",
    "  handoff: { in: TASK.md, section: Handoff, any: [DONE], by: [worker, human], fresh: entry }",
    ...GATES.map(
      (gate) =>
        `  ${gate}_review: { in: ${gate}.md, section: Review, verdict: { PASS: pass, FAIL: needs_fix }, by: ${gate}_reviewer, fresh: entry, bind: tree }`,
    ),
    "roles:",
    "  worker: { session: persistent, access: write, prompt: worker }",
    ...GATES.map((gate) => `  ${gate}_reviewer: { session: fresh, access: read, prompt: reviewer }`),
    "states:",
    "  working: {}",
    ...GATES.map((gate) => `  ${gate}: {}`),
    "  stuck: { waits: true }",
    "  done: { final: done }",
    "  cancelled: { final: cancelled }",
    "moves:",
    "  - { from: start, to: working, by: human, do: [start worker] }",
    `  - { from: working, to: ${GATES[0]}, by: [worker, human], need: handoff, do: [start ${GATES[0]}_reviewer] }`,
    "  - { from: working, to: stuck, by: engine, when: { crash: spent } }",
    ...GATES.flatMap(movesOf),
    `  - { from: [working, ${GATES.join(", ")}, stuck], to: cancelled, by: human, do: [stop all] }`,
    "ends:",
    `  - { role: worker, in: working, try: ${GATES[0]}, then: [start worker], else: { count: crash, do: [mark worker] } }`,
    `  - { role: worker, in: [${GATES.join(", ")}, stuck], else: { do: [mark worker] } }`,
    ...GATES.map(
      (gate) =>
        `  - { role: ${gate}_reviewer, in: ${gate}, else: { count: crash, do: [start ${gate}_reviewer] } }`,
    ),
    "",
  ].join("\n");
}

export function productOf(max: number): Workflow {
  const prompts = Object.fromEntries(
    Object.entries(PROMPTS).map(([name, text]) => [name, { file: `prompts/${name}.md`, text }]),
  );
  const bytes = new TextEncoder().encode(productText(max));
  const parsed = parseWorkflow({ file: "workflow.yaml", bytes, prompts });
  if (parsed.ok) return parsed.workflow;
  throw new Error(parsed.problems.map(({ line, message }) => `${line}: ${message}`).join("\n"));
}

function movesOf(gate: string, index: number): string[] {
  const next = GATES[index + 1];
  const onward =
    next === undefined
      ? `to: done, by: engine, when: { ${gate}_review: pass }, do: [stop all]`
      : `to: ${next}, by: engine, when: { ${gate}_review: pass }, do: [stop ${gate}_reviewer, start ${next}_reviewer]`;
  return [
    `  - { from: ${gate}, ${onward} }`,
    `  - { from: ${gate}, to: working, by: engine, when: { ${gate}_review: needs_fix, ${gate}_round: below }, count: ${gate}_round, do: [stop ${gate}_reviewer, start worker] }`,
    `  - { from: ${gate}, to: stuck, by: engine, when: { ${gate}_review: needs_fix, ${gate}_round: spent }, do: [stop ${gate}_reviewer] }`,
    `  - { from: ${gate}, to: stuck, by: engine, when: { crash: spent }, do: [stop ${gate}_reviewer] }`,
  ];
}
