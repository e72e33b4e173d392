/** What the page is built on: actions that say what they call, decisions about a state that was seen, words in the history, and runs that are created by name. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Invocation } from "../../src/app/invocation.ts";
import { routeOf } from "../../src/app/page/routes.ts";
import { perform, performUntyped } from "../../src/app/perform.ts";
import { SCHEMAS } from "../../src/app/schemas.ts";
import type { ActionView } from "../../src/app/view/run-view.ts";
import { PLAN, taskScene, type Tasks } from "../cli/task-support.ts";
import { removeHomes } from "../support/home.ts";
import { AT_HOME } from "../support/procs.ts";
import { UserError } from "../../src/adapters/user-error.ts";

let on: Tasks;
let door: Invocation;
beforeAll(async () => {
  on = await taskScene();
  door = { cwd: "/", home: on.root, env: on.env, procs: AT_HOME, startSupervisor: () => undefined };
});
afterAll(removeHomes);

async function codeOf(use: string, input: unknown): Promise<string> {
  try {
    return (await performUntyped(door, use, input)).code;
  } catch (error) {
    if (error instanceof UserError) return error.code;
    throw error;
  }
}

type CallableAction = ActionView & { readonly call: NonNullable<ActionView["call"]> };

async function callsIn(run: string): Promise<readonly CallableAction[]> {
  const { actions, others } = (await perform(door, "show", { run })).data;
  return [...actions, ...others].flatMap((action) =>
    action.call === undefined ? [] : [{ ...action, call: action.call }],
  );
}

describe("actions", () => {
  test.for([
    ["pending", "accept optional; cancel optional"],
    ["planning", ""],
    ["clarification", "answer required; cancel optional"],
    ["stuck", "retry optional; send-back required; cancel optional"],
    ["reviewing", "accept optional; send-back required; cancel optional"],
    ["done", ""],
  ])("in %s: %s", async ([state = "", calls = ""]) => {
    const run = await on.taskIn(state);
    const found = await callsIn(run);
    expect(found.map(({ call: { use, words } }) => `${use} ${words}`).join("; ")).toBe(calls);
    for (const { call } of found) {
      const input = { ...call.input, key: "k", ...(call.words === "none" ? {} : { text: "Words" }) };
      expect(SCHEMAS[call.use].input.safeParse(input).success).toBe(true);
      expect(routeOf(call.use)?.fields).toEqual(expect.arrayContaining(Object.keys(input)));
    }
  });

  test("a call does what its action says, once for each key", async () => {
    const run = await on.taskIn("stuck");
    const [back] = await callsIn(run);
    const input = { ...back?.call.input, key: "once", text: "Test it" };
    expect(await codeOf("send-back", input)).toBe("ok");
    expect(await on.stateOf(run)).toBe("working");
    expect(await codeOf("send-back", input)).toBe("ok");
    expect(await codeOf("send-back", { ...input, key: "twice" })).toBe("conflict");
  });
});

test("a decision about a state that the run has left is refused, whatever the verb", async () => {
  const run = await on.taskIn("stuck");
  const seen = await callsIn(run);
  await on.say(["move", run, "reviewing"]);
  await on.say(["move", run, "working"]);
  const before = await on.stateOf(run);
  const codes = await Promise.all(
    seen.map(({ call: { use, input } }) => codeOf(use, { ...input, text: "Words" })),
  );
  const late = await codeOf("answer", { decision: run, entry: seen[0]?.call.input["entry"], text: "Words" });
  expect([codes, late]).toEqual([["conflict", "conflict", "conflict"], "not-in-map"]);
  expect(await on.stateOf(run)).toBe(before);
});

test("the history has what people and agents wrote, where that is asked for", async () => {
  const run = await on.taskIn("planning");
  await on.as(run, "worker");
  const own = { SIGNALBOX_TOKEN: `token of ${run} worker 1`, SIGNALBOX_JOB: `${run}.worker.1.1` };
  const text = `${PLAN}\nand a second thought`;
  on.page(run, {});
  const worker = { ...door, env: { ...on.env, ...own } };
  await perform(worker, "submit", { run, artifact: "plan", content: text });
  await on.say(["move", run, "clarification", "--note", "Ask me\nfirst"]);
  const history = async (words: boolean): Promise<readonly (string | undefined)[]> =>
    (await perform(door, "history", { run, limit: 50, words })).data.lines.map((line) => line.words);
  expect((await history(true)).filter((words) => words !== undefined)).toEqual([text, "Ask me\nfirst"]);
  expect((await history(false)).filter((words) => words !== undefined)).toEqual([]);
});

describe("create", () => {
  test.for([
    ["a sentence", { project: "repo", summary: "Say hello" }, "ok"],
    ["the name of a branch is a summary, too", { project: "repo", summary: "main" }, "ok"],
    ["an option is a summary, too", { project: "repo", summary: "--status done" }, "ok"],
    ["nothing", { project: "repo", summary: " " }, "bad-usage"],
    ["another project", { project: "other", summary: "Say hello" }, "unknown-project"],
    ["a folder", { project: "/etc", summary: "Say hello" }, "unknown-project"],
    ["a workflow", { project: "repo", summary: "Say hello", workflow: "x" }, "unknown-workflow"],
  ] as const)("%s", async ([, input, code]) => {
    const before = (await on.rows()).length;
    expect(await codeOf("create", input)).toBe(code);
    expect((await on.rows()).length - before).toBe(code === "ok" ? 1 : 0);
  });

  test("the same key twice creates one run", async () => {
    const input = { project: "repo", summary: "Only once", key: "k1" };
    const [one, two] = [await perform(door, "create", input), await perform(door, "create", input)];
    expect(two.data.run).toBe(one.data.run);
    expect(one.data).toMatchObject({ project: "repo", summary: "Only once" });
  });
});
