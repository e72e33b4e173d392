/** Lives of tasks in which nobody dies: what people, agents and the engine do, line by line. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { hasTmux } from "../../support/tmux.ts";
import { theatre } from "./theatre.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

describe.runIf(hasTmux).concurrent("ways through a task", () => {
  const stage = theatre();

  test("straight through", async ({ expect }) => {
    const on = stage();
    const run = await on.task();
    await on.plans(run);
    const { path, branch } = await on.until((store) => store.workspace(run));
    expect(readFileSync(join(path, "TASK.md"), "utf8")).toMatch(
      new RegExp(`^tmux_session: "?repo/${branch}~${run}"?$`, "m"),
    );
    expect(on.tmux("list-sessions", "-F", "#{session_name}").split("\n")).toContain(`repo/${branch}~${run}`);
    await on.handsOver(run);
    await on.up(run, "reviewer", 1);
    await on.judges(run, "PASS");
    await on.in(run, "reviewing");
    await on.person("move", run, "done");
    await on.in(run, "done");
    expect(await on.story(run)).toMatchInlineSnapshot(`
      "human: started the run; start -> pending
      human: asked for planning; pending -> planning; worker is called, attempt 1
      worker: submitted; plan: read
      worker: asked for working; planning -> working
      worker: submitted; handoff: read
      worker: asked for agent-review; plan: read; working -> agent-review; review_round is 1; reviewer is called, attempt 1
      reviewer: submitted; review: pass; agent-review -> reviewing; reviewer is stopped
      human: asked for done; plan: read; handoff: read; reviewing -> done; worker is stopped"
    `);
    const sessions = on.tmux("list-sessions", "-F", "#{session_name}");
    expect(sessions).not.toContain(run);
    expect(existsSync(path)).toBe(false);
  });

  test.runIf(IS_DEEP)("a review fails once", async ({ expect }) => {
    const on = stage();
    const run = await on.task();
    await on.plans(run);
    await on.handsOver(run);
    await on.up(run, "reviewer", 1);
    await on.judges(run, "FAIL");
    await on.in(run, "working");
    await on.handsOver(run);
    await on.up(run, "reviewer", 2);
    await on.judges(run, "PASS");
    await on.in(run, "reviewing");
    expect(await on.story(run)).toMatchInlineSnapshot(`
      "human: started the run; start -> pending
      human: asked for planning; pending -> planning; worker is called, attempt 1
      worker: submitted; plan: read
      worker: asked for working; planning -> working
      worker: submitted; handoff: read
      worker: asked for agent-review; plan: read; working -> agent-review; review_round is 1; reviewer is called, attempt 1
      reviewer: submitted; review: needs_fix; agent-review -> working; reviewer is stopped
      (told: worker 1 was told review-failed)
      worker: submitted; handoff: read
      worker: asked for agent-review; plan: read; working -> agent-review; review_round is 2; reviewer is called, attempt 2
      reviewer: submitted; review: pass; agent-review -> reviewing; reviewer is stopped"
    `);
  });

  test("a review fails twice: stuck, and the worker that lives is told", async ({ expect }) => {
    const on = stage();
    const run = await on.task();
    await on.plans(run);
    for (const round of [1, 2]) {
      await on.handsOver(run);
      await on.up(run, "reviewer", round);
      await on.judges(run, "FAIL");
      await on.in(run, round === 1 ? "working" : "stuck");
    }
    expect(await on.story(run)).toMatchInlineSnapshot(`
      "human: started the run; start -> pending
      human: asked for planning; pending -> planning; worker is called, attempt 1
      worker: submitted; plan: read
      worker: asked for working; planning -> working
      worker: submitted; handoff: read
      worker: asked for agent-review; plan: read; working -> agent-review; review_round is 1; reviewer is called, attempt 1
      reviewer: submitted; review: needs_fix; agent-review -> working; reviewer is stopped
      (told: worker 1 was told review-failed)
      worker: submitted; handoff: read
      worker: asked for agent-review; plan: read; working -> agent-review; review_round is 2; reviewer is called, attempt 2
      reviewer: submitted; review: needs_fix; agent-review -> stuck; reviewer is stopped
      (told: worker 1 was told stuck-notice)"
    `);
  });

  test("a question, its answer, and a person who wants changes", async ({ expect }) => {
    const on = stage();
    const run = await on.task();
    await on.says(run, "worker", "task", "update", "--status", "clarification");
    await on.person("move", run, "planning");
    await on.in(run, "planning");
    await on.plans(run);
    await on.says(run, "worker", "task", "update", "--status", "clarification");
    await on.person("move", run, "working");
    await on.in(run, "working");
    await on.handsOver(run);
    await on.up(run, "reviewer", 1);
    await on.judges(run, "PASS");
    await on.in(run, "reviewing");
    await on.person("move", run, "working", "--note", "Shorter, please.\nMuch shorter.");
    await on.in(run, "working");
    expect(await on.story(run)).toMatchInlineSnapshot(`
      "human: started the run; start -> pending
      human: asked for planning; pending -> planning; worker is called, attempt 1
      worker: asked for clarification; planning -> clarification; question_count is 1
      human: asked for planning; clarification -> planning
      (told: worker 1 was told answered)
      worker: submitted; plan: read
      worker: asked for working; planning -> working
      worker: asked for clarification; working -> clarification; question_count is 1
      human: asked for working; plan: read; clarification -> working
      (told: worker 1 was told answered)
      worker: submitted; handoff: read
      worker: asked for agent-review; plan: read; working -> agent-review; review_round is 1; reviewer is called, attempt 1
      reviewer: submitted; review: pass; agent-review -> reviewing; reviewer is stopped
      human: asked for working: Shorter, please.; plan: read; handoff: read; reviewing -> working
      (told: worker 1 was told changes-requested)"
    `);
    // Word for word as it was written for it, with what the person said.
    const { dir } = await on.until(async (store) => (await store.agents({ run }))[0]);
    const messages = readdirSync(join(dir, "messages")).toSorted();
    const last = readFileSync(join(dir, "messages", messages.at(-1) ?? ""), "utf8").trimEnd();
    expect(last).toContain("> Shorter, please.\n> Much shorter.");
    await on.until(() => on.heard(run, 1).join("\n").endsWith(last));
  });

  test.runIf(IS_DEEP)("told, and heard at the next call", async ({ expect }) => {
    const on = stage();
    const run = await on.task();
    await on.plans(run);
    await on.handsOver(run);
    await on.up(run, "reviewer", 1);
    await on.judges(run, "FAIL");
    await on.in(run, "working");
    const status = (): Promise<string> =>
      on.until(async (store) => (await store.messages(run)).at(-1)?.status);
    expect(await status()).toBe("told");
    expect((await on.types("show", run)).stdout).toMatch(
      /running in its terminal \(.*\); was told \d+ s ago and has not called since/,
    );
    expect((await on.types("why", run)).stdout).toMatch(/worker was told \d+ s ago and has not called since/);
    expect((await on.types("history", run)).stdout).toMatch(
      /\(told\) worker 1 was told review-failed, and has not called since/,
    );
    await on.says(run, "worker", "next");
    expect(await status()).toBe("acknowledged");
    expect((await on.types("show", run)).stdout).not.toMatch(/was told/);
    expect((await on.types("history", run)).stdout).toMatch(/worker 1 was told review-failed, and called at/);
  });

  test("halted, and going on in its terminal", async ({ expect }) => {
    const on = stage();
    const run = await on.task();
    await on.plans(run);
    await on.person("stop", run);
    await on.until(async (store) => (await store.job(`${run}.worker.1.1`))?.status === "over");
    await on.person("resume", run);
    const job = await on.until((store) => store.job(`${run}.worker.1.2`));
    expect(job).toMatchObject({ seat: "resident", status: "live" });
    await on.handsOver(run);
    await on.in(run, "agent-review");
    expect(await on.story(run)).toMatchInlineSnapshot(`
      "human: started the run; start -> pending
      human: asked for planning; pending -> planning; worker is called, attempt 1
      worker: submitted; plan: read
      worker: asked for working; planning -> working
      worker: submitted; handoff: read
      worker: asked for agent-review; plan: read; working -> agent-review; review_round is 1; reviewer is called, attempt 1"
    `);
  });
});
