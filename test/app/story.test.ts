/** How the end of an agent is told: what it said counts for more than what was counted. */
import { expect, test } from "vitest";
import { tellerOf } from "../../src/app/story/sentences.ts";
import type { Actor, Event, Reading } from "../../src/core/model/event.ts";
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

const recorded = (event: Event, seq: number, by: Actor = { type: "engine" }): Recorded => ({
  run: "k3d9m2xp",
  seq,
  at: AT,
  by,
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
  expect(
    tell(
      [ENDED, ...events].map((event, seq) => recorded(event, seq)),
      [],
    ),
  ).toBe(sentence);
});

const ADA: Actor = { type: "human", name: "ada" };

test.for<[from: string, to: string, sentence: string]>([
  ["clarification", "planning", 'ada answered, and it went on to planning: "so"'],
  ["reviewing", "working", 'ada sent it back to working: "so"'],
  ["reviewing", "cancelled", 'ada cancelled it: "so"'],
  // The move alone merges nothing: what arrived has a line of its own.
  ["reviewing", "done", 'ada moved it to done: "so"'],
  ["stuck", "reviewing", 'ada moved it to reviewing: "so"'],
])("a person's move from %s to %s, by what it means", ([from, to, sentence]) => {
  const rule = task.definition.moves.findIndex(
    (move) => move.from === from && move.to === to && move.by.includes("human"),
  );
  const asked: Event = { type: "move-asked", by: ADA, at: AT, to, note: "so", readings: [], tree: "" };
  const moved: Event = { type: "moved", rule, from, to, by: "human", remember: false, reset: [], renew: [] };
  const tell = tellerOf(task, () => "");
  expect(
    tell(
      [asked, moved].map((event, seq) => recorded(event, seq, ADA)),
      [],
    ),
  ).toBe(sentence);
});
