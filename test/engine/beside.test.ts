/** What goes with what an agent hands in: nobody approves of a text that it has just written over. */

import { expect, test } from "vitest";
import type { Reading } from "../../src/core/model/event.ts";
import { replay } from "../../src/core/step/apply.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { withBeside } from "../../src/engine/submit/submit.ts";
import { change, live } from "../support/change-lives.ts";
import { session } from "../support/orchestrated.ts";
import { agent, AT, HUMAN, reading, verdict } from "../support/play.ts";

/** A change while its plan is challenged. */
function whileChallenged(): Run {
  const { events } = live({});
  const called = events.findIndex((event) => event.type === "agent-called" && event.role === "challenger");
  return replay(change, events.slice(0, called + 1));
}

const asBefore = (run: Run, name: string): Reading => run.held[name]?.reading ?? reading(name);

test.for<[said: string, changed: string, answer: string]>([
  ["nothing", "", "challenged"],
  [
    "the proposal",
    "proposal",
    "stale: challenge is stale: changes/x/proposal.md was changed by another author since it was accepted from planner: proposal counts only from planner or reviser or a person",
  ],
  [
    "a spec",
    "specs",
    "stale: challenge is stale: changes/x/specs/*.md was changed by another author since it was accepted from spec-writer: specs counts only from spec-writer or reviser or a person",
  ],
  ["what it is not about", "merged", "challenged"],
])("a challenger approves of the plan, and %s was changed meanwhile", ([, changed, answer]) => {
  const run = whileChallenged();
  const readings = ["proposal", "specs", "todo"].map((name) =>
    name === changed ? reading(name) : asBefore(run, name),
  );
  const own = [verdict("challenge", "pass")];
  const event = withBeside(change, run, {
    event: { type: "submitted", by: agent(run, "challenger"), at: AT, readings: own },
    readings: [...readings, reading("merged"), ...own],
  });
  const after = step(change, run, event);
  expect(after.ok ? after.run.state : `${after.refusal.code}: ${after.refusal.message}`).toBe(answer);
});

test("a file that is read in several ways is handed in for all of them", () => {
  const [before, after] = [reading("plan-shape"), reading("plan-shape")];
  const run: Run = {
    ...NO_RUN,
    held: { "plan-shape": { reading: before, by: "Planner", tree: "", inputs: {} } },
  };
  const own = [reading("todo")];
  const event = withBeside(session, run, {
    event: { type: "submitted", by: HUMAN, at: AT, readings: own },
    readings: [...own, after, reading("spec")],
  });
  expect(event).toMatchObject({ readings: own, beside: [after] });
});
