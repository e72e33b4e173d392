/** What was handed in by commands alone stands, word for word, in the files that show it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { scene } from "./acting-support.ts";

const TOLD = `$schema: workflow-1.schema.json
name: told
title: A person answers, and files tell it
params:
  mode: { text: lean }
artifacts:
  answer:
    in: answer.json
    by: human
    json: { object: { summary: text, issues?: { list: text } } }
    lists: { issues: issues }
states:
  open: { waits: true }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: closed, by: human, need: answer, set: { mode: full } }
projection:
  - file: status.json
    as: json
    data:
      mode: { from: params.mode }
      summary: { from: said.answer.summary, else: nothing yet }
      issues: { each: collected.issues, give: { from: item.text } }
`;

const on = scene({
  ".signalbox/workflows/told/workflow.yaml": TOLD,
  "one.json": JSON.stringify({ summary: "It works.", issues: ["slow", "large"] }),
  "two.json": JSON.stringify({ summary: "It is quick.", issues: ["large"] }),
});

test("what was said and what a move noted", async () => {
  const begun = await on.say("run told --detach --quiet");
  const run = begun.stdout.trim();
  const status = (): unknown =>
    JSON.parse(readFileSync(join(runFolders(on.home, run).files, "status.json"), "utf8"));
  expect(status()).toEqual({ mode: "lean", summary: "nothing yet", issues: [] });
  await on.say(`submit ${run} answer one.json`);
  expect(status()).toEqual({ mode: "lean", summary: "It works.", issues: ["slow", "large"] });
  await on.say(`submit ${run} answer two.json`);
  await on.say(`move ${run} closed`);
  expect(status()).toEqual({ mode: "full", summary: "It is quick.", issues: ["slow", "large"] });
  expect((await on.say(`history ${run}`)).stdout).toContain("mode is full");
});
