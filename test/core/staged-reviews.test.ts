/** The four reviews of `staged`, and everything that a reviewer can do wrong. */

import { describe, expect, test } from "vitest";
import type { Literal } from "../../src/core/model/value.ts";
import { live, type Lived, type Told } from "../support/staged.ts";

/** Where each review leads: the words of the tables below, as states. */
type Review = {
  readonly review: string;
  readonly by: string;
  readonly fixes: string;
  /** Mended, and looked at again. */
  readonly fixed: string;
  /** The stage begins again by itself. */
  readonly anew: string;
  /** It has passed. */
  readonly on: string;
  readonly blocked: string;
  readonly exhausted: string;
  /** A person goes on in spite of it. */
  readonly forced: string;
  /** A person begins the stage, or the one before it, again. */
  readonly restarted: string;
  readonly previous: string;
};

const REVIEWS: readonly Review[] = [
  {
    review: "1.3",
    by: "plan-reviewer",
    fixes: "plan_fixes",
    fixed: "1.3-fix 1.3",
    anew: "1.1 1.2 1.2-merge 1.3",
    on: "PLAN-summary",
    blocked: "PLAN-blocked",
    exhausted: "PLAN-exhausted",
    forced: "2.1",
    restarted: "1.1",
    previous: "0",
  },
  {
    review: "2.3",
    by: "implementation-reviewer",
    fixes: "implement_fixes",
    fixed: "2.3-fix 2.3",
    anew: "2.1 2.2 2.3",
    on: "IMPLEMENT-summary",
    blocked: "IMPLEMENT-blocked",
    exhausted: "IMPLEMENT-exhausted",
    forced: "3.1",
    restarted: "2.1",
    previous: "1.1",
  },
  {
    review: "3.3",
    by: "test-reviewer",
    fixes: "test_fixes",
    fixed: "3.3-fix 3.1 3.2 3.3",
    anew: "3.1 3.2 3.3",
    on: "TEST-summary",
    blocked: "TEST-blocked",
    exhausted: "TEST-exhausted",
    forced: "4.1",
    restarted: "3.1",
    previous: "2.1",
  },
  {
    review: "4.2",
    by: "final-reviewer",
    fixes: "final_fixes",
    fixed: "4.2-fix 4.2-tests 4.2-testing 4.2",
    anew: "3.1 3.2 3.3 TEST-summary 4.1 4.2-tests 4.2-testing 4.2",
    on: "4.3",
    blocked: "FINAL-blocked",
    exhausted: "FINAL-exhausted",
    forced: "4.3",
    restarted: "4.1",
    previous: "3.1",
  },
];

/** From the first review on. `again` is the reviewer, asked once more. */
function wayFrom({ review, by }: Review, { way }: Lived): string {
  return way
    .slice(way.indexOf(review) + 1)
    .map((state) => (state === `!${by}` ? "again" : state))
    .join(" ");
}

function inStates(of: Review, words: string): string {
  const known: Readonly<Record<string, string>> = of;
  return words
    .split(" ")
    .map((word) => known[word] ?? word)
    .join(" ");
}

type Params = { readonly fixes?: number } & Readonly<Record<string, Literal>>;

const tell = (of: Review, told: string, { fixes, ...params }: Params): Told => ({
  agents: { [of.by]: told },
  params: { ...params, ...(fixes === undefined ? {} : { [of.fixes]: fixes }) },
});

const ROWS: readonly (readonly [string, string, Params, string])[] = [
  ["approved", "ok", {}, "on"],
  ["failing once", "fix, ok", {}, "fixed on"],
  ["failing twice", "fix, fix, ok", {}, "fixed fixed on"],
  ["failing until the stage begins again", "fix, fix, ok", { fixes: 1 }, "fixed anew on"],
  ["failing always", "fix*", { fixes: 1, restarts: 1 }, "fixed anew fixed exhausted"],
  ["failing always, and nothing is left", "fix", { fixes: 0, restarts: 0 }, "exhausted"],
  ["approving with a HIGH issue", "high, ok", {}, "fixed on"],
  ["approving with a HIGH issue where only HIGH blocks", "high, ok", { block: "high" }, "fixed on"],
  ["approving with a MEDIUM issue where only HIGH blocks", "medium", { block: "high" }, "on"],
  ["approving with a LOW issue where MEDIUM blocks", "low", { block: "medium" }, "on"],
  ["approving with a LOW issue where LOW blocks", "low, ok", {}, "fixed on"],
  ["approving with an unknown severity", "odd, ok", { block: "high" }, "fixed on"],
  ["refusing for what does not block", "fix-low, ok", { block: "high" }, "fixed on"],
  ["refusing without an issue", "empty, ok", {}, "again on"],
  ["blocking without an issue", "empty-blocked, ok", {}, "again on"],
  ["refusing without an issue, always", "empty*", {}, "again again blocked"],
  ["with a status that there is not", "status, ok", {}, "again on"],
  ["half of it written", "half, ok", {}, "again on"],
  ["writing garbage", "garbage, ok", {}, "again on"],
  ["writing garbage, always", "garbage*", {}, "again again blocked"],
  ["writing garbage with one try", "garbage", { tries: 1 }, "blocked"],
  ["writing nothing, always", "silent*", {}, "again again blocked"],
  ["timing out", "hang, ok", {}, "again on"],
  ["timing out, always", "hang*", {}, "again again blocked"],
  ["dying", "die, ok", {}, "again on"],
  ["saying what it said before the fix, to the letter", "same, same, ok", {}, "fixed fixed on"],
  ["asking for a person", "blocked", {}, "blocked"],
  [
    "tries are its own after each fix",
    "silent, silent, fix, silent, silent, ok",
    {},
    "again again fixed again again on",
  ],
];

describe.each(REVIEWS)("the review $review", (of) => {
  test.for(ROWS)("%s (%s with %o): %s", ([, told, params, expected]) => {
    const lived = live({ ...tell(of, told, params), until: [of.on, of.blocked, of.exhausted] });
    expect(wayFrom(of, lived)).toBe(inStates(of, expected));
  });

  test("fixes and restarts are what the settings say, and every stale review is put aside", () => {
    const { called, archived, run } = live(tell(of, "fix*", {}));
    // Three fixes each, in the first attempt of the stage and in three more.
    expect(called.filter((who) => who === of.by)).toHaveLength(16);
    expect(archived.filter((name) => name === of.review)).toHaveLength(15);
    expect(run.state).toBe(of.exhausted);
  });

  test.for<[string, string, string, boolean]>([
    ["fix*", "force-continue", "forced", true],
    ["fix*", "abort", "aborted", false],
    ["blocked, ok", "skip", "forced", true],
    ["blocked, ok", "retry", "review on", false],
    ["blocked, ok", "restart", "restarted", false],
    ["blocked, ok", "restart-previous", "previous", false],
    ["blocked, ok", "abort", "aborted", false],
    ["garbage, garbage, garbage, ok", "retry", "review on", false],
    ["garbage*", "skip", "forced", true],
  ])("after %s a person says %s: %s", ([words, answer, expected, isWaived]) => {
    const told = tell(of, words, { fixes: 0, restarts: 0 });
    const [before, after] = [live(told), live({ ...told, answers: [answer] })];
    expect([of.blocked, of.exhausted]).toContain(before.run.state);
    const states = inStates(of, expected);
    const way = after.way.slice(before.way.length, before.way.length + states.split(" ").length);
    expect(way.join(" ")).toBe(states);
    expect(after.waived).toEqual(isWaived ? [of.review] : []);
    expect(after.run.decisions[0]?.answer).toBe(answer);
  });
});

test("issues in three files are mended by three at once, each called once, before it is looked at again", () => {
  const { called } = live({ agents: { "implementation-reviewer": "three, ok" } });
  const from = called.indexOf("implementation-reviewer");
  expect(called.slice(from, from + 5)).toMatchInlineSnapshot(`
    [
      "implementation-reviewer",
      "implementation-fixer/src-a.sh",
      "implementation-fixer/test-c.sh",
      "implementation-fixer/src-b.sh",
      "implementation-reviewer",
    ]
  `);
});
