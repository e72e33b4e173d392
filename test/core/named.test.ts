import { expect, test } from "vitest";
import { freeName, nameFor } from "../../src/core/text/generated-names.ts";
import { variablesOf } from "../../src/engine/agents/launch.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import { fromText } from "../support/workflows.ts";

test.for<[about: string, name: string]>([
  ["Rate limits", "2026-11-16_rate-limits"],
  ["  Add a rate limiter to the API!  ", "2026-11-16_add-rate-limiter-to"],
  ["Fix dates in the export", "2026-11-16_fix-dates-in-export"],
  ["The A", "2026-11-16_the-a"],
  ["Fix: ../../etc/passwd", "2026-11-16_fix-etc-passwd"],
  ["Größe & Übersicht", "2026-11-16_große-ubersicht"],
  ["日付がずれている", "2026-11-16_日付がずれている"],
  ["1.2.3.4.5", "2026-11-16_1-2-3-4"],
  [`${"x".repeat(47)} y`, `2026-11-16_${"x".repeat(47)}`],
  ["x".repeat(500), `2026-11-16_${"x".repeat(48)}`],
  ["", "2026-11-16_paper"],
  ["!? ...\n", "2026-11-16_paper"],
])("%j is named %s", ([about, name]) => {
  expect(nameFor("2026-11-16", about, "paper")).toBe(name);
});

test.for<[taken: readonly string[], free: string]>([
  [[], "a"],
  [["a-2"], "a"],
  [["a"], "a-2"],
  [["a", "a-2", "a-3"], "a-4"],
])("beside %j", ([taken, free]) => {
  expect(freeName("a", (name) => taken.includes(name))).toBe(free);
});

test.for<[params: string, session: string]>([
  ["{ goal: { text: x } }", "of-the-agent"],
  [`{ goal: { text: x }, session: { text: "", named: goal } }`, "2026-11-16_x"],
])("{session} in prompts, with params %s", ([params, session]) => {
  const workflow = fromText(
    `$schema: workflow-1.schema.json
name: paper
title: A paper
params: ${params}
states: { open: { waits: true }, closed: { final: done } }
moves: [{ from: start, to: open, by: human }, { from: open, to: closed, by: human }]
`,
    {},
  );
  const run = { ...NO_RUN, id: "r1", params: session === "of-the-agent" ? {} : { session } };
  const agent = { role: "", slot: "", attempt: 1, session: "of-the-agent" };
  expect(variablesOf({ workflow, run, workspace: undefined, agent })["session"]).toBe(session);
});
