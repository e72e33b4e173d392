/**
 * Hostile texts in every field of every command about tasks and projects.
 *
 * Nothing is run, nothing is touched outside of the state home, every answer is one that somebody can use, and never a stack trace.
 * Which text meets which field is dealt out; with SIGNALBOX_DEEP every text meets every field.
 */

import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isBranchName } from "../../src/adapters/git/mirror/names.ts";
import { removeHomes } from "../support/home.ts";
import { hostileStrings } from "./hostile-strings.ts";
import { loadWorkflow } from "../support/workflows.ts";
import { LEAVES } from "./leaves.ts";
import { HANDOFF, PLAN, taskScene, type Tasks } from "./task-support.ts";

const SEED = 20_260_731;
const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

let on: Tasks;
let open = "";
let reviewed = "";
let over = "";

beforeAll(async () => {
  on = await taskScene({ "notes.md": "Notes.\n" }, 10_000);
  open = await on.taskIn("working");
  reviewed = await on.taskIn("reviewing");
  over = await on.taskIn("cancelled");
});
afterAll(removeHomes);

type Field = (text: string) => readonly string[];

/** Every place where somebody's text goes, by the command that has it. */
const FIELDS: Readonly<Record<string, readonly Field[]>> = {
  "task create": [
    (text) => ["--no-start", "--", text],
    (text) => ["--no-start", "--", text, "A summary"],
    (text) => ["--no-start", "--", `b-${Math.random().toString(36).slice(2)}`, text],
    (text) => ["x y", "--no-start", `--harness=${text}`],
    (text) => ["x y", "--no-start", `--review-harness=${text}`],
    (text) => ["x y", "--no-start", `--effort=${text}`],
    (text) => ["x y", "--no-start", `--review-effort=${text}`],
    (text) => ["x y", "--no-start", `--context=${text === "-" ? "x" : text}`],
    (text) => ["x y", "--no-start", `--context=${contextOf(text)}`],
    (text) => ["x y", "--no-start", `--status=${text}`],
    (text) => ["x y", "--no-start", `--depends-on=${text}`],
    (text) => ["x y", "--no-start", `--project=${text}`],
    (text) => ["x y", "--no-start", `--key=${text}`],
  ],
  "task start": [(text) => ["--", text], (text) => [over, `--key=${text}`]],
  "task list": [
    (text) => [`--status=${text}`],
    (text) => [`--project=${text}`],
    (text) => [`--limit=${text}`],
  ],
  "task show": [(text) => ["--", text], (text) => [open, `--project=${text}`]],
  "task update": [
    (text) => ["--summary=x", "--", text],
    (text) => [open, `--status=${text}`],
    (text) => [open, `--branch=${text}`],
    (text) => [open, `--summary=${text}`],
    (text) => [open, `--depends-on=${text}`],
    (text) => [open, "--status=planning", `--note=${text}`],
    (text) => [open, "--summary=x", `--key=${text}`],
  ],
  "task attach": [(text) => ["--", text], (text) => [open, `--role=${text}`]],
  "task respawn": [(text) => ["--", text], (text) => ["--", open, text], (text) => [open, `--key=${text}`]],
  "task request-changes": [
    (text) => ["--", text === "-" ? "x" : text],
    (text) => ["--", reviewed, text === "-" ? "x" : text],
    (text) => [open, "x", `--key=${text}`],
  ],
  "task merge": [
    (text) => ["--", text],
    (text) => [over, `--strategy=${text}`],
    (text) => [over, `--message=${text}`],
    (text) => [over, `--note=${text}`],
  ],
  "task cancel": [(text) => ["--yes", "--", text], (text) => [over, `--note=${text}`]],
  "task delete": [(text) => ["--", text]],
  "task complete": [(text) => ["--", text], (text) => [over, `--note=${text}`]],
  "task stuck": [(text) => ["--", text], (text) => [over, `--note=${text}`]],
  "project add": [
    (text) => ["--", text],
    (text) => [`--name=${text}`],
    (text) => [`--agents=${text}`],
    (text) => [`--default-branch=${text}`],
    (text) => [`--remote=${text}`],
  ],
  "project list": [(text) => ["--", text]],
  "project update": [
    (text) => ["--agents=10000", "--", text],
    (text) => [`--name=${text}`],
    (text) => [`--agents=${text}`],
    (text) => [`--default-branch=${text}`],
    (text) => [`--remote=${text}`],
  ],
  "project remove": [(text) => ["--", text]],
};

/** As the content of a file. */
function contextOf(text: string): string {
  writeFileSync(join(on.root, "context.md"), text);
  return join(on.root, "context.md");
}

test("every command about tasks and projects is here", () => {
  const ofTasks = Object.keys(loadWorkflow("task").definition.commands ?? {}).map((name) => `task ${name}`);
  const names = [...[...LEAVES.keys()].filter((name) => name.startsWith("project ")), ...ofTasks];
  expect(Object.keys(FIELDS).toSorted()).toEqual(names.toSorted());
});

/** Everything beside the state home and git's own folder. */
function around(): string {
  const files = readdirSync(on.root, { recursive: true, encoding: "utf8" });
  const own = files.filter(
    (file) => !/^(?:state|\.config|repo\/\.git)(?:\/|$)/.test(file) && file !== "context.md",
  );
  const status = execFileSync("git", ["status", "--porcelain"], { cwd: on.repo, encoding: "utf8" });
  const heads = execFileSync("git", ["for-each-ref", "refs/heads"], { cwd: on.repo, encoding: "utf8" });
  return [...own.toSorted(), status, heads].join("\n");
}

function isDocument(text: string, ok: boolean): boolean {
  const document = JSON.parse(text) as Record<string, unknown>;
  return document["ok"] === ok && (ok || String(document["next"]) !== "");
}

const EXITS = new Set([0, 1, 2, 3, 4, 5, 6, 7, 8]);

/** These commands read the standard input where their text is "-", and here nothing ever ends that. */
const READS_INPUT = /^task (?!create|list|show|update|attach|delete)/;

/** Which text meets which field, by the command. */
function dealt(): ReadonlyMap<string, readonly (readonly [field: Field, text: string])[]> {
  const fields = Object.entries(FIELDS).flatMap(([name, own]) => own.map((field) => ({ name, field })));
  const met = hostileStrings(SEED)
    .flatMap((text, at) =>
      fields.flatMap(({ name, field }, n) =>
        isDeep || n === at % fields.length ? [{ name, field, text }] : [],
      ),
    )
    .filter(({ name, text }) => text !== "-" || !READS_INPUT.test(name));
  return new Map(
    [...Map.groupBy(met, ({ name }) => name)].map(([name, own]) => [
      name,
      own.map(({ field, text }) => [field, text] as const),
    ]),
  );
}

test("there are 200 texts, and every command meets some", () => {
  expect(hostileStrings(SEED).length).toBeGreaterThanOrEqual(200);
  expect([...dealt().keys()].toSorted()).toEqual(Object.keys(FIELDS).toSorted());
});

test.for([...dealt()])(
  "%s: nothing is run, nothing is touched, everything is answered",
  async ([name, met]) => {
    const before = around();
    const wrong: string[] = [];
    for (const [field, text] of met) {
      const words = [
        ...name.split(" "),
        "--json",
        ...field(text.replaceAll("CANARY", join(on.root, "canary"))),
      ];
      const { code, stdout, stderr } = await on.say(words);
      const said = `${JSON.stringify(words).slice(0, 300)}: ${code} ${stdout.slice(0, 600)}${stderr.slice(0, 600)}`;
      // oxlint-disable-next-line no-control-regex
      const isPlain = !/[\u0000-\u0009\u000B-\u001F\u007F\u009B\u202E]/.test(stdout);
      const isAnswer = EXITS.has(code) && stderr === "" && isPlain && isDocument(stdout, code === 0);
      if (!isAnswer) wrong.push(said);
    }
    expect(wrong).toEqual([]);
    expect(around()).toBe(before);
    for (const id of [open, reviewed, over]) expect((await on.say(["verify", id])).code).toBe(0);
  },
);

test("what is shown to people commands no terminal", async () => {
  const id = await on.create("--no-start", "--", "shown", "\u001B]0;owned\u0007\u001B[2J \u202Etxt");
  for (const words of [["task", "list"], ["task", "show", id], ["list"], ["history", id]]) {
    const { code, stdout, stderr } = await on.say(words);
    expect(code).toBe(0);
    // oxlint-disable-next-line no-control-regex
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F\u202E]/);
  }
});

test("a summary of 10 KB is kept whole, and shown in one line", async () => {
  const summary = `${"long ".repeat(2048)}end`;
  const id = await on.create("--no-start", "--", "long", summary);
  expect(await on.withStore(async (store) => (await store.load(id))?.run.params["summary"])).toBe(summary);
  const { stdout } = await on.say(["task", "list"]);
  const line = stdout.split("\n").find((each) => each.includes(id)) ?? "";
  expect(line.length).toBeLessThan(300);
});

test("names of branches are those that git takes", { timeout: 120_000 }, () => {
  const texts = hostileStrings(SEED).filter((text) => !text.includes("\0") && text.length < 200);
  const odd = texts.filter((text) => {
    const isTaken = isWell(() =>
      execFileSync("git", ["check-ref-format", "--branch", text], { cwd: on.root, stdio: "ignore" }),
    );
    // Git expands @ and @{-1} to what they stand for.
    return isBranchName(text) !== (isTaken && !/^(?:@$|@\{|HEAD$|(?:refs|heads|tags|remotes)\/)/.test(text));
  });
  expect(odd).toEqual([]);
});

function isWell(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

test("a page that somebody has filled with all of it opens no gate that is not its own", async () => {
  const id = await on.taskIn("planning");
  on.page(id, { Context: hostileStrings(SEED).slice(0, 40).join("\n"), Plan: PLAN, Handoff: HANDOFF });
  const { code } = await on.say(["task", "update", id, "--status", "agent-review", "--json"]);
  expect(code).toBe(4);
});
