/** `signalbox agents`, `signalbox setup` and `signalbox doctor --trial`, with programs that print what the real ones print. */

import { mkdirSync, mkdtempSync, readFileSync, existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run, type Printed } from "../../src/cli/run.ts";
import { procsOf } from "../support/procs.ts";
import { folderWith } from "./calling.ts";

const ALONE = procsOf([{ pid: 50, name: "bash" }]);

const lines = (...events: readonly object[]): string =>
  events.map((event) => `echo '${JSON.stringify(event)}'`).join("; ");
const STARTED = { type: "thread.started", thread_id: "t-1" };
const failed = (message: string): string =>
  `${lines(STARTED, { type: "turn.failed", error: { message } })}; exit 1`;
const ANSWER = lines(
  STARTED,
  { type: "item.completed", item: { id: "1", type: "agent_message", text: "ready" } },
  { type: "turn.completed", usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
);

type Machine = {
  readonly home: string;
  readonly cwd: string;
  readonly config: string;
  say(line: string): Promise<Printed>;
  install(name: string, turn: string, login?: string): void;
};

function machine(settings?: string): Machine {
  const home = mkdtempSync(join(tmpdir(), "signalbox-home-"));
  const cwd = folderWith({ "AGENTS.md": "# Rules\n\nBe kind.\n" });
  const bin = join(home, "bin");
  mkdirSync(bin);
  const config = join(home, ".config/signalbox/config.yaml");
  mkdirSync(join(home, ".config/signalbox"), { recursive: true });
  if (settings !== undefined) writeFileSync(config, settings);
  const env = {
    HOME: home,
    SIGNALBOX_HOME: join(home, "state"),
    PATH: `${bin}:/usr/bin:/bin`,
    SHELL: "/bin/bash",
  };
  return {
    home,
    cwd,
    config,
    say: (line) => run(line.split(" "), { cwd, env, procs: ALONE }),
    install(name, turn, login = "exit 0") {
      const text = `#!/bin/sh\ncase "$1" in\n--version) echo "${name} 1.2.3" ;;\nlogin|auth) ${login} ;;\n*) cat >/dev/null; ${turn} ;;\nesac\n`;
      writeFileSync(join(bin, name), text, { mode: 0o755 });
    },
  };
}

const documentOf = ({ stdout }: Printed): Record<string, unknown> =>
  JSON.parse(stdout) as Record<string, unknown>;

test("agents: version, login and roles of what is installed", async () => {
  const on = machine();
  on.install("codex", ANSWER, "exit 1");
  const { agents } = documentOf(await on.say("agents --json")) as { agents: { name: string }[] };
  expect(agents.find(({ name }) => name === "codex")).toMatchObject({
    version: "1.2.3",
    login: "no",
    usual: false,
    trouble: null,
  });
  expect(agents.find(({ name }) => name === "claude")).toMatchObject({
    place: "",
    version: "",
    login: "unknown",
    usual: true,
    roles: expect.arrayContaining(["task: worker", "task: reviewer"]) as unknown,
  });
});

describe("a trial turn", () => {
  test.for<[turn: string, result: string, message: string]>([
    [ANSWER, "works", "ready"],
    [failed("401 Unauthorized: log in"), "login", "401 Unauthorized: log in"],
    [failed("You have hit your usage limit. Try again at 7pm."), "quota", "usage limit"],
    [failed("The model x is not supported"), "configuration", "The model x is not supported"],
    ["echo lost >&2; exit 3", "other", "lost (it exited with 3)"],
    ["exit 0", "no-answer", "codex printed nothing"],
  ])("%s: %s", async ([turn, result, message]) => {
    const on = machine();
    on.install("codex", turn);
    const said = await on.say("doctor --trial --json");
    const { findings } = documentOf(said) as { findings: { name: string; status: string; text: string }[] };
    const found = findings.find(({ name }) => name === "trial codex");
    expect(found?.status).toBe(result === "works" ? "ok" : "problem");
    expect(found?.text).toContain(message);
  });
});

describe("setup", () => {
  test("one agent becomes the worker and the reviewer of every workflow, and a second call changes nothing", async () => {
    const on = machine("# mine\nminutes: 90 # long\n\nworkflows:\n  task: { harness: claude }\n");
    on.install("codex", ANSWER);
    const first = await on.say("setup --install completion,skill,mcp,agents-md");
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringContaining("Set up: codex works and reviews."),
    ]);
    const text = readFileSync(on.config, "utf8");
    expect(text).toMatch(/^# mine\nminutes: 90 # long\n/);
    expect(text).toContain("task: { harness: codex, review_harness: codex }");
    expect(text).toContain("harness: codex\n");
    expect(text).toContain("mcp: true");
    expect(text).not.toContain("claude");
    expect(readFileSync(join(on.home, ".bashrc"), "utf8")).toContain('eval "$(signalbox completion bash)"');
    expect(existsSync(join(on.home, ".claude/skills/signalbox/SKILL.md"))).toBe(true);
    expect(readFileSync(join(on.cwd, "AGENTS.md"), "utf8")).toMatch(
      /^# Rules\n\nBe kind\.\n\n<!-- signalbox: begin -->/,
    );
    const { agents } = documentOf(await on.say("agents --json")) as {
      agents: { name: string; roles: string[] }[];
    };
    expect(agents.flatMap(({ name, roles }) => (roles.length > 0 ? [name] : []))).toEqual(["codex"]);
    const again = await on.say("setup --install completion,skill,mcp,agents-md --no-trial --json");
    expect(documentOf(again)).toMatchObject({ ok: true, files: [] });
    expect(readFileSync(on.config, "utf8")).toBe(text);
  });

  test("another agent reviews, and a choice of the user stays unless an agent is named", async () => {
    const on = machine("workflows: { task: { harness: gemini } }\n");
    for (const name of ["claude", "codex", "gemini"]) on.install(name, ANSWER);
    const kept = documentOf(await on.say("setup --reviewer codex --no-trial --json"));
    expect(kept["kept"]).toEqual(["workflows.task.harness: gemini"]);
    expect(readFileSync(on.config, "utf8")).toContain("harness: gemini, review_harness: codex");
    await on.say("setup --agent claude --reviewer codex --no-trial");
    expect(readFileSync(on.config, "utf8")).toContain("harness: claude, review_harness: codex");
  });

  test.for<[what: string, line: string, turn: string, code: string]>([
    ["an agent that does not answer", "setup --agent codex", failed("401 Unauthorized: log in"), "no-answer"],
    ["an agent that is not installed", "setup --agent gemini", ANSWER, "no-program"],
    ["an agent that nobody knows", "setup --agent zzzz", ANSWER, "unknown-harness"],
    ["something that cannot be installed", "setup --no-trial --install zzzz", ANSWER, "bad-usage"],
  ])("%s: nothing is written", async ([, line, turn, code]) => {
    const on = machine();
    on.install("codex", turn);
    expect(documentOf(await on.say(`${line} --json`))["code"]).toBe(code);
    expect(existsSync(on.config)).toBe(false);
  });
});
