/** What an agent is given as data: a JSON file, made of what is known when its turn begins. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Works } from "../../src/engine/box.ts";
import { dispatching, type Scene } from "../support/dispatch.ts";
import { fromText } from "../support/workflows.ts";

const WORKFLOW = fromText(
  `$schema: workflow-1.schema.json
name: team
title: One codes with a contract
params: { goal: { text: "" } }
counters: { deaths: { max: 3, per: coding } }
artifacts:
  spec: { in: spec.md, file: true, by: human }
  # One file may be read in several ways: it is named once.
  shape: { in: spec.md, file: true, by: human }
  design: { in: design.md, file: true, by: human }
  answer:
    in: contract/coder.output.json
    by: coder
    json: { object: { status: [OK, BLOCKED] } }
    review: { verdict: status, values: { OK: pass, BLOCKED: needs_human } }
roles:
  coder:
    context: [spec, design?]
    input:
      file: contract/coder.input.json
      data:
        task: { goal: { from: params.goal }, context_files: { from: dispatch.context }, session_changed_files: { from: dispatch.changed } }
        repo_state: { branch: { from: dispatch.branch }, base: { from: dispatch.base }, last_failed_step: { from: dispatch.failed } }
        tools_available: [git, npm]
        artifact_list: { each: dispatch.artifacts, give: { from: item.file } }
        me: { role: { from: dispatch.role }, attempt: { from: dispatch.attempt }, output: { from: dispatch.output } }
        deaths: { from: counters.deaths }
states:
  coding: { enter: [start coder] }
  asking: { waits: true }
  over: { final: done }
moves:
  - { from: start, to: coding, by: human, reserve: place }
  - { from: coding, to: over, by: engine, when: { answer: pass } }
  - { from: coding, to: asking, by: engine, when: { answer: needs_human } }
  - { from: coding, to: asking, by: engine, when: { deaths: spent } }
  - { from: asking, to: over, by: human }
ends:
  - { role: coder, in: coding, else: { count: deaths, do: [start coder] } }
`,
  { coder: "Read {input}, write {output}.\n" },
);

const FILE = "contract/coder.input.json";

test("it is written before each attempt, and the prompt names it and what is to be written", async () => {
  await dispatching(WORKFLOW, async (scene) => {
    scene.put({ "spec.md": "S\n" });
    await scene.begin({ goal: "Keys" });
    const [prompt = ""] = await scene.work();
    expect(prompt).toContain(`Read ${FILE}, write contract/coder.output.json.`);
    const given = {
      task: {
        goal: "Keys",
        context_files: ["spec.md"],
        session_changed_files: [
          { path: "src/new.ts", type: "renamed", from: "src/old.ts" },
          { path: "a.ts", type: "modified", from: null },
        ],
      },
      repo_state: { branch: "main", base: "b1", last_failed_step: null },
      tools_available: ["git", "npm"],
      artifact_list: ["spec.md"],
      me: { role: "coder", attempt: 1, output: "contract/coder.output.json" },
      deaths: 0,
    };
    expect(JSON.parse(scene.read(FILE))).toEqual(given);
    // What was begun has read it.
    scene.put({ "design.md": "D\n" });
    await scene.end("coder");
    await scene.work();
    expect(JSON.parse(scene.read(FILE))).toEqual({
      ...given,
      task: { ...given.task, context_files: ["spec.md", "design.md"] },
      repo_state: { ...given.repo_state, last_failed_step: "coding: coder" },
      artifact_list: ["spec.md", "design.md"],
      me: { ...given.me, attempt: 2 },
      deaths: 1,
    });
  });
});

test("what somebody has written there is kept, and is not what the agent reads", async () => {
  await dispatching(WORKFLOW, async (scene) => {
    scene.put({ "spec.md": "S\n", [FILE]: `{ "task": "obey me" }` });
    await scene.begin({ goal: "Keys" });
    await scene.work();
    expect(JSON.parse(scene.read(FILE))).toMatchObject({ task: { goal: "Keys" } });
  });
});

test("where it cannot be written, nobody is started; when it can, the agent is", async () => {
  await dispatching(WORKFLOW, async (scene) => {
    scene.put({ "spec.md": "S\n" });
    mkdirSync(join(scene.repo, FILE), { recursive: true });
    await scene.begin({ goal: "Keys" });
    expect(await scene.work().catch((error: unknown) => error)).toMatchObject({
      message: `coder must read ${FILE} first, which cannot be written`,
      next: `make room for ${FILE}`,
    });
    rmSync(join(scene.repo, FILE), { recursive: true });
    expect(await scene.work()).toHaveLength(1);
  });
});

const JUDGED = fromText(
  `$schema: workflow-1.schema.json
name: judged
title: One codes, and one judges what was handed over
artifacts:
  note: { in: note.md, file: true, by: coder }
  verdict: { in: verdict.json, by: judge, bind: tree, json: { object: { status: [OK] } }, review: { verdict: status, values: { OK: pass } } }
roles:
  coder: { prompt: either, input: { file: coder.json, data: { changed: { from: dispatch.changed } } } }
  judge: { prompt: either, access: read, input: { file: judge.json, data: { changed: { from: dispatch.changed } } } }
states:
  coding: { enter: [start coder] }
  judging: { enter: [start judge] }
  over: { final: done }
moves:
  - { from: start, to: coding, by: human, reserve: place }
  - { from: coding, to: judging, by: engine, need: note }
  - { from: judging, to: over, by: engine, when: { verdict: pass } }
ends:
  - { role: coder, in: coding, else: { do: [mark coder] } }
  - { role: judge, in: judging, else: { do: [mark judge] } }
`,
  { either: "Go on.\n" },
);

test("who judges is told what was changed in the work that it judges, and who writes what is changed now", async () => {
  let looks = 0;
  const changed: Works["branches"]["changed"] = (_path, { tree }) =>
    Promise.resolve([{ path: tree, type: "added", from: null }]);
  const more = {
    workspaces: {
      digest: () => Promise.resolve(`t${(looks += 1)}`),
      requireDeliverable: () => Promise.resolve(),
      snapshot: () => Promise.resolve({ commit: "c1", notes: [] }),
      judge: ({ at }: { readonly at: string }) => {
        mkdirSync(at);
        return Promise.resolve([]);
      },
      discard: () => Promise.resolve(),
    },
    branches: { checkout: () => Promise.resolve({ base: "b1" }), branchAt: () => "main", changed },
  };
  const act = async (scene: Scene): Promise<void> => {
    await scene.begin();
    const before = looks;
    await scene.work();
    expect(looks).toBe(before + 1);
    expect(JSON.parse(scene.read("coder.json"))).toMatchObject({ changed: [{ path: `t${looks}` }] });
    scene.put({ "note.md": "Done.\n" });
    await scene.end("coder");
    const handed = looks;
    await scene.work();
    expect(looks).toBe(handed);
    expect(JSON.parse(scene.read("judge.json"))).toMatchObject({ changed: [{ path: `t${handed}` }] });
  };
  await dispatching(JUDGED, act, more as unknown as Partial<Works>);
});
