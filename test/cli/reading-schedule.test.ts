/** The schedule of a run, as `show` prints it. */

import { afterAll, describe, expect, test } from "vitest";
import { replay } from "../../src/core/step/apply.ts";
import { paintOf } from "../../src/cli/paint.ts";
import type { ScheduleView } from "../../src/app/view/work/schedule.ts";
import { sayPhase } from "../../src/cli/render/schedule.ts";
import { NO_ISSUES, type IssueCounts } from "../../src/core/model/verdict.ts";
import { verdict } from "../support/play.ts";
import { goodWorkflow, happening, wordsIn } from "../support/stages.ts";
import { machine } from "./reading-support.ts";

const five = goodWorkflow("five-stages.yaml");

describe("show, with stages", async () => {
  const on = await machine(five);
  afterAll(() => on.store.close());

  async function begin(id: string, told: string): Promise<void> {
    await on.begin(id);
    for (const word of wordsIn(told)) {
      const run = (await on.store.load(id))?.run;
      if (run !== undefined && word !== "") await on.happen(id, happening(five, run, word));
    }
  }

  /** The lines of one section. */
  async function section(line: string): Promise<string> {
    const { stdout } = await on.call(line);
    return /^Schedule\n(?<rows>(?: .*\n)*)/m.exec(stdout)?.groups?.["rows"] ?? stdout;
  }

  test("there is a row for each phase, and its gate", async () => {
    await begin("s1", "ok*4, bad, ok*3");
    expect(await section("show s1")).toMatchInlineSnapshot(`
      "  done     0    Explore                 inline    [GATE] satisfied
        done     1.1  Brainstorm, 2 times     inline    [GATE] satisfied
        done     1.2  Parallel plan, 2 times  dispatch  [GATE] satisfied
        running  1.3  Plan review, 2 times    review    [GATE] missing
        pending  2.1  Task execution          dispatch  [GATE] pending
        pending  2.2  Simplify                inline    [GATE] pending
        pending  3.1  Run the tests           command   [GATE] pending
        pending  3.2  Analyse failures        inline    [GATE] pending
        pending  4.1  Documentation           inline    [GATE] pending
        pending  4.2  Final review            review    [GATE] pending
        pending  4.3  Completion              inline    [GATE] pending
      "
    `);
  });

  test("with --verbose it says what is missing, where, and why", async () => {
    await begin("s2", "ok*4, bad, ok*3, bad");
    expect(await section("show s2 --verbose")).toMatchInlineSnapshot(`
      "  done     0    Explore                 inline    [GATE] satisfied
        done     1.1  Brainstorm, 2 times     inline    [GATE] satisfied
        done     1.2  Parallel plan, 2 times  dispatch  [GATE] satisfied
        failed   1.3  Plan review, 2 times    review    [GATE] missing
                                                        1.3 is needs_fix: .agents/tmp/phases/1.3-plan-review.json says needs_fix
        pending  2.1  Task execution          dispatch  [GATE] pending
        pending  2.2  Simplify                inline    [GATE] pending
        pending  3.1  Run the tests           command   [GATE] pending
        pending  3.2  Analyse failures        inline    [GATE] pending
        pending  4.1  Documentation           inline    [GATE] pending
        pending  4.2  Final review            review    [GATE] pending
        pending  4.3  Completion              inline    [GATE] pending
      "
    `);
    expect(await section("show s2")).not.toContain("needs_fix");
  });

  test.for<[id: string, issues: Partial<IssueCounts>, said: string]>([
    ["h1", { high: 1 }, "passed it (1.3), counts as needs_fix. "],
    ["h2", {}, "passed it (1.3). "],
  ])("history says what a claim counts as: %s", async ([id, issues, said]) => {
    await begin(id, "ok*4");
    const run = (await on.store.load(id))?.run;
    const good = run === undefined ? undefined : happening(five, run, "ok");
    if (good?.type !== "submitted") throw new Error("nobody is at work");
    await on.happen(id, {
      ...good,
      readings: [verdict("1.3", "pass", { issues: { ...NO_ISSUES, ...issues } })],
    });
    expect((await on.call(`history ${id}`)).stdout).toContain(said);
  });

  test("the pointer is what the history says", async () => {
    await begin("s4", "ok*4, bad, ok*3, bad, restart: anew, ok*3, bad, skip");
    const events = (await on.store.events("s4", 1, 1000)).map(({ event }) => event);
    const { progress } = replay(five, events);
    expect(progress).toEqual((await on.store.load("s4"))?.run.progress);
    expect(progress).toMatchObject({
      phase: "2.1",
      is: "begun",
      phases: { "1.3": { times: 3, waived: true } },
    });
  });

  test("as data it is the whole schedule", async () => {
    await begin("s3", "ok");
    const { schedule } = (await on.data("show s3")) as { schedule: ScheduleView[] };
    expect(schedule).toHaveLength(11);
    expect(schedule[1]).toEqual({
      phase: "1.1",
      stage: "PLAN",
      name: "Brainstorm",
      type: "inline",
      status: "in_progress",
      attempts: 1,
      idle: false,
      gate: {
        status: "missing",
        required: [
          {
            artifact: "1.1",
            file: ".agents/tmp/phases/1.1-brainstorm.md",
            standing: "missing",
            reason: "expected: .agents/tmp/phases/1.1-brainstorm.md with Areas",
          },
        ],
      },
    });
  });

  test("what has counted nothing, and what nobody asks for yet, is shown only with --verbose; as data all of it is there", async () => {
    await begin("s5", "ok");
    const brief = (await on.call("show s5")).stdout;
    expect(brief).not.toMatch(/counters|restarts/);
    expect(brief).toMatch(
      /Artifacts\n {2}0 +valid\n {2}1\.1 +missing +expected: .*1\.1-brainstorm.md with Areas\n\n/,
    );
    const all = (await on.call("show s5 --verbose")).stdout;
    expect(all).toMatch(/counters .*0 of/);
    expect(all).toMatch(/4\.3 +missing/);
    const { artifacts, counters } = (await on.data("show s5")) as {
      artifacts: unknown[];
      counters: unknown[];
    };
    expect(artifacts).toHaveLength(Object.keys(five.definition.artifacts).length);
    expect(counters).toHaveLength(Object.keys(five.definition.counters).length);
  });
});

test("a workflow without stages has no schedule", async () => {
  const on = await machine();
  await on.begin("a1");
  expect((await on.call("show a1")).stdout).not.toContain("Schedule");
  expect(await on.data("show a1")).toMatchObject({ schedule: [] });
  await on.store.close();
});

test.for<[ScheduleView["status"], string, string]>([
  ["completed", "done", "✓"],
  ["in_progress", "running", "▶"],
  ["failed", "failed", "✗"],
  ["pending", "pending", "○"],
  ["skipped", "skipped", "-"],
  ["waived", "waived", "~"],
])("%s is %s, and with colours %s", ([status, word, symbol]) => {
  const entry: ScheduleView = {
    phase: "1",
    stage: "A",
    name: "1",
    type: "inline",
    status,
    attempts: 1,
    idle: false,
    gate: null,
  };
  const mark = (enabled: boolean): string | undefined =>
    sayPhase(entry, { paint: paintOf(enabled), verbose: false })[0]?.[0];
  expect(mark(false)).toBe(word);
  expect(mark(true)).toContain(symbol);
});
