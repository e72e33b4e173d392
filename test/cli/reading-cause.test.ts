/** Why a run asks: `show` and `inbox` say it in the words of whoever said it. */

import { afterAll, describe, expect, test } from "vitest";
import type { Incoming, Reading } from "../../src/core/model/event.ts";
import { NO_ISSUES } from "../../src/core/model/verdict.ts";
import { reading, verdict } from "../support/play.ts";
import { happening } from "../support/stages.ts";
import { fromText } from "../support/workflows.ts";
import { AT, machine } from "./reading-support.ts";

const workflow = fromText(`
$schema: ../../schema/workflow-1.schema.json
name: judged
title: Work and a review of it
roles: { worker: {}, critic: { access: read, prompt: worker } }
stages:
  BUILD:
    stuck: stuck
    then: done
    phases:
      work: { run: worker, out: work.md, tries: 1 }
      judge:
        review: work
        by: critic
        tries: 1
        out:
          in: judge.json
          json: { object: { status: [approved, changes, blocked], size: [small, large], summary: text, sure?: boolean, new?: boolean, needs?: { list: text }, next?: { object: { who: text, is_done: boolean } } } }
          lists: { needs: needs }
          review: { verdict: status, values: { approved: pass, changes: needs_fix, blocked: needs_human } }
states:
  done: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: work, by: human }
  - { from: [work, judge], to: dropped, by: human, do: [stop all] }
asks:
  stuck: { question: worker, options: { retry: { to: origin }, drop: { to: dropped } } }
`);

const fields = { status: "blocked", size: "small", summary: "Two of them\ncontradict\u001B[31m each other" };
const at = { file: "judge.json", line: 2, col: 3 };

describe("why it asks", async () => {
  const on = await machine(workflow);
  afterAll(() => on.store.close());

  /** What whoever is at work hands in; nothing where it dies. */
  async function happen(id: string, made: Reading | undefined): Promise<void> {
    const run = (await on.store.load(id))?.run;
    const event = run === undefined ? undefined : happening(workflow, run, "ok");
    const busy = Object.values(run?.agents ?? {}).find(({ status }) => status === "called");
    if (event?.type !== "submitted" || busy === undefined) throw new Error("nobody is at work");
    const { role, slot, attempt } = busy;
    if (made?.faults.length === 0) return on.happen(id, { ...event, readings: [made] });
    const readings = made === undefined ? {} : { readings: [made] };
    const ended = { cause: "timed-out", code: 143 } as const;
    await on.happen(id, { type: "agent-ended", at: event.at, role, slot, attempt, ...ended, ...readings });
  }

  test.for<[what: string, made: (Reading | undefined)[], asked: string[], aside?: string[]]>([
    [
      "a reviewer wants a person",
      [
        reading("work", { digest: "w1" }),
        verdict("judge", "needs_human", { fields, lists: { needs: ["a.md", "b.md"], first: ["a.md"] } }),
      ],
      ["judge says needs_human", "summary: Two of them contradict each other", "needs: a.md, b.md"],
    ],
    [
      "what it judged, and what it would do next, which nobody obeys",
      [
        reading("work", { digest: "w4" }),
        verdict("judge", "needs_human", {
          fields: { ...fields, sure: false, new: true, "next.who": "the\nauthor", "next.is_done": true },
        }),
      ],
      ["judge says needs_human", "summary: Two of them contradict each other", "sure: false, new: true"],
      ["next of judge: who: the author, is_done: true"],
    ],
    [
      "a review that nobody can read",
      [
        reading("work", { digest: "w2" }),
        verdict("judge", "needs_fix", { faults: [{ at, reason: '"summary" is missing' }] }),
      ],
      [
        '"summary" is missing (judge.json:2:3)',
        "critic ended: timed-out (exit code 143)",
        "judge.tries is spent",
      ],
    ],
    [
      "an approval with an issue that blocks",
      [reading("work", { digest: "w3" }), verdict("judge", "pass", { issues: { ...NO_ISSUES, high: 1 } })],
      ["judge says pass, counts as needs_fix", "judge.fixes is spent"],
    ],
    [
      "nothing at all",
      [undefined],
      ["work.md does not exist yet", "worker ended: timed-out (exit code 143)", "work.tries is spent"],
    ],
  ])("%s", async ([what, made, asked, aside = []]) => {
    const id = `r${what.length}`;
    await on.begin(id);
    for (const each of made) await happen(id, each);
    expect((await on.data(`show ${id}`))["decision"]).toMatchObject({ asked, aside });
    const { items } = (await on.data("inbox")) as { items: { run: string; decision: { asked: string[] } }[] };
    expect(items.find(({ run }) => run === id)?.decision.asked).toEqual(asked);
    expect((await on.call("inbox --verbose")).stdout).toContain(`  > ${asked.at(-1)}`);
    const { stdout } = await on.call(`show ${id}`);
    expect(stdout).toContain(`Why it asks\n  ${asked[0]}`);
    const verbose = (await on.call(`show ${id} --verbose`)).stdout;
    for (const line of aside) expect([stdout.includes(line), verbose.includes(line)]).toEqual([false, true]);
    expect(stdout).not.toContain("\u001B");
  });
});

describe("without a schedule", async () => {
  const book = fromText(`
$schema: ../../schema/workflow-1.schema.json
name: book
title: A plan, its chapters, and whoever does not write them
params: { session: { text: b } }
artifacts:
  plan: { in: "{session}/plan.md", document: [Chapters], lists: { chapters: Chapters }, by: planner }
  parts: { in: "{session}/{slot}.md", file: true, each: plan.chapters, max: 3, by: writer }
  notes: { in: "{session}/notes.md", file: true, by: planner }
counters: { deaths: { max: 1, per: entry } }
roles: { planner: { prompt: worker }, writer: { prompt: worker } }
states:
  planning: { enter: [start planner] }
  writing: { enter: [start writer each parts] }
  noting: { enter: [start planner] }
  stuck: { ask: stuck }
  done: { final: done }
moves:
  - { from: start, to: planning, by: human }
  - { from: planning, to: writing, by: engine, need: plan, do: [stop planner] }
  - { from: writing, to: noting, by: engine, when: { parts: all } }
  - { from: noting, to: done, by: engine, need: notes, do: [stop planner] }
  - { from: writing, to: stuck, by: engine, when: { parts: [some, none] }, remember: true }
  - { from: [planning, noting], to: stuck, by: engine, when: { deaths: spent }, remember: true, do: [stop all] }
  - { from: [planning, writing, noting], to: done, by: human, do: [stop all] }
asks:
  stuck: { question: worker, shows: [notes], options: { retry: { to: origin }, write: { to: writing }, leave: { to: done } } }
ends:
  - { role: planner, in: planning, else: { count: deaths } }
  - { role: writer, in: writing, else: { count: deaths } }
`);
  const on = await machine(book);
  afterAll(() => on.store.close());

  const end = (
    role: string,
    slot: string,
    ...readings: Reading[]
  ): Extract<Incoming, { type: "agent-ended" }> => ({
    type: "agent-ended",
    at: AT,
    role,
    slot,
    attempt: slot === "c" ? 2 : 1,
    cause: "killed",
    readings,
  });
  const plan = reading("plan", { digest: "p", lists: { chapters: ["a", "c"] } });
  const flaw = { at: { file: "b/plan.md", line: 3, col: 1 }, reason: "it has no end" };

  test.for<[what: string, events: Incoming[], asked: string[], ways: string[]]>([
    [
      "nothing was left",
      [end("planner", "")],
      ["b/plan.md does not exist yet", "planner ended: killed", "deaths is spent"],
      ["back to planning", "on to writing", "on to done (the end)"],
    ],
    [
      "what was left is wrong",
      [end("planner", "", reading("plan", { faults: [flaw] }))],
      ["it has no end (b/plan.md:3:1)", "planner ended: killed", "deaths is spent"],
      ["back to planning", "on to writing", "on to done (the end)"],
    ],
    [
      "the last of several was good",
      [end("planner", "", plan), end("writer", "a"), end("writer", "c", reading("parts", { slot: "c" }))],
      ["some of b/*.md are done", "failed: a"],
      ["back to writing", "back to writing", "on to done (the end)"],
    ],
  ])("%s", async ([what, events, asked, ways]) => {
    const id = `b${what.length}`;
    await on.begin(id);
    for (const event of events) await on.happen(id, event);
    const shown = (await on.data(`show ${id}`)) as {
      decision: { asked: string[] };
      actions: { sentence: string }[];
      question: { reads: string[] };
    };
    // What it would show is not there.
    expect(shown.question.reads).toEqual([]);
    expect(shown.decision.asked).toEqual(asked);
    expect(shown.actions.map(({ sentence }) => sentence)).toEqual(ways);
  });
});

describe("what the engine could not do", async () => {
  const refused = fromText(`
$schema: ../../schema/workflow-1.schema.json
name: filed
title: Something is put in its place
artifacts: { refused: { fact: archive-refused, fresh: filing } }
states:
  filing: { waits: true }
  blocked: { ask: blocked }
  done: { final: done }
moves:
  - { from: start, to: filing, by: human }
  - { from: filing, to: blocked, by: engine, when: { refused: holds } }
  - { from: filing, to: done, by: human }
asks:
  blocked: { question: worker, options: { again: { to: done } } }
`);
  const on = await machine(refused);
  afterAll(() => on.store.close());

  test("is told with all that is known of it", async () => {
    await on.begin("f1");
    const told = { reason: "specs/a.md is another one", file: "specs/a.md", base: "/kept/a", now: "/kept/b" };
    await on.happen("f1", {
      type: "observed",
      at: AT,
      readings: [reading("refused", { digest: "1", fields: told })],
    });
    const { decision } = (await on.data("show f1")) as { decision: { asked: string[] } };
    expect(decision.asked.slice(-4)).toEqual(Object.entries(told).map(([name, text]) => `${name}: ${text}`));
  });
});
