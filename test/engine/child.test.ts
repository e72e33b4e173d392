import { expect, test } from "vitest";
import { objectionsTo } from "../../src/engine/tasks/child.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import type { Children } from "../../src/core/model/artifact.ts";
import type { Workflow } from "../../src/core/model/compile.ts";

const READER: Children = { type: "children", tasks: "plan", workflow: "child", most: 1, with: {} };

const PROMPTS = { worker: { file: "prompts/worker.md", text: "Work." } };

function parsed(text: string): Workflow {
  const outcome = parseWorkflow({
    file: "child.yaml",
    bytes: new TextEncoder().encode(text),
    prompts: PROMPTS,
  });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  return outcome.workflow;
}

/** A child run whose work leads through `fork`, which does not wait for parent-over. */
function through(fork: { state?: string; into?: string; ways?: string }): Workflow {
  const {
    state = "{ title: Which way? }",
    into = "stop worker",
    ways = "by: engine, when: { short: true }",
  } = fork;
  return parsed(`$schema: ../../schema/workflow-1.schema.json
name: child
title: Work that forks
params: { short: { bool: true } }
artifacts:
  result: { in: result.json, json: text, by: worker }
  tested: { check: "npm test" }
  orphaned: { fact: parent-over }
  merged: { fact: branch-merged }
roles: { worker: { access: write, harness: claude } }
states:
  working: { enter: [start worker, run tested] }
  fork: ${state}
  asking: { ask: which }
  closed: { final: done }
  lost: { final: cancelled }
asks: { which: { question: worker, options: { one: { to: closed } } } }
moves:
  - { from: start, to: working, by: [engine, human] }
  - { from: working, to: fork, by: engine, need: result, do: [${into}] }
  - { from: fork, to: closed, ${ways} }
  - { from: fork, to: lost, by: engine, when: { short: false } }
  - { from: working, to: asking, by: human }
  - { from: [working, asking], to: lost, by: engine, when: { orphaned: holds } }
`);
}

const STAYS = ["child cannot be made of tasks: in fork no move `by: engine` waits for parent-over"];

test.for<[string, Parameters<typeof through>[0], readonly string[]]>([
  ["that asks only what is known", {}, []],
  ["that reads what somebody has written", { ways: "by: engine, need: result" }, []],
  ["that begins something", { state: "{ enter: [start worker] }" }, STAYS],
  ["that waits for a person", { state: "{ waits: true }" }, STAYS],
  ["that asks", { state: "{ ask: which }" }, STAYS],
  ["into which something is begun", { into: "start worker" }, STAYS],
  ["out of which an agent asks to go", { ways: "by: [engine, worker]" }, STAYS],
  ["that waits for a fact", { ways: "by: engine, when: { merged: holds }" }, STAYS],
  ["that waits for a check", { ways: "by: engine, when: { tested: pass }" }, STAYS],
])("a child run has to be told that nobody waits for it where it stays: a state %s", ([, fork, said]) => {
  expect(objectionsTo(through(fork), through({}), READER)).toEqual(said);
});

test.for<[string, Children["with"], readonly string[]]>([
  ["is told", { session: { param: "session" } }, []],
  ["is not told", {}, ['session of child is named only when a person begins a run: say it under "with"']],
])("a child run with a name of its own that it %s", ([, given, objections]) => {
  const child = parsed(`$schema: ../../schema/workflow-1.schema.json
name: child
title: A folder for each
params: { goal: { text: "" }, session: { text: "", named: goal } }
artifacts: { orphaned: { fact: parent-over } }
states: { working: { waits: true }, closed: { final: done } }
moves:
  - { from: start, to: working, by: [engine, human] }
  - { from: working, to: closed, by: human }
  - { from: working, to: closed, by: engine, when: { orphaned: holds } }
`);
  expect(objectionsTo(child, child, { ...READER, with: given })).toEqual(objections);
});

const TAG = "names a tag, which a person asks for";

test.for<[what: string, as: string, given: Children["with"], objections: readonly string[]]>([
  ["of a person", "tag", { tag: { param: "tag" } }, []],
  ["that nobody hands on", "tag", {}, []],
  ["of the workflow", "tag", { tag: "v1" }, [`tag of child ${TAG}: hand on a parameter that is theirs`]],
  [
    "that is always there",
    "tag",
    { tag: { param: "kind" } },
    [`tag of child ${TAG}: hand on a parameter that is theirs`],
  ],
  [
    "of a task",
    "tag",
    { tag: { from: { task: "tag" } } },
    [`tag of child ${TAG}: hand on a parameter that is theirs`],
  ],
  ["that is its title", "goal", {}, [`goal of child ${TAG}, and every task has one`]],
])("a child run with a tag %s", ([, as, given, objections]) => {
  const child = parsed(`$schema: ../../schema/workflow-1.schema.json
name: child
title: Work that may be tagged
params: { goal: { text: "" }, tag: { text: "" }, kind: { text: v1 } }
artifacts: { orphaned: { fact: parent-over }, label: { in: label.json, json: true, by: human } }
states: { working: { waits: true }, closed: { final: done } }
moves:
  - { from: start, to: working, by: [engine, human], reserve: workspace }
  - { from: working, to: closed, by: human, need: label, do: [perform tag from label as $${as}] }
  - { from: working, to: closed, by: engine, when: { orphaned: holds } }
`);
  expect(objectionsTo(child, child, { ...READER, with: given })).toEqual(objections);
});
