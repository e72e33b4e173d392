import { expect, onTestFinished, test } from "vitest";
import type { Artifact } from "../../src/core/model/artifact.ts";
import { graphOf } from "../../src/format/picture/graph.ts";
import { showProblem } from "../../src/format/problem.ts";
import { parseWorkflow, type ParsedWorkflow } from "../../src/format/workflow/parse.ts";

function parse(text: string): ParsedWorkflow {
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

test("a check with a fixer is made of states, counters and moves like any other", () => {
  const parsed = parse(`roles: { fixer: { context: notes } }
artifacts: { notes: { in: notes.md, file: true, by: human } }
stages:
  TEST:
    restart: { max: 1 }
    stuck: stuck
    then: closed
    phases:
      tests: { check: npm test, out: tests.txt, fix: { by: fixer, max: 2, failing: [test, unknown] } }
states: { closed: { final: done } }
moves:
  - { from: start, to: tests, by: human, need: notes }
  - { from: tests, to: closed, by: engine, when: { tests.failing: source } }
asks: { stuck: { question: stuck, options: { again: { to: origin, new: tests.cycle }, stop: { to: closed } } } }
`);
  if (!parsed.ok) throw new Error(parsed.problems.map(showProblem).join("\n"));
  const { workflow, helpers } = parsed;
  const { counters, roles, artifacts } = workflow.definition;
  expect(roles["fixer"]?.context).toEqual(["notes", "tests"]);
  expect(counters["tests.fixes"]).toMatchObject({ max: 2, per: "tests.cycle" });
  expect(Object.keys(artifacts)).toEqual(["notes", "tests"]);
  expect(workflow.ends).toMatchObject({ "fixer in tests-fix": { try: "tests" } });
  const drawn = graphOf(workflow, helpers, { expanded: true }).moves;
  expect(drawn.map(({ from, to, labels }) => `${from} -> ${to}: ${labels.join("; ")}`))
    .toMatchInlineSnapshot(`
      [
        "start -> tests: human [notes]",
        "tests -> closed: engine [tests.failing source]; engine [tests pass]",
        "tests -> tests-fix: engine [tests needs_fix, tests.failing test or unknown, tests.fixes below]",
        "tests -> tests: engine [tests needs_fix, tests.failing test or unknown, tests.fixes spent, TEST.restarts below]",
        "tests -> TEST-blocked: engine [tests needs_fix, tests.failing test or unknown, tests.fixes spent, TEST.restarts spent]",
        "tests-fix -> tests: fixer",
        "tests-fix -> TEST-blocked: engine [tests-fix.tries spent]",
        "TEST-blocked -> tests: answer again",
        "TEST-blocked -> tests-fix: answer again",
        "TEST-blocked -> closed: answer stop",
      ]
    `);
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

test("what others in this process have taught zod to say is not said", async () => {
  const { config, locales } = await import("zod");
  const before = config().localeError;
  config(locales.en());
  onTestFinished(() => void config({ localeError: before }));
  const parsed = parse("artifacts: { guides: { files: { paths: [] } } }");
  const said = parsed.ok ? [] : parsed.problems.map(({ message }) => message);
  expect(said.filter((message) => message.includes("at least 1"))).toHaveLength(1);
});
