/** What a verb of people means: marked moves and answers first, then the first path that can be walked. */

import { expect, test } from "vitest";
import { notesOn } from "../../src/core/check/defects/verbs.ts";
import type { Incoming } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import { chosenFrom, waysFor } from "../../src/core/explain/verbs.ts";
import { VERBS, type Verb } from "../../src/core/model/workflow.ts";
import { AT, HUMAN, play, start } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

const workflow = fromText(
  `$schema: workflow-1.schema.json
name: verbs
title: Every kind of way
artifacts:
  note: { in: NOTE.md, file: true, by: human }
states:
  open: { waits: true }
  looking: { waits: true }
  asking: { ask: which }
  stuck: { waits: true }
  silent: { waits: true }
  done: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: looking, by: human, verb: accept }
  - { from: open, to: asking, by: human, verb: accept, remember: true }
  - { from: open, to: stuck, by: human, remember: true }
  - { from: looking, to: open, by: human, verb: send-back, text: required, into: note }
  - { from: looking, to: done, by: human, need: note, verb: accept, deliver: true }
  - { from: looking, to: stuck, by: human, remember: true }
  - { from: looking, to: silent, by: human }
  - { from: [silent, stuck], to: open, by: human }
  - { from: stuck, to: looking, by: human, waive: note }
  - { from: [open, looking, asking, stuck], to: dropped, by: human, verb: cancel }
asks:
  which:
    question: which
    options:
      good: { to: done, verb: accept, label: It is good }
      changes:
        verb: send-back
        text: required
        routes: { a: { to: open }, b: { to: looking } }
verbs:
  - { verb: retry, in: stuck, path: [origin] }
  - { verb: retry, in: stuck, path: [open], text: none }
  - { verb: accept, in: stuck, path: [looking, done], text: required, deliver: true }
  - { verb: send-back, in: stuck, path: [open, asking, "answer:changes/b"] }
`,
  { which: "Which?\n" },
);

function runIn(...moves: readonly string[]): Run {
  const asked = moves.map((to): Incoming => ({ type: "move-asked", by: HUMAN, at: AT, to }));
  return play(workflow, [start(workflow), ...asked]).run;
}

function say(run: Run, verb: Verb): string {
  const { open, closed } = waysFor({ workflow, run }, verb);
  const ways = open.map(({ name, to, steps, text, into, deliver, waives }) =>
    [
      `${name} (${steps.map((each) => (each.type === "move" ? each.to : `answer ${each.answer}`)).join(", ")} -> ${to})`,
      text,
      ...(into === undefined ? [] : [`into ${into}`]),
      ...(deliver === undefined ? [] : ["delivers"]),
      ...waives.map((name_) => `waives ${name_}`),
    ].join(" "),
  );
  return [...ways, ...closed.map(({ name, reason }) => `closed ${name}: ${reason}`)].join("; ");
}

test.for<[at: string, verb: Verb, ways: string]>([
  ["open", "accept", "looking (looking -> looking) optional; asking (asking -> asking) optional"],
  ["open", "send-back", ""],
  ["open", "cancel", "dropped (dropped -> dropped) optional"],
  ["looking", "send-back", "open (open -> open) required into note"],
  ["looking", "accept", "closed done: looking to done: note is missing: NOTE.md does not exist yet"],
  ["asking", "accept", "good (answer good -> done) none"],
  [
    "asking",
    "send-back",
    "changes/a (answer changes/a -> open) required; changes/b (answer changes/b -> looking) required",
  ],
  ["stuck", "accept", "done (looking, done -> done) required delivers waives note"],
  ["stuck", "retry", "open (open -> open) optional"],
  ["stuck", "send-back", "changes/b (open, asking, answer changes/b -> looking) optional"],
  ["looking stuck", "retry", "looking (looking -> looking) optional waives note; open (open -> open) none"],
])("%s, %s: %s", ([at, verb, ways]) => {
  expect(say(runIn(...at.split(" ").filter((state) => state !== "open")), verb)).toBe(ways);
});

test("several marked ways are for a person to decide; of paths the first is taken", () => {
  const names = (run: Run, verb: Verb, to?: string): string[] =>
    chosenFrom(waysFor({ workflow, run }, verb).open, to).map(({ name }) => name);
  expect(names(runIn(), "accept")).toEqual(["looking", "asking"]);
  expect(names(runIn(), "accept", "asking")).toEqual(["asking"]);
  expect(names(runIn("asking"), "send-back", "b")).toEqual(["changes/b"]);
  expect(names(runIn("asking"), "send-back", "open")).toEqual(["changes/a"]);
  expect(names(runIn("asking"), "send-back", "c")).toEqual([]);
  expect(names(runIn("looking", "stuck"), "retry")).toEqual(["looking"]);
  expect(names(runIn("looking", "stuck"), "retry", "open")).toEqual(["open"]);
});

test("the verbs that are open, and none in a final state", () => {
  const openVerbs = (situated: Parameters<typeof waysFor>[0]): readonly Verb[] =>
    VERBS.filter((verb) => waysFor(situated, verb).open.length > 0);
  expect(openVerbs({ workflow, run: runIn("looking", "stuck") })).toEqual([
    "accept",
    "send-back",
    "retry",
    "cancel",
  ]);
  expect(openVerbs({ workflow, run: runIn("looking", "silent") })).toEqual([]);
  expect(openVerbs({ workflow, run: runIn("dropped") })).toEqual([]);
});

test("check notes states without a verb, and marks that are always open together", () => {
  expect(notesOn(workflow).map(({ code, message }) => `${code}: ${message}`)).toEqual([
    `no-verb: no verb of people (answer, accept, send-back, retry, cancel) applies in silent: mark moves and options with "verb"`,
    "same-verb: in open, accept always means both looking and asking: people have to choose with --to",
  ]);
});
