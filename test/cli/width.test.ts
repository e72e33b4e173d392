/** Every screen of text fits a terminal of 80 columns. Words that no line can break, such as paths and commands, may stick out. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { removeHomes } from "../support/home.ts";
import { taskScene, type Tasks } from "./task-support.ts";

const WIDTH = 80;
/** What is typed, a path, or a word of its own: it is for copying, and stays whole. */
const WHOLE = /^\s*(?:\S+|(?:\S+: )?signalbox .*|(?:next|or): .*)$| \/\S+$/;

let on: Tasks;
let id = "";
beforeAll(async () => {
  on = await taskScene();
  for (const state of ["pending", "clarification", "reviewing", "stuck", "done"]) await on.taskIn(state);
  id = await on.create("a-branch-with-a-name-that-is-long", `A summary with ${"many words ".repeat(12)}`);
});
afterAll(removeHomes);

async function tooLong(words: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await on.say(words, {
    terminal: true,
    width: WIDTH,
    env: { ...on.env, NO_COLOR: "1" },
  });
  return `${stdout}${stderr}`.split("\n").filter((line) => line.length > WIDTH && !WHOLE.test(line));
}

test.for([
  ["list", "--all"],
  ["task", "list", "--all"],
  ["inbox"],
  ["watch", "--once", "--all"],
  ["show", "RUN"],
  ["next", "RUN"],
  ["why", "RUN"],
  ["history", "RUN"],
  ["init"],
  ["workflows"],
  ["doctor"],
  ["check", "task"],
  ["config"],
  ["project", "list"],
  ["workspace", "list"],
  ["help", "all"],
  ["help"],
  // Refusals.
  ["show"],
  ["accept", "RUN"],
  ["task", "crate"],
  ["list", "--status", "wating"],
])("%j", async (words) => {
  expect(await tooLong(words.map((word) => (word === "RUN" ? id : word)))).toEqual([]);
});

test.for(Object.keys(COMMANDS).filter((name) => name !== "mcp"))("%s --help", async (name) => {
  expect(await tooLong([name, "--help"])).toEqual([]);
});
