/** A fan-out whose members somebody names in the run. */

import { expect, test } from "vitest";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Run } from "../../src/core/model/run.ts";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { fixturesIn } from "../check/corpus.ts";
import { agent, AT, reading, start, trace } from "../support/play.ts";

/** Proven where the rest of the corpus is. */
const workflow = parsed("thirteen-phases.yaml");

function parsed(wanted: string): Workflow {
  const { text, prompts } = fixturesIn("good").find(({ name }) => name === wanted) ?? fail();
  const read = parseWorkflow({ file: wanted, bytes: new TextEncoder().encode(text), prompts });
  return read.ok ? read.workflow : fail();
}

function submit(role: string, what: Reading): (run: Run) => Incoming {
  return (run) => ({ type: "submitted", by: agent(run, role, what.slot), at: AT, readings: [what] });
}

const named = (...queries: string[]): Reading => reading("0-list", { lists: { queries } });

test("one splits, each explores a part, one is lost, and another makes one of what is there", () => {
  const died: (run: Run) => Incoming = (run) => ({
    type: "agent-ended",
    at: AT,
    role: "explorer",
    slot: "b",
    attempt: run.agents["explorer/b"]?.attempt ?? 0,
    cause: "exited",
  });
  expect(
    trace(workflow, [
      start(workflow),
      submit("scout", named("a", "b")),
      submit("explorer", reading("0-parts", { slot: "a" })),
      died,
      submit("aggregator", reading("0")),
    ]),
  ).toMatchInlineSnapshot(`
    "0, start-agent scout #1 (scout)
    0-each, stop-agent scout #1, start-agent explorer/a #1 (explorer), start-agent explorer/b #2 (explorer)
    0-each
    0-merge, stop-agent explorer/a #1, start-agent aggregator #1 (aggregator)
    1.1, stop-agent aggregator #1, start-agent brainstormer #1 (brainstormer)"
  `);
});

test.for<[number, string]>([
  [1, "0-list is invalid: .agents/tmp/phases/0-queries.json must name 1 to 1 queries"],
  [2, "0-each, stop-agent scout #1, start-agent explorer/a #1"],
])("with at most %i explorers two queries lead to: %s", ([explorers, line]) => {
  const begun = start(workflow, undefined, { params: { explorers } });
  expect(trace(workflow, [begun, submit("scout", named("a", "b"))]).split("\n")[1]).toContain(line);
});

function fail(): never {
  throw new Error("the corpus lacks a good file");
}
