/** Commands that workflows declare: a user's own, clashes, trust, and definitions in which every name is another. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { run } from "../../src/cli/run.ts";
import { copyOf, prepareHome, removeHomes, type Prepared } from "../support/home.ts";
import { AT_HOME } from "../support/procs.ts";
import { as, renamed } from "../support/renamed.ts";

afterAll(removeHomes);

const NOTE = `$schema: workflow-1.schema.json
name: memo
title: A memo that a person writes and publishes
params:
  topic: { text: "", identifies: true }
  goal: { text: "" }
artifacts:
  memo: { in: MEMO.md, file: true, by: human }
states:
  drafted: { title: Written, waits: true }
  published: { title: Published, waits: true }
  filed: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: drafted, by: human }
  - { from: drafted, to: published, by: human, verb: accept }
  - { from: published, to: drafted, by: human, verb: send-back, text: required }
  - { from: published, to: filed, by: human, verb: accept }
  - { from: [drafted, published], to: dropped, by: human, verb: cancel }
commands:
  jot: { about: write a memo, short: true, begin: true, in: { drafted: follow } }
  publish: { about: publish a memo, in: { drafted: accept } }
  rework: { about: change it, in: { published: send-back } }
  all: { call: list }
  drafts: { call: list, with: { status: drafted } }
  bin: { call: cancel, about: throw it away }
`;

function scene(files: Readonly<Record<string, string>>): Prepared {
  return prepareHome(
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`.signalbox/workflows/${name}/workflow.yaml`, text]),
    ),
  );
}

const said = async (on: Prepared, line: string | string[]): Promise<string> => {
  const { code, stdout, stderr } = await on.call(line);
  return `${code} ${stdout}${stderr}`;
};

describe("a workflow of a user", () => {
  const origin = scene({ memo: NOTE });

  test("its commands are listed, and refused until the repository is trusted", async () => {
    const on = copyOf(origin);
    expect(await said(on, "help all")).toContain("\n  memo publish ");
    expect(await said(on, "jot one Something")).toMatch(/^7 .*trust/);
    expect(await said(on, "memo all")).toMatch(/^7 .*trust/);
    await on.call("trust");
    expect(await said(on, "memo all")).toContain("No open task in this project");
  });

  test("driven by its own commands alone", async () => {
    const on = copyOf(origin);
    expect(await said(on, "trust")).toContain("command memo drafts: list --status=drafted");
    expect(await said(on, ["jot", "dates", "Dates are off", "--detach"])).toMatch(/^0 \w+\n/);
    expect(await said(on, "memo drafts")).toContain("dates: Dates are off");
    expect(await said(on, "memo rework dates")).toMatch(
      /^4 .*rework has nothing to do: dates is in drafted: Written\n.*next: signalbox jot dates/s,
    );
    expect(await said(on, "show dates")).toContain("signalbox memo publish dates");
    expect(await said(on, "memo publish dates --detach")).toMatch(/^0 /);
    expect(await said(on, "memo rework dates --detach")).toMatch(/^2 .*say what to change/s);
    expect(await said(on, ["memo", "rework", "dates", "Shorter", "--detach"])).toMatch(/^0 /);
    expect(await said(on, "memo publish dates")).toMatch(/^3 /);
    expect(await said(on, "jot dates")).toMatch(/^3 dates is in published: Published\n/);
    expect(await said(on, "accept dates")).toContain("filed");
    expect(await said(on, ["jot", "times", "Times", "--detach"])).toMatch(/^0 /);
    expect(await said(on, "memo bin times")).toContain("dropped");
    // The name is free again.
    expect(await said(on, ["jot", "times", "Times", "--detach"])).toMatch(/^0 /);
    expect(await said(on, "memo --help")).toMatch(/\n {2}bin +throw it away\n/);
    expect(await said(on, "memo drafts --status x")).toMatch(/^2 .*no option --status/);
    expect(await said(on, "create --workflow memo About --help")).toContain("--topic VALUE");
  });

  test.for(["create Something", "task create Something", "run task Something"])(
    "where it cannot be parsed, %s names the fault",
    async (line) => {
      const on = scene({ task: NOTE.replace("name: memo", "name: task").replace("to: filed", "to: field") });
      await on.call("trust");
      expect(await said(on, line)).toMatch(
        /^5 signalbox: \S*workflows\/task\/workflow\.yaml:\d+:\d+: .*"field".*\n {2}next: signalbox check task\n/,
      );
    },
  );

  test("an agent outside runs begins no run that has no queue", async () => {
    const on = copyOf(origin);
    await on.call("trust");
    const env = { ...on.env, CLAUDECODE: "1" };
    const world = { cwd: on.repo, env, procs: AT_HOME, startSupervisor: () => undefined };
    const { code, stderr } = await run(["create", "--workflow", "memo", "About", "--topic", "x"], world);
    expect([code, stderr]).toEqual([4, expect.stringContaining("begins at once takes a person")]);
    expect(await said(on, "memo all")).toContain("No open task in this project");
  });

  test("a workspace brings no commands: an agent could have written them", async () => {
    const on = copyOf(origin);
    await on.call("trust");
    const { stdout } = await on.call(["jot", "dates", "Dates", "--detach"]);
    const inside = join(on.home.root, "runs", stdout.trim(), "files");
    mkdirSync(join(inside, ".signalbox/workflows/memo"), { recursive: true });
    const forged = NOTE.replace("all: { call: list }", "all: { call: cancel }");
    writeFileSync(join(inside, ".signalbox/workflows/memo/workflow.yaml"), forged);
    const world = { cwd: inside, env: on.env, procs: AT_HOME, startSupervisor: () => undefined };
    expect((await run(["memo", "all"], world)).stdout).toContain("dates: Dates");
    expect(await said(on, "show dates")).toContain("drafted");
  });
});

describe("clashes are reported with both places", () => {
  const other = (name: string, commands: string): string =>
    NOTE.replace("name: memo", `name: ${name}`).replace(/commands:\n[^]*/, `commands:\n  ${commands}\n`);

  test.for<[what: string, files: Readonly<Record<string, string>>, checked: string, words: string]>([
    [
      "a word of Signalbox",
      { memo: other("memo", "show: { call: why, short: true }") },
      "memo",
      String.raw`^5 .*memo/workflow\.yaml:21:3: command-clash: "signalbox show" is a command of Signalbox`,
    ],
    [
      "the default of create",
      { memo: other("memo", "create: { call: create, short: true }") },
      "memo",
      "^0 ",
    ],
    [
      "two workflows of the repository",
      { memo: NOTE, more: other("more", "jot: { call: create, short: true }") },
      "more",
      String.raw`^5 .*more/workflow\.yaml:21:3: command-clash: "signalbox jot" is also a command of memo \(.*memo/workflow\.yaml:21:3\)`,
    ],
    [
      "a built-in workflow",
      { memo: other("memo", "plan: { call: create, short: true }") },
      "memo",
      String.raw`^0 .*memo/workflow\.yaml:21:3: note: "signalbox plan" is also a command of change \(.*change/workflow\.yaml:\d+:3\); here it is that of memo`,
    ],
    [
      "the name of a workflow",
      { memo: other("memo", "task: { call: create, short: true }") },
      "memo",
      String.raw`^5 .*command-clash: "signalbox task" stands for the commands of the workflow task`,
    ],
    [
      "a workflow that is called like a command",
      { list: other("list", "add: { call: create }") },
      "list",
      '^5 .*command-clash: "signalbox list" is a command of Signalbox, so that the commands of this workflow cannot be typed',
    ],
    [
      "an option that the called command does not have",
      { memo: other("memo", "add: { call: accept, with: { too: x } }") },
      "memo",
      '^5 .*command-clash: signalbox accept has no option "too"',
    ],
  ])("%s", async ([, files, checked, words]) => {
    expect(await said(scene(files), `check ${checked}`)).toMatch(new RegExp(words, "s"));
  });

  test("a word of two workflows is refused, and names both", async () => {
    const on = scene({ memo: NOTE, more: other("more", "jot: { call: create, short: true }") });
    await on.call("trust");
    expect(await said(on, "jot x y")).toMatch(
      /^2 .*jot is a command of memo \(.*:21:3\) and of more \(.*:21:3\)\n.*signalbox memo jot\n.*or: signalbox more jot/s,
    );
  });
});

describe("definitions in which workflows, states and commands have other names", () => {
  const files = Object.assign({}, ...["task", "change", "change-task"].map(renamed)) as Readonly<
    Record<string, string>
  >;
  const origin = prepareHome(files);

  test.for(["task", "change", "change-task"].map(as.workflow))("%s is proven", async (name) => {
    expect(await said(origin, `check ${name}`)).toMatch(new RegExp(`^0 ${name}: it ends`));
  });

  test("a task, by its commands", async () => {
    const on = copyOf(origin);
    await on.call("trust");
    const make = async (...words: readonly string[]): Promise<string> =>
      (await on.call(["my-task", "do-create", "--quiet", ...words])).stdout.trim();
    const stateOf = (id: string): Promise<string> =>
      on.withStore(async (store) => (await store.load(id))?.run.state ?? "");
    const pending = await make("Dates are off", "--no-start");
    expect(await stateOf(pending)).toBe("at-pending");
    expect(await said(on, `my-task do-merge ${pending}`)).toMatch(/^5 .*accept does not lead to at-done/);
    expect(await said(on, "my-task do-start dates-are-off")).toMatch(/^0 /);
    expect(await stateOf(pending)).toBe("at-planning");
    expect(await stateOf(await make("--status", "at-clarification"))).toBe("at-clarification");
    const id = await make("later", "Later", "--finished");
    expect(await stateOf(id)).toBe("at-reviewing");
    expect(await said(on, `show ${id}`)).toContain(`signalbox accept ${id}`);
    expect(await said(on, ["my-task", "do-request-changes", id, "Shorter"])).toContain("at-working");
    expect(await said(on, `my-task do-stuck ${id}`)).toContain("at-stuck");
    expect(await said(on, "my-task do-list --status at-stuck")).toContain("Later");
    expect(await said(on, `my-task do-show ${id}`)).toContain("signalbox send-back");
    expect(await said(on, `retry ${id}`)).toContain("at-working");
    expect(await said(on, `my-task do-cancel ${id} --yes`)).toContain("at-cancelled");
    expect(await said(on, `my-task do-delete ${id}`)).toMatch(/^0 /);
  });

  test("a change, by its commands", async () => {
    const on = copyOf(origin);
    await on.call("trust");
    const harnesses = ["planner", "challenger", "implementer", "reviewer", "archiver"].flatMap((name) => [
      "--param",
      `${name}=claude`,
    ]);
    expect(await said(on, ["do-plan", "login", "Users can log in", "--detach", ...harnesses])).toMatch(/^0 /);
    expect(await said(on, "show login")).toContain("at-proposal");
    expect(await said(on, "do-plan login --detach")).toMatch(/^0 /);
    expect(await said(on, "do-impl login")).toMatch(
      /^4 .*do-impl has nothing to do: login is in at-proposal.*next: signalbox do-plan login/s,
    );
    expect(await said(on, "my-change do-archive login")).toMatch(/^4 /);
    expect(await said(on, "cancel login --yes")).toContain("at-dropped");
    expect(await said(on, "do-impl login")).toMatch(/^4 .*has no run "login"/s);
  });
});
