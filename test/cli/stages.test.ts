/** Stages on the command line: left out, begun in, and what they need before. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { mirrorOf } from "../../src/adapters/git/mirror/names.ts";
import { gitWorkspaces } from "../../src/adapters/git/workspace/workspaces.ts";
import { startsAgents } from "../../src/app/start/begin.ts";
import { showProblem } from "../../src/format/problem.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { outcome, parsed, type Scene } from "./acting-support.ts";
import { begun, relay } from "./stages-support.ts";

let on: Scene;
beforeAll(async () => {
  on = await relay();
});

/** Nothing is begun, and this is said. */
async function refusal(line: readonly string[], at: Scene = on): Promise<string> {
  const count = (): Promise<number> =>
    at.withStore(async (store) => (await store.list({ limit: 1000 })).rows.length);
  const before = await count();
  const answer = await at.say(["run", "relay", ...line, "--detach", "--json"]);
  const { code, message, next } = parsed(answer);
  expect(await count()).toBe(before);
  return `${answer.code} ${String(code)}: ${String(message)} | ${String(next)}`;
}

describe("--no-STAGE", () => {
  test.for<[line: string, params: Readonly<Record<string, boolean>>, state: string]>([
    ["", { explore_stage: true, test_stage: true }, "0"],
    ["--no-test", { explore_stage: true, test_stage: false }, "0"],
    ["--no-TEST", { explore_stage: true, test_stage: false }, "0"],
    ["--no-explore", { explore_stage: false, test_stage: true }, "1.1"],
    ["--no-test --no-explore", { explore_stage: false, test_stage: false }, "1.1"],
    ["--no-test --param test_stage=false", { explore_stage: true, test_stage: false }, "0"],
  ])("%s", async ([line, params, state]) => {
    const { run } = await begun(on, ["A goal", ...line.split(" ").filter((word) => word !== "")]);
    expect({ params: run.params, state: run.state }).toMatchObject({ params, state });
  });

  test("it comes before settings", async () => {
    const other = await relay({ user: "workflows: { relay: { stages: { TEST: { enabled: true } } } }\n" });
    expect((await begun(other, ["A goal", "--no-test"])).run.params["test_stage"]).toBe(false);
  });

  test.for<[line: string, said: string]>([
    [
      "--no-tset",
      '2 unknown-stage: relay has no stage "tset" that can be disabled; did you mean --no-test? | signalbox run --help',
    ],
    [
      "--no-plan",
      '2 unknown-stage: relay has no stage "plan" that can be disabled; there are --no-explore, --no-test | signalbox run --help',
    ],
    [
      "--no-strat",
      '2 unknown-stage: relay has no stage "strat" that can be disabled; did you mean --no-start? | signalbox run --help',
    ],
    [
      "--no-test --param test_stage=true",
      "2 bad-usage: --no-test and --param test_stage=true do not go together | signalbox run --help",
    ],
    ["--test", "2 bad-usage: there is no option --test | signalbox run --help"],
    [
      "--no-test=1",
      '2 unknown-stage: relay has no stage "test=1" that can be disabled; did you mean --no-test? | signalbox run --help',
    ],
  ])("%s", async ([line, said]) => {
    expect(await refusal(line.split(" "))).toBe(said);
  });

  test("other commands take no such option", async () => {
    expect(await outcome(on.say("show --no-test --json"))).toBe("2 bad-usage");
    expect(await outcome(on.say("show --no-TEST --json"))).toBe("2 bad-usage");
  });
});

const TASK = (id: number, files: string, depends = "none"): string =>
  `### Task ${id}: Do ${id}\n\nFiles: ${files}\nDependencies: ${depends}\nComplexity: easy\n\n`;
const LIST = `# Plan\n\n${TASK(1, "a.ts")}${TASK(2, "b.ts", "1")}`;

function put(at: Scene, name: string, text: string): void {
  writeFileSync(join(at.repo, name), text);
}

/** A run that is over, or waits, in this state, with work that it handed over. Gives the commit, and what it left after that. */
async function worked(
  at: Scene,
  line: readonly string[],
  left = "",
): Promise<{ readonly id: string; readonly tip: string }> {
  const { row } = await begun(at, line);
  const { id: run } = row;
  const workspaces = gitWorkspaces({ home: at.home, env: at.env });
  const place = { run, repo: at.repo, branch: `work/${run}` };
  const { path, base } = await workspaces.prepare({ ...place, base: row.base, artifacts: [] });
  writeFileSync(join(path, "work.ts"), "work\n");
  const tree = await workspaces.digest(path, []);
  const { commit } = await workspaces.snapshot({ ...place, path, tree, artifacts: [], message: run });
  if (left !== "") writeFileSync(join(path, left), "left\n");
  const keep = join(at.home.root, "runs", run, "kept");
  const released = await workspaces.release({ ...place, path, keep, artifacts: [] });
  await at.withStore((store) =>
    store.commit([
      { type: "put-workspace", workspace: { ...place, path, base, status: "released", ...released } },
    ]),
  );
  return { id: run, tip: commit };
}

describe("--stage and --plan", () => {
  test("a stage that lives on nothing begins by itself", async () => {
    const { run } = await begun(on, ["A goal", "--stage", "plan"]);
    expect(run.state).toBe("1.1");
    expect(run.tree).not.toBe("");
  });

  test("a list begins the stage that works it off", async () => {
    put(on, "mine.md", LIST);
    const { run } = await begun(on, ["A goal", "--plan", "mine.md"]);
    expect(run.state).toBe("2.1");
    expect(run.held["1.1"]?.reading).toMatchObject({ found: true, fields: { tasks: 2 }, faults: [] });
    const other = await begun(on, ["A goal", "--stage", "IMPLEMENT", "--with", "1.1=mine.md"]);
    expect(other.run.held["1.1"]?.reading.fields).toEqual({ tasks: 2 });
  });

  test("the list of the checkout is taken, and that is said", async () => {
    const other = await relay();
    put(other, "plan.md", LIST);
    const { run, said } = await begun(other, ["A goal", "--stage", "implement"]);
    expect(run.state).toBe("2.1");
    expect(said).toContain("plan.md of your checkout is its list of tasks");
  });

  test.for<[what: string, text: string, said: string]>([
    ["an unknown dependency", TASK(1, "a.ts", "7"), 'depends on "7"'],
    ["a circle", `${TASK(1, "a.ts", "2")}${TASK(2, "b.ts", "1")}`, "1"],
    ["no files", "### Task 1: Do\n\nDependencies: none\n", "names no files"],
    ["no task", "# Nothing\n", "list.md:1:1: "],
  ])("a list with %s is refused with its place", async ([, text, said]) => {
    put(on, "list.md", text);
    const answer = await refusal(["A goal", "--plan", "list.md"]);
    expect(answer).toMatch(/^5 invalid-list: list\.md:\d+:\d+: .* \| mend list\.md:\d+$/);
    expect(answer).toContain(said);
  });

  test.for<[line: string, said: string]>([
    [
      "Dates --stage implement --no-test",
      "5 gate-not-met: IMPLEMENT works off a list of tasks, and there is none: neither --plan nor plan.md in your checkout | signalbox run relay Dates --detach --no-test --stage IMPLEMENT --plan FILE",
    ],
    [
      "x --stage tset",
      '2 unknown-stage: relay has no stage "tset"; did you mean TEST? | signalbox run --help',
    ],
    [
      "x --stage qqqqqq",
      '2 unknown-stage: relay has no stage "qqqqqq"; there are EXPLORE, PLAN, IMPLEMENT, TEST, FINAL | signalbox run --help',
    ],
    [
      "x --stage test --no-test",
      "2 bad-usage: TEST is disabled in this run, so it cannot begin there | signalbox run --help",
    ],
    ["x --stage test --to 3.1", "2 bad-usage: --to and --stage do not go together | signalbox run --help"],
    [
      "x --from abcd",
      "2 bad-usage: --from goes with --stage: it says whose work that stage begins with | signalbox run --help",
    ],
    [
      "x --plan no-such.md",
      "2 not-found: there is no file no-such.md | give the path of a file, or - for the standard input",
    ],
    [
      "x --stage test",
      "5 gate-not-met: TEST goes on with the work of a run of relay that has completed IMPLEMENT, and there is none here | signalbox run relay x --detach",
    ],
  ])("run relay %s", async ([line, said]) => {
    const other = await relay();
    expect(await refusal(line.split(" "), other)).toBe(said);
  });

  test("a later stage goes on with the work of the newest run that came far enough", async () => {
    const other = await relay();
    const early = await begun(other, ["Too early"]);
    expect(await refusal(["x", "--stage", "test"], other)).toContain(
      `${early.row.id} has not completed IMPLEMENT`,
    );
    const { id, tip } = await worked(other, ["A goal", "--to", "3.1"]);
    // It would go on by itself: only what holds still is taken.
    expect(await refusal(["x", "--stage", "test"], other)).toContain(
      `${id} is at work, and what it does changes`,
    );
    expect(await refusal(["x", "--stage", "test", "--from", id], other)).toBe(
      `5 gate-not-met: run ${id} is at work, and what it does changes, so TEST cannot go on with its work | signalbox show ${id}`,
    );
    await other.say(`stop ${id}`);
    const { row, run, said } = await begun(other, ["x", "--stage", "test"]);
    expect({ state: run.state, base: row.base }).toEqual({ state: "3.1", base: tip });
    expect(said).toContain(`it continues the work of ${id}, work/${id} at ${tip.slice(0, 12)}`);
    expect(await refusal(["x", "--stage", "final", "--from", id], other)).toContain(
      `run ${id} has not completed TEST`,
    );
    expect((await begun(other, ["x", "--stage", "final", "--from", id, "--no-test"])).row.base).toBe(tip);
  });

  test("a stage that the earlier run had not is as good as completed", async () => {
    const other = await relay();
    const { id, tip } = await worked(other, ["A goal", "--no-test", "--to", "4.1"]);
    await other.say(`stop ${id}`);
    expect((await begun(other, ["x", "--stage", "FINAL"])).row.base).toBe(tip);
  });

  test("what it has not committed in its workspace belongs to its work", async () => {
    const other = await relay();
    const { row } = await begun(other, ["A goal", "--to", "3.1"]);
    const run = row.id;
    const place = { run, repo: other.repo, branch: "its-own" };
    const made = await gitWorkspaces({ home: other.home, env: other.env }).prepare({
      ...place,
      base: row.base,
      artifacts: ["status.json"],
    });
    await other.withStore((store) =>
      store.commit([
        {
          type: "put-workspace",
          workspace: {
            ...place,
            path: made.path,
            base: made.base,
            status: "bound",
            salvage: "",
            kept: "",
          },
        },
      ]),
    );
    writeFileSync(join(made.path, "new.ts"), "new\n");
    await other.say(`stop ${run}`);
    const later = await begun(other, ["x", "--stage", "test"]);
    expect(later.said).toContain(`it continues the work of ${run}, its-own at`);
    const names = execFileSync("git", ["-C", other.repo, "ls-tree", "--name-only", later.row.base], {
      encoding: "utf8",
    });
    expect(names.split("\n")).toContain("new.ts");
    expect(execFileSync("git", ["-C", made.path, "status", "--porcelain"], { encoding: "utf8" })).toBe(
      "?? new.ts\n",
    );
  });

  test("what it left after its last handover belongs to its work", async () => {
    const other = await relay();
    const { id, tip } = await worked(other, ["A goal", "--to", "3.1"], "left.ts");
    await other.say(`stop ${id}`);
    const { base } = (await begun(other, ["x", "--stage", "test"])).row;
    expect(base).not.toBe(tip);
    const mirror = mirrorOf(other.home, other.repo);
    const log = execFileSync("git", ["-C", mirror, "log", "--format=%H", "--name-only", `${tip}~..${base}`], {
      encoding: "utf8",
    });
    expect(log.split("\n").filter((line) => line !== "")).toEqual([base, "left.ts", tip, "work.ts"]);
  });
});

/** A question, which can be left out, and then somebody who works. */
const LATER = `$schema: workflow-1.schema.json
name: later
title: A question that can be left out, and work
params: { asked: { bool: true } }
roles: { worker: {} }
stages:
  ASK: { enabled: $asked, stuck: go, phases: { ask: { ask: go } } }
  WORK: { stuck: go, then: done, phases: { work: { run: worker, out: work.md } } }
states: { done: { final: done } }
moves: [{ from: start, to: ask, by: human }]
asks: { go: { question: go, options: { yes: { to: work, new: WORK }, no: { to: done } } } }
`;

test.for<[params: Readonly<Record<string, boolean>>, to: string | undefined, starts: boolean]>([
  [{}, undefined, false],
  [{ asked: true }, undefined, false],
  [{ asked: false }, undefined, true],
  [{ asked: false }, "work", true],
  [{ asked: true }, "work", false],
])("with %o, to %s: whether agents are started at once is %s", ([params, to, starts]) => {
  const prompts = { worker: { file: "w", text: "Do it." }, go: { file: "g", text: "Go?" } };
  const read = parseWorkflow({ file: "later", bytes: new TextEncoder().encode(LATER), prompts });
  if (!read.ok) throw new Error(read.problems.map(showProblem).join("\n"));
  expect(startsAgents(read.workflow, { params, to })).toBe(starts);
});
