/** Which changes of settings stop a run that has begun. */

import { expect, test } from "vitest";
import type { PinEntry } from "../../src/engine/ports/pins.ts";
import { changesIn, sayChanges } from "../../src/engine/pins/pin.ts";

const OWN = "your config.yaml";
const REPO = ".signalbox/config.yaml";

const entry = (file: string, key: string, value: string): PinEntry => ({ file, key, value });

const BEGAN: readonly PinEntry[] = [
  entry(OWN, "harness", "codex"),
  entry(OWN, "harnesses.codex.model", "one"),
  entry(OWN, "harnesses.gemini.model", "one"),
  entry(OWN, "notify", '["bell"]'),
  entry(REPO, "checks.test", "npm test"),
  entry(REPO, "checks.lint", "npm run lint"),
  entry(REPO, "workflows.task.harness", "codex"),
  entry(REPO, "workspace.max", "3"),
  entry(".signalbox/agent.sh", "", "aaaa"),
];
const USES = { harnesses: new Set(["codex"]), isUsual: false, checks: new Set(["test"]) };

const set = (file: string, key: string, value: string) => (now: readonly PinEntry[]) => [
  ...now.filter((each) => each.file !== file || each.key !== key),
  entry(file, key, value),
];
const drop = (key: string) => (now: readonly PinEntry[]) => now.filter((each) => each.key !== key);

test.for<[what: string, change: (now: readonly PinEntry[]) => readonly PinEntry[], stops: string]>([
  ["nothing", (now) => now.toReversed(), ""],
  [
    "the harness of a role",
    set(OWN, "harnesses.codex.model", "two"),
    `harnesses.codex.model in ${OWN}: one -> two`,
  ],
  ["a harness of no role", set(OWN, "harnesses.gemini.model", "two"), ""],
  [
    "another key of the harness",
    set(OWN, "harnesses.codex.env", '["A"]'),
    `harnesses.codex.env in ${OWN}: nothing -> ["A"]`,
  ],
  ["the usual harness, which no role has", set(OWN, "harness", "gemini"), ""],
  [
    "a check that the workflow has",
    set(REPO, "checks.test", "true"),
    `checks.test in ${REPO}: npm test -> true`,
  ],
  ["a check that it has not", set(REPO, "checks.lint", "true"), ""],
  [
    "the same check in the other file",
    set(OWN, "checks.test", "true"),
    `checks.test in ${OWN}: nothing -> true`,
  ],
  ["a key that is gone", drop("notify"), `notify in ${OWN}: ["bell"] -> nothing`],
  ["time limits", set(OWN, "minutes", "1"), `minutes in ${OWN}: nothing -> 1`],
  ["a key that nobody has heard of", set(OWN, "newest", "1"), `newest in ${OWN}: nothing -> 1`],
  ["parameters of workflows", set(REPO, "workflows.task.harness", "gemini"), ""],
  ["prices, which move nothing", set(OWN, "prices.mock.input", "2"), ""],
  ["how many workspaces there are", set(REPO, "workspace.max", "9"), ""],
  [
    "what every workspace is set up with",
    set(REPO, "workspace.setup", "npm ci"),
    `workspace.setup in ${REPO}: nothing -> npm ci`,
  ],
  ["a file", set(".signalbox/agent.sh", "", "bbbb"), ".signalbox/agent.sh has changed"],
  ["a new file", set(".signalbox/more.sh", "", "bbbb"), ".signalbox/more.sh is new"],
])("%s", ([, change, stops]) => {
  expect(sayChanges(changesIn({ entries: BEGAN }, change(BEGAN), USES))).toBe(stops);
});

test("the usual harness counts where a role names none", () => {
  const now = set(OWN, "harness", "gemini")(BEGAN);
  expect(changesIn({ entries: BEGAN }, now, { ...USES, isUsual: true })).toHaveLength(1);
});

test("of many changes, three are said", () => {
  const now = ["a", "b", "c", "d", "e"].map((key) => entry(OWN, key, "1"));
  expect(sayChanges(changesIn({ entries: [] }, now, USES))).toMatch(/a in .*; b in .*; c in .*; and 2 more$/);
});
