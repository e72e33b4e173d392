/** What the logs of turns say: the name of the conversation, what the turn used, and the failure that ended it. Lines are those that programs printed. */

import { appendFileSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drivers } from "../../src/adapters/drivers/turn-log.ts";
import type { TurnLog } from "../../src/engine/ports/drivers.ts";

/** The folder of a turn with this log. */
function turn(driver: string, log: string): string {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-turn-"));
  if (driver !== "") writeFileSync(join(dir, "driver"), driver);
  writeFileSync(join(dir, "out.log"), log);
  return dir;
}

/** A recorded turn by its name. */
function recorded(driver: string, name: string): string {
  const text = readFileSync(join(import.meta.dirname, `drivers/${driver}.txt`), "utf8");
  const [, found = ""] = text.split(new RegExp(`^# ${name}$`, "m"));
  return found.split(/^# /m)[0] ?? "";
}

test.for<[driver: string, turn: string, failure: string | undefined]>([
  ["claude", "ok", undefined],
  ["claude", "limit", "quota"],
  ["claude", "quota", "quota"],
  ["claude", "login", "login"],
  ["claude", "nologin", "login"],
  ["claude", "model", "configuration"],
  ["claude", "server", "provider"],
  ["codex", "ok", undefined],
  ["codex", "quota", "quota"],
  ["codex", "usage", "quota"],
  ["codex", "login", "login"],
  ["codex", "model", "configuration"],
  ["gemini", "ok", undefined],
  ["gemini", "quota", "quota"],
  ["gemini", "login", "login"],
  ["gemini", "nologin", "login"],
  ["opencode", "ok", undefined],
  ["opencode", "rate", "quota"],
  ["opencode", "login", "login"],
  ["opencode", "model", "configuration"],
])("%s, %s: %s", ([driver, name, failure]) => {
  expect(drivers.report([turn(driver, recorded(driver, name))]).failure?.class).toBe(failure);
});

const FAILED = '{"type":"turn.failed","error":{"message":"Quota exceeded."}}';
const SAID = '{"type":"item.completed","item":{"type":"agent_message","text":"Done."}}';
const NAMED = '{"type":"thread.started","thread_id":"t-1"}';

test.for<[what: string, driver: string, log: string, failure: string | undefined]>([
  ["what it says after a failure counts", "codex", `${FAILED}\n${SAID}\n`, undefined],
  ["usage and notices may follow", "codex", `${SAID}\n${FAILED}\na warning\n`, "quota"],
  ["a program without a driver", "", `${FAILED}\n`, undefined],
  ["a driver that this version does not know", "other", `${FAILED}\n`, undefined],
  ["the end of a long log", "codex", `${`${SAID}\n`.repeat(10_000)}${FAILED}\n`, "quota"],
  ["nothing", "codex", "", undefined],
])("failure: %s", ([, driver, log, failure]) => {
  expect(drivers.report([turn(driver, log)]).failure?.class).toBe(failure);
});

test.for<[what: string, logs: readonly string[], name: string]>([
  ["of the latest turn that has one", [`${NAMED}\n`, `${SAID}\n`], "t-1"],
  ["none", [`${SAID}\n`], ""],
  ["no turn", [], ""],
  ["what looks like an option", [NAMED.replace("t-1", "--last")], ""],
  ["what looks like a path", [NAMED.replace("t-1", "../x")], ""],
  ["far down in a long log", [`${`${SAID}\n`.repeat(10_000)}${NAMED}\n`], ""],
])("conversation: %s", ([, logs, name]) => {
  expect(
    drivers.conversation(
      "codex",
      logs.map((log) => turn("codex", log)),
    ),
  ).toBe(name);
});

test("a conversation of another program is not continued", () => {
  const dirs = [turn("codex", `${NAMED}\n`), turn("claude", `${SAID}\n`)];
  expect([drivers.conversation("claude", dirs), drivers.conversation("codex", dirs)]).toEqual(["", "t-1"]);
});

type Known = { readonly [K in keyof TurnLog]?: TurnLog[K] | undefined };

test.for<[driver: string, turn: string, known: Known]>([
  [
    "claude",
    "ok",
    { model: "claude-opus-5-5", usage: { input: 47_431, cached: 0, output: 80 }, cost: 0.191324 },
  ],
  ["claude", "resume", { usage: { input: 12_035, cached: 0, output: 20 }, cost: 0.04854 }],
  ["claude", "quota", { usage: { input: 0, cached: 0, output: 0 }, cost: 0 }],
  ["claude", "denied", { refused: ["WebFetch"] }],
  ["codex", "ok", { model: "", usage: { input: 40_804, cached: 0, output: 80 } }],
  ["codex", "quota", { usage: undefined, cost: undefined }],
  ["gemini", "ok", { model: "mock", usage: { input: 49_699, cached: 0, output: 80 }, cost: undefined }],
  ["opencode", "ok", { usage: { input: 31_312, cached: 0, output: 80 }, cost: 0.031472 }],
  ["opencode", "rate", { usage: undefined }],
])("used: %s, %s", ([driver, name, known]) => {
  const report: Known = drivers.report([turn(driver, recorded(driver, name))]);
  const asked = Object.fromEntries(
    Object.keys(known).map((key) => [key, Reflect.get(report, key) as unknown]),
  );
  expect(asked).toEqual(known);
});

const spent = (input: number, output: number): string =>
  `{"type":"turn.completed","usage":{"input_tokens":${input},"cached_input_tokens":${input / 2},"output_tokens":${output}}}\n`;
const named = (id: string): string => `${NAMED.replace("t-1", id)}\n`;
const STEP = `{"type":"step_finish","sessionID":"s-1","part":{"reason":"stop","cost":0.25,"tokens":{"input":10,"output":5,"cache":{"read":4,"write":0}}}}\n`;

/** Codex counts all of its conversation. */
test.for<[what: string, logs: readonly string[], usage: unknown]>([
  ["the first turn", [named("t-1") + spent(100, 10)], { input: 100, cached: 50, output: 10 }],
  [
    "a later turn of the conversation",
    [named("t-1") + spent(100, 10), named("t-1") + spent(240, 30)],
    { input: 140, cached: 70, output: 20 },
  ],
  [
    "the turn before was killed",
    [named("t-1") + spent(100, 10), named("t-1"), named("t-1") + spent(240, 30)],
    { input: 140, cached: 70, output: 20 },
  ],
  [
    "another conversation",
    [named("t-1") + spent(100, 10), named("t-2") + spent(240, 30)],
    { input: 240, cached: 120, output: 30 },
  ],
  [
    "it began to count again",
    [named("t-1") + spent(300, 40), named("t-1") + spent(100, 10)],
    { input: 100, cached: 50, output: 10 },
  ],
  ["a killed turn", [named("t-1") + spent(100, 10), named("t-1")], undefined],
  ["a format without counts", [`${NAMED}\n{"type":"turn.completed","usage":{"tokens":7}}\n`], undefined],
])("used, with codex: %s", ([, logs, usage]) => {
  expect(drivers.report(logs.map((log) => turn("codex", log))).usage).toEqual(usage);
});

const FILLER = `${JSON.stringify({ type: "text", part: { text: "x".repeat(1000) } })}\n`;

test("steps are added up; of a log that is not read whole, they are a part", () => {
  expect(drivers.report([turn("opencode", STEP + STEP)])).toMatchObject({
    usage: { input: 28, cached: 8, output: 10 },
    cost: 0.5,
  });
  const long = drivers.report([turn("opencode", STEP + FILLER.repeat(5000) + STEP)]);
  expect(long.usage).toEqual({ input: 14, cached: 4, output: 5, isPart: true });
});

test("usage that was printed before the log was moved aside is found, and settings of the turn with it", () => {
  const dir = turn("codex", "");
  writeFileSync(join(dir, "out.log.1"), named("t-1") + spent(100, 10));
  writeFileSync(join(dir, "turn.json"), '{"harness":"codex","model":"gpt-5"}');
  expect(drivers.report([dir])).toMatchObject({
    harness: "codex",
    model: "gpt-5",
    conversation: "t-1",
    usage: { input: 100, cached: 50, output: 10 },
  });
});

const LOST = { harness: "", model: "", conversation: "", refused: [] };

test.for<[what: string, dirs: readonly string[]]>([
  ["a folder that is gone", ["/nowhere"]],
  ["a program without a driver", [turn("", spent(100, 10))]],
  ["garbage", [turn("codex", '\u0000{"type":"turn.completed","usage":[]}\n{{{\n')]],
])("%s says nothing", ([, dirs]) => {
  expect([drivers.report(dirs), drivers.conversation("codex", dirs)]).toEqual([LOST, ""]);
});

test("a log of 100 MB is read at its ends only", () => {
  const dir = turn("opencode", STEP);
  const log = join(dir, "out.log");
  truncateSync(log, 100_000_000);
  appendFileSync(log, `\n${STEP}`);
  const before = performance.now();
  expect(drivers.report([dir]).usage).toMatchObject({ input: 14, isPart: true });
  expect(performance.now() - before).toBeLessThan(2000);
});

test.for<[cost: string, known: number | undefined]>([
  ["0", 0],
  ["0.25", 0.25],
  ["100000", 100_000],
  ["100001", undefined],
  ["1.7e308", undefined],
  ["1e999", undefined],
  ["-1", undefined],
  ['"1"', undefined],
  ["null", undefined],
])("a turn of claude that cost %s", ([cost, known]) => {
  const models = `"model_usage_since_last_result":{"one":{"costUSD":${cost}},"other":{"costUSD":0}}`;
  const log = `{"type":"result","usage":{"input_tokens":1,"output_tokens":1},${models}}\n`;
  const { usage, cost: said } = drivers.report([turn("claude", log)]);
  expect([usage?.input, said]).toEqual([1, known]);
});
