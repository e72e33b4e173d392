/** What the logs of turns say: the name of the conversation, and the failure that ended the turn. Lines are those that programs printed. */

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { drivers } from "../../src/adapters/drivers/turn-log.ts";

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
  expect(drivers.failure(turn(driver, recorded(driver, name)))?.class).toBe(failure);
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
  expect(drivers.failure(turn(driver, log))?.class).toBe(failure);
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

test("a folder that is gone says nothing", () => {
  expect([drivers.failure("/nowhere"), drivers.conversation("codex", ["/nowhere"])]).toEqual([undefined, ""]);
});
