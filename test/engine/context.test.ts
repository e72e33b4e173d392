/** What an agent must read is there before it begins, or a person is told; what it may read is named where it is there. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dispatching } from "../support/dispatch.ts";
import { fromText } from "../support/workflows.ts";

const TEXT = `$schema: workflow-1.schema.json
name: team
title: One writes with what is there
artifacts:
  spec: { in: spec.md, document: [Goals], by: human }
  design: { in: design.md, file: true, by: [human, writer] }
  rules: { in: RULES.md, file: true, by: human }
  guides: { files: { paths: [./AGENTS.md, docs/STYLE.md] } }
  text: { in: text.md, file: true, by: writer }
roles:
  writer: { context: [spec, design?, rules?, guides?] }
states:
  writing: { enter: [start writer] }
  over: { final: done }
moves:
  - { from: start, to: writing, by: human, reserve: place }
  - { from: writing, to: over, by: engine, need: text }
ends:
  - { role: writer, in: writing, else: { do: [mark writer] } }
`;

const WORKFLOW = fromText(TEXT, { writer: "Write.\n" });

const SPEC = "# S\n\n## Goals\n\nOne.\n";

test.for<[string, Readonly<Record<string, string>>, string[]]>([
  ["only what must be there", { "spec.md": SPEC }, ["spec.md"]],
  ["something that may be there", { "spec.md": SPEC, "RULES.md": "Tabs.\n" }, ["spec.md", "RULES.md"]],
  [
    "all of it",
    { "spec.md": SPEC, "design.md": "D\n", "RULES.md": "Tabs.\n" },
    ["spec.md", "design.md", "RULES.md"],
  ],
  [
    "of files of the work, those that are there",
    { "spec.md": SPEC, "docs/STYLE.md": "Tabs.\n" },
    ["spec.md", "docs/STYLE.md"],
  ],
  ["what must be there, whatever it says", { "spec.md": "nothing\n" }, ["spec.md"]],
])("%s is named", async ([, files, named]) => {
  await dispatching(WORKFLOW, async (scene) => {
    scene.put(files);
    await scene.begin();
    const list = named.map((file) => `- ${file}`).join("\n");
    expect(await scene.work()).toEqual([`Write.\n\n## Read these first\n\n${list}\n`]);
  });
});

test("nobody is started without what must be there; the run says what is missing, and goes on when it is there", async () => {
  await dispatching(WORKFLOW, async (scene) => {
    await scene.begin();
    const refusal = await scene.work().catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      message: "writer must read spec.md first, which is not there",
      next: "put it there",
    });
    expect(scene.store.agents({ run: scene.run().id })).toEqual([]);
    scene.put({ "spec.md": SPEC });
    expect(await scene.work()).toHaveLength(1);
  });
});

test("files of the work can be what must be there", async () => {
  const strict = fromText(TEXT.replace("guides?", "guides"), { writer: "Write.\n" });
  await dispatching(strict, async (scene) => {
    scene.put({ "spec.md": SPEC, "docs/STYLE.md": "Tabs.\n" });
    await scene.begin();
    const message = "writer must read AGENTS.md first, which is not there";
    expect(await scene.work().catch((error: unknown) => error)).toMatchObject({ message });
    scene.put({ "AGENTS.md": "Be kind.\n" });
    expect(await scene.work()).toHaveLength(1);
  });
});

test("who has begun is not kept from going on by what somebody takes away", async () => {
  await dispatching(WORKFLOW, async (scene) => {
    scene.put({ "spec.md": SPEC });
    await scene.begin();
    expect(await scene.work()).toHaveLength(1);
    rmSync(join(scene.repo, "spec.md"));
    await scene.repeat("start-agent");
    expect(scene.run().agents["writer"]?.status).toBe("alive");
  });
});
