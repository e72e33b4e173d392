/** What the agents of a team are given: what the plan says of a task, and what the session is, as the published contract has it. */

import { expect, test } from "vitest";
import { AGENT_INPUTS } from "../../scripts/agent-contract.ts";
import { dispatching, type Scene } from "../support/dispatch.ts";
import { session, task } from "../support/orchestrated.ts";

const FOLDER = ".agents-work/s";
const ACCEPTANCE = {
  acceptance_criteria: [
    { id: "AC-001", description: "It works", verify: ["cmd: npm test", "manual: look at it"] },
    { id: "AC-002", description: "It is quick", verify: ["cmd: npm run bench"] },
  ],
};
const CHECKS = ["cmd: npm test", "manual: look at it", "cmd: npm run bench"];
const KEYS = {
  goal: "Dates are right everywhere",
  acceptance_checks: ["cmd: npm test -- dates"],
  non_goals: ["Times"],
  risk_flags: ["breaking-change"],
};

/** It is made of the task of a list that says these besides, or of none. */
async function plan({ store }: Scene, id: string, keys: typeof KEYS | undefined): Promise<void> {
  const key = { parent: "p1", artifact: "judged", entry: 1 };
  const listed = { id, title: "Dates", files: ["a.ts"], dependsOn: [], ...(keys && { keys }) };
  await store.commit([
    {
      type: "put-graph",
      graph: { ...key, definition: task.hash(), most: 1 },
      children: [{ task: listed, params: {} }],
    },
  ]);
  await store.commit([{ type: "name-child", graph: key, task: id, run: "r1" }]);
}

/** It works where its parent does. */
async function begin(scene: Scene, params: Parameters<Scene["begin"]>[0]): Promise<void> {
  await scene.begin({ session: "s", goal: "Dates", ...params });
  const { repo } = scene;
  const bound = { path: repo, branch: "main", base: "b1", status: "bound", salvage: "", kept: "" } as const;
  await scene.store.commit([{ type: "put-workspace", workspace: { run: "r1", repo, ...bound } }]);
  await scene.work();
}

function given(scene: Scene, file: string): unknown {
  const data: unknown = JSON.parse(scene.read(`${FOLDER}/contract/${file}.input.json`));
  const role = file.replace(/.*\//, "");
  expect(AGENT_INPUTS[role]?.safeParse(data).error).toBeUndefined();
  return data;
}

test.for<[part: string, id: string, role: string, keys: typeof KEYS | undefined, said: object]>([
  [
    "task",
    "T-001",
    "Coder",
    KEYS,
    { non_goals: ["Times"], acceptance_checks: KEYS.acceptance_checks, risk_flags: KEYS.risk_flags },
  ],
  ["meta", "meta", "Reviewer", undefined, { non_goals: [], acceptance_checks: CHECKS, risk_flags: [] }],
])("%s: of %s, %s is told what the plan says, or the criteria", async ([part, id, role, keys, said]) => {
  await dispatching(task, async (scene) => {
    const texts = {
      "acceptance.json": JSON.stringify(ACCEPTANCE),
      "spec.md": "S\n",
      "tasks.yaml": "tasks: []\n",
    };
    for (const [name, text] of Object.entries(texts)) scene.put({ [`${FOLDER}/${name}`]: text });
    scene.put({ "AGENTS.md": "Be kind.\n" });
    await plan(scene, id, keys);
    await begin(scene, { part, task: id, constraints: "No new packages" });
    expect(given(scene, `r1/${role}`)).toMatchObject({
      task: {
        id,
        title: "Dates",
        context_files: [
          `${FOLDER}/spec.md`,
          `${FOLDER}/tasks.yaml`,
          `${FOLDER}/acceptance.json`,
          "AGENTS.md",
        ],
        constraints: ["No new packages"],
        ...said,
      },
    });
  });
});

test.for<[mode: string, isLean: boolean]>([
  ["full", false],
  ["lean", true],
])("in %s mode SpecAgent is told so", async ([mode, lean]) => {
  await dispatching(session, async (scene) => {
    scene.put({ ".github/copilot-instructions.md": "Be brief.\n", "AGENTS.md": "Be kind.\n" });
    await begin(scene, { mode });
    const context = ["AGENTS.md", ".github/copilot-instructions.md"];
    expect(given(scene, "SpecAgent")).toMatchObject({
      lean,
      task: { constraints: [], context_files: context },
    });
  });
});

test.for<[role: string, params: Parameters<Scene["begin"]>[0], missing: string]>([
  ["Coder", { part: "task" }, "spec.md and .agents-work/s/tasks.yaml first, which are"],
  ["Reviewer", { part: "meta" }, "spec.md and .agents-work/s/tasks.yaml first, which are"],
])("%s is not started without what its role must read", async ([role, params, missing]) => {
  await dispatching(task, async (scene) => {
    const refusal = await begin(scene, params).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ message: `${role} must read ${FOLDER}/${missing} not there` });
  });
});

test.for(
  [session, task].flatMap(({ definition: { name, prompts } }) =>
    Object.entries(prompts).flatMap(([prompt, { text }]) =>
      text.startsWith("# ") ? [[name, prompt, text] as const] : [],
    ),
  ),
)("%s: %s is told of the project's own instructions, and that they come last", ([, , text]) => {
  const words = text.replaceAll(/\s+/g, " ");
  expect(words).toContain("Follow `AGENTS.md` and `.github/copilot-instructions.md` of the repository");
  expect(words).toContain("where they contradict this page, follow this page");
});

test.for(
  [session, task].flatMap(({ definition: { name, roles } }) =>
    Object.entries(roles).map(([role, { input }]) => [name, role, input?.data] as const),
  ),
)("%s: %s is told what failed last", ([, , data]) => {
  expect(data).toMatchObject({ repo_state: { last_failed_step: { from: "dispatch.failed" } } });
});

test.for(
  [session, task].flatMap(({ definition: { name, roles } }) =>
    Object.entries(roles).map(([role, { context, optional }]) => [name, role, context, optional] as const),
  ),
)("%s: %s is handed them, where they are there", ([, , context, optional]) => {
  const both = ["instructions", "copilot"];
  expect([context?.slice(-2), optional?.slice(-2)]).toEqual([both, both]);
});
