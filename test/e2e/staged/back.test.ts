/** A person stops a run of `staged`, or has it begin again somewhere: what was made is kept, and it comes to the same end. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { filesBelow } from "../activities/stage.ts";
import { FINAL, inStaged, LONG, wayOf, type Play } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

const PLAIN = ["A goal", "--param", "compact_stages=false"];

const ENDING = [...FINAL, "completed"];
const TEST = ["3.1", "3.2", "3.3", ...ENDING];
const IMPLEMENT = ["2.1", "2.2", "2.3", ...TEST];
const PLAN = ["1.1", "1.2", "1.2-merge", "1.3", ...IMPLEMENT];
const ALL = ["0", "0-each", "0-merge", ...PLAN];

/** What was put away, by the name of its phase. */
function kept({ home }: Play, run: string): string[] {
  const files = Object.keys(filesBelow(join(home.root, "runs", run, "archive")));
  return files
    .map((file) => file.replace(/^attempt-\d+\/\.agents\/tmp\/(?:phases|summaries)\//, ""))
    .toSorted();
}

type Row = {
  /** Who waits while a person goes back, and in which state that is. */
  readonly held: string;
  readonly at: string;
  readonly summaries?: boolean;
  readonly stop?: readonly string[];
  readonly back: readonly string[];
  readonly way: readonly string[];
  readonly kept: readonly string[];
};

const ROWS: readonly Row[] = [
  {
    held: "explorer",
    at: "0-each",
    back: ["--restart-stage"],
    way: ALL,
    kept: ["0-queries.json"],
  },
  {
    held: "implementation-reviewer",
    at: "2.3",
    stop: ["--now"],
    back: ["--from-phase", "1.1"],
    way: PLAN,
    kept: ["1.1-brainstorm.md", "1.2-plan.code.md", "1.2-plan.md", "1.3-plan-review.json", "2.2-simplify.md"],
  },
  { held: "implementation-reviewer", at: "2.3", back: ["--retry-failed"], way: IMPLEMENT.slice(2), kept: [] },
  {
    held: "test-reviewer",
    at: "3.3",
    back: ["--restart-previous"],
    way: IMPLEMENT,
    kept: ["2.2-simplify.md", "2.3-impl-review.json", "3.1-test-output.txt"],
  },
  {
    held: "test-reviewer",
    at: "3.3",
    stop: [],
    back: ["--restart-stage"],
    way: TEST,
    kept: ["3.1-test-output.txt"],
  },
  {
    held: "finisher",
    at: "4.3",
    back: ["--from-phase", "2.3"],
    way: IMPLEMENT.slice(2),
    kept: [
      "2.3-impl-review.json",
      "3.1-test-output.txt",
      "3.3-test-review.json",
      "4.1-docs.md",
      "4.2-final-review.json",
      "4.2-test-output.txt",
    ],
  },
  {
    held: "finisher",
    at: "4.3",
    stop: ["--now"],
    back: ["--from-phase", "4.2"],
    way: ENDING.slice(1),
    kept: ["4.2-final-review.json", "4.2-test-output.txt"],
  },
  {
    held: "finisher",
    at: "4.3",
    summaries: true,
    back: ["--from-phase", "0"],
    way: ALL,
    kept: [
      "0-explore.md",
      "0-explore.where it is.md",
      "0-queries.json",
      "1.1-brainstorm.md",
      "1.2-plan.code.md",
      "1.2-plan.md",
      "1.3-plan-review.json",
      "2.2-simplify.md",
      "2.3-impl-review.json",
      "3.1-test-output.txt",
      "3.3-test-review.json",
      "4.1-docs.md",
      "4.2-final-review.json",
      "4.2-test-output.txt",
      "EXPLORE-summary.md",
      "IMPLEMENT-summary.md",
      "PLAN-summary.md",
      "TEST-summary.md",
    ],
  },
];

describe.runIf(isPerson && IS_DEEP).concurrent("staged", LONG, () => {
  test.for(ROWS)("in $at, $stop, resume $back", async (row, { expect }) => {
    await inStaged({}, async (on) => {
      const held = on.hold(row.held);
      const run = await on.run(...(row.summaries === true ? ["A goal"] : PLAIN));
      await held();
      expect((await on.now(run)).state).toBe(row.at);
      const before = wayOf(await on.now(run));
      if (row.stop !== undefined) {
        expect((await on.type("stop", run, ...row.stop)).code).toBe(0);
        expect((await on.now(run)).row.halted).toBe(true);
      }
      writeFileSync(join(on.ledger, "round"), "second");
      const { code, document } = await on.type("resume", run, ...row.back);
      expect([code, document["unhalted"]]).toEqual([0, row.stop !== undefined]);
      on.letGo(row.held);
      const now = await on.ended(run);
      const way = wayOf(now).slice(before.length);
      expect(way.filter((state) => !state.endsWith("-summary"))).toEqual(["rewind", ...row.way]);
      expect(kept(on, run)).toEqual(row.kept);
      expect(on.git("diff", "--name-only", `main..signalbox/${run}`)).toBe(
        "README.md\nwork-1.txt\nwork-2.txt",
      );
      expect(on.said("missing")).toBe("");
      expect((await on.type("verify", run)).code).toBe(0);
    });
  });

  test("stop waits for who is at work, begins nothing more, and resume goes on from there", async ({
    expect,
  }) => {
    await inStaged({}, async (on) => {
      const held = on.hold("simplifier");
      const run = await on.run(...PLAIN);
      await held();
      const { document } = await on.type("stop", run);
      expect(document["waitsFor"]).toEqual(["simplifier"]);
      on.letGo("simplifier");
      await on.until(run, ({ run: { held: has }, isIdle }) => has["2.2"] !== undefined && isIdle);
      expect((await on.shown(run))["stoppedAt"]).not.toBeNull();
      expect((await on.type("resume", run)).code).toBe(0);
      const now = await on.ended(run);
      expect(wayOf(now)).toEqual(ALL);
      expect(now.run.attempts).toMatchObject({ simplifier: 1, "implementation-reviewer": 1 });
    });
  });

  test("by hand: a move to where it is asked, and the answer; forward there is no way", async ({
    expect,
  }) => {
    await inStaged({}, async (on) => {
      const held = on.hold("plan-reviewer");
      const run = await on.run(...PLAIN);
      await held();
      const forward = await on.type("resume", run, "--from-phase", "3.1");
      expect([forward.code, forward.document["message"]]).toEqual([
        4,
        `run ${run} in 1.3 cannot go to "3.1"; there are 0, 1.1`,
      ]);
      expect((await on.type("move", run, "rewind")).code).toBe(0);
      on.letGo("plan-reviewer");
      const asked = await on.ended(run);
      expect([asked.state, asked.run.question?.ask]).toEqual(["rewind", "rewind"]);
      expect((await on.type("answer", run, "2.1")).code).not.toBe(0);
      writeFileSync(join(on.ledger, "round"), "second");
      expect((await on.type("answer", run, "1.1")).code).toBe(0);
      const now = await on.ended(run);
      expect(wayOf(now).slice(-PLAN.length)).toEqual(PLAN);
      expect(now.run.attempts).toMatchObject({
        scout: 1,
        brainstormer: 2,
        "plan-reviewer": 2,
        simplifier: 1,
      });
    });
  });
});
