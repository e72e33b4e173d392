/** Whoever decides at a gate sees there what was found, and everything that can be typed, and nothing that nobody asks for. */
import { describe, expect, test } from "vitest";
import { collectorOf } from "../../src/app/board/collect.ts";
import { parsed, scene } from "./acting-support.ts";

const JUDGED = `$schema: workflow-1.schema.json
name: judged
title: A person judges, and a person decides
artifacts:
  review:
    in: review.json
    json: true
    by: human
    fresh: entry
    block: high
    lists: { found: { from: issues, id: id } }
    review: { verdict: verdict, values: { OK: pass, NO: needs_fix }, issues: issues, severities: { major: high, minor: medium, nit: low } }
  poem: { in: POEM.md, file: true, by: human }
  letter: { in: LETTER.md, file: true, by: human }
states:
  judging: { waits: true }
  noted: { ask: noted }
  spent: { ask: spent }
  closed: { final: done }
moves:
  - { from: start, to: judging, by: human }
  - { from: judging, to: noted, by: engine, when: { review: pass_with_notes } }
  - { from: judging, to: spent, by: engine, when: { review: needs_fix } }
  - { from: judging, to: closed, by: human, need: letter }
asks:
  noted:
    question: noted
    shows: [review]
    options: { accept: { to: closed }, fix: { to: judging, text: optional } }
  spent:
    question: spent
    parts: review.found
    options: { again: { to: judging, text: optional }, accept: { to: closed, need: letter, text: required } }
projection:
  - { file: REVIEW.md, as: review, of: review }
`;

const issue = (severity: string, more: Record<string, unknown>): Record<string, unknown> => ({
  id: `${severity}-1`,
  severity,
  ...more,
});

const on = await scene({
  ".signalbox/workflows/judged/workflow.yaml": JUDGED,
  ".signalbox/workflows/judged/prompts/noted.md": "Shall it go on?\n",
  ".signalbox/workflows/judged/prompts/spent.md": "And now?\n",
  "notes.json": JSON.stringify({
    verdict: "OK",
    summary: "Well done.",
    issues: [
      issue("nit", { file: "a.ts", description: "A word\nis wrong." }),
      issue("minor", { file: "b.ts", line: 7, message: "It is slow.", suggested_fix: "Ask once." }),
    ],
  }),
  "many.json": JSON.stringify({
    verdict: "NO",
    issues: Array.from({ length: 12 }, (_, at) => ({
      id: `f-${at + 1}`,
      severity: "major",
      file: "a.ts",
      line: at + 1,
      description: `Open, ${at + 1}.`,
    })),
  }),
});

async function judged(file: string): Promise<string> {
  const run = (await on.say("run judged --detach --quiet")).stdout.trim();
  const { code, stderr } = await on.say(`submit ${run} review ${file}`);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return run;
}

describe("notes of a review that passes", async () => {
  const run = await judged("notes.json");

  test.for<[command: string]>([["show"], ["next"], ["inbox"]])(
    "%s tells each with its place",
    async ([command]) => {
      const { stdout } = await on.say(command === "inbox" ? command : `${command} ${run}`);
      expect(stdout).toContain("minor b.ts:7: minor-1: It is slow. Fix: Ask once.\n");
      expect(stdout).toContain("nit a.ts: nit-1: A word is wrong.\n");
      expect(stdout).toMatch(new RegExp(`answer ${run} fix --shown \\w+ \\[--text TEXT\\] `));
      expect(stdout).toMatch(new RegExp(`answer ${run} accept --shown \\w+ +\\S`));
    },
  );

  test("watch shows it as a page", async () => {
    const page = await on.withStore(async (store) => {
      const never = (): never => {
        throw new Error("nobody is at work");
      };
      const board = collectorOf({
        store,
        home: on.home,
        probe: never,
        workOf: () => null,
        terminalOf: () => "none",
      });
      const { rows } = await board.collect({ repo: "", over: false });
      expect(rows.find((row) => row.run === run)?.acts.view).toBe("");
      return board.askingOf(run);
    });
    expect(page).toMatch(/^UD-1: Shall it go on\?\n/);
    expect(page).toContain("\nminor b.ts:7: minor-1: It is slow. Fix: Ask once.\n");
    expect(page).toMatch(/\nread: \/.*\/review\.json\n/);
    expect(page).toMatch(/ fix --shown \w+ \[--text TEXT\]\n/);
  });

  test("for programs, what may be added stands beside the command", async () => {
    const { items } = parsed(await on.say("inbox --json")) as { items: { actions: { takes?: string }[] }[] };
    expect(items[0]?.actions.map(({ takes }) => takes)).toEqual([undefined, "[--text TEXT]"]);
  });

  test("a wrong answer is told the same", async () => {
    const { stderr } = await on.say(["answer", run, "perhaps"]);
    expect(stderr).toContain(` fix --shown `);
    expect(stderr).toContain(` [--text TEXT]\n`);
  });
});

test("of many findings the first are told, and where the others are", async () => {
  const run = await judged("many.json");
  for (const command of ["show", "next"]) {
    const { stdout } = await on.say(`${command} ${run}`);
    expect(stdout).toContain("major a.ts:1: f-1: Open, 1.\n");
    expect(stdout).toMatch(/and 4 more: \/\S+\/REVIEW\.md\n/);
    expect(stdout).toContain("12. f-12\n");
  }
});

test("next asks for what a move of one's own needs, and for nothing else", async () => {
  const begun = (await on.say("run judged --detach --quiet")).stdout.trim();
  const wanted = async (run: string): Promise<string[]> => {
    const { stdout } = await on.say(`next ${run} --all`);
    const [, block = ""] = stdout.split("To write:\n");
    return block.split("\n").flatMap((line) => /^ {2}(\w+)/.exec(line)?.[1] ?? []);
  };
  expect(await wanted(begun)).toEqual(["review", "letter"]);
  expect(await wanted(await judged("notes.json"))).toEqual([]);
  expect(await wanted(await judged("many.json"))).toEqual(["letter"]);
});

test.for<[attention: string, next: string]>([
  ["it is gone; try again: signalbox resume RUN", "signalbox retry RUN"],
  [
    "it was changed; try again: put it back, or take it (signalbox submit RUN letter), then: signalbox resume RUN",
    "signalbox retry RUN",
  ],
  [
    "it is /home/ada/signalbox here; signalbox trust /home/ada/signalbox here",
    "signalbox trust /home/ada/signalbox here",
  ],
  ["nobody knows", "signalbox retry RUN"],
])("%s: the last command is the next one", async ([attention, next]) => {
  const run = (await on.say("run judged --detach --quiet")).stdout.trim();
  await on.withStore((store) =>
    store.commit([{ type: "attend", run, attention: attention.replaceAll("RUN", run) }]),
  );
  expect(parsed(await on.say(`show ${run} --json`))["next"]).toBe(next.replaceAll("RUN", run));
});
