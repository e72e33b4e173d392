/** Where a run of `staged` may begin, with what, and what is said where it may not. No process is started. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { findWorkflow } from "../../src/adapters/library/find.ts";
import { parseFound } from "../../src/adapters/library/load.ts";
import { parsed, scene, type Scene } from "./acting-support.ts";

const MAKEFILE = "lint:\n\ttrue\ntest: lint\n\ttrue\n";
const task = (id: number, on = "none", files = "Files: a.ts\n"): string =>
  `### Task ${id}: Do\n\n${files}Dependencies: ${on}\nComplexity: easy\nInstructions: all of it\n\n`;
const FOUND = ".agents/tmp/phases/1.2-plan.md";

/** Another test proves the workflow: that takes longer than all of these. */
async function staged(files: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const on = await scene({ Makefile: MAKEFILE, ...files });
  const config = join(on.env["HOME"] ?? "", ".config/signalbox/config.yaml");
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(
    config,
    `harnesses: { claude: { driver: command, command: ["true"] }, codex: { driver: command, command: ["true"] } }\n`,
  );
  const found = await parseFound(findWorkflow("staged", { cwd: on.repo, home: "" }));
  if (!found.ok) throw new Error("staged is broken");
  await on.withStore((store) =>
    store.commit([{ type: "define", hash: found.workflow.hash(), definition: found.workflow.definition }]),
  );
  return on;
}

function put(on: Scene, file: string, text: string): void {
  mkdirSync(dirname(join(on.repo, file)), { recursive: true });
  writeFileSync(join(on.repo, file), text);
}

/** The state it begins in, and whether it has a plan; or what is said instead. */
async function begins(on: Scene, line: readonly string[]): Promise<string> {
  const answer = await on.say(["run", "staged", ...line, "--detach", "--json"]);
  const { code, message, next, run } = parsed(answer);
  if (answer.code !== 0) return `${answer.code} ${String(code)}: ${String(message)} | ${String(next)}`;
  const kept = await on.withStore((store) => store.load(String(run)));
  return `${kept?.run.state}${kept?.run.held["1.2"]?.reading.found === true ? ", with a plan" : ""}`;
}

let on: Scene;
beforeAll(async () => {
  on = await staged({ "plan.md": `${task(1)}${task(2, "1", "Files: b.ts\n")}` });
});

describe("with a plan, or without", () => {
  test.for<[line: string, said: string]>([
    ["", "0"],
    ["--no-explore", "1.1"],
    ["--no-test --no-final", "0"],
    ["--plan plan.md", "2.1, with a plan"],
    ["--stage implement --plan plan.md", "2.1, with a plan"],
    ["--no-plan --plan plan.md", "2.1, with a plan"],
    ["--plan plan.md --no-plan", "2.1, with a plan"],
    ["--no-explore --no-plan --plan plan.md", "2.1, with a plan"],
    ["--no-explore --no-plan --stage IMPLEMENT --plan plan.md", "2.1, with a plan"],
    ["--no-plan --stage EXPLORE --plan plan.md", "0, with a plan"],
    [
      "--stage PLAN --plan plan.md",
      "2 bad-usage: PLAN makes the list of tasks anew, so --plan is of no use there: it is for IMPLEMENT, which works the list off | signalbox run staged A --detach --stage IMPLEMENT --plan plan.md",
    ],
    [
      "--no-explore --no-plan --no-implement --no-test --no-final",
      "5 gate-not-met: start to 0: this run has explore_stage false, and this needs true | start a run with explore_stage true",
    ],
    ["--no-plan --with 1.2=plan.md", "0, with a plan"],
    // Nothing is worked off, so that no list is missing.
    ["--no-plan --no-implement", "0"],
    [
      "--no-plan",
      `5 gate-not-met: IMPLEMENT works off a list of tasks, and there is none: neither --plan nor ${FOUND} in your checkout | signalbox run staged A --detach --no-plan --stage IMPLEMENT --plan FILE`,
    ],
    [
      "--stage TEST",
      "5 gate-not-met: TEST goes on with the work of a run of staged that has completed IMPLEMENT, and there is none here | signalbox run staged A --detach",
    ],
    [
      "--stage FINAL",
      "5 gate-not-met: FINAL goes on with the work of a run of staged that has completed TEST, and there is none here | signalbox run staged A --detach",
    ],
    [
      "--stage FINAL --no-final",
      "2 bad-usage: FINAL is disabled in this run, so it cannot begin there | signalbox run --help",
    ],
  ])("run staged A %s", async ([line, said]) => {
    // Others begin too: theirs came no further.
    const other = said.includes("there is none here") ? await staged() : on;
    expect(await begins(other, ["A", ...line.split(" ").filter((word) => word !== "")])).toBe(said);
  });

  test("TEST does not go on with a run that has left out the work", async () => {
    const other = await staged();
    const line = "run staged A --no-explore --no-plan --no-implement --detach --json";
    const run = String(parsed(await other.say(line))["run"]);
    await other.say(`stop ${run}`);
    expect(await begins(other, ["A", "--stage", "TEST"])).toBe(
      `5 gate-not-met: TEST goes on with the work of a run of staged that has completed IMPLEMENT, and there is none here: ${run} has left out IMPLEMENT | signalbox show ${run}`,
    );
  });

  test.for<[what: string, text: string, said: string]>([
    ["an unknown dependency", task(1, "7"), 'depends on "7"'],
    ["a circle", `${task(1, "2")}${task(2, "1")}`, "bad.md:"],
    ["no files", task(1, "none", ""), "bad.md:1:1: "],
  ])("a plan with %s", async ([, text, said]) => {
    put(on, "bad.md", text);
    for (const line of [
      ["--plan", "bad.md"],
      ["--no-plan", "--plan", "bad.md"],
      ["--no-plan", "--with", "1.2=bad.md"],
    ]) {
      const answer = await begins(on, ["A", ...line]);
      expect(answer).toMatch(/^5 invalid-list: bad\.md:\d+:\d+: .* \| mend bad\.md:\d+$/);
      expect(answer).toContain(said);
    }
  });

  test.for<[line: string, state: string]>([
    ["--stage IMPLEMENT", "2.1"],
    ["--no-plan", "0"],
    ["--no-explore --no-plan", "2.1"],
  ])("%s: the plan of the checkout is taken, and that is said", async ([line, state]) => {
    put(on, FOUND, task(1));
    try {
      const { code, stderr } = await on.say(["run", "staged", "A", ...line.split(" "), "--detach"]);
      expect(code).toBe(0);
      expect(stderr).toContain(`${FOUND} of your checkout is its list of tasks`);
      expect(await begins(on, ["A", ...line.split(" ")])).toBe(`${state}, with a plan`);
    } finally {
      rmSync(join(on.repo, FOUND));
    }
  });
});

describe("commands that nobody has set, and that cannot be", () => {
  const LINT =
    '5 no-target: "make lint" is run in TEST, and there is no Makefile here | set workflows.staged.stages.TEST.commands.lint in .signalbox/config.yaml, or: --param lint_command=COMMAND';
  test.for<[what: string, makefile: string | undefined, line: string, said: string]>([
    ["no Makefile", undefined, "", LINT],
    [
      "no such target",
      "test:\n\ttrue\n",
      "",
      LINT.replace("there is no Makefile here", 'Makefile has no target "lint"'),
    ],
    [
      "the second of them",
      "lint:\n\ttrue\ntestall:\n",
      "",
      LINT.replace("there is no Makefile here", 'Makefile has no target "test"').replaceAll("lint", "test"),
    ],
    ["no TEST", undefined, "--no-test", "0"],
    ["set by whoever begins it", undefined, "--param lint_command=make --param test_command=x", "0"],
    ["several targets in a line", ".PHONY: lint test\nlint test: a\n", "", "0"],
    ["what may come from elsewhere", "include rules.mk\n", "", "0"],
    ["a pattern", "%: ; true\n", "", "0"],
    ["a name that is made", "$(ALL): ; true\n", "", "0"],
  ])("%s", async ([, makefile, line, said]) => {
    const other = await staged({ Makefile: makefile ?? "" });
    if (makefile === undefined) rmSync(join(other.repo, "Makefile"));
    expect(await begins(other, ["A", ...line.split(" ").filter((word) => word !== "")])).toBe(said);
  });
});

test.for(["cancel", "task cancel"])("%s gives up where the workflow knows no other end", async (line) => {
  const { run } = parsed(await on.say(["run", "staged", "A", "--detach", "--json"]));
  expect((await on.say(`${line} ${String(run)} --json`)).code).toBe(0);
  expect(await on.withStore(async (store) => (await store.load(String(run)))?.run.state)).toBe("aborted");
});
