import { expect, test } from "vitest";
import type { Artifact } from "../../src/core/workflow.ts";
import { showProblem } from "../../src/format/problem.ts";
import { parseWorkflow, type Parsed } from "../../src/format/workflow/parse.ts";

function parse(text: string): Parsed {
  const words = text.match(/[\w-]+/g) ?? [];
  const prompts = Object.fromEntries(words.map((word) => [word, { file: `prompts/${word}.md`, text: "" }]));
  const whole = `$schema: workflow-1.schema.json\nname: flow\ntitle: A workflow\n${text}`;
  return parseWorkflow({ file: "flow.yaml", bytes: new TextEncoder().encode(whole), prompts });
}

function artifactOf(text: string, name: string): Artifact | undefined {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(parsed.problems.map(showProblem).join("\n"));
  return parsed.workflow.definition.artifacts[name];
}

test.for<[string, object]>([
  ["[1, 2]", { type: "number", values: [1, 2] }],
  ["[true]", { type: "boolean", values: [true] }],
  ["[low, high]", { type: "text", values: ["low", "high"] }],
  ['["1", "2"]', { type: "text", values: ["1", "2"] }],
  ["{ list: [1, 2] }", { type: "list", of: { type: "number", values: [1, 2] } }],
])("the shape %s", ([shape, wanted]) => {
  const artifact = artifactOf(
    `artifacts: { plan: { in: plan.json, json: { object: { n: ${shape} } }, by: human } }
states: { open: { waits: true }, closed: { final: done } }
moves: [{ from: start, to: open, by: human }, { from: open, to: closed, by: human, need: plan }]
`,
    "plan",
  );
  expect(artifact?.reader).toMatchObject({ shape: { required: { n: wanted } } });
});

test.for<[string, readonly string[]]>([
  ["writer", ["writer"]],
  ["fixer", ["writer", "fixer"]],
])("what a stage's writer produces and %s mends counts from %o", ([fixer, by]) => {
  const roles = by.map((role) => `${role}: {}`).join(", ");
  const text = `roles: { ${roles}, critic: { access: read } }
stages:
  WRITE:
    stuck: stuck
    then: closed
    phases:
      draft: { run: writer, out: draft.md }
      judge:
        review: draft
        by: critic
        fix: { by: ${fixer}, max: 1 }
        out: { in: judge.md, section: Review, verdict: { PASS: pass, FAIL: needs_fix } }
states: { closed: { final: done } }
moves: [{ from: start, to: draft, by: human }]
asks: { stuck: { question: stuck, options: { again: { to: draft }, stop: { to: closed } } } }
`;
  expect(artifactOf(text, "draft")?.by).toEqual(by);
});

test("what is wrong with a parameter or an artifact is told once, not wherever it is used", () => {
  const parsed = parse(`params: { rounds: { int: [1, 3] } }
counters: { tries: { max: $rounds } }
artifacts: { review: { in: r.json, json: [], review: { verdict: v, values: { ok: pass } }, by: human } }
states: { open: { waits: true }, closed: { final: done } }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: open, by: human, count: tries, when: { rounds: 2 } }
  - { from: open, to: closed, by: human, when: { review: pass, review.size: small } }
`);
  expect(parsed.ok ? [] : parsed.problems.map(({ line, code }) => `${line} ${code}`)).toEqual([
    "4 bad-value",
    "6 bad-value",
  ]);
});
