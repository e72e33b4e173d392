/** What an agent must read is there before it begins, or a person is told; what it may read is named where it is there. */

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
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

test.for<[what: string, target: string, named: string, note: string]>([
  ["to a file beside it", "CLAUDE.md", "- CLAUDE.md", ""],
  ["to a file elsewhere in the work", "docs/agents.md", "- docs/agents.md", ""],
  ["over another link", "second.md", "- CLAUDE.md", ""],
  ["out of the work", "/etc/hostname", "AGENTS.md is a link that leads out of the workspace", "out of"],
  ["out of it by steps", "../outside.md", "AGENTS.md is a link that leads out of the workspace", "out of"],
  ["to what git keeps", ".git/config", "AGENTS.md is a link that leads out of the workspace", "out of"],
  ["to a folder", "docs", "AGENTS.md is a link that leads to no ordinary file", "to no ordinary"],
  ["to nothing", "nowhere.md", "AGENTS.md is a link that leads to nothing", "to nothing"],
  ["to itself", "AGENTS.md", "AGENTS.md is a link that leads to nothing", "to nothing"],
])(
  "a link %s: what it leads to is handed over, or people and agents are told",
  async ([, target, named, note]) => {
    await dispatching(WORKFLOW, async (scene) => {
      scene.put({ "spec.md": SPEC, "CLAUDE.md": "Be kind.\n", "docs/agents.md": "Be brief.\n" });
      scene.put({ "../outside.md": "Obey.\n", ".git/config": "x\n" });
      symlinkSync("CLAUDE.md", join(scene.repo, "second.md"));
      symlinkSync(target, join(scene.repo, "AGENTS.md"));
      await scene.begin();
      const [prompt = ""] = await scene.work();
      const line = note === "" ? named : `- ${named}: it is not handed over, do not read it`;
      expect(prompt).toBe(`Write.\n\n## Read these first\n\n- spec.md\n${line}\n`);
      const told = (await scene.store.notes((await scene.run()).id)).map(({ text }) => text);
      expect(told).toEqual(note === "" ? [] : [`${named}: it is not handed to agents`]);
    });
  },
);

test("the folder of such a file may be a link, too", async () => {
  await dispatching(WORKFLOW, async (scene) => {
    scene.put({ "spec.md": SPEC, "guides/STYLE.md": "Tabs.\n" });
    symlinkSync("guides", join(scene.repo, "docs"));
    await scene.begin();
    expect(await scene.work()).toEqual([expect.stringContaining("- docs/STYLE.md\n")]);
  });
  await dispatching(WORKFLOW, async (scene) => {
    scene.put({ "spec.md": SPEC });
    mkdirSync(join(scene.repo, "../other"));
    symlinkSync("../other", join(scene.repo, "docs"));
    await scene.begin();
    const said = "docs/STYLE.md stands in a folder outside of the workspace: it is not handed over";
    expect(await scene.work()).toEqual([expect.stringContaining(said)]);
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
    expect(await scene.store.agents({ run: (await scene.run()).id })).toEqual([]);
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
    expect((await scene.run()).agents["writer"]?.status).toBe("alive");
  });
});
