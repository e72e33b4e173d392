/** Reviews with severities, fixes that run out, and stages that begin again with everything kept. */

import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { processesOf } from "../lives/life.ts";
import { filesBelow, onStage, supervised } from "./stage.ts";

/** What the critic says, one line for each time it is called. */
function critic(...reviews: readonly object[]): string {
  const cases = reviews.map((review, at) => `${at + 1}) r='${JSON.stringify(review)}' ;;`).join("\n");
  return `
say critic x
case $(wc -l <"$LEDGER/critic" | tr -d ' ') in
${cases}
esac
printf '%s\\n' "$r" >review.json
signalbox submit judge
`;
}

const PLANNER = `
ls plan.md review.json >>"$LEDGER/found" 2>/dev/null
sed -n '/^## From an earlier attempt/,$s/^- //p' "$SIGNALBOX_PROMPT" | while read -r file; do say earlier "$file: $(cat "$file")"; done
git status --porcelain >>"$LEDGER/status"
echo "plan of $SIGNALBOX_JOB" >plan.md
`;
const MENDER = `echo "mended by $SIGNALBOX_JOB" >>plan.md`;
const issue = (rank: string): object => ({ rank, issue: `an issue of rank ${rank}` });

describe.runIf(isPerson).concurrent("stages", () => {
  test("issues below the threshold are notes; a blocking one outweighs approval; a stage begins again, and nothing is lost", async ({
    expect,
  }) => {
    const agents = {
      planner: PLANNER,
      mender: MENDER,
      critic: critic(
        { status: "approved", issues: [issue("P1")] },
        { status: "changes", issues: [issue("P2")] },
        { status: "approved", issues: [issue("P3")] },
      ),
    };
    await onStage({ workflow: "stages", agents, files: { "test.sh": "true" } }, async (stage) => {
      const run = await stage.begin("stages");
      await stage.until(run, ({ state, isIdle }) => state === "done" && isIdle);
      expect(await stage.trace(run)).toMatchInlineSnapshot(`
        [
          "human (signed): started the run; start -> draft; planner is called, attempt 1",
          "engine: planner ended: exited (exit code 0); draft: read; draft -> judge; critic is called, attempt 1",
          "critic: submitted; judge: pass, counts as needs_fix; judge -> judge-fix; judge.fixes is 1; critic is stopped; mender is called, attempt 1",
          "engine: mender ended: exited (exit code 0); draft: read; judge-fix: read; judge-fix -> judge; critic is called, attempt 2",
          "critic: submitted; judge: needs_fix; judge -> draft; BUILD.restarts is 1; critic is stopped; planner is called, attempt 2",
          "engine: planner ended: exited (exit code 0); draft: read; judge-fix: read; draft -> judge; critic is called, attempt 3",
          "critic: submitted; judge: pass, counts as pass_with_notes; judge -> tests; critic is stopped",
          "engine: looked at the files; tests: pass; tests -> done",
        ]
      `);
      const archive = join(stage.home.root, "runs", run, "archive");
      const kept = Object.entries(filesBelow(archive)).map(
        ([name, text]) => `${name}: ${text.replaceAll(run, "RUN")}`,
      );
      expect(kept).toMatchInlineSnapshot(`
        [
          "attempt-4/review.json: {"status":"approved","issues":[{"rank":"P1","issue":"an issue of rank P1"}]}
        ",
          "attempt-5/plan.md: plan of RUN.planner.1.1
        mended by RUN.mender.1.1
        ",
          "attempt-5/review.json: {"status":"changes","issues":[{"rank":"P2","issue":"an issue of rank P2"}]}
        ",
        ]
      `);
      // The second attempt of the stage began clean.
      expect(stage.said("found")).toBe("");
      // It was told why, by the name of a file that is no part of the work.
      const why = '{"status":"changes","issues":[{"rank":"P2","issue":"an issue of rank P2"}]}';
      expect([stage.said("earlier"), stage.said("status")]).toEqual([`attempt-5/review.json: ${why}`, ""]);
      expect((await stage.person("verify", run)).code).toBe(0);
    });
  });

  test("doubt counts against the work: a contradiction does not count, and an unknown rank blocks", async ({
    expect,
  }) => {
    const agents = {
      planner: PLANNER,
      mender: MENDER,
      critic: critic(
        { status: "changes", issues: [] },
        { status: "approved", issues: [issue("P9")] },
        { status: "unclear", issues: [issue("P3")] },
      ),
    };
    await onStage({ workflow: "stages", agents, files: { "test.sh": "true" } }, async (stage) => {
      const run = await stage.begin("stages");
      await stage.until(run, ({ state, isIdle }) => state === "BUILD-blocked" && isIdle);
      expect((await stage.person("answer", run, "drop")).code).toBe(0);
      expect(await stage.trace(run)).toMatchInlineSnapshot(`
        [
          "human (signed): started the run; start -> draft; planner is called, attempt 1",
          "engine: planner ended: exited (exit code 0); draft: read; draft -> judge; critic is called, attempt 1",
          "engine: critic ended: exited (exit code 5); judge.tries is 1; critic is called, attempt 2",
          "critic: submitted; judge: pass, counts as needs_fix; judge -> judge-fix; judge.fixes is 1; critic is stopped; mender is called, attempt 1",
          "engine: mender ended: exited (exit code 0); draft: read; judge-fix: read; judge-fix -> judge; critic is called, attempt 3",
          "critic: submitted; judge: needs_human; judge -> BUILD-blocked; critic is stopped; UD-1 is asked",
          "human (signed): answered drop; BUILD-blocked -> dropped",
        ]
      `);
    });
  });

  test("a fan-out: one agent for each member, then one that merges", async ({ expect }) => {
    const phases = ".agents/tmp/phases";
    const agents = {
      brainstormer: `mkdir -p ${phases}; printf '## Approach\\nTwo parts.\\n\\n## Areas\\n- front end\\n- back\\n' >${phases}/1.1-brainstorm.md`,
      planner: `slot=$(printf '%s' "$SIGNALBOX_JOB" | cut -d. -f3); say planners "$slot"; for part in "front end" back; do [ "$(printf %s "$part" | sed 's/ /%20/g')" = "$slot" ] && echo "plan for $part" >"${phases}/1.2-plan.$part.md"; done; true`,
      merger: `cat ${phases}/1.2-plan.*.md >"$LEDGER/merged"; printf '### Task 1: Do it\\n\\nFiles: button.ts\\nDependencies: none\\nComplexity: easy\\nInstructions: all of it\\n' >${phases}/1.2-plan.md`,
      "plan-reviewer": `echo '{"status":"approved","summary":"good","issues":[]}' >${phases}/1.3-plan-review.json`,
      fixer: "true",
    };
    await onStage({ workflow: "staged-plan", agents }, async (stage) => {
      const run = await stage.begin("staged-plan", "--param", "reviewer_harness=scripted");
      const now = await stage.until(run, ({ state, attention }) => state === "planned" || attention !== "");
      expect(now.attention).toBe("");
      expect(stage.said("merged").split("\n")).toEqual(["plan for back", "plan for front end"]);
      const moves = now.events.flatMap(({ event }) => (event.type === "moved" ? [event.to] : []));
      expect(moves).toEqual(["1.1", "1.2", "1.2-merge", "1.3", "planned"]);
      expect(now.run.slots).toEqual({ "1.2-parts": { "front end": "done", back: "done" } });
    });
  });

  test("a run that is over has no check left, though nothing releases its workspace", async ({ expect }) => {
    const agents = { planner: PLANNER, mender: MENDER, critic: critic({ status: "approved", issues: [] }) };
    await onStage({ workflow: "stages", agents, files: { "test.sh": "sleep 600" } }, (stage) =>
      supervised(stage, {}, async () => {
        const run = await stage.begin("stages");
        const isRunning = (): boolean => processesOf(stage).some(({ kind }) => kind === "shim");
        await stage.until(
          run,
          ({ state, deeds }) => state === "tests" && deeds.every(({ status }) => status === "done"),
        );
        expect(isRunning()).toBe(true);
        expect((await stage.person("cancel", run)).code).toBe(0);
        await stage.until(run, ({ isIdle }) => isIdle && !isRunning());
        expect(await stage.now(run)).toMatchObject({ state: "dropped", attention: "" });
      }),
    );
  });
});
