/** Moves that say something of a run: what its text parameters are from then on, and what follows from that. */

import { expect, test } from "vitest";
import type { Event, Incoming } from "../../src/core/model/event.ts";
import { replay } from "../../src/core/step/apply.ts";
import type { Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { auditor } from "../../src/engine/submit/audit.ts";
import { deedsOf } from "../../src/engine/effects/deeds.ts";
import type { WorkspaceRow } from "../../src/engine/ports/registry.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { AT, HUMAN, play, start } from "../support/play.ts";

const FILE = `
$schema: workflow-1.schema.json
name: noting
title: Moves say how it goes on
params:
  mode: { text: "" }
  fallback: { text: by hand }
  branch: { text: first }
states:
  open: { waits: true }
  asking: { ask: way }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human, set: { mode: begun } }
  - { from: open, to: asking, by: human, set: { mode: asked, branch: second } }
  - { from: open, to: closed, by: human }
asks:
  way:
    question: way
    options:
      hand: { to: open, set: { mode: $fallback } }
      same: { to: open, set: { mode: $mode } }
      quiet: { to: open }
`;

const parsed = parseWorkflow({
  file: "workflow.yaml",
  bytes: new TextEncoder().encode(FILE),
  prompts: { way: { file: "prompts/way.md", text: "Which way?\n" } },
});
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
const { workflow } = parsed;

const toAsking: Incoming = { type: "move-asked", by: HUMAN, at: AT, to: "asking" };
const toClosed: Incoming = { type: "move-asked", by: HUMAN, at: AT, to: "closed" };
const say = (answer: string): Incoming => ({
  type: "answered",
  by: HUMAN,
  at: AT,
  ask: "way",
  answer,
  shown: "",
});

test.for<[string, readonly Incoming[], string]>([
  ["at the start", [], "begun"],
  ["on the way", [toAsking], "asked"],
  ["by an answer, with what another parameter says", [toAsking, say("hand")], "by hand"],
  ["with what it says already", [toAsking, say("same")], "asked"],
  ["by a move that says nothing of it", [toClosed], "begun"],
])("%s", ([, words, mode]) => {
  const { run, events } = play(workflow, [start(workflow), ...words]);
  expect(run.params["mode"]).toBe(mode);
  expect(replay(workflow, events).params).toEqual(run.params);
});

test("a branch that a move names is renamed, once", () => {
  const { run } = play(workflow, [start(workflow)]);
  expect(renamings(run, toAsking)).toEqual(["second"]);
  expect(renamings(run, toClosed)).toEqual([]);
});

const WORKSPACE: WorkspaceRow = {
  run: "R1",
  repo: "/repo",
  path: "/work",
  branch: "first",
  base: "main",
  status: "bound",
  salvage: "",
  kept: "",
};

function renamings(run: Run, event: Incoming): readonly string[] {
  const next = step(workflow, run, event);
  if (!next.ok) throw new Error(next.refusal.message);
  return deedsOf(workflow, next, WORKSPACE).flatMap((deed) =>
    deed.type === "rename-branch" ? [deed.branch] : [],
  );
}

test.for<[string, Record<string, string>, string | undefined]>([
  ["as in the workflow", { mode: "asked", branch: "second" }, undefined],
  ["of a parameter more", { mode: "asked", attempts: "9" }, "which sets what it does not set"],
])("verify looks at what moves set: %s", ([, set, wrong]) => {
  const { events } = play(workflow, [start(workflow), toAsking]);
  const look = auditor(workflow);
  const found = events
    .map((event): Event => (event.type === "moved" && event.to === "asking" ? { ...event, set } : event))
    .flatMap((event) => look({ event, by: HUMAN }) ?? []);
  expect(found.join()).toContain(wrong ?? "");
  expect(found.length).toBe(wrong === undefined ? 0 : 1);
});
