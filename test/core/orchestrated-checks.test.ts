/** The checks of `orchestrated`, what people can say to them, and that nobody gets past what only a person can look at. */

import { describe, expect, test } from "vitest";
import { session } from "../support/orchestrated.ts";
import { wayOf, type Row } from "../support/orchestrated-ways.ts";

const FIXED = "FIX_BUILD CHECKS";

describe("the checks", () => {
  test.for<Row>([
    [{ ci: "red" }, "approved, per-batch", `CHECKS ${FIXED} ATTEST`],
    [{ ci: "red, red, red" }, "approved, per-batch", `CHECKS ${FIXED} ${FIXED} ${FIXED} ATTEST`],
    [{ ci: "red*" }, "approved, per-batch", `CHECKS ${FIXED} ${FIXED} ${FIXED} ASK_BUILD`],
    [{ ci: "red*" }, "approved, per-batch", "CHECKS ASK_BUILD", { attempts: 0 }],
    [
      { ci: "red" },
      "approved, per-batch, different-approach",
      `CHECKS ASK_BUILD ${FIXED} ATTEST`,
      { attempts: 0 },
    ],
    [{ ci: "red" }, "approved, per-batch, guidance", `CHECKS ASK_BUILD ${FIXED} ATTEST`, { attempts: 0 }],
    [{ ci: "red" }, "approved, per-batch, guidance!", "CHECKS ASK_BUILD refused guidance", { attempts: 0 }],
    [
      { ci: "red" },
      "approved, per-batch, simplify-scope",
      "CHECKS ASK_BUILD PLAN REVIEW_STRATEGY",
      { attempts: 0 },
    ],
    // A person's word is for all three tries again.
    [
      { ci: "red, red, red, red, red" },
      "approved, per-batch, guidance",
      `CHECKS ${FIXED} ${FIXED} ${FIXED} ASK_BUILD ${FIXED} ${FIXED} ATTEST`,
    ],
    [
      { ci: "red", Coder: "BLOCKED, OK" },
      "approved, per-batch, answer",
      "FIX_BUILD ASK_USER FIX_BUILD CHECKS ATTEST",
    ],
    [{ ci: "red", Coder: "silent*" }, "approved, per-batch", "FIX_BUILD !Coder !Coder BLOCKED"],
    // Nothing is left for a person to look at.
    [{ ci: "auto" }, "approved, per-batch", "CHECKS RELEASE HANDOVER COMMIT TAG DONE"],
    // Commands that nobody has approved of are asked about, not run.
    [{ ci: "unapproved" }, "approved, per-batch", "CHECKS VOUCH"],
    [{ ci: "unapproved" }, "approved, per-batch, run", "CHECKS VOUCH CHECKS ATTEST"],
    [{ ci: "unapproved" }, "approved, per-batch, skip", "CHECKS VOUCH ATTEST; waived ci"],
    // Only the commands are waived: what only a person can see is still looked at.
    [
      { ci: "unapproved" },
      "approved, per-batch, skip, attested",
      "CHECKS VOUCH ATTEST RELEASE HANDOVER COMMIT TAG DONE; waived ci",
    ],
    [
      { ci: "unapproved" },
      "approved, per-batch, skip, failed",
      `CHECKS VOUCH ATTEST ${FIXED} ATTEST; waived ci`,
    ],
    [
      { ci: "unapproved auto" },
      "approved, per-batch, skip",
      "CHECKS VOUCH_ONLY RELEASE HANDOVER COMMIT TAG DONE; waived ci",
    ],
    [
      { ci: "unapproved auto, auto" },
      "approved, per-batch, run",
      "CHECKS VOUCH_ONLY CHECKS RELEASE HANDOVER COMMIT TAG DONE",
    ],
    // Other criteria are another question: perhaps there is something for a person to look at now.
    [
      { ci: "unapproved auto, unapproved" },
      "approved, per-batch, criteria, skip, attested",
      "CHECKS VOUCH_ONLY CHECKS VOUCH ATTEST RELEASE HANDOVER COMMIT TAG DONE; waived ci",
    ],
    [
      { ci: "unapproved auto, unapproved auto" },
      "approved, per-batch, criteria, skip",
      "CHECKS VOUCH_ONLY CHECKS VOUCH_ONLY RELEASE HANDOVER COMMIT TAG DONE; waived ci",
    ],
    [{ ci: "unapproved" }, "approved, per-batch, skip!", "CHECKS VOUCH refused skip"],
    [{}, "approved, per-batch, failed", `ATTEST ${FIXED} ATTEST`],
    [{}, "approved, per-batch, failed!", "ATTEST refused failed"],
  ])("%o, then %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });

  test.for<Row>([
    [
      { ci: "red" },
      "approved, per-batch, accept-known-issues, attested",
      "CHECKS ASK_BUILD ATTEST RELEASE HANDOVER COMMIT TAG DONE; waived ci",
    ],
    [
      { ci: "red auto" },
      "approved, per-batch, accept-known-issues",
      "CHECKS ASK_BUILD_ONLY RELEASE HANDOVER COMMIT TAG DONE; waived ci",
    ],
    [{ ci: "red auto" }, "approved, per-batch, guidance", `CHECKS ASK_BUILD_ONLY ${FIXED} ATTEST`],
    [{ ci: "red auto" }, "approved, per-batch, simplify-scope", "CHECKS ASK_BUILD_ONLY PLAN REVIEW_STRATEGY"],
    [
      { ci: "red auto, red" },
      "approved, per-batch, criteria, accept-known-issues, attested",
      "CHECKS ASK_BUILD_ONLY CHECKS ASK_BUILD ATTEST RELEASE HANDOVER COMMIT TAG DONE; waived ci",
    ],
    // The waiver is for the work as it was.
    [
      { ci: "red" },
      "approved, per-batch, accept-known-issues, edit work, attested",
      "CHECKS ASK_BUILD ATTEST RELEASE HANDOVER FINAL_REVIEW INTEGRATE CHECKS ATTEST; waived ci",
    ],
  ])("red, and gone on with: %o, then %s: %s", ([agents, people, expected]) => {
    expect(wayOf([agents, people, expected, { attempts: 0 }])).toBe(expected);
  });

  test.for<[ci: string, people: string, way: string]>([
    [
      "unapproved auto, unapproved",
      "criteria, skip, attested",
      "LEAN_CHECKS LEAN_VOUCH_ONLY LEAN_CHECKS LEAN_VOUCH",
    ],
    [
      "red auto, red",
      "criteria, accept-known-issues, attested",
      "LEAN_CHECKS ASK_BUILD_ONLY LEAN_CHECKS ASK_BUILD",
    ],
  ])("lean, %s, then %s: %s, and a person looks at it", ([ci, people, way]) => {
    const all = `${way} LEAN_ATTEST LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE; waived lean-ci`;
    expect(wayOf([{ ci }, people, all, { mode: "lean", attempts: 0 }])).toBe(all);
  });

  test("whoever gets past them without a person's look has nothing for a person to look at", () => {
    const { moves } = session.definition;
    const into = (state: string): string[] => moves.flatMap(({ from, to }) => (to === state ? [from] : []));
    expect(into("RELEASE")).toEqual(["CHECKS", "VOUCH_ONLY", "ATTEST", "ASK_BUILD_ONLY"]);
    expect(into("LEAN_HANDOVER")).toEqual([
      "LEAN_CHECKS",
      "LEAN_VOUCH_ONLY",
      "LEAN_ATTEST",
      "LEAN_TAKEN",
      "ASK_BUILD_ONLY",
    ]);
    expect(into("HANDOVER")).toEqual(["RELEASE", "RELEASE_NOTES", "TAKEN"]);
    expect([...into("TAKEN"), ...into("LEAN_TAKEN")]).toEqual(["ASK_CHANGED", "ASK_CHANGED"]);
    // What was asked of lists that are others by now is not left by an answer.
    const left = moves.filter(({ from, by }) => from.endsWith("_ONLY") && by.includes("engine"));
    expect(left.map(({ from, to }) => `${from} ${to}`)).toEqual([
      "VOUCH_ONLY CHECKS",
      "ASK_BUILD_ONLY CHECKS",
      "LEAN_VOUCH_ONLY LEAN_CHECKS",
      "ASK_BUILD_ONLY LEAN_CHECKS",
    ]);
    const unseen = moves.filter(
      ({ from, to }) => from.endsWith("CHECKS") && /(_ONLY|RELEASE|LEAN_HANDOVER)$/.test(to),
    );
    expect(unseen).toHaveLength(6);
    expect(unseen.filter(({ when }) => when.some((each) => each.type === "most" && each.max === 0))).toEqual(
      unseen,
    );
    const only = moves.filter(({ to }) => to.endsWith("_ONLY"));
    expect(only.filter(({ from }) => !from.endsWith("CHECKS"))).toEqual([]);
  });
});
