/** What a person is asked by commands alone stands in the files that show it, before and after it is answered. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { sourceOf } from "../../src/app/board/source.ts";
import { paintOf } from "../../src/cli/paint.ts";
import { AT_HOME } from "../support/procs.ts";
import { scene } from "./acting-support.ts";

const ASKED = `$schema: workflow-1.schema.json
name: asked
title: A person is asked, and files tell it
params:
  goal: { text: the house }
states:
  open: { ask: agree }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
asks:
  agree: { question: agree, options: { agreed: { to: closed, text: optional }, again: { to: open } } }
projection:
  - file: status.json
    as: json
    data: { each: run.questions, give: { id: { from: item.id }, question: { from: item.question }, status: { from: item.status }, answer: { from: item.answer }, text: { from: item.text } } }
`;

const MARKED = ASKED.replace("asked", "marked").replace("text: optional", "verb: accept");

const PARTS = `$schema: workflow-1.schema.json
name: parts
title: A person is asked one thing after the other
artifacts:
  audit: { in: audit.json, by: human, json: { object: { found: { list: text } } }, lists: { found: found } }
states:
  open: { waits: true }
  asked: { ask: which }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: asked, by: human, need: audit }
asks:
  which:
    question: which
    parts: audit.found
    options:
      fix: { to: open }
      accept: { to: closed, text: required }
`;

const on = await scene({
  ".signalbox/workflows/parts/workflow.yaml": PARTS,
  ".signalbox/workflows/parts/prompts/which.md": "Which of these?\n",
  "audit.json": JSON.stringify({ found: ["a lock", "a key"] }),
  ".signalbox/workflows/asked/workflow.yaml": ASKED,
  ".signalbox/workflows/asked/prompts/agree.md": "Is {goal} good?\n",
  ".signalbox/workflows/marked/workflow.yaml": MARKED,
  ".signalbox/workflows/marked/prompts/agree.md": "Is {goal} good?\n",
});

test("a key of watch does not start what asks already", async () => {
  const run = (await on.say("run marked --detach --quiet")).stdout.trim();
  const { env, repo: cwd } = on;
  const door = { cwd, home: "", env, procs: AT_HOME, paint: paintOf(false), self: "signalbox" };
  const source = sourceOf({ door, onWork: () => undefined });
  const { rows } = await source.look({ repo: "", over: false });
  await source.close();
  expect(rows.find((row) => row.run === run)?.acts).toMatchObject({ start: "it has begun", cancel: "" });
});

test("pending in the words of the question, then answered", async () => {
  const begun = await on.say("run asked --detach --quiet");
  const run = begun.stdout.trim();
  const shown = (): unknown =>
    JSON.parse(readFileSync(join(runFolders(on.home, run).files, "status.json"), "utf8"));
  const first = { id: "UD-1", question: "Is the house good?", status: "pending", answer: null, text: "" };
  expect(shown()).toEqual([first]);
  // Words may go with one answer, and not with the other.
  expect((await on.say("inbox")).stdout).toMatch(/ agreed \[--text TEXT\] .*\n.* again +\S/);
  await on.say(`answer ${run} again`);
  const second = { ...first, id: "UD-2" };
  const answered = { ...first, status: "answered", answer: "again" };
  expect(shown()).toEqual([answered, second]);
  await on.say(`answer ${run} agreed --text fine`);
  expect(shown()).toEqual([answered, { ...second, status: "answered", answer: "agreed", text: "fine" }]);
});

test("a question in parts is answered one by one, and says what is open", async () => {
  const run = (await on.say("run parts --detach --quiet")).stdout.trim();
  await on.say(`submit ${run} audit audit.json`);
  await on.say(`move ${run} asked`);
  const lines = ["1. a lock", "2. a key", `one by one: signalbox answer ${run} --part 1=fix`];
  for (const command of ["inbox --verbose", `show ${run}`]) {
    const { stdout } = await on.say(command);
    for (const line of lines) expect(stdout).toContain(`  ${line}\n`);
  }
  const say = async (...typed: string[]): Promise<string> => {
    const { stdout, stderr } = await on.say(["answer", run, ...typed]);
    return stdout === "" ? stderr : stdout;
  };
  expect(await say("--part", "3=fix")).toContain("there is no part 3: there are 2");
  expect(await say("--part", "fix")).toContain('"fix" is no N=VALUE');
  expect(await say("fix", "--part", "1=fix")).toContain("with --part, each answer and its text stand in it");
  const wrong = await say("--part", "2=perhaps");
  expect(wrong).toContain('a key: "perhaps" is not one of fix, accept');
  expect(wrong).toContain(`  next: signalbox answer ${run} --part 2=fix\n`);
  expect(wrong).toContain(`    or: signalbox answer ${run} --part "2=accept: ..."\n`);
  expect(await say("--part", "1=accept: it is: old")).toContain("UD-1 is still open: part 2 of 2");
  expect((await on.say("inbox --verbose")).stdout).toContain("    1. a lock: accept\n    2. a key\n");
  expect(await say("--part", "2=accept: too")).toContain(
    `the answer is accept; ${run} goes from asked to closed`,
  );
  const { stdout } = await on.say(`history ${run}`);
  expect(stdout).toContain("answered a lock: accept");
});
