/** What agents of a task are told: the lists of what they may type are the map, and every prompt is whole. */

import { expect, test } from "vitest";
import { checkPrompts } from "../../src/core/check/defects/prompts.ts";
import { compile } from "../../src/core/model/compile.ts";
import { step } from "../../src/core/step/step.ts";
import { promptText, variablesOf } from "../../src/engine/agents/launch.ts";
import { commandsByState, commandsIn } from "../../src/engine/agents/prompt-commands.ts";
import { agent, AT } from "../support/play.ts";
import { handoff, inState, plan, task } from "../support/task.ts";
import { loadWorkflow } from "../support/workflows.ts";

const BASE = "b".repeat(40);
const workspace = { path: "/w/shop--1", branch: "signalbox/k3d9", base: BASE };

function told(prompt: string, state: string, role: string): string {
  const of = { role, slot: "", attempt: 1, session: "s" };
  return promptText(task, prompt, variablesOf({ workflow: task, run: inState(state), workspace, agent: of }));
}

test("what a worker may type, from its plan to its end", () => {
  expect(commandsByState(task, "worker")).toMatchInlineSnapshot(`
    "In planning:

    - \`signalbox submit plan -\`: standard input becomes \`## Plan\` in TASK.md; with at least one of \`APPROACH:\`, \`TOUCHING:\`.
    - \`signalbox update --status working\`: needs plan
    - \`signalbox update --status clarification\`: at most 2 times

    In clarification:

    - \`signalbox submit plan -\`: standard input becomes \`## Plan\` in TASK.md; with at least one of \`APPROACH:\`, \`TOUCHING:\`.
    - \`signalbox update --status planning\`
    - \`signalbox update --status working\`: needs plan

    In working:

    - \`signalbox submit handoff -\`: standard input becomes \`## Handoff\` in TASK.md; with at least one of \`DONE:\`, \`REMAINING:\`, \`DECISIONS:\`, \`UNCERTAIN:\`.
    - \`signalbox update --status clarification\`: at most 2 times
    - \`signalbox update --status agent-review\`: needs handoff, at most 2 times
    - \`signalbox update --status stuck\`

    At any time:

    - \`signalbox submit questions -\`: standard input becomes \`## Questions\` in TASK.md.
    - \`signalbox update --summary TEXT\`
    - \`signalbox update --branch TEXT\`"
  `);
});

test("what it may type while others go on", () => {
  expect(commandsIn(task, "worker", "agent-review")).toMatchInlineSnapshot(`
    "- \`signalbox submit questions -\`: standard input becomes \`## Questions\` in TASK.md.
    - \`signalbox update --summary TEXT\`
    - \`signalbox update --branch TEXT\`"
  `);
});

test("what a reviewer may type, and when", () => {
  expect(commandsIn(task, "reviewer", "agent-review")).toMatchInlineSnapshot(
    `"- \`signalbox submit review -\`: standard input becomes \`## Review\` in TASK.md; the first line is \`Verdict: PASS\` or \`Verdict: FAIL\` and nothing else. Where the run goes then is decided by what it says, not by you."`,
  );
  expect(commandsIn(task, "reviewer", "working")).toMatchInlineSnapshot(
    `"- Nothing: in working the run goes on without you."`,
  );
});

const places = ["task", "staged-plan", "design-approval"].flatMap((name) => {
  const { roles, states } = loadWorkflow(name).definition;
  return Object.keys(states).flatMap((state) =>
    Object.keys(roles).map((role) => [name, role, state] as const),
  );
});

test.for(places)("%s lists for %s in %s exactly the moves of its own", ([name, role, state]) => {
  const workflow = loadWorkflow(name);
  const listed = commandsIn(workflow, role, state).matchAll(/--status ([\w-]+)/g);
  const own = workflow.definition.moves.filter(
    ({ from, by, answer }) => from === state && by.includes(role) && answer === undefined,
  );
  expect(Array.from(listed, ([, to = ""]) => to).toSorted()).toEqual(
    [...new Set(own.map(({ to }) => to))].toSorted(),
  );
});

test.for(["planning", "clarification", "working"])(
  "every move that the worker reads about in %s is accepted",
  (state) => {
    const run = inState(state);
    const targets = Array.from(
      commandsIn(task, "worker", state).matchAll(/--status ([\w-]+)/g),
      ([, to = ""]) => to,
    );
    const readings = [plan(), handoff()];
    const after = targets.map((to) =>
      step(task, run, { type: "move-asked", by: agent(run, "worker"), at: AT, to, readings }),
    );
    expect(after.map((each) => (each.ok ? each.run.state : each.refusal.code))).toEqual(targets);
  },
);

test("a reviewer reads which work it was given, and how it differs from where the branch began", () => {
  const text = told("reviewer", "agent-review", "reviewer");
  const { tree } = inState("agent-review").agents["reviewer"] ?? { tree: "" };
  expect(tree).not.toBe("");
  expect(text).toContain(`tree \`${tree}\``);
  expect(text).toContain(`\`git diff --no-ext-diff ${BASE} ${tree}\``);
  expect(text).not.toContain("origin/");
});

test("without a branch of its own, a task is told the one that the workspace is on", () => {
  expect(told("worker", "planning", "worker")).toContain("Branch: signalbox/k3d9.");
});

const prompts = Object.keys(task.definition.prompts);

test.for(prompts)("%s is short, and no word in it is left open", (name) => {
  const text = told(name, "working", "worker");
  expect(text).not.toMatch(/(?<!`)\{[a-z_]+\}/);
  expect((task.definition.prompts[name]?.text ?? "").length).toBeLessThan(2_500);
});

test.for(prompts)("%s names no command by hand that its list has", (name) => {
  const byHand =
    (task.definition.prompts[name]?.text ?? "").match(/signalbox (task update|submit|move)/g) ?? [];
  expect(byHand).toEqual([]);
});

test.for([
  ["{commands} for a person", "commands", "lists what an agent may type, and no agent reads this prompt"],
  ["{comands} for a person", "comands", 'did you mean "commands"?'],
] as const)("check finds %s", ([, word, found]) => {
  const { definition } = task;
  const lonely = { file: "prompts/lonely.md", text: `Type one of these: {${word}}` };
  const broken = compile({ ...definition, prompts: { ...definition.prompts, lonely } }, () => "");
  expect(
    checkPrompts(broken)
      .map(({ message }) => message)
      .join(),
  ).toContain(found);
});
