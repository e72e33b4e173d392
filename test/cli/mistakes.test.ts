/**
 * Typical mistakes, and what is said about each: what happened, why, what to type. Where the next thing is a command, it is typed,
 * and it works.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Printed, World } from "../../src/cli/run.ts";
import { taskScene, type Tasks } from "./task-support.ts";

const STATES = ["pending", "planning", "clarification", "reviewing", "stuck", "done", "cancelled"];

let on: Tasks;
const ids = new Map<string, string>();

beforeAll(async () => {
  on = await taskScene();
  for (const state of STATES) ids.set(state.toUpperCase(), await on.taskIn(state));
});

/** A state in capitals stands for the task that is in it. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/"[^"]*"|\S+/g) ?? [];
  return words.map((word) => word.replaceAll('"', "")).map((word) => ids.get(word) ?? word);
}

function typed(line: string, more: Partial<World> = {}): Promise<Printed> {
  const live = { print: () => undefined, interrupted: () => AbortSignal.timeout(1) };
  return on.say(wordsOf(line), { live, ...more });
}

/** As the table has it: ids by the state of their task. */
function plain(text: string): string {
  let said = text.replaceAll(on.repo, "REPO").replaceAll(on.home.root, "HOME");
  for (const [state, id] of ids) said = said.replaceAll(id, state);
  return said;
}

type Row = readonly [line: string, code: number, message: string, next: string];

/** What is said, and what is wrong with the command that comes next. */
async function saidOf([line]: Row, more: Partial<World> = {}): Promise<readonly [...Row, string]> {
  const { code, stderr } = await typed(line, more);
  const [said = "", ...rest] = plain(stderr).trimEnd().split("\n");
  const next = rest.map((each) => each.trim().replace(/^(?:next|or): /, "")).join(", or: ");
  return [line, code, said.replace(/^signalbox: /, ""), next, await faultOf(next, more)];
}

const DECIDES =
  /^(?:accept|send-back|retry|cancel|answer|submit|resume|run|create|delete|watch|demo|doctor|task (?:start|create|cancel))\b/;

/** Empty where it works. Of a command that decides or starts something only the help is asked for, so that other rows find their tasks. */
async function faultOf(next: string, more: Partial<World>): Promise<string> {
  const [first = ""] = next.split(", or: ");
  if (!first.startsWith("signalbox ")) return "";
  const command = first.slice("signalbox ".length).replaceAll("TEXT", "words").replaceAll("RUN", "REVIEWING");
  const { code, stderr } = await typed(DECIDES.test(command) ? `${command} --help` : command, more);
  // Nothing was printed by an agent yet, or following was interrupted: the command is right.
  return code === 0 || code === 130 || stderr.includes("nothing of an agent was started")
    ? ""
    : `${command}: ${code} ${stderr}`;
}

const WORKFLOWS =
  "change, change-task, design-approval, one-task, orchestrated, orchestrated-task, staged, task";
const REVIEWING = `"A task" (REVIEWING) is in reviewing`;
const VERBS = 'signalbox accept REVIEWING, or: signalbox send-back REVIEWING "TEXT"';

describe("words", () => {
  test.for<Row>([
    ["shw", 2, 'there is no command "shw"; did you mean "show"?', "signalbox show --help"],
    ["merge", 2, 'there is no command "merge"', "signalbox accept RUN, or: signalbox task merge"],
    ["approve", 2, 'there is no command "approve"', "signalbox accept RUN"],
    ["reject", 2, 'there is no command "reject"', "signalbox send-back RUN TEXT"],
    ["new", 2, 'there is no command "new"', 'signalbox create "SUMMARY"'],
    ["ls", 2, 'there is no command "ls"', "signalbox list"],
    ["ps", 2, 'there is no command "ps"', "signalbox list"],
    ["kill", 2, 'there is no command "kill"', "signalbox cancel RUN"],
    ["rm", 2, 'there is no command "rm"', "signalbox delete RUN"],
    ["dashboard", 2, 'there is no command "dashboard"', "signalbox watch"],
    [
      "update",
      2,
      "say what to change: --status, --branch, --summary or --depends-on",
      "signalbox update --help",
    ],
    ["version", 2, 'there is no command "version"', "signalbox --version"],
    ["log", 2, 'there is no command "log"', "signalbox logs RUN"],
    [
      "task crate x",
      2,
      'there is no command "task crate"; did you mean "create"?',
      "signalbox task create --help",
    ],
    ["list --al", 2, "there is no option --al; did you mean --all?", "signalbox list --help"],
    ["--verison", 2, "there is no option --verison; did you mean --version?", "signalbox --help"],
    ["inbox x", 2, 'signalbox inbox does not take "x"', "signalbox inbox --help"],
    [
      "accept x yes please",
      2,
      'signalbox accept does not take "please": put a text of several words in quotes',
      "signalbox accept --help",
    ],
    ["list --limit x", 2, '--limit is a whole number from 1 to 100000, not "x"', "signalbox list --help"],
    [
      "list --status wating",
      2,
      '--status is running, waiting, done, cancelled, failed, damaged, not "wating"',
      "signalbox list --help",
    ],
    [
      "run task x --harness worker",
      2,
      "there is no option --harness: use --param harness=worker",
      "signalbox run --help",
    ],
    [
      "run task x --param harnes=a",
      2,
      'the workflow has no parameter "harnes"; did you mean "harness"?',
      "signalbox run --help",
    ],
    [
      "run task x --param effort",
      2,
      "--param effort: a name, = and a value are needed",
      "signalbox run --help",
    ],
    ["run tas x", 2, 'there is no workflow "tas"; did you mean "task"?', "signalbox workflows"],
    ["run nosuch x", 2, `there is no workflow "nosuch"; there are ${WORKFLOWS}`, "signalbox workflows"],
    ["check nofile.yaml", 2, "there is no file or folder nofile.yaml", "signalbox workflows"],
    [
      "demo nosuch",
      2,
      'there is no demo of "nosuch", only of change, orchestrated, staged, task',
      "signalbox demo",
    ],
    [
      "completion csh",
      2,
      'signalbox completion takes one of bash, zsh, fish, not "csh"; did you mean "zsh"?',
      "signalbox completion --help",
    ],
  ])("%s", async (row) => expect(await saidOf(row)).toEqual([...row, ""]));
});

describe("runs", () => {
  test.for<Row>([
    ["show nosuch", 2, 'there is no run "nosuch"', "signalbox list --all"],
    ["accept nosuch", 2, 'there is no run "nosuch"', "signalbox list --all"],
    ["follow nosuch", 2, 'there is no run "nosuch"', "signalbox list --all"],
    [
      "answer nosuch yes",
      2,
      'nothing is asked under the name "nosuch", and no run has it',
      "signalbox inbox",
    ],
    // The only question is that of a run that waits for words.
    [
      "answer",
      2,
      '"A task" (CLARIFICATION) is in clarification: say the answer. Nothing was done.',
      'signalbox answer CLARIFICATION "TEXT"',
    ],
    ["answer REVIEWING yes", 4, `${REVIEWING}, and nothing is asked`, VERBS],
    ["retry REVIEWING", 4, `${REVIEWING}, and there is nothing to try again`, VERBS],
    [
      "send-back REVIEWING",
      2,
      `${REVIEWING}: say what to change. Nothing was done.`,
      'signalbox send-back REVIEWING "TEXT"',
    ],
    [
      'send-back REVIEWING " "',
      2,
      `${REVIEWING}: say what to change. Nothing was done.`,
      'signalbox send-back REVIEWING "TEXT"',
    ],
    [
      "task request-changes REVIEWING",
      2,
      `${REVIEWING}: say what to change. Nothing was done.`,
      'signalbox send-back REVIEWING "TEXT"',
    ],
    [
      "send-back REVIEWING x --to plan",
      2,
      '"plan" is not one of working',
      'signalbox send-back REVIEWING "TEXT" --to working',
    ],
    [
      "send-back REVIEWING x --shown abcd",
      6,
      'what "A task" (REVIEWING) asks has changed since it was shown as abcd',
      "signalbox show REVIEWING",
    ],
    [
      "accept CLARIFICATION",
      4,
      '"A task" (CLARIFICATION) is in clarification, and there is nothing to accept',
      'signalbox answer CLARIFICATION "TEXT"',
    ],
    [
      "answer CLARIFICATION",
      2,
      '"A task" (CLARIFICATION) is in clarification: say the answer. Nothing was done.',
      'signalbox answer CLARIFICATION "TEXT"',
    ],
    [
      "accept PLANNING",
      4,
      '"A task" (PLANNING) is in planning, and there is nothing to accept',
      "signalbox logs PLANNING -f",
    ],
    [
      "send-back PLANNING x",
      4,
      '"A task" (PLANNING) is in planning, and there is nothing to send back',
      "signalbox logs PLANNING -f",
    ],
    [
      "accept STUCK",
      5,
      '"A task" (STUCK) cannot be accepted now: reviewing to done: review is missing: section "## Review" of TASK.md does not exist yet',
      'signalbox retry STUCK, or: signalbox send-back STUCK "TEXT"',
    ],
    ["accept DONE", 4, "run DONE is finished: it is done", "signalbox show DONE"],
    ["retry CANCELLED", 4, "run CANCELLED is finished: it is cancelled", "signalbox show CANCELLED"],
    ["cancel DONE", 4, "run DONE is finished: it is done", "signalbox show DONE"],
    ["stop DONE", 4, "run DONE is finished: it is done", "signalbox show DONE"],
    [
      "move REVIEWING nowhere",
      4,
      'unknown state "nowhere"; from reviewing it goes to working, done, cancelled',
      "signalbox why REVIEWING",
    ],
    [
      "move REVIEWING plannin",
      4,
      'unknown state "plannin"; did you mean "planning"?',
      "signalbox why REVIEWING",
    ],
    [
      "submit PLANNING nothing",
      2,
      'there is no artifact "nothing"; there are context, questions, plan, handoff, review, fix_instructions, turn, merged',
      "signalbox submit --help",
    ],
    [
      "submit PLANNING plan nofile.md",
      2,
      "there is no file nofile.md",
      "give the path of a file, or - for the standard input",
    ],
    ["waive REVIEWING review", 2, "a waiver needs a reason: --reason TEXT", "signalbox waive --help"],
    [
      "logs REVIEWING --role nobody",
      2,
      'run REVIEWING has no role "nobody"; there are worker, reviewer',
      "signalbox logs --help",
    ],
    [
      "task attach REVIEWING",
      1,
      "REVIEWING has no terminal: none of its agents lives in one",
      "signalbox logs REVIEWING",
    ],
    [
      "task delete PLANNING",
      4,
      "PLANNING is planning, and only a finished run can be put away",
      "signalbox cancel PLANNING",
    ],
    ["task create x --depends-on nosuch", 2, 'there is no run "nosuch"', "signalbox list --all"],
    [
      "task create x --harness nosuch",
      2,
      'there is no harness "nosuch"; there are claude, codex, gemini, opencode',
      "signalbox doctor",
    ],
    ["watch --once --project nosuch", 2, 'there is no project "nosuch"', "signalbox project list"],
    [
      'run task ""',
      2,
      "say what task is to do: its summary is empty",
      "signalbox run task 'What is to be done'",
    ],
    [
      "run task",
      2,
      "say what task is to do: its summary is empty",
      "signalbox run task 'What is to be done'",
    ],
  ])("%s", async (row) => expect(await saidOf(row)).toEqual([...row, ""]));

  test("without a name, the runs under way are listed", async () => {
    const { code, stderr } = await typed("show");
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^signalbox: name one of the runs under way: \w+ \(stuck: A task\), [^]*next: signalbox list\n$/,
      ) as string,
    ]);
  });
});

test.for<[verb: string, message: RegExp]>([
  ["accept", /^name one of the runs that can be accepted now: (?:(\w+) \(\1: a task\)(?:, )?)+$/],
  ["retry", /^no run was named; only stuck \(stuck: a task\) can be tried again now$/],
])("%s without a run lists those that it works for", async ([verb, message]) => {
  const [, , said, next, fault] = await saidOf([verb, 2, "", ""]);
  expect([said.toLowerCase(), next, fault]).toEqual([
    expect.stringMatching(message) as string,
    expect.stringMatching(new RegExp(`^signalbox ${verb} [A-Z]+$`)) as string,
    "",
  ]);
});

describe("the machine", () => {
  const folder = (name: string): string => {
    const path = join(on.home.root, "..", name);
    mkdirSync(path, { recursive: true });
    return path;
  };

  test.for<Row>([
    ["task create x", 2, "git is not installed, or not on the PATH", "install git, then: signalbox doctor"],
    ["run task x", 2, "git is not installed, or not on the PATH", "install git, then: signalbox doctor"],
  ])("git is missing: %s", async (row) =>
    expect(await saidOf(row, { env: { ...on.env, PATH: folder("empty") } })).toEqual([...row, ""]),
  );

  test.for(["task create x", "run task x", "trust", "list --here"])("not a repository: %s", async (line) => {
    const cwd = folder("plain");
    const { code, stderr } = await typed(line, { cwd });
    expect([code, stderr]).toEqual([2, `signalbox: ${cwd} is not in a git repository\n  next: git init\n`]);
  });

  test.for<[...Row, env: Readonly<Record<string, string>>]>([
    [
      "run task x",
      2,
      "cannot create /proc/x: /proc is not writable",
      "ls -ld /proc",
      { SIGNALBOX_HOME: "/proc/x" },
    ],
    [
      "list",
      2,
      "neither HOME nor SIGNALBOX_HOME says where runs are kept",
      "export HOME=...",
      { HOME: "", SIGNALBOX_HOME: "", XDG_STATE_HOME: "" },
    ],
  ])("a home that cannot be used: %s", async ([line, code, message, next, env]) =>
    expect(await saidOf([line, code, message, next], { env: { ...on.env, ...env } })).toEqual([
      line,
      code,
      message,
      next,
      "",
    ]),
  );

  test.for(["list", "inbox"])("a state home that does not exist is named: %s", async (line) => {
    const { code, stderr } = await typed(line, { env: { ...on.env, SIGNALBOX_HOME: "/proc/x" } });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("SIGNALBOX_HOME is /proc/x, which does not exist") as string,
    ]);
  });

  test("a configuration home without the key that signed", async () => {
    const { code, stderr } = await typed("accept REVIEWING", {
      env: { ...on.env, XDG_CONFIG_HOME: "/proc/x" },
    });
    expect([code, stderr]).toEqual([
      8,
      expect.stringMatching(
        /^signalbox: the human key \w+, which people have signed with here, is gone from \/proc\/x\/signalbox\/human\.key\n {2}next: put it back/,
      ) as string,
    ]);
  });

  describe("settings", () => {
    const write = (text: string): void => {
      mkdirSync(join(on.repo, ".signalbox"), { recursive: true });
      writeFileSync(join(on.repo, ".signalbox/config.yaml"), text);
    };
    test.for<[what: string, text: string, code: number, message: string]>([
      ["never trusted", 'env: ["A"]\n', 7, "nobody has trusted what .signalbox would run"],
      ["broken YAML", "harnesses:\n  a: [\n", 2, ".signalbox/config.yaml:3:1: "],
      ["a typing mistake", "harneses: {}\n", 2, '.signalbox/config.yaml:1:1: unknown key "harneses"'],
    ])("%s", async ([, text, code, message]) => {
      write(text);
      try {
        const { code: exit, stderr } = await typed("run task x");
        expect([exit, plain(stderr)]).toEqual([code, expect.stringContaining(message) as string]);
        expect(stderr).not.toContain("changed since");
      } finally {
        rmSync(join(on.repo, ".signalbox"), { recursive: true });
      }
    });

    test("broken settings are not trusted", async () => {
      write("harnesses:\n  a: [\n");
      try {
        const { code, stdout, stderr } = await typed("trust");
        expect([code, stdout + stderr]).toEqual([
          2,
          expect.stringContaining("Nothing was trusted") as string,
        ]);
      } finally {
        rmSync(join(on.repo, ".signalbox"), { recursive: true });
      }
    });
  });

  test.runIf(process.getuid?.() !== 0)("a read-only state home", async () => {
    const path = folder("read-only");
    chmodSync(path, 0o500);
    const { code, stderr } = await typed("run task x", {
      env: { ...on.env, SIGNALBOX_HOME: join(path, "home") },
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining("permission denied") as string]);
  });
});
