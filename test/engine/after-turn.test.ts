/** What follows a turn that did not bring what its run waits for: each failure with its policy. */

import { expect, test } from "vitest";
import type { ProgramFailure } from "../../src/core/model/event.ts";
import { policyAfter, type EndedTurn } from "../../src/engine/queue/after-turn.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const TURN: EndedTurn = {
  agent: { run: "a1", role: "worker", slot: "", attempt: 2 },
  killed: "",
  process: { type: "ended", code: 1 },
  failure: undefined,
  times: 1,
  harness: "mine",
  logIn: "codex login",
  isContinued: true,
  isReminder: false,
};

function failed(kind: ProgramFailure["class"], more: Partial<ProgramFailure> = {}): Partial<EndedTurn> {
  return { failure: { class: kind, message: "the provider's sentence", ...more } };
}

/** A park as its key, how many minutes it lasts, and what a person does. */
function said(turn: Partial<EndedTurn>): string {
  const policy = policyAfter({ ...TURN, ...turn }, NOW);
  if (policy.type === "attention") return `attention: ${policy.message}; ${policy.remedy}`;
  if (policy.type !== "park") return policy.type;
  const { key, class: kind, message, until, at, next } = policy.park;
  expect([message, at]).toEqual(["the provider's sentence", NOW]);
  return [kind, key, until === 0 ? "a person" : (until - NOW) / MINUTE, next].join(" | ");
}

test.for<[what: string, turn: Partial<EndedTurn>, policy: string]>([
  [
    "quota that names its time",
    failed("quota", { resetAt: NOW + 90 * MINUTE }),
    "quota | harness:mine | 90 | ",
  ],
  ["quota without a time", failed("quota"), "quota | harness:mine | 15 | "],
  ["the second time", { ...failed("quota"), times: 2 }, "quota | harness:mine | 30 | "],
  ["the third time", { ...failed("quota"), times: 3 }, "quota | harness:mine | 60 | "],
  ["from then on", { ...failed("quota"), times: 9 }, "quota | harness:mine | 60 | "],
  [
    "quota that was renewed by the provider's clock",
    failed("quota", { resetAt: NOW }),
    "quota | harness:mine | 15 | ",
  ],
  ["quota of next month", failed("quota", { resetAt: NOW + 7 * DAY + 1 }), "quota | harness:mine | 15 | "],
  ["quota of next week", failed("quota", { resetAt: NOW + 7 * DAY }), "quota | harness:mine | 10080 | "],
  ["login", failed("login"), "login | harness:mine | a person | codex login"],
  [
    "login of any program",
    { ...failed("login"), logIn: "" },
    "login | harness:mine | a person | log in to mine",
  ],
  [
    "trust",
    failed("trust"),
    "trust | harness:mine | a person | start mine in the repository once, and trust the folder",
  ],
  ["provider", failed("provider"), "provider | agent:a1.worker.2 | 1 | "],
  ["provider again", { ...failed("provider"), times: 2 }, "provider | agent:a1.worker.2 | 5 | "],
  ["provider once more", { ...failed("provider"), times: 3 }, "provider | agent:a1.worker.2 | 15 | "],
  ["provider for good", { ...failed("provider"), times: 4 }, "over"],
  ["configuration", failed("configuration"), "attention: the provider's sentence; correct the settings"],
  ["anything else", failed("other"), "over"],
  ["a crash", {}, "over"],
  ["an end with success", { process: { type: "ended", code: 0 } }, "remind"],
  ["an end after a reminder", { process: { type: "ended", code: 0 }, isReminder: true }, "over"],
  ["a program that begins anew", { process: { type: "ended", code: 0 }, isContinued: false }, "over"],
  [
    "a failure that the program got over",
    { ...failed("quota"), process: { type: "ended", code: 0 } },
    "remind",
  ],
  ["a stall", { ...failed("quota"), killed: "stalled" }, "over"],
  ["a time limit", { ...failed("quota"), killed: "timed-out" }, "over"],
  ["a process that is gone", { ...failed("quota"), process: { type: "lost", infrastructure: true } }, "over"],
])("%s", ([, turn, policy]) => {
  expect(said(turn)).toBe(policy);
});
