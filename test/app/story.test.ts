/** How the end of an agent is told: what it said counts for more than what was counted. */
import { expect, test } from "vitest";
import { tellerOf } from "../../src/app/story/sentences.ts";
import type { Event, Reading } from "../../src/core/model/event.ts";
import type { Recorded } from "../../src/engine/ports/journal.ts";
import { task } from "../support/task.ts";

const AT = "2026-11-18T12:00:00.000Z";
const ENDED: Event = {
  type: "agent-ended",
  at: AT,
  role: "reviewer",
  slot: "",
  attempt: 1,
  cause: "exited",
  code: 0,
};
const COUNTED: Event = { type: "counted", counter: "review_round", value: 1, renew: [] };

function read(of: Pick<Reading, "verdict" | "issues">): Event {
  const reading: Reading = {
    artifact: "review",
    slot: "",
    found: true,
    digest: "d",
    faults: [],
    fields: {},
    lists: {},
    ...of,
  };
  return { type: "artifact-read", reading, by: "reviewer", tree: "", inputs: {} };
}

const recorded = (event: Event, seq: number): Recorded => ({
  run: "k3d9m2xp",
  seq,
  at: AT,
  by: { type: "engine" },
  definition: "",
  tree: "",
  key: "",
  event,
  prev: "",
  hash: "",
});

test.for<[what: string, events: readonly Event[], sentence: string]>([
  ["nothing", [], "Reviewer finished its turn."],
  ["it passed", [read({ verdict: "pass" })], "Reviewer finished its turn."],
  [
    "a verdict that uses up a round",
    [read({ verdict: "needs_fix" }), COUNTED],
    "Reviewer asked for changes.",
  ],
  ["a rejection", [read({ verdict: "reject" })], "Reviewer rejected it."],
  ["no verdict", [COUNTED], "Reviewer stopped without submitting what it owes (exited, exit code 0)."],
])("%s", ([, events, sentence]) => {
  const tell = tellerOf(task, () => "");
  expect(tell([ENDED, ...events].map(recorded), [])).toBe(sentence);
});
