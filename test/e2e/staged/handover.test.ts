/** What is left of a run of `staged` when it is over: a commit with the work and nothing else, a pull request, or the reason why there is none. */

import { describe, test } from "vitest";
import { ghCalls, pullRequests } from "../../support/gh.ts";
import { isPerson } from "../../support/person.ts";
import { inStaged, LONG, put } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const TRACKED = { ".agents/notes.md": "Ours.\n", ".agents/tmp/state.json": "{}\n" };
const WORK = "README.md\nwork-1.txt\nwork-2.txt";

describe.runIf(isPerson && IS_DEEP).concurrent("staged", LONG, () => {
  test("two at once, where .agents is tracked: each has its own files, a commit with its work, and a pull request", async ({
    expect,
  }) => {
    await inStaged({ remote: true, files: TRACKED }, async (on) => {
      const runs = [await on.run("The first"), await on.run("The second")];
      for (const run of runs) {
        const now = await on.ended(run);
        expect([now.state, now.attention]).toEqual(["completed", ""]);
        const branch = `signalbox/${run}`;
        expect(on.git("diff", "--name-only", `main..${branch}`)).toBe(WORK);
        expect(on.git("rev-list", "--count", `main..${branch}`)).toBe("1");
        const commit = on.git("rev-parse", branch);
        const opened = pullRequests(on.user).filter(({ headRefName }) => headRefName === branch);
        expect(opened).toMatchObject([
          { headRefOid: commit, baseRefName: "main", title: "More", body: "All of it." },
        ]);
        expect(await on.shown(run)).toMatchObject({
          run,
          status: "completed",
          completion: { commit, pullRequest: opened[0]?.url, refused: null },
        });
        expect((await on.type("verify", run)).code).toBe(0);
      }
      expect((await on.shown(runs[0] ?? ""))["task"]).toBe("The first");
      expect((await on.shown(runs[1] ?? ""))["task"]).toBe("The second");
      // Nobody was sent to a file that is not there, and the person's checkout is as it was.
      expect(on.said("missing")).toBe("");
      expect(on.git("status", "--porcelain")).toBe("");
    });
  });

  test.runIf(IS_DEEP)("where .agents is ignored, nothing of it is committed either", async ({ expect }) => {
    await inStaged({ files: { ".gitignore": ".agents/\n" } }, async (on) => {
      const run = await on.run("A goal");
      expect((await on.ended(run)).state).toBe("completed");
      expect(on.git("diff", "--name-only", `main..signalbox/${run}`)).toBe(WORK);
      expect(await on.file(run, ".agents/tmp/phases/1.2-plan.md")).toContain("### Task 1");
    });
  });

  test.runIf(IS_DEEP)(
    "without a remote the end is as good, and says why there is no pull request",
    async ({ expect }) => {
      await inStaged({}, async (on) => {
        const run = await on.run("A goal");
        const now = await on.ended(run);
        expect(now.state).toBe("completed");
        expect((await on.shown(run)).completion).toMatchObject({
          pullRequest: null,
          refused: "the project has no remote: signalbox project update --remote URL gives it one",
        });
        expect(now.notes.map(({ text }) => text)).toContainEqual(
          expect.stringContaining("there is no pull request: the project has no remote"),
        );
        expect(on.git("rev-list", "--count", `main..signalbox/${run}`)).toBe("1");
      });
    },
  );

  test.runIf(IS_DEEP)("git_workflow commit: a commit, and nobody is called", async ({ expect }) => {
    await inStaged({ remote: true }, async (on) => {
      const run = await on.run("A goal", "--param", "git_workflow=commit");
      expect((await on.ended(run)).state).toBe("completed");
      expect(on.git("diff", "--name-only", `main..signalbox/${run}`)).toBe(WORK);
      expect(ghCalls(on.user)).toEqual([]);
    });
  });

  test.runIf(IS_DEEP)(
    "git_workflow none: the work waits on its branch, and the branch stays when it was taken",
    async ({ expect }) => {
      await inStaged({ remote: true }, async (on) => {
        const run = await on.run("A goal", "--param", "git_workflow=none");
        const asked = await on.ended(run);
        expect(asked.state).toBe("handover");
        const { document } = await on.type("inbox");
        expect(JSON.stringify(document)).toContain("The work of run");
        expect((await on.type("answer", run, "taken")).code).toBe(0);
        const now = await on.until(run, ({ state, isIdle }) => state === "completed" && isIdle);
        expect(on.git("diff", "--name-only", `main..signalbox/${run}`)).toBe(WORK);
        expect(now.workspace).toMatchObject({ status: "released", salvage: "" });
        expect(ghCalls(on.user)).toEqual([]);
      });
    },
  );

  test.runIf(IS_DEEP)(
    "checks that cannot be run, though somebody set them, end with a question",
    async ({ expect }) => {
      await inStaged({}, async (on) => {
        const file = put(on.root, "plan.md", PLAN_OF_ONE);
        const run = await on.run("A goal", "--plan", file, "--param", "test_command=make nothing-like-it");
        const now = await on.ended(run);
        expect([now.state, now.run.question?.ask]).toEqual(["TEST-blocked", "test-trouble"]);
        expect(await on.file(run, ".agents/tmp/phases/3.1-test-output.txt")).toContain("nothing-like-it");
        const { document } = await on.type("show", run);
        expect(JSON.stringify(document)).toContain("3.1-test-output.txt");
        // Whoever has mended it elsewhere goes on from there.
        put(now.workspace?.path ?? "", "Makefile", "lint test nothing-like-it:\n\t@true\n");
        expect((await on.type("resume", run, "--retry-failed")).code).toBe(0);
        expect((await on.ended(run)).state).toBe("completed");
      });
    },
  );
});

const PLAN_OF_ONE =
  "### Task 1: The first\n\nFiles: work-1.txt\nDependencies: none\nComplexity: easy\nInstructions: Write it.\n";
