/** Tasks as people make them. */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { removeHomes } from "../support/home.ts";
import { document, LONE_FILES, outcome, taskScene, type Tasks } from "./task-support.ts";

let on: Tasks;
beforeAll(async () => {
  on = await taskScene({
    "notes.md": "What is known.\n",
    "headed.md": "What is known.\n\n## Plan\n",
    "open.md": "What is known:\n\n```\n",
  });
  on.git(on.repo, "branch", "known-branch");
  on.git(on.repo, "branch", "known-too");
  on.git(on.repo, "tag", "v1");
});
afterAll(removeHomes);

async function load(id: string) {
  const kept = await on.withStore((store) => store.load(id));
  if (kept === undefined) throw new Error(`there is no task ${id}`);
  return kept;
}

describe("create", () => {
  test.for<[words: string[], branch: string | undefined, summary: string, state: string]>([
    [["dates", "Dates are off"], "dates", "Dates are off", "planning"],
    [["Dates are off"], "dates-are-off", "Dates are off", "planning"],
    [["Dates are off!"], "dates-are-off-2", "Dates are off!", "planning"],
    [["?!"], undefined, "?!", "planning"],
    [["hello"], "hello", "hello", "planning"],
    [["known-branch"], "known-branch", "", "clarification"],
    [["V1"], "v1-2", "V1", "planning"],
    // Questions come first where a person says so.
    [["--status", "clarification"], undefined, "", "clarification"],
    [["", "No branch"], "no-branch", "No branch", "planning"],
    [["left", "Left", "--no-start"], "left", "Left", "pending"],
    [["--no-start", "--context", "notes.md"], undefined, "", "pending"],
    [["waits", "Waits", "--status", "pending", "--no-start"], "waits", "Waits", "pending"],
    [["looked-at", "x", "--status", "reviewing"], "looked-at", "x", "reviewing"],
  ])("%j", async ([words, branch, summary, state]) => {
    const id = await on.create(...words);
    const { row, run } = await load(id);
    expect({ state: row.state, goal: row.goal, ...run.params }).toMatchObject({
      state,
      goal: summary,
      branch: branch ?? `signalbox/${id}`,
      summary,
      project: "repo",
    });
  });

  test.for(["--no-start", "known-too --no-start", "--status pending"])(
    "%s: no agent is started later without knowing what to do",
    async (line) => {
      const words = line.split(" ");
      expect(await outcome(on.say(["task", "create", ...words, "--json"]))).toBe("2 bad-usage");
    },
  );

  test.for(["", " "])(
    "%j is no summary: a person is asked for one, a program is refused",
    async (summary) => {
      const before = (await on.rows()).length;
      const env = { ...on.env, VISUAL: "", EDITOR: `sh -c 'echo "From the editor" > "$0"'` };
      for (const words of [
        ["create"],
        ["create", summary],
        ["task", "create"],
        ["task", "create", summary],
      ]) {
        expect(await outcome(on.say([...words, "--json"]))).toBe("2 needs-text");
        const asked = await on.say([...words, "--quiet"], { env, isTyped: () => true });
        expect((await load(asked.stdout.trim())).row).toMatchObject({
          goal: "From the editor",
          state: "planning",
        });
      }
      expect((await on.rows()).length - before).toBe(4);
    },
  );

  test("a task that waits for others needs a summary", async () => {
    const first = await on.create("waited-for", "x", "--no-start");
    const words = ["task", "create", "--depends-on", first, "--json"];
    expect(await outcome(on.say(words))).toBe("2 bad-usage");
  });

  test("harnesses, effort and context", async () => {
    const words =
      "both --harness codex --review-harness claude --model o1 --review-model opus --effort high --review-effort low --no-start";
    const id = await on.create("Both", ...words.split(" ").slice(1), "--context", "notes.md");
    expect((await load(id)).run.params).toMatchObject({
      harness: "codex",
      review_harness: "claude",
      model: "o1",
      review_model: "opus",
      effort: "high",
      review_effort: "low",
    });
    const page = readFileSync(join(runFolders(on.home, id).files, "TASK.md"), "utf8");
    expect(page).toMatch(/^---\n[^]*status: pending\n[^]*^## Context\n\nWhat is known\.$/m);
  });

  test.for([
    [
      "--effort=huge",
      "2 no-effort",
      'the effort "huge" of the worker cannot be asked for: it is low, medium, high, max',
    ],
    [
      "--review-harness=gemini --review-effort=low",
      "2 no-effort",
      'the effort "low" of the reviewer cannot be asked for: gemini has no option for it',
    ],
  ] as const)("what no program can do is said: %s", async ([words, expected, message]) => {
    const before = (await on.rows()).length;
    const answer = await on.say(["task", "create", "x y", "--no-start", ...words.split(" "), "--json"]);
    expect([await outcome(Promise.resolve(answer)), document(answer)["message"]]).toEqual([
      expected,
      message,
    ]);
    expect((await on.rows()).length).toBe(before);
  });

  test("one key, one task", async () => {
    const words = ["task", "create", "keyed", "x", "--key", "k1", "--json"];
    const first = await on.say(words);
    const before = (await on.rows()).length;
    expect(document(await on.say(words))["run"]).toBe(document(first)["run"]);
    expect((await on.rows()).length).toBe(before);
  });

  test.for([
    [["not-there", "x"], "2 no-branch"],
    [["Something to look at"], "2 no-branch"],
  ] as const)("nobody is asked to review %j", async ([words, expected]) => {
    const before = (await on.rows()).length;
    const call = on.say(["task", "create", ...words, "--status", "agent-review", "--json"]);
    expect([await outcome(call), (await on.rows()).length]).toEqual([expected, before]);
  });

  test("of several who want one branch at the same moment, one gets it", async () => {
    const calls = Array.from({ length: 5 }, () =>
      outcome(on.say(["task", "create", "raced", "x", "--no-start", "--json"])),
    );
    const answers = await Promise.all(calls);
    expect(answers.toSorted()).toEqual(["0 ok", ...Array.from({ length: 4 }, () => "6 branch-taken")]);
  });

  test("it says where it goes on, and what it waits for", async () => {
    const small = await taskScene({}, 1);
    const first = await small.say(["task", "create", "a", "x"]);
    expect(first.stdout).toMatch(/^[a-z0-9]{8}\n$/);
    expect(first.stderr).toContain(`planning in ${join(small.home.workspaces, first.stdout.trim())}\n`);
    const second = await small.say(["task", "create", "b", "x"]);
    expect(second.code).toBe(0);
    const id = second.stdout.trim();
    expect(await small.stateOf(id)).toBe("pending");
    expect(await small.withStore((store) => store.queued())).toMatchObject([{ run: id }]);
    const full =
      "0 of 1 agents at work and 1 about to start (raise with: signalbox project update repo --agents 2)";
    expect(second.stderr).toContain(`pending, queued: ${full}`);
    const list = await small.say(["task", "list"]);
    expect(list.stdout).toMatch(/pending +queued/);
    expect(list.stderr).toContain(`1 queued: ${full}`);
    expect((await small.say(["list"])).stderr).toContain(`1 queued: ${full}`);
    expect((await small.say(["why", id])).stdout).toContain(`Queued: ${full}`);
    expect((await small.say(["show", id])).stdout).toContain(`Queued: ${full}`);
    expect((await small.say(["run", "task", "e", "--detach"])).stderr).toContain(`queued: ${full}`);
    // Only a task that waits at its beginning can be queued: any other begins, and its agent waits.
    expect(await outcome(small.say(["task", "create", "c", "--json"]))).toBe("0 ok");
    expect(await outcome(small.say(["task", "create", "d", "x", "--status", "reviewing", "--json"]))).toBe(
      "0 ok",
    );
  });

  test("what it depends on comes first", async () => {
    const a = await on.create("dep-a", "x", "--no-start");
    const b = await on.create("dep-b", "x", "--no-start");
    const c = await on.create("dep-c", "x", "--depends-on", `${a},${b}`);
    expect(await on.withStore((store) => store.depends(c))).toEqual([a, b].toSorted());
    expect(await on.stateOf(c)).toBe("pending");
    expect(await outcome(on.say(["task", "start", c, "--json"]))).toBe("5 gate-not-met");
    expect(await outcome(on.say(["task", "update", a, "--depends-on", c, "--json"]))).toBe("2 cycle");
    expect(await outcome(on.say(["task", "update", c, "--depends-on", "none", "--json"]))).toBe("0 ok");
    expect(await outcome(on.say(["task", "start", c, "--json"]))).toBe("0 ok");
    expect(await on.stateOf(c)).toBe("planning");
    expect((await on.withStore((store) => store.queued())).map(({ run }) => run)).not.toContain(c);
    expect(await outcome(on.say(["task", "start", c, "--json"]))).toBe("4 not-in-map");
  });

  test("whoever depends on what was given up waits for a person, and is not called queued", async () => {
    const a = await on.create("gone-a", "x", "--no-start");
    const b = await on.create("gone-b", "x", "--depends-on", a);
    const said = async (): Promise<string> =>
      (await on.say(["task", "list"])).stdout.split("\n").find((line) => line.includes(b.slice(0, 4))) ?? "";
    expect(await said()).toMatch(/pending +after \w+/);
    expect(await outcome(on.say(["task", "cancel", a, "--yes", "--json"]))).toBe("0 ok");
    expect(await said()).toMatch(/pending +you/);
  });

  test("who did not go when it was its turn is told with the reason, and wakes nobody", async () => {
    const held = await taskScene({}, 1);
    const first = await held.create("first", "x");
    const id = await held.create("queued", "x");
    await held.withStore(async (store) => {
      const seq = (await store.load(id))?.run.seq ?? 0;
      await store.commit([
        {
          type: "refuse",
          run: { run: id, seq }.run,
          seq: { run: id, seq }.seq,
          refusal: { message: "no such disk", tries: 1, dueAt: Date.now() + 60_000 },
        },
      ]);
      // What is to be done for the other one is none of this test's business.
      await store.commit([{ type: "halt", run: first, halted: true }]);
    });
    let wakes = 0;
    const typed = async (...words: string[]): Promise<string> =>
      (await held.say(words, { startSupervisor: () => void (wakes += 1) })).stdout;
    const why = "could not be started when its turn came: no such disk";
    const now = `signalbox resume ${id}`;
    expect(await typed("task", "list")).toMatch(new RegExp(`pending +${why}`));
    expect(await typed("why", id)).toContain(`C${why.slice(1)}; `);
    expect(await typed("next", id)).toContain(`C${why.slice(1)}; `);
    expect(await typed("task", "show", id)).toContain(now);
    expect(await typed("show", id)).toContain(`C${why.slice(1)}`);
    expect(await typed("watch", "--once")).toMatch(/pending +you: start/);
    expect(await typed("inbox")).toContain(id);
    expect(wakes).toBe(0);
    expect(await typed("resume", id)).toContain("tried again: its turn in the queue");
    expect(wakes).toBe(1);
  });

  test("refused with nothing written", async () => {
    on.git(on.repo, "branch", "there");
    const tree = join(on.root, "elsewhere");
    on.git(on.repo, "worktree", "add", "--quiet", "-b", "held", tree);
    await on.create("taken", "x", "--no-start");
    const empty = { ...on.env, PATH: "/usr/bin:/bin" };
    const before = (await on.rows()).length;
    const folders = (): string[] => readdirSync(join(on.home.root, "runs")).toSorted();
    const there = folders();
    const cases: [words: string[], expected: string, env?: Record<string, string>][] = [
      [["x", "y", "--harness", "clade"], "2 unknown-harness"],
      [["x", "y", "--review-harness", "toString"], "2 unknown-harness"],
      [["x", "y", "--harness", "codex"], "2 no-program", empty],
      [["taken", "y"], "6 branch-taken"],
      [["taken/below", "y"], "6 branch-taken"],
      [["there/below", "y"], "6 branch-in-the-way"],
      [["held", "y"], "6 branch-in-use"],
      [["main", "y"], "6 branch-is-default"],
      [["v1", "y"], "6 branch-name"],
      [["a..b", "y"], "2 branch-name"],
      [["--", "-x", "y"], "2 branch-name"],
      [["x", "y", "--project", "other"], "2 unknown-project"],
      [["x", "y", "--depends-on", "zzzz"], "2 unknown-run"],
      [["x", "y", "--status", "working"], "4 not-in-map"],
      [["x", "y", "--context", "no-such.md"], "2 not-found"],
      [["x", "y", "--context", "headed.md"], "1 artifact-not-written"],
      [["x", "y", "--context", "headed.md", "--key", "k2"], "1 artifact-not-written"],
      [["x", "y", "--context", "open.md"], "1 artifact-not-written"],
      [["x", "y", "z"], "2 bad-usage"],
    ];
    for (const [words, expected, env] of cases)
      for (const more of [[], ["--context", "notes.md"]]) {
        const call = on.say(
          ["task", "create", "--json", ...more, ...words],
          env === undefined ? {} : { env },
        );
        const said = `${JSON.stringify(words)} ${await outcome(call)}`;
        expect.soft([said, ...folders()]).toEqual([`${JSON.stringify(words)} ${expected}`, ...there]);
      }
    // What is to be typed is told by the role whose program is missing.
    const own = join(on.root, "own-bin");
    mkdirSync(own);
    writeFileSync(join(own, "claude"), "#!/bin/sh\n", { mode: 0o755 });
    const only = { ...on.env, PATH: `${own}:/usr/bin:/bin` };
    const answer = document(
      await on.say(["task", "create", "x", "y", "--review-harness", "codex", "--json"], { env: only }),
    );
    expect(answer["message"]).toBe(
      "codex is not installed, or not on the PATH: the reviewer calls it. Installed here: claude",
    );
    expect(answer["next"]).toContain("--review-harness claude");
    expect((await on.rows()).length).toBe(before);
    // A branch that is there and not checked out is worked on.
    expect((await load(await on.create("there", "y", "--no-start"))).run.params["branch"]).toBe("there");
  });

  test("a script of one's own is called by its path: it is there or not, and may be started or not", async () => {
    const own = await taskScene({}, 1);
    const folder = join(own.env["HOME"] ?? "", ".config/signalbox");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.yaml"), "harnesses: { mine: { command: [./mine.sh] } }\n");
    const told = async (): Promise<string> => {
      const words = ["task", "create", "x", "y", "--harness", "mine", "--json"];
      const { message, next } = document(await own.say(words));
      return `${String(message)} | ${String(next)}`.replaceAll(folder, "");
    };
    const calls = ": the worker calls it. Installed here: claude";
    const rest = ", or choose another one: --harness claude; signalbox doctor says which are there";
    expect(await told()).toBe(`/mine.sh is not there${calls} | put it there${rest}`);
    writeFileSync(join(folder, "mine.sh"), "#!/bin/sh\n", { mode: 0o644 });
    expect(await told()).toBe(`/mine.sh may not be executed${calls} | chmod +x '/mine.sh'${rest}`);
    const { stdout } = await own.say(["doctor"], { env: { ...own.env, PATH: "/usr/bin:/bin" } });
    expect(stdout).toMatch(/harnesses +\S+mine\.sh may not be executed; none of claude, .* is on your PATH;/);
  });

  test("of a role that names no harness, the setting that chooses another one is named", async () => {
    const own = await taskScene(LONE_FILES, 1);
    const env = { ...own.env, PATH: "/usr/bin:/bin" };
    const answer = document(await own.say(["run", "lone", "--detach", "--json"], { env }));
    expect(answer).toMatchObject({
      code: "no-program",
      message: "claude is not installed, or not on the PATH: the writer calls it",
      next: "install it, or choose another one: harness: NAME in config.yaml; signalbox doctor says which are there",
    });
  });

  test("a program that is missing refuses whatever would start at once", async () => {
    const small = await taskScene({}, 1);
    const env = { ...small.env, PATH: "/usr/bin:/bin" };
    const left = await small.create("left", "x", "--no-start");
    const seen = (): Promise<unknown> =>
      small.withStore(async (store) => [await small.rows(), await store.queued()]);
    const before = await seen();
    const message = "claude is not installed, or not on the PATH: the worker and reviewer call it";
    const params = "--param harness=NAME --param review_harness=NAME";
    const cases: [words: string[], choose: string][] = [
      [["task", "create", "a", "x"], ", or choose another one: --harness NAME --review-harness NAME"],
      [["run", "task", "x", "--detach"], `, or choose another one: ${params}`],
      [["run", "task", "x", "--to", "clarification"], `, or choose another one: ${params}`],
      [["task", "start", left], ""],
    ];
    for (const [words, choose] of cases) {
      const printed = await small.say([...words, "--json"], { env });
      expect([words, printed.code, document(printed)]).toMatchObject([
        words,
        2,
        {
          code: "no-program",
          message,
          next: `install it${choose}; signalbox doctor says which are there`,
        },
      ]);
    }
    expect(await seen()).toEqual(before);
    expect(await outcome(small.say(["run", "task", "x", "--no-start", "--detach", "--json"], { env }))).toBe(
      "0 ok",
    );
    expect(
      await outcome(small.say(["run", "task", "x", "--to", "pending", "--detach", "--json"], { env })),
    ).toBe("0 ok");
    // It is refused while others work, too: nobody is at the keyboard when its turn comes.
    await small.create("busy", "x");
    for (const words of [
      ["task", "start", left],
      ["run", "task", "x", "--detach"],
    ])
      expect(await outcome(small.say([...words, "--json"], { env }))).toBe("2 no-program");
  });

  test("where there is nothing to work on", async () => {
    const folder = realpathSync(mkdtempSync(join(on.root, "places-")));
    const [plain, bare, unborn] = ["plain", "bare", "unborn"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(plain);
    execFileSync("git", ["init", "--quiet", "--bare", bare]);
    execFileSync("git", ["init", "--quiet", unborn]);
    const answers = [];
    for (const cwd of [plain, bare, unborn])
      answers.push(await outcome(on.say(["task", "create", "x", "y", "--json"], { cwd })));
    expect(answers).toEqual(["2 no-repository", "2 bare-repository", "2 no-commit"]);
    expect(await outcome(on.say(["task", "create", "x", "y", "--json"], { cwd: "/" }))).toBe(
      "2 no-repository",
    );
    rmSync(folder, { recursive: true });
  });
});
