/** A task of `orchestrated-task`: what coder, reviewer, QA and security can say, how often, and what a person can do about it. */

import { describe, expect, test } from "vitest";
import type { Literal } from "../../src/core/model/value.ts";
import { live, task, type Lived } from "../support/orchestrated.ts";

type Row = readonly [
  agents: Record<string, string>,
  people: string,
  expected: string,
  params?: Record<string, Literal>,
];

function lived([agents, people, , params = {}]: Row): Lived {
  return live(task, { agents, params, people: people === "" ? [] : people.split(", ") });
}

/** The way from the first of its states on. Where it is only asked what is due, nobody looks. */
function wayOf(row: Row): string {
  const { way, waived } = lived(row);
  const told = way
    .slice(way.indexOf(row[2].split(/[ ;]/)[0] ?? ""))
    .filter((state) => !state.endsWith("_DUE"))
    .join(" ");
  return waived.length === 0 ? told : `${told}; waived ${waived.join(" ")}`;
}

const JUDGED = "REVIEW QA SECURITY JOIN completed";

/** A lean session whose Coder said that neither is due. */
const UNJUDGED = { part: "lean", needs_qa: false, needs_security: false };

describe("each part of a session", () => {
  test.for<Row>([
    [{}, "", `CODE ${JUDGED}`],
    [{}, "", "CODE implemented", { part: "code" }],
    [{}, "", JUDGED, { part: "meta" }],
    [{}, "", JUDGED, { part: "lean" }],
    [{ Coder: "OK same" }, "", "CODE REVIEW SECURITY JOIN completed", { needs_qa: false }],
    // Whatever the plan says, a change of behaviour is tested; and so is what the Coder has yet to say it of.
    [{}, "", `CODE ${JUDGED}`, { needs_qa: false }],
    [{ Coder: "OK same", Reviewer: "die, die, die" }, "resume", `BLOCKED ${JUDGED}`, { needs_qa: false }],
    [{}, "", "REVIEW SECURITY JOIN completed", { part: "meta", needs_qa: false }],
    [{}, "", "CODE REVIEW QA JOIN completed", { needs_security: false }],
    [{ Coder: "OK same" }, "", "CODE REVIEW JOIN completed", { needs_qa: false, needs_security: false }],
    // Only in lean mode does it lead anywhere that more is to be done than it looked like.
    [{ Coder: "OK complex" }, "", `CODE ${JUDGED}`],
    [{ Reviewer: "BLOCKED major", Coder: "OK complex" }, "", "FIX_REVIEW too-complex", { part: "lean" }],
    [{ QA: "BLOCKED high", Coder: "OK complex" }, "", "FIX_TESTS too-complex", { part: "lean" }],
    [{ Security: "BLOCKED high", Coder: "OK complex" }, "", "FIX_SECURITY too-complex", { part: "lean" }],
    [{ Reviewer: "BLOCKED major", Coder: "OK complex" }, "", `FIX_REVIEW ${JUDGED}`, { part: "meta" }],
    // Once something was mended, all who may have a word in it have it, whatever the Coder says of the mend.
    [{ Reviewer: "BLOCKED major", Coder: "OK same" }, "", `FIX_REVIEW ${JUDGED}`, UNJUDGED],
    [{ Reviewer: "OK nit", Coder: "OK same" }, "fix", `FIX_REVIEW ${JUDGED}`, UNJUDGED],
    [{ Reviewer: "OK nit" }, "accept", "REVIEW NOTES JOIN completed; waived review", UNJUDGED],
    [{ Reviewer: "die, die, die" }, "resume", "BLOCKED REVIEW JOIN completed", UNJUDGED],
    [
      { QA: "BLOCKED high", Coder: "OK, OK same" },
      "",
      `FIX_TESTS REVIEW QA JOIN completed`,
      { needs_qa: false, needs_security: false },
    ],
    [
      { Reviewer: "BLOCKED major", Security: "BLOCKED high", Coder: "OK same" },
      "",
      `FIX_REVIEW REVIEW QA SECURITY FIX_SECURITY ${JUDGED}`,
      UNJUDGED,
    ],
  ])("%o, then %s: %s (%o)", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });
});

/** Who judges where, who mends, and what comes behind it. */
type Judge = {
  readonly state: string;
  readonly role: string;
  readonly artifact: string;
  readonly refuses: string;
  readonly fix: string;
  /** What the run comes through from the fix to this judge again, and what is behind it. */
  readonly again: string;
  readonly on: string;
};

const JUDGES: readonly Judge[] = [
  {
    state: "REVIEW",
    role: "Reviewer",
    artifact: "review",
    refuses: "BLOCKED major",
    fix: "FIX_REVIEW",
    again: "REVIEW",
    on: "QA SECURITY JOIN completed",
  },
  {
    state: "QA",
    role: "QA",
    artifact: "qa-report",
    refuses: "BLOCKED high",
    fix: "FIX_TESTS",
    again: "REVIEW QA",
    on: "SECURITY JOIN completed",
  },
  {
    state: "SECURITY",
    role: "Security",
    artifact: "audit",
    refuses: "BLOCKED high",
    fix: "FIX_SECURITY",
    again: "REVIEW QA SECURITY",
    on: "JOIN completed",
  },
];

/** What counts for nothing, whoever says it. */
const NOTHING = ["silent", "die", "hang", "garbage", "FAIL", "NEEDS_INFO", "BLOCKED", "PASS", "ok"];

describe.for(JUDGES)("$state", (of) => {
  const { state, role, artifact, refuses, fix, again, on } = of;
  const way = (words: string, people = "", params: Record<string, Literal> = {}): string =>
    wayOf([{ [role]: words }, people, state, params]);
  const none = { attempts: 0 };

  test.for(NOTHING)("%s: it is tried again, and then blocked", (word) => {
    expect(way(`${word}, OK`)).toBe(`${state} !${role} ${on}`);
    expect(way(`${word}*`)).toBe(`${state} !${role} !${role} BLOCKED`);
    expect(way(`${word}, ${word}, ${word}, OK`, "resume")).toBe(
      `${state} !${role} !${role} BLOCKED ${state} ${on}`,
    );
    expect(way(`${word}*`, "give-up")).toBe(`${state} !${role} !${role} BLOCKED failed`);
  });

  test("what it refuses is mended, three times, and everything is judged again", () => {
    const round = `${fix} ${again}`;
    expect(way(`${refuses}, OK`)).toBe(`${state} ${round} ${on}`);
    expect(way(`${refuses}, ${refuses}, ${refuses}, OK`)).toBe(`${state} ${round} ${round} ${round} ${on}`);
    expect(way(`${refuses}*`)).toBe(`${state} ${round} ${round} ${round} EXHAUSTED`);
  });

  test.for(["different-approach", "guidance"])("%s, when it is spent: three times more", (answer) => {
    const round = `${fix} ${again}`;
    expect(way(refuses, answer, none)).toBe(`${state} EXHAUSTED ${round} ${on}`);
    expect(way(`${refuses}*`, answer)).toBe(
      `${state} ${round} ${round} ${round} EXHAUSTED ${round} ${round} ${round} ${round} EXHAUSTED`,
    );
  });

  test("the other answers, when it is spent", () => {
    expect(way(refuses, "simplify-scope", none)).toBe(`${state} EXHAUSTED failed`);
    expect(way(refuses, "accept-known-issues", none)).toBe(`${state} EXHAUSTED ${on}; waived ${artifact}`);
    expect(way(refuses, "accept-known-issues!, guidance!, whatever", none)).toBe(
      `${state} EXHAUSTED refused accept-known-issues refused guidance refused whatever`,
    );
  });

  test("whoever mends can ask, and can fail", () => {
    const told = (words: string, people: string): string =>
      wayOf([{ [role]: refuses, Coder: `OK, ${words}` }, people, fix]);
    expect(told("BLOCKED, OK", "answer")).toBe(`${fix} ASK_USER ${fix} ${again} ${on}`);
    expect(told("BLOCKED", "give-up")).toBe(`${fix} ASK_USER failed`);
    expect(told("silent*", "")).toBe(`${fix} !Coder !Coder BLOCKED`);
    expect(told("die, FAIL, hang, OK", "resume")).toBe(`${fix} !Coder !Coder BLOCKED ${fix} ${again} ${on}`);
  });
});

const TWO = "NEEDS_DECISION medium medium";

describe("what a judge says", () => {
  test.for<Row>([
    // Notes of a task are a person's to take; those of the last pass go to the report.
    [{ Reviewer: "OK nit" }, "", "REVIEW NOTES"],
    [{ Reviewer: "OK minor" }, "accept", "REVIEW NOTES QA SECURITY JOIN completed; waived review"],
    [{ Reviewer: "OK minor nit" }, "fix", `REVIEW NOTES FIX_REVIEW ${JUDGED}`],
    [{ Reviewer: "OK nit" }, "", "REVIEW NOTES", { part: "lean" }],
    [{ Reviewer: "OK nit" }, "", JUDGED, { part: "meta" }],
    // It says two things at once.
    [{ Reviewer: "OK major, OK" }, "", "REVIEW !Reviewer QA SECURITY JOIN completed"],
    [{ Reviewer: "OK blocker, OK" }, "", "REVIEW !Reviewer QA SECURITY JOIN completed"],
    [{ Reviewer: "OK claims, OK" }, "", "REVIEW !Reviewer QA SECURITY JOIN completed"],
    [{ Reviewer: "OK claims nit" }, "", "REVIEW NOTES"],
    [{ Reviewer: "BLOCKED claims, OK" }, "", "REVIEW !Reviewer QA SECURITY JOIN completed"],
    [{ Reviewer: "BLOCKED claims major, OK" }, "", `REVIEW FIX_REVIEW ${JUDGED}`],
    [{ QA: "OK untested, OK" }, "", "QA !QA SECURITY JOIN completed"],
    [{ QA: "OK skipped, OK" }, "", "QA !QA SECURITY JOIN completed"],
    [{ QA: "BLOCKED untested high, OK" }, "", `QA FIX_TESTS ${JUDGED}`],
    [{ QA: "OK low" }, "", JUDGED],
    [{ QA: "OK fail, OK" }, "", "QA !QA SECURITY JOIN completed"],
    [{ QA: "OK odd, OK" }, "", "QA !QA SECURITY JOIN completed"],
    [{ QA: "OK critical, OK" }, "", "QA !QA SECURITY JOIN completed"],
    [{ QA: "BLOCKED fail, OK" }, "", `QA FIX_TESTS ${JUDGED}`],
    [{ Security: "OK low" }, "", JUDGED],
    // Nobody waves through what is medium.
    [{ Security: "OK medium, OK" }, "", `SECURITY FIX_SECURITY ${JUDGED}`],
    [{ Security: "NEEDS_DECISION medium" }, "", "SECURITY FINDINGS"],
    [{ Security: "NEEDS_DECISION medium" }, "fix-now", `SECURITY FINDINGS FIX_SECURITY ${JUDGED}`],
    [{ Security: "NEEDS_DECISION medium" }, "fix-later", "SECURITY FINDINGS JOIN completed; waived audit"],
    [{ Security: "NEEDS_DECISION medium" }, "accept-risk", "SECURITY FINDINGS JOIN completed; waived audit"],
    [
      { Security: "NEEDS_DECISION medium" },
      "accept-risk!, later",
      "SECURITY FINDINGS refused accept-risk refused later",
    ],
  ])("%o, then %s: %s (%o)", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });

  test.for<Row>([
    // Nobody is taken to have agreed to what nobody has answered.
    [{ Security: TWO }, "sec-1=accept-risk", "SECURITY FINDINGS"],
    [
      { Security: TWO },
      "sec-1=accept-risk, sec-2=fix-later",
      "SECURITY FINDINGS JOIN completed; waived audit",
    ],
    // The gravest answer decides, whichever comes first.
    [{ Security: TWO }, "sec-1=accept-risk, sec-2=fix-now", `SECURITY FINDINGS FIX_SECURITY ${JUDGED}`],
    [{ Security: TWO }, "sec-2=fix-now, sec-1=accept-risk", `SECURITY FINDINGS FIX_SECURITY ${JUDGED}`],
    [{ Security: TWO }, "fix-later", "SECURITY FINDINGS JOIN completed; waived audit"],
  ])("%o, one by one: %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });

  test.for<[agents: Record<string, string>, people: string, artifact: string, reason: string]>([
    [{ Reviewer: "BLOCKED major" }, "accept-known-issues", "review", "why"],
    [
      { Security: TWO },
      "sec-1=accept-risk, sec-2=fix-later",
      "audit",
      "sec-1: accept-risk: why\nsec-2: fix-later: why",
    ],
    // Where nothing was said, it is told which way it was given.
    [{ Reviewer: "OK nit" }, "accept!", "review", "NOTES to QA_DUE"],
  ])("a waiver is kept with a person's words: %o, then %s", ([agents, people, artifact, reason]) => {
    expect(lived([agents, people, "", { attempts: 0 }]).run.waivers[artifact]?.reason).toBe(reason);
  });

  test("each budget is its own", () => {
    const words = "BLOCKED high, OK, BLOCKED high, OK";
    const { way, run } = lived([{ QA: words, Security: words, Reviewer: "BLOCKED major" }, "", ""]);
    expect(way.filter((state) => state.startsWith("FIX_"))).toEqual([
      "FIX_REVIEW",
      "FIX_TESTS",
      "FIX_SECURITY",
      "FIX_TESTS",
    ]);
    expect([run.state, run.counters]).toMatchObject([
      "completed",
      { fix_review: 1, fix_tests: 2, fix_security: 1 },
    ]);
  });
});

describe("coding", () => {
  test.for<Row>([
    [{ Coder: "silent, OK" }, "", `CODE !Coder ${JUDGED}`],
    [{ Coder: "FAIL*" }, "", "CODE !Coder !Coder BLOCKED"],
    [{ Coder: "NEEDS_DECISION, garbage, die, OK" }, "resume", `CODE !Coder !Coder BLOCKED CODE ${JUDGED}`],
    [{ Coder: "BLOCKED" }, "", "CODE ASK_USER"],
    [{ Coder: "BLOCKED, OK" }, "answer", `CODE ASK_USER CODE ${JUDGED}`],
    [{ Coder: "BLOCKED" }, "give-up", "CODE ASK_USER failed"],
    [{ Coder: "BLOCKED" }, "answer!", "CODE ASK_USER refused answer"],
  ])("%o, then %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });
});

describe("work that was changed while it was judged", () => {
  // Whoever has changed what it judges has judged something else, and looks again; then the review is the one that is old.
  const TWICE = { Security: "OK ~, OK, OK ~, OK" };

  test.for<Row>([
    [{ QA: "OK ~" }, "", `QA !QA SECURITY JOIN ${JUDGED}`],
    [{ Security: "OK ~" }, "", `SECURITY !Security JOIN ${JUDGED}`],
    [TWICE, "", "JOIN REVIEW QA SECURITY !Security JOIN CHANGED"],
    [TWICE, "review", `CHANGED ${JUDGED}`],
    [TWICE, "accept", "CHANGED completed; waived review"],
    [TWICE, "accept!", "CHANGED refused accept"],
  ])("%o, then %s: %s", (row) => {
    expect(wayOf(row)).toBe(row[2]);
  });

  test("nothing follows what is over", () => {
    expect(lived([{}, "answer, to REVIEW", ""]).way.slice(-3)).toEqual([
      "completed",
      "refused answer",
      "refused move-asked",
    ]);
  });
});
