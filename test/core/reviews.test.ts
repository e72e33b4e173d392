/** Reviews of the work itself, what is mended because of them, and that the review of an earlier round never counts. */

import { expect, test } from "vitest";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import { slotKey, type Run } from "../../src/core/model/run.ts";
import { standingOf } from "../../src/core/gates/artifact-status.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import { NO_ISSUES, type Verdict } from "../../src/core/model/verdict.ts";
import { variablesOf } from "../../src/engine/agents/launch.ts";
import { contextFiles, withContext } from "../../src/engine/agents/prompt-context.ts";
import { checkFixture, fixturesIn } from "../check/corpus.ts";
import { agent, AT, HUMAN, play, reading, start, verdict } from "../support/play.ts";

function fixture(name: string): Workflow {
  const found = fixturesIn("good").find((each) => each.name === name);
  const workflow = found === undefined ? undefined : checkFixture(found).workflow;
  if (workflow === undefined) throw new Error(`the corpus lacks ${name}`);
  return workflow;
}

const flow = fixture("review-of-the-work.yaml");
const HIGH = { ...NO_ISSUES, high: 1 };

const tests = (value: Verdict): Incoming => ({
  type: "observed",
  at: AT,
  readings: [verdict("tests", value)],
});

function says(role: string, ...readings: readonly Reading[]): (run: Run) => Incoming {
  return (run) => ({ type: "submitted", by: agent(run, role), at: AT, readings });
}

/** Somebody ends, and has left the work like this. */
function ends(role: string, tree: string): (run: Run) => Incoming {
  return (run) => ({
    type: "agent-ended",
    at: AT,
    role,
    slot: "",
    attempt: run.agents[role]?.attempt ?? 0,
    cause: "exited",
    tree,
  });
}

const bad = verdict("critique", "needs_fix", { issues: HIGH });
const begun = [start(flow), tests("pass"), says("critic", bad)];

test("what is mended is tested again, the review is kept elsewhere, and the reviewer judges anew", () => {
  const good = verdict("critique", "pass", { issues: NO_ISSUES });
  const played = play(flow, [...begun, ends("fixer", "t2"), tests("pass"), says("critic", good)]);
  expect(played.lines).toMatchInlineSnapshot(`
    [
      "tests, run-check tests",
      "critique, start-agent critic #1 (critic)",
      "critique-fix, critique.fixes 1, stop-agent critic #1, start-agent fixer #1 (fixer)",
      "tests, critique.fixes 1, archive critique, run-check tests",
      "critique, critique.fixes 1, start-agent critic #2 (critic)",
      "docs, critique.fixes 1, stop-agent critic #2, start-agent builder #1 (builder)",
    ]
  `);
});

test("the review of an earlier round, or of other work, does not count", () => {
  const { run } = play(flow, begun);
  expect(standingOf(flow, run, "critique")).toBe("needs_fix");
  const changed = play(flow, [{ type: "observed", at: AT, tree: "t2" }], run);
  expect(standingOf(flow, changed.run, "critique")).toBe("stale");
  const again = play(flow, [ends("fixer", "t2"), tests("pass"), says("critic", bad)], run);
  expect(again.run.state).toBe("critique");
  expect(again.lines.at(-1)).toContain("refused: stale");
  const late = verdict("critique", "pass", { issues: NO_ISSUES });
  const edited = play(flow, [{ type: "observed", at: AT, tree: "t3" }, says("critic", late)], again.run);
  expect(edited.lines.at(-1)).toContain("refused: stale");
});

test("whoever mends is told to read the review, as long as it is there", () => {
  const { run } = play(flow, begun);
  const told = (at: Run): string[] => {
    const prompt = withContext(
      "Mend.\n",
      contextFiles(flow, at, {
        role: "fixer",
        readings: [],
        leads: (all) => all.map((file) => ({ file, to: file })),
      }),
    );
    return [...prompt.matchAll(/^- (.*)$/gm)].map(([, file = ""]) => file);
  };
  expect(told(run)).toEqual(["tests.txt", "critique.json"]);
  const mended = play(flow, [ends("fixer", "t2"), tests("needs_fix")], run);
  expect(mended.run.state).toBe("tests-fix");
  expect(told(mended.run)).toEqual(["tests.txt"]);
});

test.for([
  [true, "tests-fix tests critique docs last last-fix last-fixed tests critique docs last finished"],
  [false, "docs last last-fix last-fixed docs last finished"],
] as const)("a fix leads to another stage, or past it when tested is %s", ([tested, path]) => {
  const well = (): Incoming[] => [tests("pass")];
  const critic = says("critic", verdict("critique", "pass", { issues: NO_ISSUES }));
  const round = (value: Verdict, issues = NO_ISSUES): ((run: Run) => Incoming) =>
    says("judge", verdict("last", value, { issues }));
  const words = tested
    ? [tests("needs_fix"), ends("fixer", "t2"), ...well(), critic, says("builder", reading("docs"))]
    : [says("builder", reading("docs"))];
  const { events } = play(flow, [
    start(flow, undefined, { params: { tested } }),
    ...words,
    round("needs_fix", HIGH),
    ends("fixer", "t3"),
    ...(tested ? [...well(), says("critic", verdict("critique", "pass", { issues: NO_ISSUES }))] : []),
    round("pass"),
  ]);
  const moves = events.flatMap((event) => (event.type === "moved" ? [event.to] : []));
  expect(moves.slice(tested ? 1 : 0).join(" ")).toBe(path);
});

/** One of three files has the highest issue, one has only what does not block, and one issue names no file. */
const FILES = { "src/a.ts": "high", "docs/b.md": "low", "": "high", "src/c d/é.ts": "critical" } as const;

const byFile = fixture("review-mended-by-file.yaml");

function inCritique(block: "low" | "high", files: Reading["files"] = FILES): Run {
  const issues = { ...NO_ISSUES, high: 2, low: 1, critical: 1 };
  const refusal = verdict("critique", "needs_fix", { issues, ...(files === undefined ? {} : { files }) });
  const words = [
    start(byFile, undefined, { params: { block } }),
    says("builder", reading("build")),
    says("critic", refusal),
  ];
  return play(byFile, words).run;
}

/** A member hands in its note. */
function note(slot: string, tree = "t1"): (run: Run) => Incoming {
  return (run) => ({
    type: "submitted",
    by: agent(run, "fixer", slot),
    at: AT,
    tree,
    readings: [reading("critique-fix", { slot })],
  });
}

function dies(slot: string): (run: Run) => Incoming {
  return (run) => ({
    type: "agent-ended",
    at: AT,
    role: "fixer",
    slot,
    attempt: run.agents[slotKey("fixer", slot)]?.attempt ?? 0,
    cause: "exited",
  });
}

test.for<["low" | "high", string[]]>([
  ["low", ["src-c-d-.ts: src/c d/é.ts", "src-a.ts: src/a.ts", "general: general", "docs-b.md: docs/b.md"]],
  ["high", ["src-c-d-.ts: src/c d/é.ts", "src-a.ts: src/a.ts", "general: general"]],
])("blocking from %s, those who mend are %o", ([block, members]) => {
  const run = inCritique(block);
  expect(run.state).toBe("critique-fix");
  const told = Object.values(run.agents)
    .filter(({ role, status }) => role === "fixer" && status === "called")
    .map(({ role, slot, attempt }) => {
      const of = { workflow: byFile, run, workspace: undefined, agent: { role, slot, attempt, session: "" } };
      return `${variablesOf(of)["slot"]}: ${variablesOf(of)["member"]}`;
    });
  expect(told).toEqual(members);
});

test("as long as one has mended something the reviewer judges; then review and notes are kept elsewhere", () => {
  const files = { "a.ts": "high", "b.ts": "high" } as const;
  const run = inCritique("low", files);
  const { lines, run: after } = play(
    byFile,
    [note("a.ts", "t2"), dies("b.ts"), dies("b.ts"), says("critic", verdict("critique", "pass"))],
    run,
  );
  expect(lines).toMatchInlineSnapshot(`
    [
      "critique-fix, critique.fixes 1",
      "critique-fix, critique.fixes 1, critique-fix.tries 1, start-agent fixer/b.ts #3 (fixer)",
      "critique, critique.fixes 1, stop-agent fixer/a.ts #1, archive critique critique-fix, start-agent critic #2 (critic)",
      "last, critique.fixes 1, stop-agent critic #2, start-agent judge #1 (judge)",
    ]
  `);
  expect(after.state).toBe("last");
});

test("where nobody has mended anything a person is asked, and a retry hands out the same again", () => {
  const run = inCritique("low", { "a.ts": "high", "b.ts": "low" });
  const words = [dies("a.ts"), dies("a.ts"), dies("b.ts")];
  const stuck = play(byFile, [{ type: "observed", at: AT, tree: "t9" }, ...words], run);
  expect(stuck.run.state).toBe("BUILD-blocked");
  const again: Incoming = {
    type: "answered",
    by: HUMAN,
    at: AT,
    ask: "stuck",
    answer: "retry",
    text: "",
    shown: shownBy(byFile, stuck.run, "stuck"),
  };
  const retried = play(byFile, [again], stuck.run).run;
  expect(retried.state).toBe("critique-fix");
  expect(retried.slots["critique-fix"]).toEqual({ "a.ts": "open", "b.ts": "open" });
});

test("a note of an earlier round is taken away before the next: the same words are new ones then", () => {
  const first = reading("critique-fix", { slot: "a.ts" });
  const files = { "a.ts": "high" } as const;
  const hands = (run: Run): Incoming => ({
    type: "submitted",
    by: agent(run, "fixer", "a.ts"),
    at: AT,
    readings: [first],
  });
  const refusal = verdict("critique", "needs_fix", { issues: HIGH, files });
  const { run } = play(byFile, [hands, says("critic", refusal), hands], inCritique("low", files));
  expect(run.state).toBe("critique");
});
