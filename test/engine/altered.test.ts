/** Whether what a run's tasks go by is what was accepted there, whoever has written over it, and however often it is read. */

import { expect, test } from "vitest";
import type { Reading } from "../../src/core/model/event.ts";
import { NO_RUN, type HeldReading } from "../../src/core/model/run.ts";
import { alteredIn } from "../../src/engine/agents/parent-texts.ts";
import { fromText } from "../support/workflows.ts";

const WORKFLOW = fromText(
  `$schema: workflow-1.schema.json
name: team
title: Somebody writes, and others go by it
artifacts:
  spec: { in: spec.md, document: [Goals], by: [writer, human] }
  plan: { in: plan.md, document: [Tasks], by: writer }
  plan-again: { in: plan.md, file: true, by: writer }
  review: { in: review.json, by: writer, json: { object: { status: [OK, BLOCKED] } }, review: { verdict: status, values: { OK: pass, BLOCKED: needs_fix } } }
roles: { writer: {} }
states: { writing: { enter: [start writer] }, over: { final: done } }
moves:
  - { from: start, to: writing, by: human, reserve: place }
  - { from: writing, to: over, by: engine, need: [spec, plan, plan-again, review] }
ends: [{ role: writer, in: writing, else: { do: [mark writer] } }]
`,
  { writer: "Write.\n" },
);

const FILES = ["spec.md", "plan.md", "review.json", "elsewhere.md"];

function reading(artifact: string, digest: string): Reading {
  return { artifact, slot: "", found: digest !== "", digest, faults: [], fields: {}, lists: {} };
}

/** `DIGEST by WHOM`, with `was DIGEST by WHOM` where it is foreign. */
function held(artifact: string, text: string): HeldReading {
  const [digest = "", , by = "", , was = "", , whom = ""] = text.split(" ");
  const accepted = was === "" ? {} : { accepted: { digest: was, by: whom, tree: "", inputs: {} } };
  return { reading: reading(artifact, digest), by, tree: "", inputs: {}, ...accepted };
}

test.for<[what: string, known: Record<string, string>, now: Record<string, string>, altered: string]>([
  ["nothing was accepted", {}, { spec: "b" }, ""],
  ["it is what was accepted", { spec: "a by writer" }, { spec: "a" }, ""],
  ["it is another one", { spec: "a by writer" }, { spec: "b" }, "spec.md, spec, writer"],
  ["it is gone", { spec: "a by human" }, { spec: "" }, "spec.md, spec, human"],
  [
    "somebody else was seen to write",
    { spec: "b by coder was a by writer" },
    { spec: "b" },
    "spec.md, spec, writer",
  ],
  ["and it was put back since", { spec: "b by coder was a by writer" }, { spec: "a" }, ""],
  ["it was never anything but foreign", { spec: "b by coder" }, { spec: "c" }, ""],
  [
    "one reading of two is the same",
    { plan: "a by writer", "plan-again": "x by writer" },
    { plan: "a", "plan-again": "y" },
    "",
  ],
  [
    "neither is",
    { plan: "a by writer", "plan-again": "x by writer" },
    { plan: "b", "plan-again": "y" },
    "plan.md, plan, writer",
  ],
  ["a verdict is in the journal", { review: "a by writer" }, { review: "b" }, ""],
])("%s", ([, known, now, altered]) => {
  const run = {
    ...NO_RUN,
    held: Object.fromEntries(Object.entries(known).map(([name, text]) => [name, held(name, text)])),
  };
  const readings = Object.entries(now).map(([name, digest]) => reading(name, digest));
  const found = alteredIn(WORKFLOW, run, { files: FILES, readings });
  expect(found === undefined ? "" : `${found.file}, ${found.artifact}, ${found.from}`).toBe(altered);
});
