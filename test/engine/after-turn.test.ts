/** What follows a turn that did not bring what its run waits for: each failure with its policy. */

import { expect, test } from "vitest";
import type { Event, ProgramFailure } from "../../src/core/model/event.ts";
import { policyAfter, type EndedTurn } from "../../src/engine/queue/after-turn.ts";
import { failuresBefore } from "../../src/engine/queue/failures-before.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

const TURN: EndedTurn = {
  agent: { run: "a1", role: "worker", slot: "", attempt: 2 },
  killed: "",
  process: { type: "ended", code: 1 },
  failure: undefined,
  before: [],
  harness: "mine",
  logIn: "codex login",
  isContinued: true,
  isReminder: false,
};

function failed(kind: ProgramFailure["class"], more: Partial<ProgramFailure> = {}): Partial<EndedTurn> {
  return { failure: { class: kind, message: "the provider's sentence", ...more } };
}

const all = (kind: ProgramFailure["class"], count: number): EndedTurn["before"] =>
  Array.from({ length: count }, () => kind);

const TOO_OFTEN =
  "attention: the provider's sentence; it was parked 8 times, and no turn brought anything; look at the account and the service of the program";

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
  ["the second time", { ...failed("quota"), before: all("quota", 1) }, "quota | harness:mine | 30 | "],
  ["the third time", { ...failed("quota"), before: all("quota", 2) }, "quota | harness:mine | 60 | "],
  ["from then on", { ...failed("quota"), before: all("quota", 7) }, "quota | harness:mine | 60 | "],
  [
    "quota that was renewed by the provider's clock",
    failed("quota", { resetAt: NOW }),
    "quota | harness:mine | 15 | ",
  ],
  ["quota of next month", failed("quota", { resetAt: NOW + 7 * DAY + 1 }), "quota | harness:mine | 15 | "],
  ["quota of next week", failed("quota", { resetAt: NOW + 7 * DAY }), "quota | harness:mine | 10080 | "],
  ...([0, 1, 5, 15, 60, 60] as const).map((least, before): [string, Partial<EndedTurn>, string] => [
    `quota of a minute, after ${before} parks`,
    { ...failed("quota", { resetAt: NOW + MINUTE }), before: all("provider", before) },
    `quota | harness:mine | ${Math.max(1, least)} | `,
  ]),
  [
    "quota in a second, again, after a turn that only ended",
    { ...failed("quota", { resetAt: NOW + 1000 }), before: [undefined, "quota"] },
    "quota | harness:mine | 1 | ",
  ],
  [
    "quota for good",
    { ...failed("quota", { resetAt: NOW + 1000 }), before: [undefined, ...all("quota", 8)] },
    TOO_OFTEN,
  ],
  [
    "quota and provider in turns",
    { ...failed("provider"), before: ["quota", ...all("provider", 2)] },
    "provider | agent:a1.worker.2 | 15 | ",
  ],
  ["quota and provider in turns, for good", { ...failed("provider"), before: all("quota", 8) }, TOO_OFTEN],
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
  [
    "provider again",
    { ...failed("provider"), before: all("provider", 1) },
    "provider | agent:a1.worker.2 | 5 | ",
  ],
  [
    "provider once more",
    { ...failed("provider"), before: all("provider", 2) },
    "provider | agent:a1.worker.2 | 15 | ",
  ],
  ["provider for good", { ...failed("provider"), before: all("provider", 3) }, "over"],
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
  ["a death by a signal", { ...failed("quota"), process: { type: "ended", code: 137 } }, "over"],
  ["a stall", { ...failed("quota"), killed: "stalled" }, "over"],
  ["a time limit", { ...failed("quota"), killed: "timed-out" }, "over"],
  ["a process that is gone", { ...failed("quota"), process: { type: "lost", infrastructure: true } }, "over"],
])("%s", ([, turn, policy]) => {
  expect(said(turn)).toBe(policy);
});

const WORKER = { role: "worker", slot: "", attempt: 2 } as const;

type Told = Partial<Extract<Event, { type: "turn-reported" }>>;
const REPORT = {
  type: "turn-reported",
  at: "",
  ...WORKER,
  harness: "",
  model: "",
  conversation: "",
  ms: 1,
  end: "exited",
  refused: [],
} as const;
const told = (turn: number, kind?: ProgramFailure["class"], more: Told = {}): Event => ({
  ...REPORT,
  turn,
  ...(kind === undefined ? {} : { failure: { class: kind, message: "" } }),
  ...more,
});
const MOVED = { type: "moved" } as Event;
const OTHER = { type: "tree-seen", tree: "", drop: [] } as Event;

test.for<[what: string, events: readonly Event[], failures: EndedTurn["before"]]>([
  ["nothing", [], []],
  [
    "turns since the last move",
    [told(1, "quota"), MOVED, told(2, "login"), told(3), told(4, "quota")],
    [undefined, "login"],
  ],
  ["other attempts", [told(3, "quota", { attempt: 1 }), told(3, "quota", { role: "judge" })], []],
  [
    "a long journal",
    [told(1, "quota"), ...Array.from({ length: 600 }, () => OTHER), told(2, "provider")],
    ["provider", "quota"],
  ],
])("failures before a turn: %s", async ([, events, failures]) => {
  const store = {
    load: () => Promise.resolve({ run: { seq: events.length } }),
    events: (_run: string, from = 1, limit = events.length) =>
      Promise.resolve(events.slice(from - 1, from - 1 + limit).map((event) => ({ event }))),
  } as unknown as Parameters<typeof failuresBefore>[0];
  expect(await failuresBefore(store, { run: "a1", ...WORKER }, 4)).toEqual(failures);
});
