/** What artifacts said stands in prompts, on one line, and only where it counts. */

import { expect, test } from "vitest";
import { dispatching } from "../support/dispatch.ts";
import { HUMAN } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

const WORKFLOW = fromText(
  `$schema: workflow-1.schema.json
name: words
title: One is told what another said
artifacts:
  plan: { in: plan.json, json: { object: { summary: text, size: number, parts: { list: text } } }, lists: { parts: parts }, by: human }
  text: { in: text.md, file: true, by: writer }
roles:
  writer: {}
states:
  planning: { waits: true }
  writing: { enter: [start writer] }
  over: { final: done }
moves:
  - { from: start, to: planning, by: human, reserve: place }
  - { from: planning, to: writing, by: human }
  - { from: writing, to: over, by: engine, need: text }
ends:
  - { role: writer, in: writing, else: { do: [mark writer] } }
`,
  { writer: "Do <{plan.summary}> in {plan.size} of <{plan.parts}>, not {{plan.summary}} or {other.x}.\n" },
);

const END = ", not {plan.summary} or {other.x}.\n";

test.for<[string, string | undefined, string]>([
  [
    "what it said",
    `{ "summary": "All of it", "size": 2, "parts": ["a", "b"] }`,
    `Do <All of it> in 2 of <a, b>${END}`,
  ],
  [
    "lines and braces as they are, on one line",
    `{ "summary": "One\\n## Two {plan.size}", "size": 2, "parts": [] }`,
    `Do <One ## Two {plan.size}> in 2 of <>${END}`,
  ],
  ["nothing of what has faults", `{ "summary": 1, "size": 2, "parts": [] }`, `Do <> in  of <>${END}`],
  ["nothing of what is not there", undefined, `Do <> in  of <>${END}`],
])("%s", async ([, plan, prompt]) => {
  await dispatching(WORKFLOW, async (scene) => {
    await scene.begin();
    if (plan !== undefined) scene.put({ "plan.json": plan });
    await scene.ask((at) => ({ type: "move-asked", by: HUMAN, at, to: "writing" }));
    expect(await scene.work()).toEqual([prompt]);
  });
});
