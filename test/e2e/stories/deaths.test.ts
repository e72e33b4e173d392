/** Lives of tasks in which agents die: once, twice, in every state, with and without what they owe. */

import { describe, test } from "vitest";
import { hasTmux } from "../../support/tmux.ts";
import { theatre, type Theatre } from "./theatre.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

/** Brings a new task to a state, with its worker alive. */
const TO: Readonly<Record<string, (on: Theatre, run: string) => Promise<void>>> = {
  planning: () => Promise.resolve(),
  async clarification(on, run) {
    await on.says(run, "worker", "task", "update", "--status", "clarification");
  },
  working: (on, run) => on.plans(run),
  async "agent-review"(on, run) {
    await on.plans(run);
    await on.handsOver(run);
    await on.up(run, "reviewer", 1);
  },
  async reviewing(on, run) {
    await TO["agent-review"]?.(on, run);
    await on.judges(run, "PASS");
    await on.in(run, "reviewing");
  },
  async stuck(on, run) {
    await on.plans(run);
    await on.says(run, "worker", "task", "update", "--status", "stuck");
    await on.in(run, "stuck");
  },
};

async function taskIn(on: Theatre, state: string): Promise<string> {
  const run = await on.task();
  await TO[state]?.(on, run);
  // Whoever is to be told has been told.
  await on.until(async (store) => (await store.deeds(run)).every(({ status }) => status === "done"));
  return run;
}

/** What came after the task had got there. */
async function since(on: Theatre, run: string, lines: number): Promise<string> {
  return (await on.story(run)).split("\n").slice(lines).join("\n");
}

async function told(on: Theatre, run: string): Promise<number> {
  return (await on.story(run)).split("\n").length;
}

describe.runIf(hasTmux).concurrent("deaths", () => {
  const stage = theatre();

  test.for(IS_DEEP ? ["planning", "working"] : ["working"])(
    "of the worker in %s, where the run waits for it: once, and it is missed; twice, and it is stuck",
    async (state, { expect }) => {
      const on = stage();
      const run = await taskIn(on, state);
      const before = await told(on, run);
      await on.dies(run, "worker");
      await on.in(run, state);
      await on.person("task", "respawn", run);
      await on.up(run, "worker", 2);
      await on.dies(run, "worker");
      await on.in(run, "stuck");
      await on.up(run, "worker", 3);
      expect(await since(on, run, before)).toBe(
        [
          "engine: worker ended: killed (exit code 137); crash_count is 1; worker counts as crashed",
          "human: asked to start worker again; worker is called, attempt 2",
          `engine: worker ended: killed (exit code 137); crash_count is 2; ${state} -> stuck; worker is called, attempt 3`,
        ].join("\n"),
      );
    },
  );

  test.for(IS_DEEP ? ["clarification", "agent-review", "reviewing", "stuck"] : [])(
    "of the worker in %s, where nobody waits for it: it is missed, and nothing is counted",
    async (state, { expect }) => {
      const on = stage();
      const run = await taskIn(on, state);
      const before = await told(on, run);
      for (const attempt of [2, 3]) {
        await on.dies(run, "worker");
        await on.in(run, state);
        await on.person("task", "respawn", run);
        await on.up(run, "worker", attempt);
      }
      expect(await since(on, run, before)).toBe(
        [
          "engine: worker ended: killed (exit code 137); worker counts as crashed",
          "human: asked to start worker again; worker is called, attempt 2",
          "engine: worker ended: killed (exit code 137); worker counts as crashed",
          "human: asked to start worker again; worker is called, attempt 3",
        ].join("\n"),
      );
    },
  );

  test("of the reviewer, once: another one; twice: stuck", async ({ expect }) => {
    const on = stage();
    const run = await taskIn(on, "agent-review");
    const before = await told(on, run);
    await on.dies(run, "reviewer");
    await on.up(run, "reviewer", 2);
    await on.dies(run, "reviewer");
    await on.in(run, "stuck");
    expect(await since(on, run, before)).toMatchInlineSnapshot(`
      "engine: reviewer ended: killed (exit code 137); crash_count is 1; reviewer is called, attempt 2
      engine: reviewer ended: killed (exit code 137); crash_count is 2; agent-review -> stuck
      (told: worker 1 was told stuck-notice)"
    `);
  });

  test("of a reviewer in round 2, with the verdict of round 1 on the page, which does not count", async ({
    expect,
  }) => {
    const on = stage();
    const run = await taskIn(on, "agent-review");
    const before = await told(on, run);
    await on.judges(run, "FAIL");
    await on.in(run, "working");
    await on.handsOver(run);
    await on.up(run, "reviewer", 2);
    // Somebody has put the old text back, and the reviewer ends as if that were all it had to say.
    await on.writes(run, "Review", on.lastReview(run));
    await on.dies(run, "reviewer", "SIGTERM");
    await on.up(run, "reviewer", 3);
    await on.judges(run, "PASS");
    await on.in(run, "reviewing");
    expect(await since(on, run, before)).toMatchInlineSnapshot(`
      "reviewer: submitted; review: needs_fix; agent-review -> working; reviewer is stopped
      (told: worker 1 was told review-failed)
      worker: submitted; handoff: read
      worker: asked for agent-review; plan: read; working -> agent-review; review_round is 2; reviewer is called, attempt 2
      engine: reviewer ended: exited (exit code 0); crash_count is 1; reviewer is called, attempt 3
      reviewer: submitted; review: pass; agent-review -> reviewing; reviewer is stopped"
    `);
  });

  test("of a worker that leaves what it owes: the run goes on, and so does a worker", async ({ expect }) => {
    const on = stage();
    const run = await taskIn(on, "working");
    const before = await told(on, run);
    await on.writes(run, "Handoff", "DONE: all of it");
    await on.dies(run, "worker");
    await on.in(run, "agent-review");
    await on.up(run, "worker", 2);
    await on.up(run, "reviewer", 1);
    await on.judges(run, "FAIL");
    await on.in(run, "working");
    expect(await since(on, run, before)).toMatchInlineSnapshot(`
      "engine: worker ended: killed (exit code 137); handoff: read; working -> agent-review; review_round is 1; reviewer is called, attempt 1; worker is called, attempt 2
      reviewer: submitted; review: needs_fix; agent-review -> working; reviewer is stopped
      (told: worker 2 was told review-failed)"
    `);
  });

  test("a verdict in the page of the workspace is nobody's, whoever lives beside it", async ({ expect }) => {
    const on = stage();
    const run = await taskIn(on, "agent-review");
    const before = await told(on, run);
    await on.writes(run, "Review", "Verdict: PASS\n\n- work.txt:1: fine");
    await on.dies(run, "reviewer", "SIGTERM");
    await on.up(run, "reviewer", 2);
    expect(await since(on, run, before)).toMatchInlineSnapshot(
      `"engine: reviewer ended: exited (exit code 0); crash_count is 1; reviewer is called, attempt 2"`,
    );
  });

  test.runIf(IS_DEEP)(
    "a worker that is dead when there is something to tell is started instead",
    async ({ expect }) => {
      const on = stage();
      const run = await taskIn(on, "agent-review");
      const before = await told(on, run);
      await on.dies(run, "worker");
      await on.judges(run, "FAIL");
      await on.in(run, "working");
      await on.up(run, "worker", 2);
      expect(await since(on, run, before)).toMatchInlineSnapshot(`
      "engine: worker ended: killed (exit code 137); worker counts as crashed
      reviewer: submitted; review: needs_fix; agent-review -> working; worker is called, attempt 2; reviewer is stopped"
    `);
    },
  );
});
