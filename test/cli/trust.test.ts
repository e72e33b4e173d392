/** `signalbox trust`: what is shown is what is allowed, and only people allow it. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import type { Procs } from "../../src/adapters/person/processes.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import { contentOf } from "../../src/adapters/trust/content.ts";
import { repositoryOf } from "../../src/adapters/trust/repository.ts";
import { isTrusted } from "../../src/adapters/trust/trust.ts";
import { performUntyped } from "../../src/app/perform.ts";
import { run, type Printed } from "../../src/cli/run.ts";
import { procsOf } from "../support/procs.ts";
import { folderWith, tiny, type Files } from "./calling.ts";
import { taskScene } from "./task-support.ts";

/** Nobody we come from is an agent, whoever runs these tests. */
const ALONE: Procs = procsOf([{ pid: 50, name: "bash" }]);

function place(files: Files) {
  const cwd = folderWith(files);
  const home = mkdtempSync(join(tmpdir(), "signalbox-home-"));
  const call = (line: string, env: Record<string, string> = {}): Promise<Printed> =>
    run(line.split(" "), { cwd, env: { HOME: home, SIGNALBOX_HOME: home, ...env }, procs: ALONE });
  const known = async (): Promise<boolean> => {
    const store = openStore(homeAt(home));
    try {
      return await isTrusted({ store, env: { HOME: home } }, cwd);
    } finally {
      await store.close();
    }
  };
  return { cwd, home, call, known };
}

const FULL: Files = {
  ".signalbox/config.yaml": `harness: fake
harnesses:
  fake: { command: [.signalbox/agent.sh, "two words", "{prompt}"], again: [sh], terminal: [.signalbox/agent.sh, "Read {prompt}."], terminal_again: [sh], env: [MY_KEY], set: { A: "b c" }, stdin: false, minutes: 5, stall_minutes: 1 }
  claude: { env: [OTHER] }
checks: { lint: "npm run lint && rm -rf /" }
env: [PROXY]
terminal: auto
notify: [curl, evil]
`,
  ".signalbox/agent.sh": "exit 0\n",
  ".signalbox/workflows/tiny/workflow.yaml": tiny("tiny"),
  ".signalbox/workflows/broken/workflow.yaml": "name: [\n",
};

test("shows everything that would run", async () => {
  const { call, cwd, known } = place(FULL);
  const { code, stdout, stderr } = await call("trust --show");
  expect(code).toBe(7);
  expect(stdout.replaceAll(cwd, "REPO").replace(/[0-9a-f]{64}/, "DIGEST")).toMatchInlineSnapshot(`
    "REPO/.signalbox

    Ignored
      .signalbox/config.yaml:8:1: "notify" is ignored in a repository: only your own config.yaml may set it

    Agents are called like this
      fake: .signalbox/agent.sh "two words" {prompt}
        later turns: sh
        in a terminal: .signalbox/agent.sh "Read {prompt}."
        in a terminal, going on: sh
        given of your variables: MY_KEY
        with A="b c"
        with nothing on standard input
        ended after 5 minutes
        ended after 1 minutes of silence
      claude: as elsewhere, but
        given of your variables: OTHER

    Roles that name no harness get
      fake

    Agents have terminals
      auto

    Every agent and check is given these of your variables
      PROXY

    Checks run these command lines
      lint: npm run lint && rm -rf /

    Workflow broken
      problem: .signalbox/workflows/broken/workflow.yaml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ].

    Workflow tiny
      As small as can be

    Other files
      agent.sh (7 bytes)

    agent.sh
      exit 0

    sha256:DIGEST
    "
  `);
  expect(stderr).toBe("Nobody trusts this: nothing of it runs.\n  next: signalbox trust\n");
  expect(await known()).toBe(false);
});

test("checks and roles of a workflow are shown", async () => {
  const { call } = place({
    ".signalbox/workflows/checked/workflow.yaml": `$schema: workflow-1.schema.json
name: checked
title: With a check
params: { command: { text: make test } }
artifacts:
  tests: { check: $command }
  lint: { check: npm run lint }
roles: { worker: { harness: fake } }
states:
  open: { waits: true, enter: [run tests, run lint, start worker] }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: closed, by: human, when: { tests: pass, lint: pass } }
`,
    ".signalbox/workflows/checked/prompts/worker.md": "Work.\n",
  });
  const { stdout } = await call("trust --show");
  expect(stdout).toContain(
    "Workflow checked\n  With a check\n  check tests: $command (make test)\n  check lint: npm run lint\n  agent worker: fake\n  prompts: worker\n",
  );
});

test.for<[config: string, problem: string]>([
  ["harnesses: [\n", "2:1: Flow sequence"],
  [
    "workflows: { staged: { defaults: { blockOnSeverity: nonsense } } }\n",
    '1:53: defaults.blockOnSeverity is one of low, medium, high, not "nonsense"',
  ],
  ["workflows: { staged: { stages: { TEST: { comands: { lint: x } } } } }\n", "1:42: "],
  ["workflows: { tiny: { size: 3 } }\n", "1:22: "],
  [
    "workflows: { stagd: { goal: x } }\n",
    '1:14: there is no workflow "stagd" here, so what is set for it is not used (did you mean "staged"?)',
  ],
])("what is wrong with settings is told before they are trusted: %j", async ([config, problem]) => {
  const { call } = place({
    ".signalbox/config.yaml": config,
    ".signalbox/workflows/tiny/workflow.yaml": tiny("tiny"),
  });
  for (const line of ["trust --show", "trust"]) {
    const { stdout, stderr } = await call(line);
    expect(stdout).toContain(
      `Problems of config.yaml, which is not used while it has any\n  .signalbox/config.yaml:${problem}`,
    );
    expect(stderr).toContain("  next: fix .signalbox/config.yaml, then: signalbox trust\n");
  }
});

test("settings of workflows that are good are no problem", async () => {
  const { call } = place({
    ".signalbox/config.yaml": "workflows: { staged: { defaults: { blockOnSeverity: high } } }\n",
  });
  expect((await call("trust --show")).stdout).not.toContain("Problems");
});

test("allows exactly that, until it changes", async () => {
  const { call, cwd, known } = place(FULL);
  expect(await call("trust")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Trusted: Signalbox may run exactly this.") as unknown,
  });
  expect(await known()).toBe(true);
  expect((await call("trust --show")).code).toBe(0);
  expect((await call("trust")).stderr).toContain("already");
  writeFileSync(join(cwd, ".signalbox/agent.sh"), "exit 1\n");
  expect(await known()).toBe(false);
  expect((await call("trust --show")).code).toBe(7);
});

test("trust can be taken back", async () => {
  const { call, known } = place(FULL);
  await call("trust");
  expect(await call("trust --revoke")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("not trust this any more") as unknown,
  });
  expect(await known()).toBe(false);
  expect((await call("trust --show --revoke")).code).toBe(2);
});

test("looking makes no state home", async () => {
  const { call, home } = place(FULL);
  await call("trust --show");
  expect(existsSync(join(home, "signalbox.db"))).toBe(false);
});

test.for<[who: string, env: Record<string, string>]>([
  ["an agent's token", { SIGNALBOX_TOKEN: "x" }],
  ["the mark of an agent", { CLAUDECODE: "1" }],
  ["a process of ours", { SIGNALBOX_JOB: "x" }],
])("%s is refused, and changes nothing", async ([, env]) => {
  const { call, known } = place(FULL);
  expect((await call("trust", env)).code).toBe(4);
  expect(await known()).toBe(false);
  await call("trust");
  expect((await call("trust --revoke", env)).code).toBe(4);
  expect(await known()).toBe(true);
});

test("a child of an agent that cleared its environment is refused", async () => {
  const { cwd, home, known } = place(FULL);
  const seen = { name: "x", parent: 0, group: 0, session: 0, terminal: 0 };
  const procs: Procs = {
    ...ALONE,
    self: 3,
    see: (pid) => (pid === 3 ? { ...seen, parent: 2 } : seen),
    environment: (pid) => (pid === 2 ? "CLAUDECODE=1\0" : ""),
  };
  const { code } = await run(["trust"], { cwd, env: { HOME: home, SIGNALBOX_HOME: home }, procs });
  expect(code).toBe(4);
  expect(await known()).toBe(false);
});

test("nothing to trust", async () => {
  const { call } = place({ ".signalbox/config.yaml": "# nothing\n" });
  expect(await call("trust --show")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("nothing to trust") as unknown,
  });
});

test("outside of a repository", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-trust-"));
  expect(await run(["trust"], { cwd, env: { HOME: cwd } })).toMatchObject({ code: 2 });
});

test("what a stranger wrote can neither hide nor forge a line", async () => {
  const { call } = place({
    ".signalbox/config.yaml": String.raw`checks: { a: "echo\nYou trust this", b: "x\e[2Ky\u202Ez" }
harnesses: { h: { command: [sh, "a\nb"], set: { A: "\u2028" } } }
`,
  });
  const { stdout } = await call("trust --show");
  expect(stdout).toContain(String.raw`a: "echo\nYou trust this"`);
  expect(stdout).toContain(String.raw`h: sh "a\nb"`);
  expect(stdout).toContain(String.raw`b: "x\u001b[2Ky\u{202e}z"`);
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/^You trust|[\u001B\u202E\u2028]/m);
});

test("--json", async () => {
  const { call, cwd } = place(FULL);
  const data = JSON.parse((await call("trust --show --json")).stdout) as Record<string, unknown>;
  expect(data).toMatchObject({
    ok: false,
    code: "untrusted",
    repo: cwd,
    digest: contentOf(cwd).digest,
    trusted: false,
    changed: false,
    runs: { checks: { lint: "npm run lint && rm -rf /" }, env: ["PROXY"] },
    next: "signalbox trust",
  });
});

test("in a linked working tree, the main one's content counts; a submodule is a repository of its own", () => {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), "signalbox-tree-")));
  const git = (...argv: string[]): void => {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    execFileSync("git", [...identity, ...argv], {
      stdio: "pipe",
      env: { PATH: process.env["PATH"], HOME: root, GIT_CONFIG_NOSYSTEM: "1" },
    });
  };
  const [main, tree, sub] = [join(root, "main"), join(root, "tree"), join(root, "main/sub")];
  git("init", "-q", main);
  git("-C", main, "commit", "-q", "--allow-empty", "-m", "x");
  git("-C", main, "worktree", "add", "-q", tree);
  git("clone", "-q", main, join(root, "other"));
  git("-C", main, "submodule", "--quiet", "add", join(root, "other"), "sub");
  expect(repositoryOf(main)).toEqual({ tree: main, main });
  expect(repositoryOf(tree)).toEqual({ tree, main });
  expect(repositoryOf(sub)).toEqual({ tree: sub, main: sub });
});

test("trusting resumes the runs that waited for it, and wakes the supervisor", async () => {
  const on = await taskScene({ ".signalbox/config.yaml": "harness: claude\n" });
  const [held, other] = [await on.taskIn("planning"), await on.taskIn("planning")];
  const wait = ".signalbox has changed since it was trusted";
  const attend = (id: string, attention: string) => ({ type: "attend", run: id, attention }) as const;
  await on.withStore((store) =>
    store.commit([
      attend(held, `${wait}; try again: signalbox trust, then: signalbox resume ${held}`),
      attend(other, `no space; try again: signalbox resume ${other}`),
    ]),
  );
  writeFileSync(join(on.repo, ".signalbox/config.yaml"), "harness: codex\n");
  let wakes = 0;
  const { stderr } = await on.say(["trust"], { startSupervisor: () => void (wakes += 1) });
  expect(stderr).toContain(`resumed, since they waited for this: ${held}\n`);
  expect(wakes).toBe(1);
  const attention = (id: string): Promise<string | undefined> =>
    on.withStore(async (store) => (await store.load(id))?.row.attention);
  expect([await attention(held), await attention(other)]).toEqual(["", expect.stringContaining("no space")]);
});

test.for<[why: string, advice: string]>([
  [".signalbox has changed since it was trusted", "signalbox trust"],
  [".signalbox/config.yaml:1:1: unknown harness", "fix .signalbox/config.yaml, then: signalbox trust"],
  [".signalbox has changed since it was trusted", "signalbox trust, then: signalbox resume a1"],
])("a run that waits for trust, since %s: show, inbox and retry name it", async ([why, advice]) => {
  const on = await taskScene({ ".signalbox/config.yaml": "harness: claude\n" });
  const id = await on.taskIn("planning");
  const config = join(on.repo, ".signalbox/config.yaml");
  const attention = `${why}; try again: ${advice}`;
  await on.withStore((store) => store.commit([{ type: "attend", run: id, attention }]));
  writeFileSync(config, "harness: codex\n");
  const offers = `signalbox trust`;
  for (const look of [
    ["next", id],
    ["show", id],
  ])
    expect(JSON.parse((await on.say([...look, "--json"])).stdout)).toMatchObject({
      actions: [{ command: offers }, { command: `signalbox cancel ${id}` }],
      next: offers,
    });
  expect(JSON.parse((await on.say(["inbox", "--json"])).stdout)).toMatchObject({
    next: offers,
  });
  for (const verb of ["retry", "resume"]) {
    const tried = await on.say([verb, id, "--json"]);
    expect([tried.code, JSON.parse(tried.stdout)]).toMatchObject([7, { code: "untrusted", next: offers }]);
  }
  // As it was trusted before: nothing new is trusted, and the run goes on.
  writeFileSync(config, "harness: claude\n");
  expect((await on.say(["trust"])).stderr).toContain(`resumed, since they waited for this: ${id}\n`);
  expect(await on.withStore(async (store) => (await store.load(id))?.row.attention)).toBe("");
});

const SCRIPT: Files = {
  ".signalbox/config.yaml": "harnesses:\n  mine: { command: [.signalbox/agents/mine.sh] }\n",
  ".signalbox/agents/mine.sh": "#!/bin/sh\necho \u001B[2Jgone\n",
  ".signalbox/agents/notes.txt": "no command names this\n",
};

test("a person sees every file that a command line names before the question", async () => {
  const { cwd, home, known } = place(SCRIPT);
  const said: string[] = [];
  const world = {
    cwd,
    env: { HOME: home, SIGNALBOX_HOME: home },
    procs: ALONE,
    isTyped: () => true,
    talk: { print: (text: string) => void said.push(text), columns: () => 80 },
  };
  const { code, stdout } = await run(["trust"], world);
  expect([code, stdout, await known()]).toEqual([0, "", true]);
  expect(said.join("")).toContain('\nagents/mine.sh\n  #!/bin/sh\n  "echo \\u001b[2Jgone"\n');
  expect(said.join("")).not.toContain("no command names this");
});

test("--quiet prints nothing, and what changed since it was shown is not trusted", async () => {
  const { cwd, home, call, known } = place(SCRIPT);
  const door = { cwd, home, env: { HOME: home, SIGNALBOX_HOME: home }, procs: ALONE };
  await expect(performUntyped(door, "trust", { revoke: false, shown: "sha256:0" })).rejects.toMatchObject({
    code: "conflict",
    exit: 6,
  });
  expect(await known()).toBe(false);
  expect(await call("trust --quiet")).toEqual({ code: 0, stdout: "", stderr: "" });
});
