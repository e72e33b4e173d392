/** What a person is asked by commands alone stands in the files that show it, before and after it is answered. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { scene } from "./acting-support.ts";

const ASKED = `$schema: workflow-1.schema.json
name: asked
title: A person is asked, and files tell it
params:
  goal: { text: the house }
states:
  open: { ask: agree }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
asks:
  agree: { question: agree, options: { agreed: { to: closed, text: optional }, again: { to: open } } }
projection:
  - file: status.json
    as: json
    data: { each: run.questions, give: { id: { from: item.id }, question: { from: item.question }, status: { from: item.status }, answer: { from: item.answer }, text: { from: item.text } } }
`;

const on = scene({
  ".signalbox/workflows/asked/workflow.yaml": ASKED,
  ".signalbox/workflows/asked/prompts/agree.md": "Is {goal} good?\n",
});

test("pending in the words of the question, then answered", async () => {
  const begun = await on.say("run asked --detach --quiet");
  const run = begun.stdout.trim();
  const shown = (): unknown =>
    JSON.parse(readFileSync(join(runFolders(on.home, run).files, "status.json"), "utf8"));
  const first = { id: "UD-1", question: "Is the house good?", status: "pending", answer: null, text: "" };
  expect(shown()).toEqual([first]);
  await on.say(`answer ${run} again`);
  const second = { ...first, id: "UD-2" };
  const answered = { ...first, status: "answered", answer: "again" };
  expect(shown()).toEqual([answered, second]);
  await on.say(`answer ${run} agreed --text fine`);
  expect(shown()).toEqual([answered, { ...second, status: "answered", answer: "agreed", text: "fine" }]);
});
