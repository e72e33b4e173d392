/** Reviews in whole lives. Every review with everything that a reviewer can do wrong is a table in test/core/staged-reviews.test.ts. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { LIFE_MS, story, type Story } from "./support.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
/** Explorers and summaries are told elsewhere. */
const QUICK = { explore_stage: false, compact_stages: false };

/** What the history says of a phase. */
const about = async (on: Story, phase: string): Promise<string[]> =>
  (await on.history()).filter((line) => line.startsWith(phase));

describe.runIf(isPerson).concurrent("reviews of staged", { timeout: LIFE_MS }, () => {
  test("each of the four sends it back once: the fixes, three files at once, and the review after them", async ({
    expect,
  }) => {
    const agents = {
      "plan-reviewer": "fix, ok",
      "implementation-reviewer": "three, ok",
      "implementation-fixer": "meet",
      "test-reviewer": "high, ok",
      "final-reviewer": "odd, ok",
    };
    await story({ agents, params: QUICK }, async (on) => {
      await on.until("completed");
      expect(await about(on, "1.3")).toMatchInlineSnapshot(`
        [
          "1.3 is needs_fix, high 1",
          "1.3 -> 1.3-fix: 1.3.fixes 1, plan-fixer #1",
          "1.3-fix -> 1.3: plan-reviewer #2",
          "1.3 is pass",
          "1.3 -> 2.1",
        ]
      `);
      expect(await about(on, "2.3")).toMatchInlineSnapshot(`
        [
          "2.3 is needs_fix, high 1, medium 1, low 1",
          "2.3 -> 2.3-fix: 2.3.fixes 1, implementation-fixer/src-shout.sh #1, implementation-fixer/test-shout.test.sh #2, implementation-fixer/src-greet.sh #3",
          "2.3-fix -> 2.3: implementation-reviewer #2",
          "2.3 is pass",
          "2.3 -> 3.1",
        ]
      `);
      expect(await about(on, "3.3")).toMatchInlineSnapshot(`
        [
          "3.3 is pass, high 1",
          "3.3 -> 3.3-fix: 3.3.fixes 1, coverage-fixer/test-shout.test.sh #1",
          "3.3-fix -> 3.1",
          "3.3 is pass",
          "3.3 -> 4.1: documenter #1",
        ]
      `);
      expect(await about(on, "4.2")).toMatchInlineSnapshot(`
        [
          "4.2-tests -> 4.2-testing",
          "4.2-tests is pass",
          "4.2-testing -> 4.2: final-reviewer #1",
          "4.2 is pass, critical 1",
          "4.2 -> 4.2-fix: 4.2.fixes 1, final-fixer/README.md #1",
          "4.2-fix -> 4.2-tests",
          "4.2-tests -> 4.2-testing",
          "4.2-tests is pass",
          "4.2-testing -> 4.2: final-reviewer #2",
          "4.2 is pass",
          "4.2 -> 4.3: finisher #1",
        ]
      `);
      expect((await on.person("verify", on.run)).code).toBe(0);
    });
  });

  test.runIf(IS_DEEP)(
    "nothing helps, and a person answers for it; garbage and silence are asked for again first",
    async ({ expect }) => {
      const agents = {
        "plan-reviewer": "fix*",
        "implementation-reviewer": "empty, garbage, silent, ok",
        "final-reviewer": "blocked",
      };
      const params = { ...QUICK, plan_fixes: 1, restarts: 1 };
      await story({ agents, params }, async (on) => {
        await on.until("PLAN-exhausted");
        await on.answer("force-continue");
        await on.until("IMPLEMENT-blocked");
        await on.answer("retry");
        await on.until("FINAL-blocked");
        await on.answer("abort");
        await on.until("aborted");
        expect(await on.history()).toMatchInlineSnapshot(`
        [
          "start -> 1.1: brainstormer #1",
          "1.1 -> 1.2: planner/code #1, planner/tests #2",
          "1.2 -> 1.2-merge: plan-merger #1",
          "1.2-merge -> 1.3: plan-reviewer #1",
          "1.3 is needs_fix, high 1",
          "1.3 -> 1.3-fix: 1.3.fixes 1, plan-fixer #1",
          "1.3-fix -> 1.3: plan-reviewer #2",
          "1.3 is needs_fix, high 1",
          "1.3 -> 1.1: PLAN.restarts 1, brainstormer #2",
          "1.1 -> 1.2: planner/code #3, planner/tests #4",
          "1.2 -> 1.2-merge: plan-merger #2",
          "1.2-merge -> 1.3: plan-reviewer #3",
          "1.3 is needs_fix, high 1",
          "1.3 -> 1.3-fix: 1.3.fixes 1, plan-fixer #2",
          "1.3-fix -> 1.3: plan-reviewer #4",
          "1.3 is needs_fix, high 1",
          "1.3 -> PLAN-exhausted: asks plan-exhausted",
          "answered force-continue",
          "PLAN-exhausted -> 2.1: waived 1.3",
          "2.1 is all",
          "2.1 -> 2.2: simplifier #1",
          "2.2 -> 2.3: implementation-reviewer #1",
          "2.3 is needs_fix",
          "2.3.tries 1",
          "implementation-reviewer #2",
          "2.3 is not valid",
          "2.3.tries 2",
          "implementation-reviewer #3",
          "2.3.tries 3",
          "2.3 -> IMPLEMENT-blocked: asks implement-trouble",
          "answered retry",
          "IMPLEMENT-blocked -> 2.3: implementation-reviewer #4",
          "2.3 is pass",
          "2.3 -> 3.1",
          "3.1 is pass",
          "3.1 -> 3.2",
          "3.2 -> 3.3: test-reviewer #1",
          "3.3 is pass",
          "3.3 -> 4.1: documenter #1",
          "4.1 -> 4.2-tests",
          "4.2-tests -> 4.2-testing",
          "4.2-tests is pass",
          "4.2-testing -> 4.2: final-reviewer #1",
          "4.2 is needs_human, high 1",
          "4.2 -> FINAL-blocked: asks final-trouble",
          "answered abort",
          "FINAL-blocked -> aborted",
        ]
      `);
        expect(JSON.parse(await on.file(".agents/tmp/state.json"))).toMatchObject({
          status: "failed",
          waivers: [{ artifact: "1.3", by: "human", reason: "PLAN-exhausted to 2.1" }],
          restartHistory: [{ stage: "PLAN", restart: 1 }],
        });
      });
    },
  );

  test.runIf(IS_DEEP)(
    "a reviewer takes too long, once and then always: it is ended, and a person is asked",
    async ({ expect }) => {
      const agents = { "implementation-reviewer": "hang, fix, hang*" };
      await story({ agents, params: { ...QUICK, tries: 2 }, limits: "minutes: 0.1" }, async (on) => {
        await on.until("IMPLEMENT-blocked");
        const events = await on.withStore((store) => store.events(on.run));
        const ends = events.flatMap(({ event }) =>
          event.type === "agent-ended" && event.role === "implementation-reviewer" ? [event.cause] : [],
        );
        expect(ends).toEqual(["timed-out", "exited", "timed-out", "timed-out"]);
        await on.answer("skip");
        await on.until("completed");
      });
    },
  );
});
