/** Settings out of three layers: built in, the person's, the repository's. */

import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings, surveySettings } from "../../src/adapters/config/read.ts";
import { trustedNow } from "../support/trust.ts";
import { parseConfig } from "../../src/format/settings/config.ts";
import { showProblem } from "../../src/format/problem.ts";

type Files = { readonly user?: string; readonly repository?: string };

function place({ user, repository }: Files) {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), "signalbox-config-")));
  const [repo, home] = [join(root, "repo"), join(root, "home")];
  mkdirSync(repo);
  const write = (file: string, text: string | undefined): void => {
    if (text === undefined) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  write(join(home, ".config/signalbox/config.yaml"), user);
  write(join(repo, ".signalbox/config.yaml"), repository);
  return { root, repo, env: { HOME: home } };
}

/** A store in which exactly what is there now is trusted. */
function trusting(repo: string, env: { readonly HOME: string }) {
  const row = trustedNow(env, repo);
  return { trusted: () => Promise.resolve(row), humanKeys: () => Promise.resolve([]) };
}

async function settingsOf(files: Files) {
  const { repo, env, root } = place(files);
  const settings = await readSettings({ repo, env, store: trusting(repo, env) });
  return { settings, repo, root };
}

async function refusal(files: Files): Promise<string> {
  const { repo, env, root } = place(files);
  try {
    await readSettings({ repo, env, store: trusting(repo, env) });
    return "accepted";
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return `${String(error.code)}: ${error.message.replaceAll(root, "")}`;
  }
}

describe("without any file", () => {
  test("the built-in harnesses and limits are there", async () => {
    const { settings } = await settingsOf({});
    expect(settings.harnesses).toEqual(["claude", "codex", "gemini", "opencode"]);
    expect(settings).toMatchObject({
      checks: {},
      env: [],
      minutes: 120,
      stallMinutes: 30,
      terminal: "auto",
      notify: [],
      warnings: [],
    });
    expect(settings.harness("")?.name).toBe("claude");
    expect(settings.harness("nobody")).toBeUndefined();
    expect(settings.harness("toString")).toBeUndefined();
  });
});

describe("layers", () => {
  test("the repository's word comes after the person's", async () => {
    const { settings } = await settingsOf({
      user: "harness: codex\nminutes: 10\nstall_minutes: 5\nenv: [A, B]\nchecks: { test: mine, lint: mine }\nnotify: [bell]\n",
      repository: "harness: gemini\nminutes: 20\nenv: [B, C]\nchecks: { test: theirs }\n",
    });
    expect(settings.harness("")?.name).toBe("gemini");
    expect(settings).toMatchObject({
      minutes: 20,
      stallMinutes: 5,
      env: ["A", "B", "C"],
      checks: { test: "theirs", lint: "mine" },
      notify: ["bell"],
    });
  });

  test("an override of one option drops no other", async () => {
    const { settings } = await settingsOf({
      user: "harnesses: { claude: { env: [MINE], set: { A: a }, minutes: 7, model: opus, arguments: [-x] } }",
      repository:
        "harnesses: { claude: { program: [docker, run, claude], set: { B: b }, env: [THEIRS], arguments: [-y] } }",
    });
    expect(settings.harness("claude")).toMatchObject({
      driver: "claude",
      program: ["docker", "run", "claude"],
      arguments: ["-y"],
      model: "opus",
      effort: "",
      env: expect.arrayContaining(["ANTHROPIC_API_KEY", "MINE", "THEIRS"]) as string[],
      set: { DISABLE_AUTOUPDATER: "1", A: "a", B: "b" },
      minutes: 7,
    });
  });

  test("the same program a second time, with other options", async () => {
    const { settings } = await settingsOf({ user: "harnesses: { quick: { driver: claude, model: haiku } }" });
    expect(settings.harness("quick")).toEqual({
      ...settings.harness("claude"),
      name: "quick",
      model: "haiku",
    });
  });

  test("with another driver it is another harness: nothing that was meant for the first program is kept", async () => {
    const { settings } = await settingsOf({
      user: "harnesses: { claude: { env: [MY_SECRET], minutes: 7 } }",
      repository: "harnesses: { claude: { driver: command, command: [other, '{prompt}'] } }",
    });
    expect(settings.harness("claude")).toEqual({
      name: "claude",
      driver: "command",
      program: ["other", "{prompt}"],
      arguments: [],
      model: "",
      effort: "",
      folders: [],
      files: [],
      mcp: false,
      permissions: "ask",
      stays: false,
      again: undefined,
      terminal: undefined,
      terminalAgain: undefined,
      env: [],
      set: {},
      stdin: true,
      minutes: undefined,
      stallMinutes: undefined,
    });
  });

  test("a program that is named by a path is never looked for where agents write", async () => {
    const { settings, repo, root } = await settingsOf({
      user: "harnesses: { mine: { command: [./agent.sh, ./x] }, home: { command: [~/bin/a] }, root: { command: [/bin/true] } }\nnotify: [./bell, x]",
      repository:
        "harnesses: { theirs: { command: [sh, a/b], again: [.signalbox/agent.sh], terminal: [.signalbox/a, 'Read {prompt}.'], terminal_again: [./b] } }\nterminal: none",
    });
    expect(settings.harness("mine")?.program).toEqual([`${root}/home/.config/signalbox/agent.sh`, "./x"]);
    expect(settings.notify).toEqual([`${root}/home/.config/signalbox/bell`, "x"]);
    expect(settings.harness("home")?.program).toEqual([`${root}/home/bin/a`]);
    expect(settings.harness("root")?.program).toEqual(["/bin/true"]);
    expect(settings.harness("theirs")?.program).toEqual(["sh", "a/b"]);
    expect(settings.harness("theirs")?.again).toEqual([`${repo}/.signalbox/agent.sh`]);
    expect(settings.harness("theirs")?.terminal).toEqual([`${repo}/.signalbox/a`, "Read {prompt}."]);
    expect(settings.harness("theirs")?.terminalAgain).toEqual([`${repo}/b`]);
    expect(settings.terminal).toBe("none");
  });

  test.for<[argument: string, read: string]>([
    [".signalbox/agent.sh", "REPO/.signalbox/agent.sh"],
    ["./.signalbox/agent.sh", "REPO/.signalbox/agent.sh"],
    ["--config=.signalbox/a b.json", "--config=REPO/.signalbox/a b.json"],
    ["-f=./.signalbox/x", "-f=REPO/.signalbox/x"],
    [".signalbox", "REPO/.signalbox"],
    [".signalbox/{role}.sh", "REPO/.signalbox/{role}.sh"],
    // Not in the folder that a person trusts.
    [".signalbox/../agent.sh", ".signalbox/../agent.sh"],
    [".signalboxes/agent.sh", ".signalboxes/agent.sh"],
    ["tools/.signalbox/x", "tools/.signalbox/x"],
    ["Read .signalbox/x", "Read .signalbox/x"],
  ])("the argument %s of an agent is read as %s", async ([argument, read]) => {
    const line = `harnesses: { own: { command: [sh, ${JSON.stringify(argument)}] } }`;
    for (const files of [{ user: line }, { repository: line }]) {
      const { settings, repo } = await settingsOf(files);
      expect(settings.harness("own")?.program).toEqual(["sh", read.replace("REPO", repo)]);
    }
  });

  test("what only a person may set is ignored in a repository, and said", async () => {
    const { settings } = await settingsOf({ repository: "minutes: 3\nnotify: [curl, evil]\n" });
    expect(settings.notify).toEqual([]);
    expect(settings.minutes).toBe(3);
    expect(settings.warnings.map(({ line, col, code }) => [line, col, code])).toEqual([[2, 1, "user-only"]]);
  });
});

describe("trust", () => {
  const repository = "harnesses: { claude: { program: [evil] } }";
  const untrusted = { trusted: () => Promise.resolve(undefined), humanKeys: () => Promise.resolve([]) };

  test("who acts is stopped", async () => {
    const { repo, env } = place({ repository });
    await expect(readSettings({ repo, env, store: untrusted })).rejects.toMatchObject({
      code: "untrusted",
      exit: 7,
      next: "signalbox trust",
    });
  });

  test("who looks sees nothing of the repository, and that it is not trusted", async () => {
    const { repo, env } = place({ repository });
    const { settings, isTrusted, files } = await surveySettings({ repo, env, store: untrusted });
    expect(settings.harness("claude")?.program[0]).toBe("claude");
    expect({ isTrusted, files }).toEqual({ isTrusted: false, files: [] });
  });

  test("even a file that is not trusted and not readable as YAML costs nobody anything", async () => {
    const { repo, env } = place({ repository: "a: [" });
    expect((await surveySettings({ repo, env, store: untrusted })).problems).toEqual([]);
  });
});

test.for<[said: string, files: Files]>([
  ["accepted", { user: "", repository: "# nothing\n\n  # at all\r\n" }],
  ["accepted", { user: "\uFEFF# with a mark\n" }],
  [
    `invalid-config: /repo/.signalbox/config.yaml:1:1: unknown key "harnes" (did you mean "harness"?)`,
    { repository: "harnes: claude" },
  ],
  [`invalid-config: /repo/.signalbox/config.yaml:1:1: unknown key "trust"`, { repository: "trust: true" }],
  [`invalid-config: /repo/.signalbox/config.yaml:1:1: unknown key "home"`, { repository: "home: /tmp" }],
  [
    `invalid-config: /repo/.signalbox/config.yaml:3:5: unknown key "comand" (did you mean "command"?)`,
    { repository: "harnesses:\n  mine:\n    comand: [x]\n" },
  ],
  [
    `invalid-config: /home/.config/signalbox/config.yaml:1:15: the harness "cladue" is not built in: it needs a driver, or a command (did you mean "claude"?)`,
    { user: "harnesses: {  cladue: { minutes: 3 } }" },
  ],
  [
    `invalid-config: /home/.config/signalbox/config.yaml:2:1: there is no harness "cladue" (did you mean "claude"?)`,
    { user: "minutes: 3\nharness: cladue\n" },
  ],
  ["accepted", { user: "harness: theirs", repository: "harnesses: { theirs: { command: [x] } }" }],
  [
    `invalid-config: /home/.config/signalbox/config.yaml:1:31: unknown placeholder {modle} (did you mean "{model}"?)`,
    { user: "harnesses: { a: { command: [x,'{modle}'] } }" },
  ],
  [
    `invalid-config: /home/.config/signalbox/config.yaml:1:23: "command" is nothing for the harness codex with the driver codex, which makes its command lines itself: use "program", "arguments", "model" and "effort", or say driver: command`,
    { user: "harnesses: { codex: { command: [codex, exec] } }" },
  ],
  [
    `invalid-config: /home/.config/signalbox/config.yaml:1:33: "program" is nothing for the harness a with the driver command, which has command lines of its own: write it into "command"`,
    { user: "harnesses: { a: { command: [x], program: [y] } }" },
  ],
  [
    "invalid-config: /home/.config/signalbox/config.yaml:1:14: the harness a with the driver command needs a command",
    { user: "harnesses: { a: { driver: command } }" },
  ],
  [
    "invalid-config: /home/.config/signalbox/config.yaml:1:24: gemini has no option for the effort",
    { user: "harnesses: { gemini: { effort: high } }" },
  ],
  [
    "invalid-config: /home/.config/signalbox/config.yaml:1:24: gemini takes its tools only from files of its own: docs/mcp.md",
    { user: "harnesses: { gemini: { mcp: true } }" },
  ],
  [
    "invalid-config: /home/.config/signalbox/config.yaml:1:23: codex cannot stay in a terminal",
    { user: "harnesses: { codex: { stays: true } }" },
  ],
  [
    "invalid-config: /home/.config/signalbox/config.yaml:1:29: the program must be named, without placeholders",
    { user: "harnesses: { a: { command: ['{workspace}/run'] } }" },
  ],
  ["invalid-config: /home/.config/signalbox/config.yaml:1:10: must be more than 0", { user: "minutes: 0" }],
  [
    `invalid-config: /home/.config/signalbox/config.yaml:1:10: must be a number, not "ten"`,
    { user: "minutes: ten" },
  ],
  [
    `invalid-config: /home/.config/signalbox/config.yaml:1:7: variables that begin with SIGNALBOX_ are set by signalbox alone, not "SIGNALBOX_TOKEN"`,
    { user: "env: [SIGNALBOX_TOKEN]" },
  ],
  [
    "invalid-config: /home/.config/signalbox/config.yaml:1:26: PATH cannot be set: agents get yours, with signalbox first",
    { user: "harnesses: { a: { set: { PATH: /x }, command: [x] } }" },
  ],
  [
    "invalid-config: /repo/.signalbox/config.yaml:1:26: LD_PRELOAD cannot be set: it would make programs outside of the sandbox load other code, too",
    { repository: "harnesses: { a: { set: { LD_PRELOAD: ./x }, command: [x] } }" },
  ],
  [
    'invalid-config: /home/.config/signalbox/config.yaml:1:9: must be a list, not "bell"',
    { user: "notify: bell" },
  ],
  [
    'invalid-config: /home/.config/signalbox/config.yaml:2:1: The key "minutes" appears twice. (and 1 more)',
    { user: "minutes: 1\nminutes: 2\nenv: *x\n" },
  ],
])("%s", async ([said, files]) => {
  expect(await refusal(files)).toBe(said);
});

test("all problems of both files are there at once", async () => {
  const { repo, env } = place({ user: "a: 1\nb: 2\n", repository: "c: 3\n" });
  const { problems } = await surveySettings({ repo, env, store: trusting(repo, env) });
  expect(problems.map(({ message }) => message)).toEqual([
    `unknown key "a"`,
    `unknown key "b"`,
    `unknown key "c"`,
  ]);
});

test("a comment that a lone carriage return ends is not all there is", () => {
  const bytes = new TextEncoder().encode("# only a comment\rharness: evil\n");
  const { problems } = parseConfig({ file: "config.yaml", bytes, scope: "user" });
  expect(problems.map(showProblem)).toEqual([
    "config.yaml:1:17: A carriage return must be followed by a line feed.",
  ]);
});
