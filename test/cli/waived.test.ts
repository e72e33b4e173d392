/** What a person answers for, in words. */
import { expect, test } from "vitest";
import { sayWaived } from "../../src/app/act/artifact/waived.ts";
import type { Run } from "../../src/core/model/run.ts";
import type { Verdict } from "../../src/core/model/verdict.ts";
import { inState, task } from "../support/task.ts";
import { verdict } from "../support/play.ts";

test.for<[said: Verdict | undefined, rounds: number, words: string]>([
  [undefined, 0, "no review was made of this work; you answer for it"],
  ["needs_fix", 1, "the review failed; you answer for it"],
  ["needs_fix", 2, "2 reviews failed; you answer for it"],
  ["pass", 1, "review is not for this work as it is; you answer for it"],
])("%s in round %i: %s", ([said, rounds, words]) => {
  const held =
    said === undefined
      ? {}
      : { review: { reading: verdict("review", said), by: "reviewer", tree: "", inputs: {} } };
  const run: Run = { ...inState("stuck"), held, counters: { review_round: rounds } };
  expect(sayWaived(task, run, "review")).toBe(words);
});
