/** Tests that are red, tasks that fail, explorers that die: in whole lives. The table of all of it is test/core/staged-lives.test.ts. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { LIFE_MS, story, type Story } from "./support.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
/** Summaries are told elsewhere, and explorers only where they are meant. */
const EXPLORED = { compact_stages: false };
const QUICK = { ...EXPLORED, explore_stage: false };
const PHASES = ".agents/tmp/phases";

const calls = (on: Story, role: string): string[] =>
  on.order().filter((line) => line.startsWith(`begin ${role}`));

describe.runIf(isPerson && IS_DEEP).concurrent("trouble in staged", { timeout: LIFE_MS }, () => {
  test("red in the source: IMPLEMENT begins again; red in a test: it is analysed, mended and run again", async ({
    expect,
  }) => {
    const agents = { "worker.1": "wrong, ok", "worker.2": "ok, red" };
    await story({ agents, params: QUICK }, async (on) => {
      await on.until("completed");
      const history = await on.history();
      expect(history.slice(history.indexOf("2.1 is all"))).toMatchInlineSnapshot(`
        [
          "2.1 is all",
          "2.1 -> 2.2: simplifier #1",
          "2.2 -> 2.3: implementation-reviewer #1",
          "2.3 is pass",
          "2.3 -> 3.1",
          "3.1 is needs_fix, source",
          "3.1 -> 3.2",
          "3.2 -> 2.1: IMPLEMENT.restarts 1",
          "2.1 is all",
          "2.1 -> 2.2: simplifier #2",
          "2.2 -> 2.3: implementation-reviewer #2",
          "2.3 is pass",
          "2.3 -> 3.1",
          "3.1 is needs_fix, test",
          "3.1 -> 3.2",
          "3.2 -> 3.2-analyse: 3.3.fixes 1, analyst #1",
          "3.2-analyse -> 3.2-fix: test-fixer #1",
          "3.2-fix -> 3.1",
          "3.1 is pass",
          "3.1 -> 3.2",
          "3.2 -> 3.3: test-reviewer #1",
          "3.3 is pass",
          "3.3 -> 4.1: documenter #1",
          "4.1 -> 4.2-tests",
          "4.2-tests -> 4.2-testing",
          "4.2-tests is pass",
          "4.2-testing -> 4.2: final-reviewer #1",
          "4.2 is pass",
          "4.2 -> 4.3: finisher #1",
          "4.3 -> approved",
          "approved -> tested",
          "tested -> released",
          "released -> committing",
          "committing -> completed",
        ]
      `);
      expect((await on.person("verify", on.run)).code).toBe(0);
    });
  });

  test.runIf(IS_DEEP)(
    "an explorer dies and a task fails: others go on, dependents wait, and what is done stays done",
    async ({ expect }) => {
      const agents = { "explorer.code": "die*", "worker.1": "fail, fail, ok" };
      await story({ agents, params: EXPLORED }, async (on) => {
        await on.until("IMPLEMENT-blocked");
        expect(calls(on, "worker").toSorted()).toEqual(["begin worker.1 1 fail", "begin worker.3 1 ok"]);
        expect(JSON.parse(await on.file(`${PHASES}/2.1-tasks.json`))).toMatchInlineSnapshot(`
        {
          "completedTasks": [
            "3",
          ],
          "failedTasks": [
            "1",
          ],
          "waves": [
            {
              "tasks": [
                {
                  "id": "1",
                  "status": "failed",
                  "summary": "fail, 1",
                },
                {
                  "id": "3",
                  "status": "completed",
                  "summary": "ok, 1",
                },
              ],
              "waveNumber": 1,
            },
            {
              "tasks": [
                {
                  "id": "2",
                  "status": "blocked",
                  "summary": "",
                },
              ],
              "waveNumber": 2,
            },
          ],
        }
      `);
        await on.answer("retry");
        await on.until("IMPLEMENT-blocked");
        await on.answer("retry");
        await on.until("completed");
        expect(calls(on, "worker").toSorted()).toEqual([
          "begin worker.1 1 fail",
          "begin worker.1 2 fail",
          "begin worker.1 3 ok",
          "begin worker.2 1 ok",
          "begin worker.3 1 ok",
        ]);
        expect(calls(on, "explorer.code")).toHaveLength(3);
        expect((await on.history()).slice(0, 3)).toMatchInlineSnapshot(`
        [
          "start -> 0: scout #1",
          "0 -> 0-each: explorer/code #1, explorer/tests #2, explorer/docs #3, 0-each.tries 1, explorer/code #4, 0-each.tries 2, explorer/code #5, 0-each.tries 3",
          "0-each -> 0-merge: aggregator #1",
        ]
      `);
      });
    },
  );

  test.runIf(IS_DEEP)("all explorers die: a person is asked, and plans without them", async ({ expect }) => {
    await story({ agents: { explorer: "die*" }, params: EXPLORED }, async (on) => {
      await on.until("EXPLORE-blocked");
      await on.answer("restart");
      await on.until("EXPLORE-blocked");
      await on.answer("skip");
      await on.until("completed");
      expect(await waived(on)).toEqual(["EXPLORE-blocked -> 1.1: waived 0, brainstormer #1"]);
      expect(calls(on, "scout")).toHaveLength(2);
    });
  });

  test.runIf(IS_DEEP)("a task that fails is done without: a waiver", async ({ expect }) => {
    await story({ agents: { "worker.3": "fail*" }, params: QUICK }, async (on) => {
      await on.until("IMPLEMENT-blocked");
      await on.answer("skip");
      await on.until("completed");
      expect(await waived(on)).toEqual(["IMPLEMENT-blocked -> 2.2: waived 2.1, simplifier #1"]);
      expect(JSON.parse(await on.file(".agents/tmp/state.json"))).toMatchObject({
        tasks: { completed: ["1", "2"], failed: [] },
        waivers: [{ artifact: "2.1", by: "human" }],
      });
      expect(JSON.parse(await on.file(`${PHASES}/2.1-tasks.json`))).toMatchObject({
        waves: [{ tasks: [{ id: "1" }, { id: "3", status: "skipped" }] }, { tasks: [{ id: "2" }] }],
      });
    });
  });

  test.runIf(IS_DEEP)("nobody can tell where the tests fail: a person says so", async ({ expect }) => {
    const agents = { "worker.1": "mystery, mystery, ok" };
    await story({ agents, params: QUICK }, async (on) => {
      await on.until("TEST-blocked");
      expect(JSON.parse(await on.file(`${PHASES}/3.1-test-results.json`))).toMatchObject({
        passed: false,
        failing: "unknown",
        rule: "no-path",
      });
      for (const answer of ["retry", "restart-previous", "restart-previous"]) {
        await on.until("TEST-blocked");
        await on.answer(answer);
      }
      await on.until("completed");
      expect(calls(on, "worker.1")).toHaveLength(3);
    });
  });

  test.runIf(IS_DEEP)(
    "the tests stay red: after every fix and restart a person answers for it, twice",
    async ({ expect }) => {
      const agents = { "worker.2": "red", "test-fixer": "silent*" };
      await story({ agents, params: { ...QUICK, test_fixes: 1, restarts: 1 } }, async (on) => {
        await on.until("TEST-exhausted");
        await on.answer("force-continue");
        // What is handed over is tested once more.
        await on.until("FINAL-exhausted");
        await on.answer("force-continue");
        await on.until("completed");
        expect(await waived(on)).toMatchInlineSnapshot(`
          [
            "TEST-exhausted -> 3.3: waived 3.1, test-reviewer #1",
            "FINAL-exhausted -> 4.2: waived 4.2-tests, final-reviewer #1",
          ]
        `);
      });
    },
  );
});

async function waived(on: Story): Promise<string[]> {
  return (await on.history()).filter((line) => line.includes("waived"));
}
