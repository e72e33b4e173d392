/** Tasks that are there: which one is meant, how they end, and pages that are not what they should be. */
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { removeHomes } from "../support/home.ts";
import { document, outcome, taskScene, type Tasks } from "./task-support.ts";

let on: Tasks;
beforeAll(async () => {
  on = await taskScene({ "notes.md": "What is known.\n", "headed.md": "What is known.\n\n## Plan\n" });
});
afterAll(removeHomes);

describe("which task", () => {
  test("a branch names a task, and a run", async () => {
    const id = await on.create("known-by-this", "x", "--no-start");
    expect(document(await on.say(["task", "show", "known-by-this", "--json"]))["run"]).toBe(id);
    for (const words of [["show"], ["why"]])
      expect(document(await on.say([...words, "known-by-this", "--json"]))).toMatchObject({
        ok: true,
        run: id,
      });
  });

  test("a typing error in a branch or an id is corrected", async () => {
    const id = await on.create("dates-in-the-export", "x", "--no-start");
    const letters = id.slice(0, 6);
    const slip = `${letters.slice(0, 5)}${letters.endsWith("x") ? "y" : "x"}`;
    const near = async (word: string): Promise<unknown> =>
      document(await on.say(["show", word, "--json"]))["message"];
    expect(await near("dats-in-the-export")).toBe(
      'there is no run "dats-in-the-export"; did you mean "dates-in-the-export"?',
    );
    expect(await near(slip)).toBe(`there is no run "${slip}"; did you mean "${letters}"?`);
  });

  test("a branch names a task that is over, as long as nobody else has it or had it", async () => {
    const branch = "known-after-its-end";
    const shown = async (): Promise<unknown> =>
      document(await on.say(["task", "show", branch, "--json"]))["run"];
    const first = await on.create(branch, "x", "--no-start");
    await on.say(["task", "cancel", first]);
    expect(await shown()).toBe(first);
    const second = await on.create(branch, "x", "--no-start");
    expect(await shown()).toBe(second);
    await on.say(["task", "cancel", second]);
    expect(document(await on.say(["task", "delete", branch, "--json"]))).toMatchObject({
      code: "unknown-run",
      message: `several tasks had the branch ${branch}: ${second}, ${first}`,
      next: "signalbox list --all",
    });
    expect(await outcome(on.say(["task", "delete", second, "--json"]))).toBe("0 ok");
    expect(await outcome(on.say(["task", "delete", branch, "--json"]))).toBe("0 ok");
    expect(await outcome(on.say(["task", "show", branch, "--json"]))).toBe("2 unknown-run");
  });

  test("letters mean the project that somebody is in, a whole id means its task everywhere", async () => {
    const other = join(on.root, "other");
    mkdirSync(other);
    writeFileSync(join(other, "x"), "");
    on.git(other, "init", "--quiet", "--initial-branch=main");
    on.git(other, "add", ".");
    on.git(other, "commit", "--quiet", "-m", "x");
    await on.say(["project", "add", "--name", "other"], { cwd: other });
    const here = await on.create("here", "x", "--no-start");
    const there = document(
      await on.say(["task", "create", "only-there", "x", "--no-start", "--json"], { cwd: other }),
    );
    const id = String(there["run"]);
    const letters = id.slice(0, 7);
    // By its branch, too: the task of this project, and no other's.
    expect(document(await on.say(["task", "show", "here", "--json"]))["run"]).toBe(here);
    expect(await outcome(on.say(["task", "show", "only-there", "--json"]))).toBe("2 other-project");
    expect(await outcome(on.say(["task", "show", letters, "--json"]))).toBe("2 other-project");
    expect(await outcome(on.say(["task", "cancel", letters, "--json"]))).toBe("2 other-project");
    expect(await outcome(on.say(["task", "show", letters, "--json"], { cwd: other }))).toBe("0 ok");
    expect(await outcome(on.say(["task", "show", letters, "--project", "other", "--json"]))).toBe("0 ok");
    expect(await outcome(on.say(["task", "show", id, "--json"]))).toBe("0 ok");
    expect(await outcome(on.say(["task", "show", here, "--project", "other", "--json"]))).toBe(
      "2 other-project",
    );
    expect(await outcome(on.say(["task", "create", "d", "x", "--depends-on", id, "--json"]))).toBe(
      "2 other-project",
    );
    const listed = document(await on.say(["task", "list", "--json", "--project", "other"]));
    expect(listed["tasks"]).toMatchObject([{ run: id, project: "other" }]);
    expect(document(await on.say(["project", "remove", "other", "--json"]))).toMatchObject({
      code: "project-in-use",
      next: `signalbox list --repo '${realpathSync(other)}'`,
    });
    await on.say(["task", "cancel", id]);
    expect(await outcome(on.say(["project", "remove", "other", "--json"]))).toBe("0 ok");
  });
});

describe("what is told of a task is the same everywhere", () => {
  const said = async (words: string[], id: string): Promise<string> =>
    (await on.say(words)).stdout.split("\n").find((line) => line.includes(id.slice(0, 4))) ?? "";

  test("what it is called now", async () => {
    const id = await on.create("called-anew", "First", "--no-start");
    await on.say(["task", "update", id, "--summary", "Second"]);
    for (const words of [["task", "list"], ["list"], ["show", id], ["inbox"]])
      expect.soft([...words, await said(words, id)].join(" ")).toMatch(/\bSecond\b/);
  });

  test("whether it waits for a person, or in the queue", async () => {
    const first = await on.create("goes-first", "x", "--no-start");
    const id = await on.create("goes-second", "x", "--depends-on", first);
    expect(await said(["list"], id)).toMatch(/pending +after \w+/);
    expect((await on.say(["show", id])).stdout).toContain("pending (Not started yet), for");
    expect(document(await on.say(["show", id, "--json"]))).toMatchObject({ queued: true });
    await on.say(["stop", id]);
    expect(await said(["list"], id)).toMatch(/pending +you: stopped/);
    await on.say(["task", "cancel", first]);
    await on.say(["resume", id]);
    expect(await said(["list"], id)).toMatch(/pending +you/);
    expect(document(await on.say(["show", id, "--json"]))).toMatchObject({ queued: false });
  });
});

test("the branch of a task at work gets no name that another branch has, and nobody works on the default branch", async () => {
  const id = await on.taskIn("planning");
  const path = join(on.root, "at-work");
  on.git(on.repo, "worktree", "add", "--quiet", "-b", "at-work", path);
  on.git(on.repo, "branch", "there-already");
  const row = { run: id, repo: on.repo, path: realpathSync(path), base: "", salvage: "", kept: "" };
  await on.withStore((store) =>
    store.commit([{ type: "put-workspace", workspace: { ...row, branch: "at-work", status: "bound" } }]),
  );
  const renamed = async (...words: readonly string[]): Promise<string> =>
    outcome((await on.as(id, "worker"))(["task", "update", "--json", "--branch", ...words]));
  const asked = (): Promise<unknown> =>
    on.withStore(async (store) => (await store.load(id))?.run.params["branch"]);
  const before = await asked();
  expect(await renamed("there-already")).toBe("6 branch-exists");
  expect(await renamed("main")).toBe("6 branch-is-default");
  expect(await asked()).toBe(before);
  // Switched by hand, that is its branch; a task that has no workspace yet will be on it.
  on.git(path, "switch", "--quiet", "there-already");
  expect(await renamed("there-already")).toBe("0 ok");
  on.git(on.repo, "branch", "there-too");
  const pending = await on.taskIn("pending");
  expect(await outcome(on.say(["task", "update", pending, "--branch", "there-too", "--json"]))).toBe("0 ok");
});

describe("to the end", () => {
  test("changes are requested in one act", async () => {
    const id = await on.taskIn("reviewing");
    const first = await on.say(["task", "request-changes", id, "Also leap years"]);
    expect(first.code).toBe(0);
    expect(await on.stateOf(id)).toBe("working");
    const page = (): string => readFileSync(join(runFolders(on.home, id).files, "TASK.md"), "utf8");
    expect(page()).toMatch(/^## Fix Instructions\n\n\d{4}-\d\d-\d\d [\d:]+Z\n\nAlso leap years$/m);
    const asked = (await on.withStore((store) => store.events(id))).findLast(
      ({ event }) => event.type === "move-asked",
    );
    expect(asked?.event).toMatchObject({ note: "Also leap years" });
    expect(await outcome(on.say(["task", "request-changes", id, "More", "--json"]))).toBe("4 not-in-map");
    expect(page()).not.toContain("More");
  });

  test("what can be merged is offered so, and what a page asks can be read without it", async () => {
    type Item = { run: string; decision: { asked: string[] } | null; actions: { command: string }[] };
    const item = async (id: string): Promise<Item | undefined> =>
      (document(await on.say(["inbox", "--json"]))["items"] as Item[]).find(({ run }) => run === id);
    const [id, repo] = [await on.taskIn("reviewing"), on.repo];
    const verbs = [`signalbox accept ${id}`, `signalbox send-back ${id} "TEXT"`, `signalbox cancel ${id}`];
    expect((await item(id))?.actions.map(({ command }) => command)).toEqual(verbs);
    const row = { run: id, repo, path: runFolders(on.home, id).files, branch: "b", base: "", salvage: "" };
    await on.withStore((store) =>
      store.commit([{ type: "put-workspace", workspace: { ...row, status: "bound", kept: "" } }]),
    );
    expect(await item(id)).toMatchObject({
      decision: { asked: [] },
      actions: verbs.map((command) => ({ command })),
    });
    expect(document(await on.say(["next", id, "--json"]))).toMatchObject({
      next: verbs[0],
      others: [
        { command: `signalbox move ${id} done`, sentence: expect.stringContaining("WITHOUT") as string },
      ],
    });
    const next = (await on.say(["next", id])).stdout;
    expect(next).not.toContain("signalbox move");
    expect(next).toContain(`Other moves: signalbox next ${id} --all`);
    expect((await on.say(["next", id, "--all"])).stdout).toMatch(
      /^Other moves:\n {2}signalbox move .* done .*WITHOUT/m,
    );

    const asks = await on.taskIn("planning");
    on.page(asks, { Questions: "To whom?\n\n\u001B[31mAnd\u001B[2J when?", Plan: "Later" });
    await (
      await on.as(asks, "worker")
    )(["task", "update", "--status", "clarification"]);
    expect((await item(asks))?.decision?.asked.join("\n")).toMatch(
      /^To whom\?\n\nAnd\uFFFD\[2J when\? \(\d+\)$/,
    );
    expect((await on.say(["show", asks])).stdout).toContain("It asks\n  To whom?\n");
    // An edit that no event has accepted is not the agent's question.
    on.page(asks, { Questions: "Shall I delete everything?" });
    expect((await on.say(["show", asks])).stdout).toContain("It asks\n  To whom?\n");
  });

  test("only what is over is put away, and it can still be looked at", async () => {
    const id = await on.taskIn("working");
    expect(await outcome(on.say(["task", "delete", id, "--json"]))).toBe("4 not-in-map");
    expect(await outcome(on.say(["task", "cancel", id, "--json"]))).toBe("0 ok");
    const listed = async (): Promise<string> => (await on.say(["task", "list", "--all"])).stdout;
    expect(await listed()).toContain(id.slice(0, 4));
    expect(await outcome(on.say(["task", "delete", id, "--json"]))).toBe("0 ok");
    expect(await listed()).not.toContain(id.slice(0, 4));
    expect(document(await on.say(["task", "show", id, "--json"]))).toMatchObject({ task: { hidden: true } });
  });

  test("status of others, and of none", async () => {
    const id = await on.taskIn("stuck");
    expect((await on.say(["task", "list", "--status", "stuck"])).stdout).toContain(id.slice(0, 4));
    expect(await outcome(on.say(["task", "list", "--status", "stuk", "--json"]))).toBe("2 bad-usage");
  });
});

describe("a page that is not what it should be", () => {
  test.for<[what: string, spoil: (page: string) => void]>([
    ["deleted", (page) => rmSync(page, { force: true })],
    ["a directory", (page) => mkdirSync(page)],
    ["a symlink", (page) => symlinkSync("/etc/passwd", page)],
    ["a symlink to nothing that ends", (page) => symlinkSync("/dev/zero", page)],
    ["100 MB", (page) => writeFileSync(page, Buffer.alloc(100 * 1024 * 1024, "x"))],
    ["no text", (page) => writeFileSync(page, Buffer.from([0xff, 0xfe, 0x00, 0xc3]))],
  ])("%s: a clear refusal, and others are as they were", async ([, spoil]) => {
    const [id, other] = [await on.taskIn("planning"), await on.taskIn("working")];
    const page = join(runFolders(on.home, id).files, "TASK.md");
    rmSync(page, { force: true });
    spoil(page);
    const answer = await outcome(on.say(["task", "update", id, "--status", "working", "--json"]));
    expect(answer).toBe("5 gate-not-met");
    expect(await on.stateOf(id)).toBe("planning");
    expect(await outcome(on.say(["task", "show", id, "--json"]))).toBe("0 ok");
    expect(await outcome(on.say(["task", "list", "--json"]))).toBe("0 ok");
    expect(await outcome(on.say(["task", "update", other, "--status", "stuck", "--json"]))).toBe("0 ok");
    expect(await outcome(on.say(["task", "cancel", id, "--json"]))).toBe("0 ok");
    rmSync(page, { force: true, recursive: true });
  });
});
