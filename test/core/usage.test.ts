/** What a turn used: recorded in every state, moving nothing, and added up without taking unknown for zero. */

import { expect, test } from "vitest";
import type { Incoming, TurnReport } from "../../src/core/model/event.ts";
import { replay } from "../../src/core/step/apply.ts";
import { step } from "../../src/core/step/step.ts";
import { sayCost, sayCount, sayDuration, sayTokens, tellReport } from "../../src/app/view/cost/words.ts";
import { totalOf } from "../../src/core/usage/total.ts";
import { estimateOf } from "../../src/format/settings/prices.ts";
import { AT, HUMAN, play, start } from "../support/play.ts";
import { loadWorkflow } from "../support/workflows.ts";

const REPORT: TurnReport = {
  harness: "codex",
  model: "gpt-5",
  conversation: "t-1",
  usage: { input: 1000, cached: 400, output: 50 },
  cost: { usd: 0.25, basis: "estimated" },
  ms: 2000,
  end: "exited",
  refused: [],
};

function reported(more: object = {}): Incoming {
  const of = { role: "worker", slot: "", attempt: 1, turn: 1 };
  return { type: "turn-reported", at: AT, ...of, ...REPORT, ...more };
}

const task = loadWorkflow("task");
const CANCEL: Incoming = { type: "move-asked", by: HUMAN, at: AT, to: "cancelled" };

test.for<[where: string, words: readonly Incoming[]]>([
  ["an agent works", [start(task)]],
  ["it is over", [start(task), CANCEL]],
])("a report moves nothing where %s", ([, words]) => {
  const { run, events } = play(task, words);
  const after = step(task, run, reported());
  if (!after.ok) throw new Error(after.refusal.message);
  expect(after.events).toEqual([reported()]);
  expect(after.effects).toEqual([]);
  expect(after.run).toEqual({ ...run, seq: run.seq + 1, updatedAt: AT });
  expect(replay(task, [...events, ...after.events])).toEqual(after.run);
});

test.for<[what: string, more: object]>([
  ["a run that has not begun", {}],
  ["a role that the workflow does not have", { role: "constructor" }],
  ["tokens that are no number", { usage: { input: Number.NaN, cached: 0, output: 0 } }],
  ["fewer tokens than none", { usage: { input: 1, cached: 0, output: -1 } }],
  ["more cached tokens than all", { usage: { input: 1, cached: 2, output: 0 } }],
  ["dollars without end", { cost: { usd: Number.POSITIVE_INFINITY, basis: "reported" } }],
  ["half a turn", { turn: 0.5 }],
  ["a time before its beginning", { ms: -1 }],
])("a report is refused: %s", ([what, more]) => {
  const { run } = play(task, what.startsWith("a run") ? [] : [start(task)]);
  expect(step(task, run, reported(more)).ok).toBe(false);
});

const { usage: _usage, cost: _cost, ...UNKNOWN } = REPORT;
const PART = { ...REPORT, usage: { input: 10, cached: 0, output: 1, isPart: true } } as const;
const PAID = { ...REPORT, cost: { usd: 1, basis: "reported" } } as const;

test.for<[what: string, reports: readonly TurnReport[], tokens: string, cost: string]>([
  ["no turn", [], "0 tokens", "$0.00"],
  ["one", [REPORT], "1.1k tokens", "about $0.25"],
  ["what the program said", [PAID], "1.1k tokens", "$1.00"],
  ["of both kinds", [PAID, REPORT], "2.1k tokens", "about $1.25"],
  ["unknown", [UNKNOWN, UNKNOWN], "tokens unknown", "cost unknown"],
  ["one of two unknown", [PAID, UNKNOWN], "at least 1.1k tokens", "at least $1.00"],
  ["an estimate and unknown", [REPORT, UNKNOWN], "at least 1.1k tokens", "at least about $0.25"],
  ["a part", [PART], "at least 11 tokens", "about $0.25"],
  [
    "next to nothing",
    [{ ...PAID, cost: { usd: 0.001, basis: "reported" } }],
    "1.1k tokens",
    "less than $0.01",
  ],
  ["nothing", [{ ...PAID, cost: { usd: 0, basis: "reported" } }], "1.1k tokens", "$0.00"],
])("together: %s", ([, reports, tokens, cost]) => {
  const total = totalOf(reports);
  expect([sayTokens(total), sayCost(total)]).toEqual([tokens, cost]);
});

test.for<[number, string]>([
  [0, "0"],
  [999, "999"],
  [1000, "1k"],
  [4149, "4.1k"],
  [9949, "9.9k"],
  [9951, "10k"],
  [47_431, "47k"],
  [999_499, "999k"],
  [999_500, "1M"],
  [12_400_000, "12M"],
])("%i is %s", ([count, said]) => {
  expect(sayCount(count)).toBe(said);
});

test.for<[number, string]>([
  [400, "0 s"],
  [59_400, "59 s"],
  [200_000, "3 min 20 s"],
  [3_900_000, "1 h 05 min"],
])("%i ms is %s", ([ms, said]) => {
  expect(sayDuration(ms)).toBe(said);
});

const FAILED = { failure: { class: "quota", message: "Out of credits." } } as const;

test.for<[what: string, more: object, told: string]>([
  ["used", {}, "Worker's turn used 1.1k tokens (about $0.25)."],
  ["unknown", { usage: undefined, cost: undefined }, ""],
  ["nothing", { usage: { input: 0, cached: 0, output: 0 } }, ""],
  ["failed", { ...FAILED, usage: undefined }, "Worker's turn failed: Out of credits."],
  ["failed late", FAILED, "Worker's turn failed: Out of credits. It used 1.1k tokens (about $0.25)."],
  ["refused", { refused: ["Web"], usage: undefined }, "Worker's turn was not allowed to use Web."],
  [
    "both",
    { refused: ["Web"] },
    "Worker's turn used 1.1k tokens (about $0.25). It was not allowed to use Web.",
  ],
])("history tells a turn: %s", ([, more, told]) => {
  const event = reported(more);
  expect(event.type === "turn-reported" && tellReport(event)).toBe(told);
});

const PRICES = { "gpt-5": { input: 2, cached: 0.5, output: 10 }, plain: { input: 1, output: 1 } };
const USED = { input: 1_000_000, cached: 400_000, output: 100_000 };

test.for<[model: string, usd: number | undefined]>([
  ["gpt-5", 2.4],
  ["gpt-5-2025-08-07", 2.4],
  ["openai/gpt-5", 2.4],
  ["plain", 1.1],
  ["gpt-5.9", undefined],
  ["gpt-5-mini", undefined],
  ["constructor", undefined],
  ["", undefined],
])("the price of %s: %s", ([model, usd]) => {
  expect(estimateOf(PRICES, model, USED)).toBe(usd);
});
