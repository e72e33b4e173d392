/** What the agents of a team are given: what the plan says of a task, and what the session is, as the published contract has it. */

import { expect, test } from "vitest";
import { AGENT_INPUTS } from "../../src/format/agent-contract.ts";
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
function plan({ store }: Scene, id: string, keys: typeof KEYS | undefined): void {
  const key = { parent: "p1", artifact: "judged", entry: 1 };
  const listed = { id, title: "Dates", files: ["a.ts"], dependsOn: [], ...(keys && { keys }) };
  store.putGraph({ ...key, definition: task.hash(), most: 1 }, [{ task: listed, params: {} }]);
  store.nameChild(key, id, "r1");
}

/** It works where its parent does. */
async function begin(scene: Scene, params: Parameters<Scene["begin"]>[0]): Promise<void> {
  await scene.begin({ session: "s", goal: "Dates", ...params });
  const { repo } = scene;
  const bound = { path: repo, branch: "main", base: "b1", status: "bound", salvage: "", kept: "" } as const;
  scene.store.putWorkspace({ run: "r1", repo, ...bound });
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
    scene.put({ [`${FOLDER}/acceptance.json`]: JSON.stringify(ACCEPTANCE) });
    plan(scene, id, keys);
    await begin(scene, { part, task: id, constraints: "No new packages" });
    expect(given(scene, `r1/${role}`)).toMatchObject({
      task: { id, title: "Dates", constraints: ["No new packages"], ...said },
    });
  });
});

test.for<[mode: string, isLean: boolean]>([
  ["full", false],
  ["lean", true],
])("in %s mode SpecAgent is told so", async ([mode, lean]) => {
  await dispatching(session, async (scene) => {
    await begin(scene, { mode });
    expect(given(scene, "SpecAgent")).toMatchObject({ lean, task: { constraints: [] } });
  });
});
