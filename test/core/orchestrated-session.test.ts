/** A session of `orchestrated`: what each agent can say at each state, what people can answer, and what follows from it. */

import { describe, expect, test } from "vitest";
import { session } from "../support/orchestrated.ts";
import { lived, wayOf, type Row } from "../support/orchestrated-ways.ts";

const LEAN = { mode: "lean" };

describe("a session that goes well", () => {
  test.for<Row>([
    [
      {},
      "approved, per-batch, attested",
      "INTAKE DESIGN APPROVE_DESIGN PLAN REVIEW_STRATEGY PER_BATCH FINAL_REVIEW INTEGRATE CHECKS ATTEST RELEASE HANDOVER COMMIT TAG DONE",
    ],
    [
      { Planner: "OK large" },
      "approved, single-final, attested",
      "PLAN REVIEW_STRATEGY_LARGE SINGLE_FINAL FINAL_REVIEW INTEGRATE CHECKS ATTEST RELEASE HANDOVER COMMIT TAG DONE",
    ],
    [
      {},
      "approved, per-batch, attested",
      "RELEASE RELEASE_NOTES HANDOVER COMMIT TAG DONE",
      { release: "notes" },
    ],
    [
      {},
      "attested",
      "INTAKE_LEAN LEAN_CODE LEAN_REVIEW LEAN_CHECKS LEAN_ATTEST LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE",
      LEAN,
    ],
    [{ tag: "v1" }, "attested", "LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE", LEAN],
    [{ tag: "v1" }, "approved, per-batch, attested", "RELEASE HANDOVER COMMIT TAG DONE"],
    // Who designs what is told by fields.
    [{ SpecAgent: "OK" }, "", "INTAKE DESIGN APPROVE_DESIGN"],
    [{ SpecAgent: "OK ui" }, "", "INTAKE DESIGN DESIGN_UI APPROVE_DESIGN"],
    [{ SpecAgent: "OK research" }, "", "INTAKE RESEARCH DESIGN APPROVE_DESIGN"],
    [{ SpecAgent: "OK ui research" }, "", "INTAKE RESEARCH DESIGN DESIGN_UI APPROVE_DESIGN"],
  ])("%o, then %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });
});

/** Each dispatch: who works there, how a run gets there, and where it goes when all is well. */
const DISPATCHES: readonly (readonly [
  state: string,
  role: string,
  on: string,
  people: string,
  more: string,
])[] = [
  ["INTAKE", "SpecAgent", "DESIGN APPROVE_DESIGN", "", ""],
  ["RESEARCH", "Researcher", "DESIGN APPROVE_DESIGN", "", "research"],
  ["DESIGN", "Architect", "APPROVE_DESIGN", "", ""],
  ["DESIGN_UI", "Designer", "APPROVE_DESIGN", "", "ui"],
  ["PLAN", "Planner", "REVIEW_STRATEGY", "approved", ""],
  ["INTEGRATE", "Integrator", "CHECKS ATTEST", "approved, per-batch", ""],
  ["RELEASE", "Docs", "HANDOVER COMMIT TAG DONE", "approved, per-batch, attested", ""],
];

/** What counts for nothing, in every role. */
const NOTHING = ["silent", "die", "hang", "garbage", "FAIL", "NEEDS_DECISION", "MAYBE", "ok"];

describe.for(DISPATCHES)("%s, %s", ([state, role, on, people, more]) => {
  const agents = (words: string): Record<string, string> => ({
    SpecAgent: `OK ${more}`.trim(),
    ...(role === "SpecAgent" ? {} : { [role]: words }),
    ...(role === "SpecAgent" ? { SpecAgent: words } : {}),
  });
  const way = (words: string, then = ""): string =>
    wayOf([agents(words), [people, then].filter((each) => each !== "").join(", "), state]);

  test.for(NOTHING)("%s, then well: it is tried again", (word) => {
    expect(way(`${word}, OK`)).toBe(`${state} !${role} ${on}`);
  });

  test.for(NOTHING)("%s, always: it is blocked, and goes on where it stopped", (word) => {
    expect(way(`${word}*`)).toBe(`${state} !${role} !${role} BLOCKED`);
    expect(way(`${word}, ${word}, ${word}, OK`, "resume")).toBe(
      `${state} !${role} !${role} BLOCKED ${state} ${on}`,
    );
    expect(way(`${word}*`, "cancel")).toBe(`${state} !${role} !${role} BLOCKED CANCELLED`);
    expect(lived([agents(`${word}*`), people, ""]).run.params["blocker"]).toBe("subagent_failure");
  });

  test("BLOCKED asks a person, whose words begin it anew", () => {
    expect(way("BLOCKED")).toBe(`${state} ASK_USER`);
    expect(way("BLOCKED", "whatever, answer!")).toBe(`${state} ASK_USER refused whatever refused answer`);
    expect(way("BLOCKED, OK", "answer")).toBe(`${state} ASK_USER ${state} ${on}`);
    expect(way("BLOCKED, BLOCKED, OK", "answer, answer")).toBe(
      `${state} ASK_USER ${state} ASK_USER ${state} ${on}`,
    );
  });
});

test.for<Row>([
  [{ SpecAgent: "OK -spec, OK" }, "", "INTAKE !SpecAgent DESIGN APPROVE_DESIGN"],
  [{ SpecAgent: "OK -acceptance, OK" }, "", "INTAKE !SpecAgent DESIGN APPROVE_DESIGN"],
  [{ SpecAgent: "OK extra, OK" }, "", "INTAKE !SpecAgent DESIGN APPROVE_DESIGN"],
  [
    { SpecAgent: "OK research", Researcher: "OK -research, OK" },
    "",
    "RESEARCH !Researcher DESIGN APPROVE_DESIGN",
  ],
  [{ Architect: "OK -architecture, OK" }, "", "DESIGN !Architect APPROVE_DESIGN"],
  [{ SpecAgent: "OK ui", Designer: "OK -design, OK" }, "", "DESIGN_UI !Designer APPROVE_DESIGN"],
  [{ Planner: "OK -tasks, OK" }, "approved", "PLAN !Planner REVIEW_STRATEGY"],
  // More is found out once, then a person is asked.
  [{ SpecAgent: "OK research", Researcher: "NEEDS_INFO, OK" }, "", "RESEARCH RESEARCH DESIGN APPROVE_DESIGN"],
  [{ SpecAgent: "OK research", Researcher: "NEEDS_INFO*" }, "", "RESEARCH RESEARCH ASK_USER"],
  [
    { SpecAgent: "OK research", Researcher: "NEEDS_INFO, NEEDS_INFO, OK" },
    "answer",
    "RESEARCH RESEARCH ASK_USER RESEARCH DESIGN APPROVE_DESIGN",
  ],
])("an answer without its file, or without an answer: %o, then %s: %s", (row) => {
  expect(wayOf(row)).toBe(row[2]);
});

describe("the gates of a person", () => {
  test.for<Row>([
    [{}, "approved", "APPROVE_DESIGN PLAN REVIEW_STRATEGY"],
    // Asked once and three times again.
    [{}, "yes, ja, go, ok", "APPROVE_DESIGN ? ? ? ? BLOCKED"],
    [
      {},
      "yes, ja, go, ok, resume, approved",
      "APPROVE_DESIGN ? ? ? ? BLOCKED APPROVE_DESIGN PLAN REVIEW_STRATEGY",
    ],
    [{}, "yes, approved", "APPROVE_DESIGN ? PLAN REVIEW_STRATEGY"],
    [{}, "changes-requested, changes-requested/spec!, changes-requested/who", "APPROVE_DESIGN ? ? ?"],
    [{}, "cancel!, cancel", "APPROVE_DESIGN ? BLOCKED"],
    [{}, "cancel, resume", "APPROVE_DESIGN BLOCKED APPROVE_DESIGN"],
    [{}, "cancel, cancel", "APPROVE_DESIGN BLOCKED CANCELLED"],
    [{}, "changes-requested/spec", "APPROVE_DESIGN INTAKE DESIGN APPROVE_DESIGN"],
    // Whatever the fields say, a person can have it researched or designed.
    [{}, "changes-requested/research", "APPROVE_DESIGN RESEARCH DESIGN APPROVE_DESIGN"],
    [{}, "changes-requested/architecture", "APPROVE_DESIGN DESIGN APPROVE_DESIGN"],
    [{}, "changes-requested/design", "APPROVE_DESIGN DESIGN_UI APPROVE_DESIGN"],
    [
      { SpecAgent: "OK, OK ui research" },
      "changes-requested/spec",
      "APPROVE_DESIGN INTAKE RESEARCH DESIGN DESIGN_UI APPROVE_DESIGN",
    ],
    [
      {},
      "approved, Per Batch, single, per-batch",
      "REVIEW_STRATEGY ? ? PER_BATCH FINAL_REVIEW INTEGRATE CHECKS ATTEST",
    ],
    [{}, "approved, a, b, c, d, resume", "REVIEW_STRATEGY ? ? ? ? BLOCKED REVIEW_STRATEGY"],
    // What is advised for five tasks is not the Planner's to say.
    [{ Planner: "OK five" }, "approved", "REVIEW_STRATEGY_LARGE"],
    [
      { Planner: "OK large" },
      "approved, cancel, resume",
      "REVIEW_STRATEGY_LARGE BLOCKED REVIEW_STRATEGY_LARGE",
    ],
  ])("%o, then %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });

  test.for(["yes, ja, go, ok", "cancel", "approved, a, b, c, d", "approved, cancel"])(
    "%s: why it is blocked",
    (people) => {
      expect(lived([{}, people, ""]).run.params["blocker"]).toBe("mandatory_user_decision_missing");
    },
  );

  test("what a person wants otherwise is made anew, by one agent, called once", () => {
    const { called, archived } = lived([{}, "changes-requested/spec", ""]);
    expect(called).toEqual(["SpecAgent", "Architect", "SpecAgent", "Architect"]);
    expect(archived).toEqual(["intake", "spec", "acceptance", "architecture", "design"]);
  });
});

describe("tasks, and the last pass", () => {
  test.for<Row>([
    [{ judged: "some" }, "approved, per-batch", "PER_BATCH ASK_TASKS"],
    [
      { judged: "none" },
      "approved, per-batch, retry",
      "PER_BATCH ASK_TASKS PER_BATCH FINAL_REVIEW INTEGRATE CHECKS ATTEST",
    ],
    [
      { judged: "some" },
      "approved, per-batch, accept-known-issues",
      "PER_BATCH ASK_TASKS FINAL_REVIEW INTEGRATE CHECKS ATTEST; waived judged",
    ],
    [{ judged: "some" }, "approved, per-batch, simplify-scope", "PER_BATCH ASK_TASKS PLAN REVIEW_STRATEGY"],
    [{ judged: "some" }, "approved, per-batch, full", "PER_BATCH ASK_TASKS refused full"],
    [
      { coded: "some" },
      "approved, single-final, accept-known-issues",
      "SINGLE_FINAL ASK_TASKS FINAL_REVIEW INTEGRATE CHECKS ATTEST; waived coded",
    ],
    [
      { coded: "some" },
      "approved, single-final, retry",
      "SINGLE_FINAL ASK_TASKS SINGLE_FINAL FINAL_REVIEW INTEGRATE CHECKS ATTEST",
    ],
    [
      { approved: "none" },
      "approved, per-batch, retry",
      "FINAL_REVIEW ASK_TASKS FINAL_REVIEW INTEGRATE CHECKS ATTEST",
    ],
    [
      { approved: "none" },
      "approved, per-batch, accept-known-issues, attested",
      "FINAL_REVIEW ASK_TASKS INTEGRATE CHECKS ATTEST RELEASE HANDOVER COMMIT TAG DONE; waived approved",
    ],
    [
      { approved: "none" },
      "approved, per-batch, simplify-scope",
      "FINAL_REVIEW ASK_TASKS PLAN REVIEW_STRATEGY",
    ],
  ])("%o, then %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });
});

describe("lean", () => {
  test.for<Row>([
    // Without a specification the person's own words have to do.
    [
      { SpecAgent: "silent*" },
      "",
      "INTAKE_LEAN !SpecAgent !SpecAgent LEAN_CODE LEAN_REVIEW LEAN_CHECKS LEAN_ATTEST",
      LEAN,
    ],
    [
      { SpecAgent: "BLOCKED, OK" },
      "answer",
      "INTAKE_LEAN ASK_USER INTAKE_LEAN LEAN_CODE LEAN_REVIEW LEAN_CHECKS LEAN_ATTEST",
      LEAN,
    ],
    [
      { Coder: "BLOCKED, OK" },
      "answer",
      "LEAN_CODE ASK_USER LEAN_CODE LEAN_REVIEW LEAN_CHECKS LEAN_ATTEST",
      LEAN,
    ],
    [{ Coder: "FAIL*" }, "", "LEAN_CODE !Coder !Coder BLOCKED", LEAN],
    [
      { Coder: "FAIL, FAIL, FAIL, OK" },
      "resume",
      "BLOCKED LEAN_CODE LEAN_REVIEW LEAN_CHECKS LEAN_ATTEST",
      LEAN,
    ],
    [{ "lean-approved": "none" }, "retry", "LEAN_REVIEW ASK_TASKS LEAN_REVIEW LEAN_CHECKS LEAN_ATTEST", LEAN],
    [{ "lean-approved": "none" }, "simplify-scope", "LEAN_REVIEW ASK_TASKS refused simplify-scope", LEAN],
    [{ "lean-approved": "none" }, "full", "LEAN_REVIEW ASK_TASKS INTAKE DESIGN APPROVE_DESIGN", LEAN],
    [
      { "lean-approved": "none" },
      "accept-known-issues, attested",
      "LEAN_REVIEW ASK_TASKS LEAN_CHECKS LEAN_ATTEST LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE; waived lean-approved",
      LEAN,
    ],
    [
      { ci: "red*" },
      "",
      "LEAN_CHECKS LEAN_FIX LEAN_CHECKS LEAN_FIX LEAN_CHECKS LEAN_FIX LEAN_CHECKS ASK_BUILD",
      LEAN,
    ],
    [
      { ci: "red" },
      "simplify-scope",
      "LEAN_CHECKS ASK_BUILD refused simplify-scope",
      { ...LEAN, attempts: 0 },
    ],
    [
      { ci: "red" },
      "guidance",
      "LEAN_CHECKS ASK_BUILD LEAN_FIX LEAN_CHECKS LEAN_ATTEST",
      { ...LEAN, attempts: 0 },
    ],
    [{}, "failed", "LEAN_ATTEST LEAN_FIX LEAN_CHECKS LEAN_ATTEST", LEAN],
    [{}, "edit work, attested", "LEAN_ATTEST LEAN_HANDOVER LEAN_REVIEW LEAN_CHECKS LEAN_ATTEST", LEAN],
    [{ ci: "auto" }, "", "LEAN_CHECKS LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE", LEAN],
    [{ ci: "unapproved" }, "run", "LEAN_CHECKS LEAN_VOUCH LEAN_CHECKS LEAN_ATTEST", LEAN],
    [{ ci: "unapproved" }, "skip", "LEAN_CHECKS LEAN_VOUCH LEAN_ATTEST; waived lean-ci", LEAN],
    [
      { ci: "unapproved" },
      "skip, attested",
      "LEAN_CHECKS LEAN_VOUCH LEAN_ATTEST LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE; waived lean-ci",
      LEAN,
    ],
    [
      { ci: "unapproved auto" },
      "skip",
      "LEAN_CHECKS LEAN_VOUCH_ONLY LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE; waived lean-ci",
      LEAN,
    ],
    [
      { ci: "unapproved auto, auto" },
      "run",
      "LEAN_CHECKS LEAN_VOUCH_ONLY LEAN_CHECKS LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE",
      LEAN,
    ],
    [
      { ci: "red" },
      "accept-known-issues, attested",
      "LEAN_CHECKS ASK_BUILD LEAN_ATTEST LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE; waived lean-ci",
      { ...LEAN, attempts: 0 },
    ],
    [
      { ci: "red auto" },
      "accept-known-issues",
      "LEAN_CHECKS ASK_BUILD_ONLY LEAN_HANDOVER LEAN_COMMIT LEAN_TAG DONE; waived lean-ci",
      { ...LEAN, attempts: 0 },
    ],
    // More than it looked like.
    [
      { Coder: "OK complex" },
      "approved, per-batch, attested",
      "LEAN_CODE INTAKE DESIGN APPROVE_DESIGN PLAN REVIEW_STRATEGY PER_BATCH FINAL_REVIEW INTEGRATE CHECKS ATTEST RELEASE HANDOVER COMMIT TAG DONE",
      LEAN,
    ],
  ])("%o, then %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });

  test("a lean session that becomes a full one keeps its code and its name, and puts aside what was lean", () => {
    const { run, archived } = lived([{ Coder: "OK complex" }, "", "", LEAN]);
    expect([run.params["mode_now"], run.params["session"]]).toEqual(["full", "s"]);
    expect(archived).toEqual(["intake", "lean-spec", "acceptance", "todo"]);
    expect(lived([{}, "", "", LEAN]).run.params["mode_now"]).toBe("lean");
  });
});

describe("given up", () => {
  /** Everywhere a run may rest; what leads through is left before anybody could ask. */
  const { definition, movesFrom } = session;
  const resting = Object.entries(definition.states).flatMap(([state, { final, enter, ask }]) =>
    final === undefined && (enter.length > 0 || ask !== undefined) ? [state] : [],
  );

  test.for(resting)("a person can end it in %s", (state) => {
    const ends = (movesFrom[state] ?? []).filter(({ by, to }) => by.includes("human") && to === "CANCELLED");
    expect(ends.map(({ answer = "asked" }) => answer)).toEqual([state === "BLOCKED" ? "cancel" : "asked"]);
  });

  test.for<Row>([
    [{}, "to CANCELLED", "APPROVE_DESIGN CANCELLED"],
    [{ SpecAgent: "BLOCKED" }, "to CANCELLED", "ASK_USER CANCELLED"],
    [{ judged: "some" }, "approved, per-batch, to CANCELLED", "ASK_TASKS CANCELLED"],
  ])("%o, then %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });
});

describe("changed after it was approved", () => {
  test.for<Row>([
    [
      { Docs: "OK ~, OK" },
      "approved, per-batch, attested, attested",
      "RELEASE HANDOVER FINAL_REVIEW INTEGRATE CHECKS ATTEST RELEASE HANDOVER COMMIT TAG DONE",
    ],
    [
      { Docs: "OK ~, OK ~" },
      "approved, per-batch, attested, attested",
      "RELEASE HANDOVER FINAL_REVIEW INTEGRATE CHECKS ATTEST RELEASE HANDOVER ASK_CHANGED",
    ],
    [
      { Docs: "OK ~, OK ~" },
      "approved, per-batch, attested, attested, review, attested",
      "ASK_CHANGED FINAL_REVIEW INTEGRATE CHECKS ATTEST RELEASE HANDOVER COMMIT TAG DONE",
    ],
    [
      { Docs: "OK ~, OK ~" },
      "approved, per-batch, attested, attested, accept, attested",
      "ASK_CHANGED TAKEN HANDOVER COMMIT TAG DONE; waived approved ci",
    ],
    [
      { Docs: "OK ~, OK ~" },
      "approved, per-batch, attested, attested, accept, failed",
      "ASK_CHANGED TAKEN FIX_BUILD CHECKS ATTEST; waived approved ci",
    ],
    // Other criteria, once that was said of those before.
    [
      { Docs: "OK ~, OK ~" },
      "approved, per-batch, attested, attested, criteria, accept, attested",
      "ASK_CHANGED TAKEN HANDOVER COMMIT TAG DONE; waived approved ci",
    ],
    [
      { Docs: "OK ~, OK ~" },
      "approved, per-batch, attested, attested, accept, criteria, attested",
      "ASK_CHANGED TAKEN HANDOVER ASK_CHANGED; waived approved ci",
    ],
    [{}, "edit spec.md, approved", "APPROVE_DESIGN refused approved"],
  ])("%o, then %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });

  test("nothing follows what is done", () => {
    expect(lived([{}, "approved, per-batch, attested, approved, to INTAKE", ""]).way.slice(-3)).toEqual([
      "DONE",
      "refused approved",
      "refused move-asked",
    ]);
  });
});
