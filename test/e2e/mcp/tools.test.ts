/** The tools as an agent's program uses them: the official client, `signalbox mcp` as a process, a real run. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { agentFolder } from "../activities/stage.ts";
import { type } from "../lives/life.ts";
import { scene, settled, type Scene, type Talk } from "./support.ts";

const LOOKS = ["get_task", "next", "read_context"];
const PLAN = "APPROACH: one line at a time\n";

async function must(talk: Talk, name: string, given: Readonly<Record<string, unknown>>): Promise<string> {
  const { text, isError, data } = await talk.call(name, given);
  expect({ name, text, isError, exit: data["exit"] }).toMatchObject({ isError: false, exit: 0 });
  return text;
}

test.runIf(isPerson)(
  "a task from its plan to its review, with questions, in both ages of the protocol",
  { timeout: 180_000 },
  async () => {
    const on = await scene();
    const { life, run } = on;
    const worker = await on.talk(await on.voice("worker"), "auto");
    expect(await worker.tools()).toEqual([...LOOKS, "submit_artifact", "ask_questions", "update_status"]);
    const task = await worker.call("get_task");
    expect(task.data).toMatchObject({
      run,
      role: "worker",
      attempt: 1,
      state: "planning",
      files: ["TASK.md"],
      folder: on.workspace,
      counters: { review_round: { is: 0, max: 2 } },
      told: "",
      instructions: expect.stringContaining("You are the worker on this task") as string,
    });
    expect(task.text).toContain("You are the worker on this task");
    expect(await must(worker, "ask_questions", { questions: ["UTC?", "Since when?"] })).toContain(
      "the questions are recorded",
    );
    expect(await on.state()).toBe("clarification");
    // A person answers on the page and in words; nobody has waited for it.
    const page = join(on.workspace, "TASK.md");
    writeFileSync(page, readFileSync(page, "utf8").replace("- UTC?", "- UTC?\n  Yes."));
    await type(life, ["move", run, "planning", "--note", "Since the last release."]);
    await settled(life, run);
    const told = String((await worker.call("get_task")).data["told"]);
    expect(told).toContain("A person has answered");
    expect(told).toContain("> Since the last release.");
    await must(worker, "ask_questions", { questions: ["And leap years?"] });
    expect((await worker.call("read_context", { file: "TASK.md" })).text).toContain(
      "## Questions\n\n- UTC?\n  Yes.\n- Since when?\n\n- And leap years?\n",
    );
    await must(worker, "update_status", { status: "planning" });
    await must(worker, "submit_artifact", { artifact: "plan", content: PLAN });
    await must(worker, "update_status", { status: "working", summary: "Dates in UTC" });
    // Written by hand, handed in by its name alone.
    writeFileSync(page, `${readFileSync(page, "utf8")}\n## Handoff\n\nDONE: all of it\n`);
    await must(worker, "submit_artifact", { artifact: "handoff" });
    await must(worker, "update_status", { status: "agent-review" });
    on.end("worker");
    const reviewer = await on.talk(await on.voice("reviewer"));
    expect(await reviewer.tools()).toEqual([...LOOKS, "submit_artifact", "create_review", "update_status"]);
    const slip = await reviewer.call("create_review", {
      verdict: "PASS",
      tests: { total: 2, passed: 1, failed: 1 },
    });
    expect(slip).toMatchObject({ isError: true, data: { code: "invalid-review", exit: 5 } });
    expect(readFileSync(page, "utf8")).not.toContain("## Review");
    await must(reviewer, "create_review", {
      verdict: "PASS",
      summary: "Reads well.",
      issues: [{ severity: "LOW", title: "A name" }],
    });
    expect(await on.state()).toBe("reviewing");
    expect(readFileSync(page, "utf8")).toContain("## Review\n\nVerdict: PASS\n\nReads well.\n");
  },
);

test.runIf(isPerson)("asking for the state makes the engine read the verdict", async () => {
  const on = await scene();
  const worker = await on.talk(await on.voice("worker"));
  await must(worker, "submit_artifact", { artifact: "plan", content: PLAN });
  await must(worker, "update_status", { status: "working" });
  await must(worker, "submit_artifact", { artifact: "handoff", content: "DONE: x\n" });
  await must(worker, "update_status", { status: "agent-review" });
  on.end("worker");
  const reviewer = await on.talk(await on.voice("reviewer"));
  const page = join(await agentFolder(on.life, on.run, "reviewer.1"), "work/TASK.md");
  expect(readFileSync(page, "utf8")).toContain("status: agent-review");
  writeFileSync(page, `${readFileSync(page, "utf8")}\n## Review\n\nVerdict: FAIL\n\nNo.\n`);
  expect(await reviewer.call("update_status", { status: "reviewing" })).toMatchObject({ isError: true });
  expect(await on.state()).toBe("agent-review");
  await must(reviewer, "update_status", { status: "working" });
  expect(await on.state()).toBe("working");
});

/** As the worker that plans: what is refused, and how the same is typed. */
const REFUSED: readonly [
  name: string,
  given: Readonly<Record<string, unknown>>,
  argv: readonly string[],
  stdin?: string,
][] = [
  ["update_status", { status: "working" }, ["task", "update", "--status", "working"]],
  ["update_status", { status: "agent-review" }, ["task", "update", "--status", "agent-review"]],
  ["update_status", { status: "done" }, ["task", "update", "--status", "done"]],
  ["update_status", { status: "nowhere" }, ["task", "update", "--status", "nowhere"]],
  ["update_status", {}, ["task", "update"]],
  ["update_status", { branch: "a..b" }, ["task", "update", "--branch", "a..b"]],
  ["submit_artifact", { artifact: "plan" }, ["submit", "plan"]],
  ["submit_artifact", { artifact: "plan", content: "Nothing.\n" }, ["submit", "plan", "-"], "Nothing.\n"],
  ["submit_artifact", { artifact: "plan", content: "" }, ["submit", "plan", "-"], ""],
  [
    "submit_artifact",
    { artifact: "plan", content: "## Review\n\nx\n" },
    ["submit", "plan", "-"],
    "## Review\n\nx\n",
  ],
  ["submit_artifact", { artifact: "plam", content: PLAN }, ["submit", "RUN", "plam", "-"], PLAN],
  [
    "submit_artifact",
    { artifact: "constructor", content: PLAN },
    ["submit", "RUN", "constructor", "-"],
    PLAN,
  ],
  ["submit_artifact", { artifact: "context", content: PLAN }, ["submit", "context", "-"], PLAN],
  [
    "submit_artifact",
    { artifact: "review", content: "Verdict: PASS\n" },
    ["submit", "review", "-"],
    "Verdict: PASS\n",
  ],
  ["create_review", { verdict: "PASS" }, ["review", "create", "-"], '{"verdict":"PASS"}'],
  [
    "create_review",
    { verdict: "PASS", artifact: "plan" },
    ["review", "create", "-", "--artifact", "plan"],
    '{"verdict":"PASS"}',
  ],
];

test.runIf(isPerson)("refusals are those of the commands, word for word", { timeout: 180_000 }, async () => {
  const on = await scene();
  const voice = await on.voice("worker");
  const worker = await on.talk(voice);
  const before = await on.events();
  for (const [name, given, argv, stdin] of REFUSED)
    await same(on, { worker, voice, name, given, argv, stdin });
  expect(await on.events()).toBe(before);
  // With its budget spent, a question is refused as the move is, and nothing is written.
  for (const _time of [1, 2]) {
    await must(worker, "ask_questions", { questions: ["So?"] });
    await must(worker, "update_status", { status: "planning" });
  }
  const page = readFileSync(join(on.workspace, "TASK.md"), "utf8");
  const [name, given] = ["ask_questions", { questions: ["Once more?"] }];
  await same(on, { worker, voice, name, given, argv: ["move", "clarification"], stdin: undefined });
  expect(readFileSync(join(on.workspace, "TASK.md"), "utf8")).toBe(page);
});

async function same(
  on: Scene,
  of: {
    readonly worker: Talk;
    readonly voice: Readonly<Record<string, string>>;
    readonly name: string;
    readonly given: Readonly<Record<string, unknown>>;
    readonly argv: readonly string[];
    readonly stdin: string | undefined;
  },
): Promise<void> {
  const told = await of.worker.call(of.name, of.given);
  const argv = of.argv.map((word) => (word === "RUN" ? on.run : word));
  const { code, stdout } = await on.say(of.voice, [...argv, "--json"], of.stdin);
  const typed = JSON.parse(stdout) as Record<string, unknown>;
  expect({ argv, ...told }).toEqual({
    argv,
    // As every refusal is printed without --json.
    text: `signalbox: ${String(typed["message"])}\n  next: ${String(typed["next"])}\n`,
    isError: true,
    data: { ...typed, exit: code },
  });
}

test.runIf(isPerson)("answers of what looks are those of the commands, too", async () => {
  const on = await scene();
  const voice = await on.voice("worker");
  const worker = await on.talk(voice);
  const told = await worker.call("next");
  expect(told.text).toBe((await on.say(voice, ["next"])).stdout);
  const { stdout } = await on.say(voice, ["next", "--json"]);
  expect(told.data).toEqual({ ...(JSON.parse(stdout) as object), exit: 0 });
});

test.runIf(isPerson)(
  "without a good token nothing can be done, whoever it is",
  { timeout: 180_000 },
  async () => {
    const on = await scene();
    const { life, run } = on;
    const voice = await on.voice("worker");
    const { SIGNALBOX_TOKEN: token = "" } = voice;
    const acts: readonly [string, Readonly<Record<string, unknown>>][] = [
      ["get_task", {}],
      ["read_context", { file: "TASK.md" }],
      ["submit_artifact", { artifact: "plan", content: PLAN }],
      ["create_review", { verdict: "PASS" }],
      ["ask_questions", { questions: ["So?"] }],
      ["update_status", { status: "cancelled" }],
    ];
    const callers: readonly [Readonly<Record<string, string>>, code: string][] = [
      // A person, whose commands would be obeyed.
      [{ ...life.env, SIGNALBOX_RUN: run }, "no-token"],
      [{ ...life.env, CLAUDECODE: "1" }, "no-token"],
      [{ ...voice, SIGNALBOX_TOKEN: "somebody's" }, "unknown-token"],
      [{ ...life.env, SIGNALBOX_TOKEN: token }, "stolen-token"],
    ];
    const before = await on.events();
    for (const [env, code] of callers) {
      const talk = await on.talk(env);
      expect(await talk.tools()).toEqual(["next"]);
      for (const [name, given] of acts)
        expect(await talk.call(name, given)).toMatchObject({
          isError: true,
          data: { ok: false, code, exit: 4 },
        });
      await talk.client.close();
    }
    expect([await on.events(), await on.state()]).toEqual([before, "planning"]);
    const person = await on.talk(life.env);
    const next = await person.call("next", { run });
    expect(next).toMatchObject({ isError: false, data: { for: "human", run } });
    const agent = await on.talk(voice);
    expect(await agent.call("next", { run })).toMatchObject({ isError: true, data: { code: "bad-usage" } });
  },
);

test.runIf(isPerson)("the same key twice is one act; two calls at once are done in their order", async () => {
  const on = await scene();
  const worker = await on.talk(await on.voice("worker"));
  const given = { artifact: "plan", content: PLAN, key: "k" };
  const both = await Promise.all([
    worker.call("submit_artifact", given),
    worker.call("submit_artifact", given),
    worker.call("update_status", { status: "working" }),
  ]);
  expect(both.map(({ isError }) => isError)).toEqual([false, false, false]);
  expect(both[1].data).toEqual(both[0].data);
  expect(await on.state()).toBe("working");
});
