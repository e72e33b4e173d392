/** What holds for every life of `change`, whatever agents do and people decide. A failure names its seed. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { maxOf } from "../../src/core/gates/gate.ts";
import { replay } from "../../src/core/step/apply.ts";
import { standingOf } from "../../src/core/gates/artifact-status.ts";
import { step } from "../../src/core/step/step.ts";
import type { Run } from "../../src/core/model/run.ts";
import { act, change, live } from "../support/change-lives.ts";

const RUNS = process.env["SIGNALBOX_DEEP"] === undefined ? 150 : 5000;

/** Most of them do their work, so that lives become long. */
const ends = [...Array.from({ length: 9 }, () => "ok"), "die", "silent", "hang"];
const tampered = ["APPROVED %proposal.md", "silent %specs/b.md", "APPROVED %tasks.md"];
const judged = [...tampered, "APPROVED m", "APPROVED h", "APPROVED ~", "APPROVED +", "garbage", "silent"];
const revised = [
  "NEEDS_REVISION h",
  "NEEDS_REVISION m",
  "NEEDS_REVISION m m",
  "NEEDS_REVISION",
  "REJECTED h",
];
const changed = ["NEEDS_CHANGES h", "NEEDS_FIX l", "NEEDS_CHANGES t", "MAJOR_ISSUES h", "MAJOR_ISSUES l"];

const words = (...of: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...of), { minLength: 1, maxLength: 8 }).map((list) => list.join(", "));

const agents = fc.record({
  ...Object.fromEntries(Object.keys(change.definition.roles).map((role) => [role, words(...ends)])),
  fixer: words(...ends, ...tampered),
  challenger: words(...ends, ...judged, ...revised),
  reviewer: words(...ends, ...judged, ...changed),
  "merge-reviewer": words(...ends, ...judged, "NEEDS_FIX h", "REJECTED h"),
  tasks: words("ok", "ok", "ok", "some", "none"),
  tests: words("ok", "ok", "red"),
  archive: words("ok", "refused"),
});

const params = fc.record({
  planning_iterations: fc.nat(3),
  implementation_iterations: fc.nat(2),
  archive_iterations: fc.nat(1),
});

const GOOD = /^(pass|pass_with_notes|waived)$/;
const EDITS = ["edit proposal.md", "edit specs/a.md", "edit tasks.md", "edit work"];

/** Somebody who does something that is open now, or edits something, so often; and drops it at last. */
function person(dice: readonly number[]): (run: Run) => string | undefined {
  const left = [...dice];
  return (run) => {
    if (change.definition.states[run.state]?.final !== undefined) return undefined;
    const can = (word: string): boolean => step(change, run, act(run, word)).ok;
    const answers = Object.keys(change.definition.asks[run.question?.ask ?? ""]?.options ?? {});
    const moves = change.definition.moves.flatMap(({ from, to }) => (from === run.state ? [`to ${to}`] : []));
    // Who was not started, since somebody has rewritten a document, is when a person has taken that.
    const crashed = Object.values(run.agents).filter(({ status }) => status === "crashed");
    const taken = crashed.length === 0 ? [] : ["take proposal", "take specs", "take todo"];
    const started = crashed.map(({ role }) => `start ${role}`);
    const open = [...[...answers, ...moves, ...started].filter(can), ...taken];
    const die = left.shift();
    if (die === undefined)
      return open.find((word) => ["drop", "to dropped", "later", "reject"].includes(word));
    const onward = open.filter((word) => word !== "drop" && word !== "to dropped");
    const choices = die % 5 === 0 ? EDITS : onward;
    // Where nothing leads on, something must be edited first.
    return choices[die % choices.length] ?? EDITS[die % EDITS.length];
  };
}

test("it ends where people let it; budgets hold; nothing is archived that nobody approved of or answered for", () => {
  fc.assert(
    fc.property(agents, params, fc.array(fc.nat(60), { maxLength: 14 }), (told, given, dice) => {
      const { run, events, phase, way } = live({ agents: told, params: given, people: person(dice) });
      expect(["archived", "dropped"]).toContain(phase);
      const over = Object.entries(run.counters).filter(([name, value]) => value > maxOf(change, run, name));
      expect(over).toEqual([]);
      expect(replay(change, events)).toEqual(run);
      if (phase !== "archived") return;
      // The documents may have changed since they were challenged: from then on, the review answers for them.
      expect(way).toContain("challenged");
      expect(standingOf(change, run, "review")).toMatch(GOOD);
      expect(standingOf(change, run, "merge-review")).toMatch(GOOD);
    }),
    { numRuns: RUNS },
  );
});
