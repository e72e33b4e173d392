/** How the end of an agent is told: what follows from it says whether it submitted something. */
import { expect, test } from "vitest";
import { tellerOf } from "../../src/app/story/sentences.ts";
import type { Event } from "../../src/core/model/event.ts";
import type { Recorded } from "../../src/engine/ports/journal.ts";
import { loadWorkflow } from "../support/workflows.ts";

const change = loadWorkflow("change");
const challenger = { role: "challenger", slot: "", attempt: 1 };
const ended: Event = {
  type: "agent-ended",
  at: "T",
  ...challenger,
  cause: "exited",
  code: 0,
  readings: [],
  tree: "",
};
const gone: Event = { type: "agent-gone", ...challenger };
const counted = (counter: string): Event => ({ type: "counted", counter, value: 1, renew: [] });
const movedTo = (to: string): Event => {
  const rule = change.definition.moves.findIndex((move) => move.from === "challenge" && move.to === to);
  return { type: "moved", rule, from: "challenge", to, by: "engine", remember: false, reset: [], renew: [] };
};

test.for<[string, readonly Event[], string]>([
  ["it finished", [gone], "Challenger finished its turn."],
  [
    "its verdict sends the plan back, and the round is counted",
    [gone, movedTo("reproposal"), counted("reproposals")],
    "Challenger finished its turn. Now: reproposal.",
  ],
  [
    "it left nothing, and is counted",
    [gone, counted("deaths")],
    "Challenger stopped without submitting what it owes (exited, exit code 0).",
  ],
  [
    "it left nothing once too often",
    [gone, counted("deaths"), movedTo("planning-stuck")],
    "Challenger stopped without submitting what it owes (exited, exit code 0). Now: planning-stuck.",
  ],
])("%s", ([, events, said]) => {
  const record = (event: Event, index: number): Recorded => ({
    run: "r1",
    seq: index + 1,
    at: "T",
    by: { type: "engine" },
    definition: "",
    tree: "",
    key: "",
    event,
    prev: "",
    hash: "",
  });
  expect(tellerOf(change, () => "")([ended, ...events].map(record), [])).toBe(said);
});
