/** What the challenger and the reviewer of `change` can say, at every iteration, and what follows from it. */

import { describe, expect, test } from "vitest";
import { change, live, type Told } from "../support/change-lives.ts";

/** How many iterations there are, and how many of them are used: all that there can be. */
function iterations(most: number): [max: number, used: number][] {
  return Array.from({ length: most + 1 }, (_, max) =>
    Array.from({ length: max + 1 }, (__, used): [number, number] => [max, used]),
  ).flat();
}

const times = (word: string, n: number): string[] => Array.from({ length: n }, () => word);

/** The state that comes behind the nth of these, and its phase. `again`: whoever said it is asked once more. */
function after(told: Told, state: string, nth: number): string {
  const { way } = live(told);
  const at = way.flatMap((each, index) => (each === state ? [index] : []))[nth - 1] ?? way.length;
  const next = way[at + 1] ?? "nothing";
  return next.startsWith("!") ? "again" : `${next} (${change.definition.states[next]?.phase})`;
}

/** What is said; what follows while there are iterations left; and at the limit, where that is something else. */
type Row = readonly [says: string, below: string, limit?: string];

const CHALLENGES: readonly Row[] = [
  ["APPROVED", "challenged (challenged)"],
  ["APPROVED l", "challenged (challenged)"],
  ["APPROVED m", "challenged (challenged)"],
  ["APPROVED m m l", "challenged (challenged)"],
  // It says two things at once.
  ["APPROVED h", "again"],
  ["APPROVED h m l", "again"],
  ["APPROVED x", "again"],
  ["NEEDS_REVISION", "again"],
  ["NEEDS_REVISION l", "reproposal (proposed)", "challenged (challenged)"],
  ["NEEDS_REVISION l l l", "reproposal (proposed)", "challenged (challenged)"],
  ["NEEDS_REVISION m", "reproposal (proposed)", "challenged (challenged)"],
  ["NEEDS_REVISION m l", "reproposal (proposed)", "challenged (challenged)"],
  ["NEEDS_REVISION m m", "reproposal (proposed)", "planning-limit (proposed)"],
  ["NEEDS_REVISION m m l", "reproposal (proposed)", "planning-limit (proposed)"],
  ["NEEDS_REVISION h", "reproposal (proposed)", "planning-limit (proposed)"],
  ["NEEDS_REVISION h m", "reproposal (proposed)", "planning-limit (proposed)"],
  ["NEEDS_REVISION h m m l", "reproposal (proposed)", "planning-limit (proposed)"],
  // Nobody knows how bad it is: as bad as can be.
  ["NEEDS_REVISION x", "reproposal (proposed)", "planning-limit (proposed)"],
  ["NEEDS_REVISION x l", "reproposal (proposed)", "planning-limit (proposed)"],
  ["REJECTED h", "rejected (rejected)"],
  ["REJECTED l", "rejected (rejected)"],
  ["REJECTED", "again"],
  ["MAYBE h", "again"],
  ["approved", "again"],
  ["garbage", "again"],
  ["silent", "again"],
  ["die", "again"],
  ["hang", "again"],
];

describe.for(iterations(3))("with %i planning iterations, of which %i are used", ([max, used]) => {
  test.for(CHALLENGES)("%s: %s, at the limit %s", ([says, below, limit = below]) => {
    const challenger = [...times("NEEDS_REVISION h", used), says].join(", ");
    const told = { agents: { challenger }, params: { planning_iterations: max } };
    expect(after(told, "challenge", used + 1)).toBe(used < max ? below : limit);
  });
});

const GREEN: readonly Row[] = [
  ["APPROVED", "complete (complete)"],
  ["APPROVED l", "complete (complete)"],
  ["APPROVED m m m", "complete (complete)"],
  ["APPROVED h", "again"],
  ["APPROVED x", "again"],
  // A failed test in the review, or numbers that do not add up.
  ["APPROVED t", "again"],
  ["APPROVED n", "again"],
  // Tests are about everything, and a review is about the files that tasks name.
  ["APPROVED ~", "testing (implementing)", "halted (implementing)"],
  ["APPROVED +", "again"],
  ["NEEDS_CHANGES h", "fix (implementing)", "halted (implementing)"],
  ["NEEDS_CHANGES m", "fix (implementing)", "halted (implementing)"],
  ["NEEDS_CHANGES l", "fix (implementing)", "halted (implementing)"],
  ["NEEDS_CHANGES x", "fix (implementing)", "halted (implementing)"],
  ["NEEDS_CHANGES t", "fix (implementing)", "halted (implementing)"],
  ["NEEDS_CHANGES", "again"],
  ["NEEDS_CHANGES h n", "again"],
  ["NEEDS_FIX h", "fix (implementing)", "halted (implementing)"],
  ["NEEDS_FIX l", "fix (implementing)", "halted (implementing)"],
  ["NEEDS_FIX", "again"],
  ["MAJOR_ISSUES h", "halted (implementing)"],
  ["MAJOR_ISSUES t", "halted (implementing)"],
  ["MAJOR_ISSUES x", "halted (implementing)"],
  ["MAJOR_ISSUES m", "again"],
  ["MAJOR_ISSUES", "again"],
  ["REJECTED h", "again"],
  ["LGTM", "again"],
  ["garbage", "again"],
  ["silent", "again"],
  ["die", "again"],
  ["hang", "again"],
];

/** An approval is not enough. */
const RED: readonly Row[] = [
  ["APPROVED", "fix (implementing)", "halted (implementing)"],
  ["APPROVED l", "fix (implementing)", "halted (implementing)"],
  ["APPROVED ~", "testing (implementing)", "halted (implementing)"],
  ["NEEDS_CHANGES t", "fix (implementing)", "halted (implementing)"],
  ["NEEDS_CHANGES", "again"],
  ["MAJOR_ISSUES t", "halted (implementing)"],
  ["silent", "again"],
];

describe.for(iterations(2))("with %i implementation iterations, of which %i are used", ([max, used]) => {
  const told = (says: string, tests: string): Told => ({
    agents: {
      reviewer: [...times("NEEDS_CHANGES h", used), says].join(", "),
      tests: [...times("ok", used), tests].join(", "),
    },
    params: { implementation_iterations: max },
    people: ["to implement"],
  });

  test.for(GREEN)("green, and %s: %s, at the limit %s", ([says, below, limit = below]) => {
    expect(after(told(says, "ok"), "review", used + 1)).toBe(used < max ? below : limit);
  });

  test.for(RED)("red, and %s: %s, at the limit %s", ([says, below, limit = below]) => {
    expect(after(told(says, "red*"), "review", used + 1)).toBe(used < max ? below : limit);
  });
});

const MERGES: readonly Row[] = [
  ["APPROVED", "archiving (complete)"],
  ["APPROVED m", "archiving (complete)"],
  ["APPROVED h", "again"],
  ["NEEDS_FIX h", "merging (complete)", "archive-blocked (complete)"],
  ["NEEDS_FIX l", "merging (complete)", "archive-blocked (complete)"],
  ["NEEDS_FIX", "again"],
  ["REJECTED h", "archive-blocked (complete)"],
  ["silent", "again"],
];

describe.for(iterations(1))("with %i archive iterations, of which %i are used", ([max, used]) => {
  test.for(MERGES)("%s: %s, at the limit %s", ([says, below, limit = below]) => {
    const agents = { "merge-reviewer": [...times("NEEDS_FIX h", used), says].join(", ") };
    const told = { agents, params: { archive_iterations: max }, people: ["to implement", "to merging"] };
    expect(after(told, "merge-review", used + 1)).toBe(used < max ? below : limit);
  });
});
