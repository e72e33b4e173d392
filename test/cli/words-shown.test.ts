/** What was handed in by commands alone stands, word for word, in the files that show it. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
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
  - file: report.md
    as: sections
    data:
      What was done: { from: said.answer.summary, else: nothing yet }
      Known issues: { each: collected.issues, give: { from: item.text } }
  - file: issues.jsonl
    as: lines
    data: { each: collected.issues, give: { said: { from: item.text }, by: { from: item.by } } }
`;

const on = await scene({
  ".signalbox/workflows/told/workflow.yaml": TOLD,
  "one.json": JSON.stringify({ summary: "It works.", issues: ["slow", "large"] }),
  "two.json": JSON.stringify({ summary: "It is quick.", issues: ["large"] }),
});

test("what was said and what a move noted", async () => {
  const begun = await on.say("run told --detach --quiet");
  const run = begun.stdout.trim();
  const at = (file: string): string => join(runFolders(on.home, run).files, file);
  const text = (file: string): string => readFileSync(at(file), "utf8");
  const status = (): unknown => JSON.parse(text("status.json"));
  expect(status()).toEqual({ mode: "lean", summary: "nothing yet", issues: [] });
  expect(text("report.md")).toBe("## What was done\n\nnothing yet\n\n## Known issues\n\nNone.\n");
  expect(text("issues.jsonl")).toBe("");
  await on.say(`submit ${run} answer one.json`);
  expect(status()).toEqual({ mode: "lean", summary: "It works.", issues: ["slow", "large"] });
  const lines = '{"said":"slow","by":"human"}\n{"said":"large","by":"human"}\n';
  expect(text("issues.jsonl")).toBe(lines);

  // Both are the engine's as a whole: what somebody writes there is told, and written anew.
  appendFileSync(at("issues.jsonl"), '{"said":"forged"}\n');
  writeFileSync(at("report.md"), text("report.md").replace("It works.", "It is perfect."));
  await on.say(`submit ${run} answer two.json`);
  await on.say(`move ${run} closed`);
  expect(status()).toEqual({ mode: "full", summary: "It is quick.", issues: ["slow", "large"] });
  expect(text("issues.jsonl")).toBe(lines);
  expect(text("report.md")).toBe("## What was done\n\nIt is quick.\n\n## Known issues\n\n- slow\n- large\n");
  const { stdout } = await on.say(`history ${run}`);
  expect(stdout).toContain("mode is full");
  expect(stdout).toContain("What was done was changed by hand from It works. to It is perfect.");
  expect(stdout).not.toContain("Known issues was changed");
});
