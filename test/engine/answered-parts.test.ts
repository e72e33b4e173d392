/** Whoever is started by answers to the parts of a question is told all of them, also those that were given earlier. */

import { expect, test } from "vitest";
import type { Incoming } from "../../src/core/model/event.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import { dispatching, type Scene } from "../support/dispatch.ts";
import { fromText } from "../support/workflows.ts";

const WORKFLOW = fromText(
  `$schema: workflow-1.schema.json
name: parts
title: What is found is decided one by one
artifacts:
  audit: { in: audit.json, by: human, json: { object: { found: { list: text } } }, lists: { found: found } }
roles:
  coder: {}
states:
  open: { waits: true }
  asked: { ask: which }
  coding: { waits: true, enter: [start coder] }
  over: { final: done }
moves:
  - { from: start, to: open, by: human, reserve: place }
  - { from: open, to: asked, by: human, need: audit }
  - { from: coding, to: over, by: human, do: [stop coder] }
ends:
  - { role: coder, in: coding, else: { do: [mark coder] } }
asks:
  which: { question: which, parts: audit.found, options: { fix: { to: coding, text: optional }, accept: { to: over } } }
`,
  { coder: "Code.\n", which: "Which?\n" },
);

const QUIET = { notifier: { ask: () => Promise.resolve() } };

test("the prompt has them all", async () => {
  const act = async (scene: Scene): Promise<void> => {
    await scene.begin();
    scene.put({ "audit.json": JSON.stringify({ found: ["a lock", "a key"] }) });
    await scene.ask((at) => ({ type: "move-asked", by: { type: "human" }, at, to: "asked" }));
    const answer = (part: string, value: string, text: string): Promise<void> =>
      scene.ask(async (at): Promise<Incoming> => ({
        type: "answered",
        by: { type: "human" },
        at,
        ask: "which",
        answer: "fix",
        shown: shownBy(WORKFLOW, await scene.run(), "which"),
        parts: [{ part, answer: value, text }],
      }));
    await answer("a lock", "fix", "with a new one");
    expect(await scene.work()).toEqual([]);
    await answer("a key", "accept", "");
    expect(await scene.work()).toEqual([
      "Code.\n\n## What a person said with this\n\n> a lock: fix: with a new one\n> a key: accept\n",
    ]);
  };
  await dispatching(WORKFLOW, act, QUIET);
});
