/** What is refused is mended, as often as it may be; then a person decides, in a task and in the session. What was let through is told with their words. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { inSession, LONG, wayOf } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

/** Who says what, what people answer behind the strategy, what becomes of the subject and of the session; and which waivers the report has. */
type Row = readonly [
  agents: Record<string, string>,
  people: string,
  subject: string,
  session: string,
  waived?: string,
];

const HIGH = "BLOCKED high";
const JUDGED = "REVIEW QA SECURITY JOIN completed";
const ROUND = "FIX_REVIEW REVIEW";
const END = "FINAL_REVIEW INTEGRATE CHECKS ATTEST";

const THREE_TRIES: readonly Row[] = [
  // Three times, and three more where a person says how.
  [
    { "Reviewer.T-001": "BLOCKED major, BLOCKED major, BLOCKED major, BLOCKED major" },
    "guidance: so",
    `CODE REVIEW ${ROUND} ${ROUND} ${ROUND} EXHAUSTED ${ROUND} QA SECURITY JOIN completed`,
    `PER_BATCH ${END}`,
  ],
  [
    { "Security.T-001": `${HIGH}, ${HIGH}, ${HIGH}` },
    "",
    `CODE REVIEW QA SECURITY FIX_SECURITY REVIEW QA SECURITY FIX_SECURITY REVIEW QA SECURITY FIX_SECURITY ${JUDGED}`,
    `PER_BATCH ${END}`,
  ],
];

const ONE_TRY: readonly Row[] = [
  [
    { "Reviewer.T-001": "BLOCKED blocker" },
    "different-approach",
    `CODE REVIEW EXHAUSTED FIX_REVIEW ${JUDGED}`,
    `PER_BATCH ${END}`,
  ],
  [
    { "QA.T-001": "BLOCKED high fail" },
    "!accept-known-issues, accept-known-issues: later",
    "CODE REVIEW QA EXHAUSTED SECURITY JOIN completed",
    `PER_BATCH ${END}`,
    "later",
  ],
  [
    { "Security.T-001": HIGH },
    "guidance: close it",
    `CODE REVIEW QA SECURITY EXHAUSTED FIX_SECURITY ${JUDGED}`,
    `PER_BATCH ${END}`,
  ],
  // Given back to the plan: all that a person can make of it.
  [
    { "Security.T-001": HIGH },
    "simplify-scope: less, retry",
    `CODE ${JUDGED}`,
    `PER_BATCH ASK_TASKS PER_BATCH ${END}`,
    // What was decided in the run that failed stays decided.
    "T-001/UD-1; part: all of it; answer: simplify-scope; text: less",
  ],
  [
    { "Security.T-001": HIGH },
    // What depends on it was never begun, and the checks know.
    "simplify-scope: less, accept-known-issues: without it",
    "CODE REVIEW QA SECURITY EXHAUSTED failed",
    "PER_BATCH ASK_TASKS FINAL_REVIEW INTEGRATE CHECKS ASK_BUILD",
    "without it",
  ],
  [
    { "Security.T-001": HIGH },
    "simplify-scope: less, simplify-scope: smaller, single-final",
    "CODE implemented",
    `PER_BATCH ASK_TASKS PLAN REVIEW_STRATEGY SINGLE_FINAL ${END}`,
  ],
  // Notes of a task are asked about, those of the last pass are not.
  [
    { "Reviewer.T-001": "OK minor nit" },
    "accept",
    "CODE REVIEW NOTES QA SECURITY JOIN completed",
    `PER_BATCH ${END}`,
  ],
  [{ "Reviewer.T-001": "OK nit" }, "fix: it", `CODE REVIEW NOTES FIX_REVIEW ${JUDGED}`, `PER_BATCH ${END}`],
  [{ "Reviewer.meta": "OK minor nit" }, "", `CODE ${JUDGED}`, `PER_BATCH ${END}`],
  // Each finding by itself, and nobody agrees by saying nothing.
  [
    { "Security.T-001": "NEEDS_DECISION medium medium" },
    "1=fix-later",
    "CODE REVIEW QA SECURITY FINDINGS",
    "PER_BATCH",
  ],
  [
    { "Security.T-001": "NEEDS_DECISION medium medium" },
    "1=fix-later, 2=accept-risk: a test",
    "CODE REVIEW QA SECURITY FINDINGS JOIN completed",
    `PER_BATCH ${END}`,
    "a test",
  ],
  [
    { "Security.T-001": "NEEDS_DECISION medium medium" },
    "1=fix-later, 2=fix-now",
    `CODE REVIEW QA SECURITY FINDINGS FIX_SECURITY ${JUDGED}`,
    `PER_BATCH ${END}`,
  ],
];

describe.runIf(isPerson && IS_DEEP).concurrent("what is refused in orchestrated", LONG, () => {
  test.for(THREE_TRIES)("%o, then %s", async (row, { expect }) => {
    expect(await lived(row, 3)).toEqual(promised(row));
  });

  test.for(ONE_TRY)("without a second try: %o, then %s", async (row, { expect }) => {
    expect(await lived(row, 0)).toEqual(promised(row));
  });

  test("an answer to the session goes to its task that asks", async ({ expect }) => {
    await inSession({ agents: { "Reviewer.T-001": "OK nit" } }, async (on) => {
      const run = await on.run();
      await on.people(run, "approved, per-batch");
      const task = await on.child(run, "T-001");
      expect(await on.type("answer", run, "accept")).toMatchObject({
        code: 0,
        document: { run: task },
      });
    });
  });

  test("a part that is answered is shown in the session, though nothing follows from it", async ({
    expect,
  }) => {
    await inSession({ agents: { "Security.T-001": "NEEDS_DECISION medium medium" } }, async (on) => {
      const run = await on.run();
      await on.people(run, "approved, per-batch, 1=fix-later");
      const decisions = (await on.status(run)).user_decisions.slice(-2);
      expect(decisions).toMatchObject([
        { decision_id: "T-001/UD-1.1", status: "answered", answer: "fix-later" },
        { decision_id: "T-001/UD-1.2", status: "pending", answer: null },
      ]);
    });
  });

  test.for<[people: string, session: string]>([
    ["!guidance, guidance: so", "ASK_BUILD FIX_BUILD CHECKS ATTEST"],
    ["different-approach", "ASK_BUILD FIX_BUILD CHECKS ATTEST"],
    ["simplify-scope: less", "ASK_BUILD PLAN REVIEW_STRATEGY"],
    // What was mended for the checks was judged by nobody.
    ["accept-known-issues: red, attested", `ASK_BUILD ATTEST RELEASE HANDOVER ${END}`],
  ])("the checks are red, then %s", async ([people, session], { expect }) => {
    await inSession({}, async (on) => {
      on.say("red");
      const run = await on.run("--param", "attempts=1");
      expect((await on.people(run, "approved, single-final")).state).toBe("ASK_BUILD");
      expect(on.said("prompt.Coder.1")).toContain("ci-output.txt");
      on.unsay("red");
      const now = await on.people(run, people);
      expect(wayOf(now)).toMatch(new RegExp(`CHECKS FIX_BUILD CHECKS ${session}$`));
      expect((await on.status(run))["last_ci_result"]).toBe(now.state === "ATTEST" ? "green" : "red");
    });
  });
});

type Lived = { readonly session: string; readonly subject: string; readonly isToldWhy: boolean };

function promised([, , subject, session]: Row): Lived {
  return { session, subject, isToldWhy: true };
}

async function lived([agents, people, , , waived = ""]: Row, attempts: number): Promise<Lived> {
  let life: Lived = { session: "", subject: "", isToldWhy: false };
  await inSession({ agents }, async (on) => {
    const run = await on.run("--param", `attempts=${attempts}`);
    const said = ["approved", "per-batch", people].filter((word) => word !== "").join(", ");
    const now = await on.people(run, said);
    life = {
      session: wayOf(now).replace(/^.*? REVIEW_STRATEGY /, ""),
      subject: wayOf(await on.now(await on.child(run, "T-001"))).replaceAll(/\w+_DUE /g, ""),
      isToldWhy: (await on.file(run, "report.md")).includes(waived),
    };
  });
  return life;
}
