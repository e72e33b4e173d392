/** An edit of a file that an agent or a person may write: shown, compared, and submitted by the person. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { scene } from "./acting-support.ts";
import { taskScene } from "./task-support.ts";

const PAGE = `$schema: workflow-1.schema.json
name: page
title: A page with parts of several authors
artifacts:
  plan: { in: TASK.md, section: Plan, by: [worker, human] }
  review: { in: TASK.md, section: Review, by: worker }
roles:
  worker: { prompt: worker }
states:
  open: { waits: true }
  later: { waits: true }
  working: { enter: [start worker] }
  closed: { final: done }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: later, by: human }
  - { from: later, to: working, by: human, reserve: workspace }
  - { from: working, to: closed, by: worker, need: [plan, review], do: [stop all, release workspace] }
  - { from: [open, later, working], to: closed, by: human, do: [stop all, release workspace] }
ends:
  - { role: worker, in: working, else: { do: [mark worker] } }
`;

const on = await scene({
  ".signalbox/workflows/page/workflow.yaml": PAGE,
  ".signalbox/workflows/page/prompts/worker.md": "Work.\n",
  "plan.md": "First.\nSecond.\n",
});

async function edited(): Promise<{ readonly run: string; readonly file: string }> {
  const begun = await on.say("run page --detach --quiet");
  const run = begun.stdout.trim();
  expect(begun.stderr).toBe("");
  await on.say(`submit ${run} plan plan.md`);
  const file = join(runFolders(on.home, run).files, "TASK.md");
  writeFileSync(file, `${readFileSync(file, "utf8").replace("Second.", "Third.")}\n## Review\n\nforged\n`);
  return { run, file };
}

test("show offers an edit, diff prints it, and submit makes it the person's", async () => {
  const { run, file } = await edited();
  const row = (artifact: string): RegExp => new RegExp(`^ +${artifact} +.*$`, "m");
  const shown = (await on.say(`show ${run}`)).stdout;
  expect(row("plan").exec(shown)?.[0]).toMatch(
    new RegExp(
      `edited, and not submitted: signalbox diff ${run} plan shows the edit, signalbox submit ${run} plan`,
    ),
  );
  expect(shown).not.toContain("forged");
  expect((await on.say(`diff ${run} plan`)).stdout).toBe(
    "--- TASK.md\n+++ TASK.md\n@@ -1,2 +1,2 @@\n First.\n-Second.\n+Third.\n",
  );
  expect(readFileSync(file, "utf8")).toContain("Third.");
  expect((await on.say(`submit ${run} plan`)).code).toBe(0);
  expect((await on.say(`show ${run}`)).stdout).not.toContain("edited");
  expect((await on.say(`diff ${run} plan`)).stdout).toBe("plan has no edit that was not submitted\n");
});

test("a person's move that takes an edit says so", async () => {
  const { run } = await edited();
  const moved = await on.say(`move ${run} later`);
  expect(moved.stderr).toContain("taken as yours: plan in TASK.md, changed since it was accepted from you\n");
  expect(moved.stderr.match(/taken as yours/g)).toHaveLength(1);
});

test("there is no such artifact", async () => {
  const { run } = await edited();
  expect(await on.say(`diff ${run} plam`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean "plan"?') as string,
  });
});

test.for<[known: string, state: string]>([
  ["nothing", "reviewing"],
  ["an earlier request", "working"],
])(
  "words that replace an edit over %s: the answer says where the edit is, and so does history",
  async ([, state]) => {
    const tasks = await taskScene();
    const id = await tasks.taskIn("reviewing");
    const { files, archive } = runFolders(tasks.home, id);
    const page = join(files, "TASK.md");
    if (state === "working") {
      await tasks.say(["send-back", id, "The first request"]);
      await tasks.say(["move", id, "stuck"]);
      writeFileSync(page, readFileSync(page, "utf8").replace("The first request", "By hand."));
    } else writeFileSync(page, `${readFileSync(page, "utf8")}\n## Fix Instructions\n\nBy hand.\n`);
    const sent = await tasks.say(["send-back", id, "In words"]);
    const copy = join(archive, "edited/TASK.md.Fix Instructions.md");
    expect(sent.stderr).toContain(copy);
    expect(readFileSync(copy, "utf8")).toContain("By hand.");
    expect(readFileSync(page, "utf8")).toContain("In words");
    expect((await tasks.say(["history", id])).stdout).toContain(copy);
    await tasks.say(["move", id, "stuck"]);
    writeFileSync(page, readFileSync(page, "utf8").replace("In words", "By hand again."));
    const again = copy.replace(/\.md$/, ".1.md");
    expect((await tasks.say(["send-back", id, "More words"])).stderr).toContain(again);
    expect(readFileSync(again, "utf8")).toContain("By hand again.");
  },
);

test.for<[over: string, before: string, said: string]>([
  ["nothing", "", "which nobody had submitted"],
  ["an accepted one", "First.", "changed since it was accepted from you"],
])(
  "a person's move that takes a text over %s: the answer is true, and history has it",
  async ([, before, said]) => {
    const run = (await on.say("run page --detach --quiet")).stdout.trim();
    if (before !== "") await on.say(`submit ${run} plan plan.md`);
    on.write(run, "TASK.md", "# Page\n\n## Plan\n\nBy hand.\n");
    const moved = await on.say(`move ${run} later`);
    expect(moved.stderr).toContain(`taken as yours: plan in TASK.md, ${said}\n`);
    expect((await on.say(`history ${run}`)).stdout).toContain(
      "(files) plan in TASK.md: the move to later submitted it as a person's",
    );
  },
);
