/** Whoever is started after a death is told what was wrong with what was left, and nobody else is. */

import { expect, test } from "vitest";
import type { Reading } from "../../src/core/model/event.ts";
import { readArtifact } from "../../src/format/reading/read.ts";
import { fromText } from "../support/workflows.ts";
import { AT, HUMAN } from "../support/play.ts";
import { dispatching, type Scene } from "../support/dispatch.ts";

const PAGE = `$schema: workflow-1.schema.json
name: team
title: One writes, with a contract
counters: { deaths: { max: 2, per: writing } }
artifacts:
  answer:
    in: out.json
    by: writer
    json: { object: { status: [OK, BLOCKED], summary: text, comments: { list: { object: { severity: text } } } } }
    review: { verdict: status, issues: comments, severity: severity, values: { OK: pass, BLOCKED: needs_fix }, strict: true }
    fresh: writing
  text: { in: spec.md, document: [Goals], by: [writer, human] }
  aside: { in: aside.md, document: [Notes], by: writer }
roles:
  writer: { prompt: writer }
states:
  writing: { enter: [start writer] }
  over: { final: done }
  stuck: { waits: true }
  asked: { waits: true }
moves:
  - { from: start, to: writing, by: human, reserve: place }
  - { from: writing, to: over, by: engine, when: { answer: pass }, need: text }
  - { from: writing, to: stuck, by: engine, when: { deaths: spent } }
  - { from: writing, to: asked, by: engine, when: { answer: needs_fix } }
  - { from: [stuck, asked], to: writing, by: human }
ends:
  - { role: writer, in: writing, else: { count: deaths, do: [start writer] } }
`;
const WORKFLOW = fromText(PAGE, { writer: "Write.\n" });

const OK = `{ "status": "OK", "summary": "s", "comments": [] }`;
const FAIL = `{ "status": "FAIL", "summary": "s", "comments": [] }`;
const BLOCKED = `{ "status": "BLOCKED", "summary": "s", "comments": [{ "severity": "high" }] }`;
const TEXT = "# T\n\n## Goals\n\nOne.\n";

/** What the second attempt is told beyond its prompt. */
async function told(
  files: Readonly<Record<string, string>>,
  end: Parameters<Scene["end"]>,
  workflow = WORKFLOW,
): Promise<string> {
  let said = "";
  await dispatching(workflow, async (scene) => {
    await scene.begin();
    const [first = ""] = await scene.work();
    expect(first).toBe("Write.\n");
    scene.put(files);
    await scene.end(...end);
    const [second = ""] = await scene.work();
    said = second.replace("Write.", "").trim();
  });
  return said;
}

const HEADING = "## What was wrong with the last attempt\n\n";

test.for<[string, Readonly<Record<string, string>>, Parameters<Scene["end"]>, string[]]>([
  [
    "nothing was left",
    {},
    ["writer"],
    [
      "It ended without leaving what counts. What is wrong now:",
      "- answer: out.json:1:1: the file is missing",
      "- text: spec.md:1:1: the file is missing",
    ],
  ],
  [
    "several faults in one file, and a text without its heading",
    { "out.json": `{ "status": "FAIL", "comments": [], "more": 1 }`, "spec.md": "# T\n" },
    ["writer"],
    [
      '- answer: out.json:1:1: "summary" is missing',
      '- answer: out.json:1:37: the key "more" is unknown',
      '- answer: out.json:1:13: "status" is "FAIL"; allowed are OK, BLOCKED',
      '- answer: out.json:1:13: the verdict "status" is "FAIL"; allowed are OK, BLOCKED',
      '- text: spec.md:1:1: the heading "Goals" is missing',
    ],
  ],
  [
    "words around the JSON",
    { "out.json": `Done!\n${OK}`, "spec.md": TEXT },
    ["writer"],
    ["- answer: out.json:1:1: "],
  ],
  [
    "a contradiction",
    { "out.json": OK.replace("[]", `[{ "severity": "high" }]`), "spec.md": TEXT },
    ["writer"],
    ["- answer: out.json: "],
  ],
  [
    "what nobody waits for, and is wrong",
    { "out.json": OK, "aside.md": "# A\n" },
    ["writer"],
    ["- text: spec.md:1:1: the file is missing", "- aside: aside.md:1:1: "],
  ],
  [
    "its time was over, and its verdict does not count",
    { "out.json": OK, "spec.md": TEXT },
    ["writer", "timed-out"],
    [
      "It was ended because its time was over, so no verdict that it left counts. What is wrong now:",
      "- answer: out.json does not exist yet",
    ],
  ],
])("%s", async ([, files, end, lines]) => {
  const said = await told(files, end);
  expect(said).toContain(HEADING);
  for (const line of lines) expect(said).toContain(line);
  expect(said.match(/^- /gm)).toHaveLength(lines.filter((line) => line.startsWith("- ")).length);
});

test("a fault is one line, and of many only some are told", async () => {
  const keys = Array.from({ length: 60 }, (_, n) => `"k${n}\\n## Heading": 1`).join(", ");
  const said = await told({ "out.json": `{ ${keys} }`, "spec.md": TEXT }, ["writer"]);
  expect(said.match(/^## /gm)).toHaveLength(1);
  expect(said.match(/^- /gm)).toHaveLength(21);
  expect(said).toMatch(/- and \d+ more$/);
});

test("a contradiction is told with the path as it is, and a second reading of a file only where it is waited for", async () => {
  const page = PAGE.replace("in: out.json", "in: '{run}/out.json'").replace(
    "  aside: { in: aside.md,",
    "  short: { in: spec.md, document: [Goal], by: writer }\n  aside: { in: aside.md,",
  );
  const workflow = fromText(page, { writer: "Write.\n" });
  const files = { "r1/out.json": OK.replace("[]", `[{ "severity": "high" }]`), "spec.md": TEXT };
  expect(await told(files, ["writer"], workflow)).toMatch(/:\n\n- answer: r1.out\.json: [^\n]+$/);
});

/** What is left by the last attempt of two, what a person does then, and what whoever is started by their move is told. */
test.for<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>, string[]]>([
  [
    "faults",
    { "out.json": FAIL, "spec.md": TEXT },
    {},
    ['- answer: out.json:1:13: "status" is "FAIL"; allowed are OK, BLOCKED', "- answer: "],
  ],
  [
    "a contradiction",
    { "out.json": OK.replace("[]", `[{ "severity": "high" }]`), "spec.md": TEXT },
    {},
    ['- answer: out.json: "OK" passes it'],
  ],
  ["nothing", {}, {}, ["- answer: out.json:1:1: the file is missing", "- text: spec.md:1:1: the file is"]],
  [
    "what a person has mended since",
    { "out.json": FAIL },
    { "spec.md": TEXT },
    ["- answer: ", "- answer: out"],
  ],
])("led back by a person after the last attempt left %s", async ([, left, mended, lines]) => {
  await dispatching(WORKFLOW, async (scene) => {
    await scene.begin();
    for (const files of [{}, left]) {
      await scene.work();
      scene.put(files);
      await scene.end("writer");
    }
    expect((await scene.run()).state).toBe("stuck");
    scene.put(mended);
    for (const text of Object.values(mended))
      await scene.ask((at) => ({ type: "submitted", by: HUMAN, at, readings: [textRead(text)] }));
    await scene.ask((at) => ({ type: "move-asked", by: HUMAN, at, to: "writing", note: "Go on." }));
    const [said = ""] = await scene.work();
    expect(said).toContain(HEADING);
    for (const line of lines) expect(said).toContain(line);
    expect(said.match(/^- /gm)).toHaveLength(lines.length);
    expect(said).toMatch(/> Go on\.\n$/);
  });
});

function textRead(text: string): Reading {
  const { text: artifact } = WORKFLOW.definition.artifacts;
  if (artifact === undefined) throw new Error("there is no text");
  return readArtifact("text", artifact, {
    file: "spec.md",
    bytes: new TextEncoder().encode(text),
    slot: "",
  });
}

test("who is led back by a person after an attempt that ended well is told nothing of deaths before it", async () => {
  await dispatching(WORKFLOW, async (scene) => {
    await scene.begin();
    await scene.work();
    await scene.end("writer");
    await scene.work();
    scene.put({ "out.json": BLOCKED, "spec.md": TEXT });
    await scene.end("writer");
    expect((await scene.run()).state).toBe("asked");
    await scene.ask((at) => ({ type: "move-asked", by: HUMAN, at, to: "writing" }));
    expect(await scene.work()).toEqual(["Write.\n"]);
  });
});

test("a crashed agent that a person has started again is told what was wrong, too", async () => {
  await dispatching(fromText(WORKFLOW_WITHOUT_RULE, { writer: "Write.\n" }), async (scene) => {
    await scene.begin();
    await scene.work();
    scene.put({ "spec.md": "# T\n" });
    await scene.end("writer");
    await scene.ask(() => ({ type: "respawn-asked", by: HUMAN, at: AT, role: "writer" }));
    const [second = ""] = await scene.work();
    expect(second).toContain(`${HEADING}It ended without leaving what counts.`);
    expect(second).toContain("- text: spec.md:1:1: ");
  });
});

const WORKFLOW_WITHOUT_RULE = `$schema: workflow-1.schema.json
name: plain
title: One writes
artifacts:
  text: { in: spec.md, document: [Goals], by: writer }
roles:
  writer: { prompt: writer }
states:
  writing: { enter: [start writer] }
  over: { final: done }
moves:
  - { from: start, to: writing, by: human, reserve: place }
  - { from: writing, to: over, by: engine, need: text }
ends:
  - { role: writer, in: writing, else: { do: [mark writer] } }
`;
