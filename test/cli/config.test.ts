/** Settings of workflows: what a run begins with, where each comes from, and what is refused. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { configSchema } from "../../src/format/settings/config.ts";
import { parsed } from "./acting-support.ts";
import { begun, relay } from "./stages-support.ts";

const of = (tree: string): string => `workflows:\n  relay:\n    ${tree}\n`;

test("default, the person's, the repository's, the command line: the later one wins, key by key", async () => {
  const on = await relay({
    user: of(
      "stages: { EXPLORE: { maxParallelAgents: 3 }, TEST: { enabled: false, commands: { test: mine } } }",
    ),
    config: of("stages: { EXPLORE: { maxParallelAgents: 4 }, FINAL: { git: { excludePatterns: [a, b] } } }"),
  });
  const { run } = await begun(on, ["A goal"]);
  expect(run.params).toMatchObject({
    goal: "A goal",
    explorers: 4,
    explore_stage: true,
    test_stage: false,
    test_command: "mine",
    exclude: "a\nb",
    block: "low",
  });
  const other = await begun(on, ["A goal", "--param", "explorers=5", "--param", "test_stage=true"]);
  expect(other.run.params).toMatchObject({ explorers: 5, test_stage: true, test_command: "mine" });
});

test("the published schema is up to date: npm run schema", () => {
  const published = readFileSync(new URL("../../schema/config-1.schema.json", import.meta.url), "utf8");
  expect(`${JSON.stringify(configSchema(), undefined, 2)}\n`).toBe(published);
});

test("a plain parameter is set by its own name, also for tasks", async () => {
  const on = await relay({ user: "workflows:\n  task: { effort: high }\n" });
  const { stdout } = await on.say(["task", "create", "A task", "--no-start"]);
  const kept = await on.withStore((store) => store.load(stdout.trim()));
  expect(kept?.run.params["effort"]).toBe("high");
});

describe("what does not fit is refused before anything begins", () => {
  test.for<[what: string, files: { user?: string; config?: string }, said: string]>([
    [
      "no such key",
      { config: of("stages: { TETS: { enabled: false } }") },
      '.signalbox/config.yaml:3:15: the workflow relay has no setting "TETS" in stages (did you mean "TEST"?)',
    ],
    [
      "no such value",
      { user: of("defaults: { blockOnSeverity: all }") },
      'config.yaml:3:34: defaults.blockOnSeverity is one of low, medium, high, not "all"',
    ],
    ["two of them", { user: of("goals: x"), config: of("stages: { TEST: { enabled: 1 } }") }, "(and 1 more)"],
    [
      "no such workflow, in the repository's file",
      { config: "workflows: { relya: {} }\n" },
      '.signalbox/config.yaml:1:14: there is no workflow "relya" here, so what is set for it is not used (did you mean "relay"?)',
    ],
  ])("%s", async ([, files, said]) => {
    const on = await relay(files);
    const answer = await on.say("run relay x --json");
    expect(answer.code).toBe(2);
    const { code, message, next, at } = parsed(answer);
    expect({ code, next }).toEqual({ code: "invalid-config", next: "signalbox doctor" });
    expect(message).toContain(said);
    expect(at).toBeDefined();
    const doctor = await on.say("doctor");
    expect(doctor.stdout).toContain(said.replace("(and 1 more)", "has no setting"));
    expect(await on.withStore(async (store) => (await store.list({ limit: 9 })).rows)).toEqual([]);
  });
});

test("a person's settings for a workflow of another repository are only noted", async () => {
  const on = await relay({ user: "workflows: { elsewhere: { x: 1 } }\n" });
  await begun(on, ["A goal"]);
  expect((await on.say("doctor")).stdout).toContain('there is no workflow "elsewhere" here');
});

describe("signalbox config", () => {
  test("a workflow: every parameter with its key, value and where that stands", async () => {
    const on = await relay({
      user: of("stages: { EXPLORE: { maxParallelAgents: 3 } }"),
      config: of("stages: { TEST: { enabled: false } }"),
    });
    const { workflow, params, trusted } = parsed(await on.say("config relay --json"));
    expect({ workflow, trusted }).toEqual({ workflow: "relay", trusted: true });
    const rows = params as readonly Record<string, unknown>[];
    expect(rows.find(({ param }) => param === "explorers")).toMatchObject({
      key: "workflows.relay.stages.EXPLORE.maxParallelAgents",
      takes: "a whole number from 1 to 10",
      default: 10,
      value: 3,
      from: "user",
      at: { line: 3, col: 45 },
    });
    expect(rows.find(({ param }) => param === "test_stage")).toMatchObject({
      value: false,
      from: "repository",
      at: { file: `${on.repo}/.signalbox/config.yaml` },
    });
    expect(rows.find(({ param }) => param === "goal")).toMatchObject({ from: "built-in", at: null });
    const { stdout } = await on.say("config relay");
    expect(stdout).toMatch(
      /^workflows\.relay:\n[^]*^ {2}stages\.TEST\.enabled +false +repository\n {6}true or false, [^]*?\n {6}\.signalbox\/config\.yaml:3:32$/m,
    );
  });

  test("all settings, with what is wrong", async () => {
    const on = await relay({ user: "minutes: 7\n", config: `terminal: none\n${of("stages: { TEST: 1 }")}` });
    const { code, stdout, stderr } = await on.say("config");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^minutes +7 +.*\.config\/signalbox\/config\.yaml:1:1$/m);
    expect(stdout).toMatch(/^terminal +none +\.signalbox\/config\.yaml:1:1$/m);
    expect(stdout).toMatch(/^stall_minutes +30 +built-in$/m);
    expect(stdout).toMatch(/^problem {2}.*stages.TEST is a map, with enabled, commands$/m);
    expect(stderr).toContain("next: signalbox doctor");
  });

  test.for<[what: string, width: number]>([
    ["", 80],
    ["task", 80],
    ["staged", 80],
    ["change", 80],
    ["orchestrated", 80],
    ["orchestrated", 120],
  ])("config %s has no line wider than %i", async ([what, width]) => {
    const on = await relay({});
    const { stdout } = await on.say(
      ["config", ...(what === "" ? [] : [what])],
      width === 80 ? {} : { width },
    );
    expect(stdout.split("\n").filter((line) => line.length > width)).toEqual([]);
  });

  test("a value of many lines stands below its key", async () => {
    const on = await relay({});
    const { stdout } = await on.say("config orchestrated");
    expect(stdout).toMatch(
      /^ {2}paths\.besides +built-in +a text\n {6}\[README, README\.txt, [^]* !\*\/\]\n/m,
    );
    expect(stdout).toMatch(/^ {2}attempts +3 +built-in +a whole number from 0 to 3$/m);
  });

  test("outside of a repository a person's own count", async () => {
    const on = await relay({ user: "minutes: 7\n" });
    const { code, stdout } = await on.say("config", { cwd: on.root });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^minutes +7 /m);
  });

  test("what is not trusted does not count, and that is said", async () => {
    const on = await relay({ config: of("stages: { TEST: { enabled: false } }") });
    await on.say("trust --revoke");
    const { stdout, stderr } = await on.say("config relay");
    expect(stdout).toMatch(/^ {2}stages\.TEST\.enabled +true +built-in/m);
    expect(stderr).toContain("is not trusted: nothing of it counts");
  });
});

test("trust shows what runs would begin with", async () => {
  const on = await relay({ config: of("stages: { TEST: { commands: { test: rm -rf / } } }") });
  expect((await on.say("trust --show")).stdout).toContain("relay.stages.TEST.commands.test: rm -rf /");
});
