/** What people are told about a run is true, and in words that say what to do. */
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { run } from "../../src/cli/run.ts";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import { fromText } from "../support/workflows.ts";
import { AT, answered, handedIn, machine, PERSON, type Machine } from "./reading-support.ts";

const PAPER = fromText(`$schema: ../schema/workflow-1.schema.json
name: paper
title: A paper is written, looked at and kept
params:
  session: { text: "s1" }
  mood: { text: calm }
artifacts:
  idea: { in: "{session}/TASK.md", section: Idea, by: human }
  paper: { in: "{session}/paper.md", document: [What, Why], by: worker, fresh: rounds }
  printed: { fact: branch-merged }
counters:
  rounds: { max: 3, per: run }
  crashes: { max: 2, per: entry }
roles:
  worker: { prompt: worker, session: fresh }
states:
  writing: { enter: [start worker] }
  looking: { waits: true }
  pause: { waits: true, title: Nobody works }
  kept: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: writing, by: human }
  - { from: writing, to: looking, by: worker, need: paper, count: rounds, do: [stop worker] }
  - { from: looking, to: dropped, by: human }
  - { from: looking, to: pause, by: human }
  - { from: looking, to: writing, by: human }
  - { from: looking, to: kept, by: engine, when: { printed: holds } }
  - { from: looking, to: kept, by: human }
  - { from: pause, to: looking, by: human, set: { mood: "" } }
  - { from: [writing, pause], to: dropped, by: human, do: [stop all] }
ends:
  - { role: worker, in: writing, else: { count: crashes, do: [mark worker] } }
`);

const BOOK = fromText(`$schema: ../schema/workflow-1.schema.json
name: book
title: A book with the chapters that its plan names
artifacts:
  plan: { in: plan.md, document: [Chapters], lists: { chapters: Chapters }, by: worker }
  chapters: { in: "chapters/{slot}.md", file: true, every: plan.chapters, by: [worker, human] }
  todo: { in: todo.md, tasks: checkbox, by: worker }
  work: { files: todo }
counters:
  crashes: { max: 3, per: run }
roles:
  worker: { prompt: worker }
states:
  writing: { enter: [start worker] }
  looking: { waits: true }
  kept: { final: done }
moves:
  - { from: start, to: writing, by: human }
  - { from: writing, to: looking, by: worker, need: [plan, todo], do: [stop worker] }
  - { from: looking, to: kept, by: human, need: chapters, when: { work: valid } }
ends:
  - { role: worker, in: writing, else: { count: crashes, do: [start worker] } }
`);

type Json = Record<string, unknown>;

const worker = { type: "agent", role: "worker", slot: "", attempt: 1 } as const;

function reading(artifact: string, more: Partial<Reading> = {}): Reading {
  return { artifact, slot: "", found: true, digest: "d1", faults: [], fields: {}, lists: {}, ...more };
}

const ABSENT = reading("paper", {
  found: false,
  digest: "",
  faults: [{ at: { file: "s1/paper.md", line: 1, col: 1 }, reason: "the file is missing" }],
});

function move(to: string, more: Partial<Extract<Incoming, { type: "move-asked" }>> = {}): Incoming {
  return { type: "move-asked", by: PERSON, at: AT, to, tree: "t1", ...more };
}

function ended(...readings: readonly Reading[]): Extract<Incoming, { type: "agent-ended" }> {
  const { role, slot, attempt } = worker;
  return { type: "agent-ended", at: AT, role, slot, attempt, cause: "exited", code: 1, readings };
}

const written = move("looking", { by: worker, readings: [reading("paper")] });

async function paper(...events: readonly Incoming[]): Promise<Machine> {
  const on = await machine(PAPER);
  await on.begin("abcd1234");
  for (const event of events) await on.happen("abcd1234", event);
  return on;
}

async function artifacts(on: Machine, line: string): Promise<Record<string, Json>> {
  const { artifacts: all } = (await on.data(line)) as { artifacts: Json[] };
  return Object.fromEntries(all.map((each) => [String(each["artifact"]), each]));
}

describe("artifacts", () => {
  test("what is missing is expected somewhere, whatever was found there before", async () => {
    const on = await paper(ended(ABSENT));
    expect(await artifacts(on, "show abcd")).toMatchObject({
      idea: { file: "s1/TASK.md", reason: "expected: ## Idea in s1/TASK.md" },
      paper: { file: "s1/paper.md", standing: "missing", reason: "expected: s1/paper.md with What, Why" },
    });
    const { stdout } = await on.call("show abcd");
    expect(stdout).not.toMatch(/\{session\}|the file is missing/);
    expect((await on.call("why abcd")).stdout).not.toContain("{session}");
  });

  test("what follows from another one is not looked for before that is there", async () => {
    const on = await machine(BOOK);
    await on.begin("b1");
    const at = { file: "plan", line: 1, col: 1 };
    const none = { found: false, digest: "" };
    const chapters = reading("chapters", { ...none, faults: [{ at, reason: "plan names no chapters yet" }] });
    const todo = { at: { ...at, file: "todo.md" }, reason: "what it names cannot be looked at" };
    const work = reading("work", { ...none, faults: [todo] });
    const plan = reading("plan", { lists: { chapters: ["a"] } });
    await on.happen("b1", ended(chapters, work));
    await on.happen("b1", { type: "submitted", by: { ...worker, attempt: 2 }, at: AT, readings: [plan] });
    expect(await artifacts(on, "show b1")).toMatchObject({
      chapters: { standing: "missing", reason: "expected: chapters/*.md" },
      work: { standing: "missing", reason: "expected: the files of todo" },
    });
    expect((await on.call("show b1")).stdout).not.toMatch(/names no|^ {2}(work|chapters) /m);
    const faults = [{ at: { ...at, file: "chapters/a.md" }, reason: "the file is a folder" }];
    await on.begin("b2");
    await on.happen("b2", ended({ ...chapters, faults }));
    expect((await artifacts(on, "show b2"))["chapters"]).toMatchObject({ reason: "the file is a folder" });
  });

  test("what could not be read is told as it was", async () => {
    const faults = [{ at: { file: "s1/paper.md", line: 1, col: 1 }, reason: "the file is a pipe" }];
    const on = await paper(ended(reading("paper", { found: false, digest: "", faults })));
    expect((await artifacts(on, "show abcd"))["paper"]).toMatchObject({ reason: "the file is a pipe" });
  });

  test.for<[string, (file: string) => void, string]>([
    ["a folder", (file) => mkdirSync(file), "the file is a folder"],
    [
      "a link",
      (file) => symlinkSync("/etc/passwd", file),
      "the file is a symbolic link, which is not followed",
    ],
    [
      "too much",
      (file) => {
        writeFileSync(file, "");
        truncateSync(file, 100 * 1024 * 1024);
      },
      "the file is larger than 1048576 bytes (it has 104857600)",
    ],
  ])("%s in the place of a file is told as it is now, with the place", async ([, plant, reason]) => {
    const on = await paper(ended(ABSENT));
    const folder = join(runFolders(on.home, "abcd1234").files, "s1");
    mkdirSync(folder, { recursive: true });
    for (const name of ["paper.md", "TASK.md"]) plant(join(folder, name));
    const { moves } = (await on.data("why abcd")) as { moves: Json[] };
    const at = { file: "s1/paper.md", line: 1, col: 1 };
    expect(moves.find(({ to }) => to === "looking")?.["reasons"]).toMatchObject([
      { message: expect.stringContaining(reason) as string, at },
    ]);
    expect((await on.call("why abcd")).stdout).toContain("s1/paper.md:1:1: ");
    expect((await artifacts(on, "show abcd"))["paper"]).toMatchObject({ standing: "missing", reason, at });
    expect((await on.call("next abcd")).stdout).toContain(`${reason} (s1/TASK.md:1:1)`);
  });

  test("what was used says so", async () => {
    const on = await paper(written);
    expect((await artifacts(on, "show abcd"))["paper"]).toMatchObject({ standing: "stale", used: true });
    expect((await on.call("show abcd")).stdout).toMatch(/^ {2}paper +accepted +accepted before; /m);
  });

  test("facts that do not hold are told to who wants to know everything", async () => {
    const on = await paper();
    expect(Object.keys(await artifacts(on, "show abcd"))).toEqual(["idea", "paper"]);
    expect(Object.keys(await artifacts(on, "show abcd --verbose"))).toEqual(["idea", "paper", "printed"]);
  });
});

describe("agents", () => {
  test("one that was never started is not idle", async () => {
    const on = await paper();
    await on.agent("abcd1234", { status: "idle", turn: 0 });
    expect((await on.call("show abcd")).stdout).toMatch(/worker +attempt 1 +not started yet$/m);
    await on.store.commit([
      { type: "attend", run: "abcd1234", attention: "no such program; try again: signalbox resume abcd1234" },
    ]);
    expect((await on.call("show abcd")).stdout).toMatch(/worker .* not started: the run needs attention$/m);
  });

  test("one that has crashed is told with what its budget counts", async () => {
    const on = await paper(ended());
    const said = "Worker stopped without submitting paper (1 of 2).";
    expect((await on.data("inbox"))["items"]).toMatchObject([{ kind: "crashed", reason: said }]);
    expect((await on.data("show abcd"))["waits"]).toMatchObject({ kind: "crashed", sentence: said });
    expect((await on.data("show abcd"))["actions"]).toMatchObject([
      { command: "signalbox retry abcd1234", sentence: "start the worker again" },
      { command: "signalbox logs abcd1234" },
      { sentence: "cancel" },
    ]);
  });
});

describe("ways", () => {
  const WAYS = [
    ["kept", "on to kept (the end)"],
    ["pause", "on to pause (Nobody works)"],
    ["writing", "back to writing"],
    ["dropped", "cancel"],
  ].map(([to = "", means = ""]) => ({ command: `signalbox move abcd1234 ${to}`, means }));

  test("what goes on comes first, cancelling last, each with what it means", async () => {
    const on = await paper(written);
    const { items } = (await on.data("inbox")) as { items: Json[] };
    const own = WAYS.slice(0, 3).map(({ command, means: sentence }) => ({ command, sentence }));
    const call = { use: "cancel", input: { run: "abcd1234", entry: 2 }, words: "optional" };
    const cancel = { command: "signalbox cancel abcd1234", sentence: "cancel", verb: "cancel", call };
    const actions = [...own, cancel];
    expect(items[0]).toMatchObject({ actions });
    expect((await on.data("show abcd"))["actions"]).toEqual(actions);
    const { moves } = (await on.data("next abcd")) as { moves: Json[] };
    expect(moves.map(({ command, means }) => ({ command, means }))).toEqual(WAYS);
    for (const line of ["inbox --verbose", "show abcd", "next abcd"])
      expect((await on.call(line)).stdout).toMatch(
        /^ +signalbox move abcd1234 kept +on to kept \(the end\)\n.*pause.*\n.*back to writing\n.* cancel$/m,
      );
    expect((await on.data("next abcd"))["next"]).toBe("signalbox move abcd1234 kept");
  });

  test("a question names what to read, as it is opened from here", async () => {
    const on = await machine();
    await on.begin("abcd1234");
    await on.happen("abcd1234", handedIn);
    const path = join(runFolders(on.home, "abcd1234").files, "letter.md");
    expect((await on.call("show abcd")).stdout).toContain(`\n  read: ${path}\n`);
    const workspace = join(on.env["HOME"] ?? "", "repo", "tree");
    const row = { run: "abcd1234", repo: workspace, branch: "b", base: "c", salvage: "", kept: "" };
    await on.store.commit([
      { type: "put-workspace", workspace: { ...row, path: workspace, status: "bound" } },
    ]);
    expect((await on.call("inbox --verbose")).stdout).toContain("\n    read: tree/letter.md\n");
  });
});

describe("runs that are over", () => {
  test("say it once, and need nobody for what went wrong on the way", async () => {
    const on = await paper(written, move("kept"));
    await on.begin("eeee5555");
    await on.happen("eeee5555", move("dropped"));
    await on.store.commit([
      { type: "attend", run: "eeee5555", attention: "no such program; try again: signalbox resume eeee5555" },
    ]);
    expect((await on.data("inbox"))["items"]).toEqual([]);
    const { stdout, stderr } = await on.call("list --all");
    expect(stdout).toMatch(/ dropped .* paper +eeee$/m);
    expect(stderr).not.toContain("inbox");
    expect((await on.call("show eeee")).stdout).not.toContain("attention");
    expect(await on.data("show eeee")).toMatchObject({ attention: "", next: "signalbox history eeee5555" });
    const over = await on.call("show abcd");
    expect(over.stdout).toMatch(/^state +kept, \d+ \w+ ago\nresult +Done\.$/m);
    expect(over.stdout).not.toContain("expected");
  });

  test("a list of nothing says what to type", async () => {
    const home = mkdtempSync(join(tmpdir(), "signalbox-none-"));
    const none = await run(["list"], { cwd: home, env: { HOME: home } });
    expect(none).toEqual({
      code: 0,
      stdout: "",
      stderr: "  No runs yet.\n  next: signalbox run WORKFLOW GOAL\n",
    });
    const on = await paper(written, move("kept"));
    expect((await on.call("list")).stderr).toBe("  No run is under way.\n  next: signalbox list --all\n");
    expect((await on.call("list --state writing")).stderr).toContain("No run matches.");
  });
});

test("why says first that it is halted", async () => {
  const on = await paper(written);
  expect(await on.data("why abcd")).toMatchObject({ notes: [], next: "signalbox move abcd1234 kept" });
  await on.store.commit([{ type: "halt", run: "abcd1234", halted: true }]);
  const halted = "it is stopped: nothing is done for it until signalbox resume abcd1234";
  expect(await on.data("why abcd")).toMatchObject({ notes: [halted], next: "signalbox resume abcd1234" });
});

test("a parameter that is emptied is told so", async () => {
  const on = await paper(written, move("pause"), move("looking"));
  expect((await on.call("history abcd")).stdout).toContain("moved it to looking. mood is empty.\n");
});

test("history has notes in their place", async () => {
  const on = await machine();
  await on.begin("abcd1234");
  await on.happen("abcd1234", handedIn);
  await on.happen("abcd1234", answered("send"));
  const note = { run: "abcd1234", kind: "halted", text: "ann halted the run" };
  await on.store.commit([{ type: "note", note: { ...note, at: "2026-01-01T08:30:00.000Z" } }]);
  await on.store.commit([
    { type: "note", note: { ...note, at: "2026-01-01T11:00:00.000Z", kind: "late", text: "too late" } },
  ]);
  const { stdout } = await on.call("history abcd");
  expect(stdout.split("\n").map((line) => line.slice(21, 39))).toEqual([
    "ann created it: wr",
    "(halted) ann halte",
    "Worker went on to ",
    "ann answered send:",
    "(late) too late",
    "",
  ]);
  expect(((await on.data("history abcd --limit 1"))["notes"] as Json[]).map(({ kind }) => kind)).toEqual([
    "late",
  ]);
});

test("short options are told", async () => {
  const { stdout } = await run(["logs", "--help"], { cwd: "/", env: {} });
  expect(stdout).toMatch(/^ {2}--follow, -f +go on/m);
});
