/** What holds for every life of `staged`, whatever agents do and people answer. A failure names its seed. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { maxOf } from "../../src/core/gates/gate.ts";
import { replay } from "../../src/core/step/apply.ts";
import { standingOf } from "../../src/core/gates/artifact-status.ts";
import { step } from "../../src/core/step/step.ts";
import type { Run } from "../../src/core/model/run.ts";
import { answered, live, staged } from "../support/staged.ts";

const RUNS = process.env["SIGNALBOX_DEEP"] === undefined ? 60 : 3000;

/** Most of them do their work, so that lives become long. */
const ends = [...Array.from({ length: 9 }, () => "ok"), "die", "silent", "hang"];
const reviews = [
  ...ends,
  "fix",
  "three",
  "high",
  "medium",
  "odd",
  "empty",
  "status",
  "half",
  "garbage",
  "blocked",
];
const checks = ["ok", "ok", "red-test", "red-source", "red-unknown"];

const words = (...of: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 8 }).map((list) => list.join(", "));

const agents = fc.record({
  ...Object.fromEntries(Object.keys(staged.definition.roles).map((role) => [role, words(...ends)])),
  ...Object.fromEntries(
    ["plan-reviewer", "implementation-reviewer", "test-reviewer", "final-reviewer"].map((role) => [
      role,
      words(...reviews),
    ]),
  ),
  "2.1": words("ok", "ok", "ok", "some", "none"),
  "3.1": words(...checks),
  "4.2-tests": words("ok", "ok", "red-test"),
});

const params = fc.record({
  block: fc.constantFrom("low", "medium", "high"),
  git_workflow: fc.constantFrom("none", "commit"),
  compact_stages: fc.boolean(),
  compact_phases: fc.boolean(),
  implement_fixes: fc.nat(3),
  test_fixes: fc.nat(3),
  restarts: fc.nat(2),
  tries: fc.integer({ min: 1, max: 3 }),
});

/** Somebody who takes any of the answers that are open, so often. */
function person(dice: readonly number[]): (run: Run) => string | undefined {
  const left = [...dice];
  return (run) => {
    const die = left.shift();
    if (die === undefined) return undefined;
    const options = Object.keys(staged.definition.asks[run.question?.ask ?? ""]?.options ?? {});
    const open = options.filter((each) => step(staged, run, answered(run, each)).ok);
    const onward = open.filter((each) => each !== "abort");
    return die === 0 && open.includes("abort") ? "abort" : onward[die % onward.length];
  };
}

test("it ends or asks; budgets hold; nothing is handed over that a reviewer refused and nobody answered for", () => {
  fc.assert(
    fc.property(agents, params, fc.array(fc.nat(30), { maxLength: 12 }), (told, given, dice) => {
      const { run, events, way, waived } = live({ agents: told, params: given, answers: person(dice) });
      const { final } = staged.definition.states[run.state] ?? {};
      expect(final !== undefined || run.question !== undefined || run.state === "committing").toBe(true);
      const over = Object.entries(run.counters).filter(([name, value]) => value > maxOf(staged, run, name));
      expect(over).toEqual([]);
      expect(replay(staged, events)).toEqual(run);
      if (!way.includes("committing") && !way.includes("handover")) return;
      expect(["pass", "pass_with_notes", "waived"]).toContain(standingOf(staged, run, "4.2"));
      expect(standingOf(staged, run, "4.2") !== "waived" || waived.includes("4.2")).toBe(true);
    }),
    { numRuns: RUNS },
  );
});
