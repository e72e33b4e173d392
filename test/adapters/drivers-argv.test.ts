/** How each driver starts a turn: the command line for every kind of turn. */

import { expect, test } from "vitest";
import { driverOf } from "../../src/adapters/drivers/drivers.ts";
import { askableEffort } from "../../src/engine/agents/effort.ts";
import { turnOf, type GivenTurn } from "../support/turns.ts";

const NAMES = ["claude", "codex", "gemini", "opencode", "acp", "command"] as const;
/** Their program comes first. */
const DIRECT = NAMES.filter((name) => name !== "acp");

const TURNS: Readonly<Record<string, GivenTurn>> = {
  first: {},
  later: { isFirst: false, conversation: "CONVERSATION" },
  "later, no name printed": { isFirst: false },
  read: { access: "read" },
  model: { model: "m1" },
  "model like an option": { model: "--yolo" },
  effort: { effort: "high" },
  "most effort": { effort: "max" },
  "more folders": { harness: { folders: ["/more"] } },
  tools: { harness: { mcp: true } },
  "everything allowed": { harness: { permissions: "allow" } },
  "more arguments": { harness: { arguments: ["--own", "{role}"] } },
  "stays, first": { seat: "resident", harness: { stays: true } },
  "stays, later": { seat: "resident", isFirst: false, harness: { stays: true } },
};

test.for(NAMES)("%s", (name) => {
  const driver = driverOf(name);
  const lines = Object.entries(TURNS).flatMap(([kind, given]) => {
    const isImpossible =
      (given.seat === "resident" && !driver.canStay) ||
      (given.harness?.mcp === true && !driver.takesTools) ||
      (given.effort !== undefined && given.effort !== "" && !driver.efforts.includes(given.effort));
    return [`${kind}: ${isImpossible ? "cannot" : driver.argv(turnOf(driver, given)).join(" ")}`];
  });
  expect(lines.join("\n")).toMatchSnapshot();
});

test.for<[name: (typeof NAMES)[number], effort: string, why: string | undefined]>([
  ["claude", "max", undefined],
  ["codex", "max", undefined],
  ["codex", "huge", "it is low, medium, high, max"],
  ["gemini", "low", "gemini has no option for it"],
  ["opencode", "high", undefined],
  ["opencode", "max", "opencode has no option for it"],
  ["command", "low", undefined],
])("%s and the effort %s", ([name, effort, why]) => {
  const driver = driverOf(name);
  const asked = askableEffort(effort, driver, turnOf(driver, {}).harness);
  expect(asked).toEqual(why === undefined ? { effort } : { why });
});

test("a command line that does not name the effort is not asked for one", () => {
  const driver = driverOf("command");
  const { harness } = turnOf(driver, { harness: { program: ["own"], again: undefined } });
  expect(askableEffort("low", driver, harness)).toEqual({
    why: "the command of the harness h does not name {effort}",
  });
});

test.for(DIRECT)("%s is called through another program", (name) => {
  const driver = driverOf(name);
  const program = ["box", "--bind", "{workspace}", "--", "agent"];
  expect(driver.argv(turnOf(driver, { harness: { program } })).slice(0, 5)).toEqual([
    "box",
    "--bind",
    "/w",
    "--",
    "agent",
  ]);
});

test.for(NAMES)("what %s has of the person's is named by whole paths, wherever it is", (name) => {
  const driver = driverOf(name);
  const all = [
    { HOME: "/home/ada" },
    {
      HOME: "/home/ada",
      XDG_CONFIG_HOME: "/c",
      XDG_DATA_HOME: "/d",
      CODEX_HOME: "/e",
      CLAUDE_CONFIG_DIR: "/f",
    },
  ].flatMap((env) => Object.values(driver.files(env, "/opt/gemini")).flat());
  expect(all.filter((file) => !/^\/[^/]/.test(file) || file.includes("//"))).toEqual([]);
});

test.for<[program: string, file: string | undefined]>([
  ["gemini", "/home/ada/.gemini/oauth_creds.json"],
  ["/opt/bin/opencode", "/home/ada/.local/share/opencode/auth.json"],
  ["codex-acp", "/home/ada/.codex/auth.json"],
  ["claude-agent-acp", "/home/ada/.claude/.credentials.json"],
  ["my-agent", undefined],
  ["npx", undefined],
])("%s with the driver acp has its own login, and no other", ([program, file]) => {
  const { credentials } = driverOf("acp").files({ HOME: "/home/ada" }, program);
  expect(credentials[0]).toBe(file);
});
