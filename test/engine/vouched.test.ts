/** Commands that an agent lists are run only where a person has approved of exactly these, or settings have them. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { questionOf } from "../../src/cli/reading/question.ts";
import type { Workflow } from "../../src/core/compile.ts";
import type { Event, Incoming } from "../../src/core/event.ts";
import type { Run } from "../../src/core/run.ts";
import { shownBy } from "../../src/core/steps/answer.ts";
import { vouchedIn } from "../../src/core/vouch.ts";
import { checkOver } from "../../src/engine/check.ts";
import type { Launch } from "../../src/engine/ports/process.ts";
import { submit } from "../../src/engine/submit.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { dispatching, type Scene } from "../support/dispatch.ts";
import { agent, AT, HUMAN } from "../support/play.ts";

const FILE = `$schema: workflow-1.schema.json
name: vouched
title: Commands of an agent
counters: { tries: { max: 3 }, wrong: { max: 5 } }
artifacts:
  criteria: { in: criteria.json, json: true, lists: { checks: { from: criteria, each: verify } }, by: [worker, engine] }
  tests: { check: { from: criteria.checks }, fresh: checking }
roles: { worker: {} }
states:
  writing: { enter: [start worker] }
  asking: { ask: agree }
  checking: { enter: [run tests] }
  red: { final: failed }
  done: { final: done }
moves:
  - { from: start, to: writing, by: human, reserve: place }
  - { from: writing, to: asking, by: engine, need: criteria, do: [stop worker] }
  - { from: writing, to: red, by: engine, when: { tries: spent } }
  - { from: checking, to: done, by: engine, when: { tests: pass } }
  - { from: checking, to: red, by: engine, when: { tests: needs_fix } }
  - { from: checking, to: asking, by: engine, when: { tests: needs_human } }
ends:
  - { role: worker, in: writing, else: { count: tries, do: [start worker] } }
asks:
  agree:
    question: q
    shows: criteria
    reask: wrong
    options:
      run: { to: checking, vouch: criteria }
      skip: { to: checking }
      again: { routes: { all: { to: writing } }, vouch: criteria }
`;

function parsed(text = FILE): Workflow {
  const prompt = (name: string) => ({ file: `prompts/${name}.md`, text: "x" });
  const prompts = { worker: prompt("worker"), q: prompt("q") };
  const read = parseWorkflow({ file: "workflow.yaml", bytes: new TextEncoder().encode(text), prompts });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.workflow;
}

const workflow = parsed();

type Play = Pick<Scene, "works" | "store" | "repo"> & {
  readonly run: () => Run;
  readonly ask: (event: (at: string) => Incoming) => Promise<void>;
  readonly work: () => Promise<string[]>;
  readonly repeat: (deed: string) => Promise<void>;
  /** The commands of every check that was started, in their order. */
  readonly launched: () => readonly (readonly string[])[];
  readonly list: (...verify: readonly string[]) => void;
  readonly say: (answer: string, shown?: string) => Promise<string>;
  readonly over: (code: number) => Promise<void>;
  /** Why the last check was not run. */
  readonly why: () => string;
};

async function played(
  verify: readonly string[],
  act: (play: Play) => Promise<void>,
  checks: Readonly<Record<string, string>> = {},
): Promise<void> {
  const started: Launch[] = [];
  const harness = { name: "script", command: ["agent", "{prompt}"], env: [], set: {}, stdin: false };
  const more: object = {
    notifier: { ask: () => Promise.resolve() },
    processes: {
      launch: (launch: Launch) => {
        if (launch.id.includes(".check.")) started.push(launch);
        return Promise.resolve({ type: "starting" });
      },
      probe: () => ({ type: "absent" }),
      kill: () => Promise.resolve(),
      hasTerminals: () => false,
    },
    settings: () =>
      Promise.resolve({
        harness: () => harness,
        harnesses: [],
        env: [],
        checks,
        minutes: 1,
        stallMinutes: 1,
      }),
  };
  await dispatching(
    workflow,
    async (scene) => {
      const list = (...texts: readonly string[]): void =>
        scene.put({ "criteria.json": JSON.stringify({ criteria: [{ verify: texts }] }) });
      await scene.begin();
      await scene.work();
      list(...verify);
      await scene.end("worker");
      await scene.work();
      await act({
        ...scene,
        ...doings(scene),
        list,
        launched: () => started.map(({ argv }) => argv.slice(4)),
      });
    },
    more,
  );
}

function doings(scene: Scene): Pick<Play, "say" | "over" | "why"> {
  const { works, store } = scene;
  return {
    say: async (answer, shown = shownBy(workflow, scene.run(), "agree")) => {
      const said = await submit(works, {
        run: "r1",
        by: HUMAN,
        event: ({ at }) => ({ type: "answered", by: HUMAN, at, ask: "agree", answer, shown }),
      });
      await scene.work();
      return said.type === "refused" ? said.refusal.code : said.type;
    },
    over: async (code) => {
      const job = store.jobs({ run: "r1", status: "live" }).find(({ kind }) => kind === "check");
      if (job === undefined) throw new Error("nothing is checked");
      await checkOver(works, job, { type: "ended", code });
    },
    why: () => store.notes("r1").findLast(({ kind }) => kind === "check")?.text ?? "",
  };
}

type Settings = Readonly<Record<string, string>>;

test.for<[what: string, verify: readonly string[], answer: string, settings: Settings, outcome: string]>([
  ["approved", ["cmd: echo a", "cmd:echo b", "cmd: echo a"], "run", {}, '["echo a","echo b"]'],
  ["shown, and answered otherwise", ["cmd: echo a"], "skip", {}, 'nobody has approved of "echo a"'],
  ["not approved, and settings have it", ["cmd: npm test"], "skip", { t: "npm test" }, '["npm test"]'],
  ["a name of the settings", ["cmd: t"], "skip", { t: "npm test" }, '["npm test"]'],
  [
    "nearly what settings have",
    ["cmd: npm test; x"],
    "skip",
    { t: "npm test" },
    'nobody has approved of "npm test; x"',
  ],
  [
    "a name that every object has",
    ["cmd: constructor"],
    "skip",
    { t: "x" },
    'nobody has approved of "constructor"',
  ],
  [
    "one of two that nobody approved",
    ["cmd: npm test", "cmd: x"],
    "skip",
    { t: "npm test" },
    'nobody has approved of "x"',
  ],
  [
    "a second line",
    ["cmd: echo a\necho b"],
    "run",
    {},
    '"echo a\\u{a}echo b" is empty, or holds signs that cannot be seen',
  ],
  [
    "the other way round",
    ["cmd: echo \u202Ea"],
    "run",
    {},
    '"echo \\u{202e}a" is empty, or holds signs that cannot be seen',
  ],
  [
    "a way back over the line",
    ["cmd: x\recho a"],
    "run",
    {},
    '"x\\u{d}echo a" is empty, or holds signs that cannot be seen',
  ],
  ["nothing behind the word", ["cmd: "], "run", {}, '"" is empty, or holds signs that cannot be seen'],
  ["neither word", ["echo a"], "run", {}, '"echo a" of criteria is neither cmd: nor manual:'],
  ["the word in another case", ["CMD: a"], "run", {}, '"CMD: a" of criteria is neither cmd: nor manual:'],
  ["nothing but what a person looks at", ["manual: look"], "run", {}, "there is nothing to run"],
  ["both", ["manual: look", "cmd: a"], "run", {}, '["a"]'],
])("%s: %j, %s, %j -> %s", async ([, verify, answer, settings, outcome]) => {
  await played(
    verify,
    async ({ say, launched, why, run }) => {
      expect(await say(answer)).toBe("accepted");
      expect(
        launched().length === 0
          ? why()
          : launched()
              .map((each) => JSON.stringify(each))
              .join(),
      ).toBe(launched().length === 0 ? `tests is not run: ${outcome}` : outcome);
      // What nobody may run is asked about; what runs is waited for.
      expect(run().state).toBe(launched().length === 0 ? "asking" : "checking");
    },
    settings,
  );
});

test("what passes counts, with how many are left to a person", async () => {
  await played(["cmd: a", "manual: b", "manual: c"], async ({ say, over, run }) => {
    await say("run");
    await over(0);
    expect(run().state).toBe("done");
    const { fields, lists } = run().held["tests"]?.reading ?? {};
    expect([fields?.["manual"], lists?.["commands"]]).toEqual([2, ["a"]]);
  });
});

test("whoever changes the list after it was shown gets nothing run", async () => {
  await played(["cmd: a"], async ({ say, list, ask, launched, run }) => {
    const shown = shownBy(workflow, run(), "agree");
    list("cmd: a", "cmd: evil");
    await ask((at) => ({ type: "observed", at }));
    expect(await say("run", shown)).toBe("stale");
    expect(launched()).toEqual([]);
  });
});

test("whoever changes the list while it is run gets nothing else run, and what was run does not count", async () => {
  await played(["cmd: a"], async ({ say, list, over, ask, launched, run }) => {
    await say("run");
    list("cmd: a", "cmd: evil");
    await ask((at) => ({ type: "observed", at }));
    await over(0);
    expect(launched()).toEqual([["a"]]);
    expect(run().state).toBe("asking");
    // Whoever answers otherwise where it is shown again has taken it back.
    list("cmd: a");
    await ask((at) => ({ type: "observed", at }));
    await say("skip");
    expect(launched()).toEqual([["a"]]);
  });
});

test("nor does it where the run has not yet taken in that the list is another one", async () => {
  await played(["cmd: a"], async ({ say, list, over, launched, run }) => {
    await say("run");
    list("manual: a");
    for (const _time of [1, 2, 3]) await over(0);
    expect(launched()).toEqual([["a"], ["a"], ["a"]]);
    expect(run().held["tests"]?.reading.verdict).toBe("needs_fix");
  });
});

test("an agent cannot answer, and a check that is begun again asks anew who vouches for it", async () => {
  await played(["cmd: a"], async ({ works, launched, run, say, list, ask, repeat }) => {
    const by = agent(run(), "worker");
    const shown = shownBy(workflow, run(), "agree");
    const said = await submit(works, {
      run: "r1",
      by,
      event: ({ at }) => ({ type: "answered", by, at, ask: "agree", answer: "run", shown }),
    });
    expect(said.type).toBe("refused");
    await say("run");
    list("cmd: evil");
    await ask((at) => ({ type: "observed", at }));
    await repeat("run-check");
    expect(launched()).toEqual([["a"]]);
  });
});

test("the question names every command, and nothing in it is hidden", async () => {
  await played(["cmd: echo \u202Ea", "manual: look", "cmd: npm test"], ({ store, run, repo }) => {
    const seen = { store, workflow, run: run(), root: repo } as Parameters<typeof questionOf>[0];
    expect(questionOf(seen)?.question).toBe(
      "x\n\nWith run or again, these commands may be run:\n    echo \\u{202e}a\n    npm test",
    );
    return Promise.resolve();
  });
});

type Deed = "write a" | "write b" | "look" | "run" | "skip" | "garbage" | "green";
const DEEDS: readonly Deed[] = ["write a", "write b", "look", "run", "skip", "garbage", "green"];

test("in no order of deeds is anything run but what a person has approved of last", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...DEEDS), { maxLength: 12 }), async (deeds) => {
      await played(["cmd: a"], async (play) => {
        const approved = new Map<string, boolean>();
        let checked = 0;
        for (const deed of deeds) {
          const shown = play.run().held["criteria"]?.reading.lists["checks"]?.[0] ?? "";
          if (deed.startsWith("write")) play.list(`cmd: ${deed.slice(-1)}`);
          else if (deed === "look") await play.ask((at) => ({ type: "observed", at }));
          else if (deed === "green") await play.over(0).catch(() => undefined);
          else {
            const said = play.run().state === "asking" ? await play.say(deed) : "";
            if (said === "accepted" && deed !== "garbage") approved.set(shown, deed === "run");
          }
          if (workflow.definition.states[play.run().state]?.final !== undefined) break;
          await play.work();
          for (const [command] of play.launched().slice(checked))
            expect(approved.get(`cmd: ${command}`)).toBe(true);
          checked = play.launched().length;
        }
      });
    }),
    { numRuns: 25 },
  );
});

const answered = (answer: string, shown: string, by: typeof HUMAN = HUMAN): Event[] => [
  { type: "answered", by, at: AT, ask: "agree", answer, shown },
  { type: "question-closed", ask: "agree", id: "UD-1", answer, text: "", by: "human" },
];

test.for<[what: string, events: readonly Event[], vouched: readonly string[]]>([
  ["nothing", [], []],
  ["approved", answered("run", "criteria=d1"), ["criteria=d1"]],
  ["with others", answered("run", "plan=d0 criteria=d1"), ["criteria=d1"]],
  ["by a route", answered("again/all", "criteria=d1"), ["criteria=d1"]],
  ["answered otherwise", answered("skip", "criteria=d1"), []],
  ["taken back", [...answered("run", "criteria=d1"), ...answered("skip", "criteria=d1")], []],
  [
    "of another content nothing is taken back",
    [...answered("run", "criteria=d1"), ...answered("skip", "criteria=d2")],
    ["criteria=d1"],
  ],
  ["what was not there", answered("run", "criteria="), []],
  ["another of nearly the same name", answered("run", "criteria-2=d1"), []],
  ["no option", answered("constructor", "criteria=d1"), []],
  ["an answer that closes nothing", answered("run", "criteria=d1").slice(0, 1), []],
  ["what was closed without an answer", answered("run", "criteria=d1").slice(1), []],
  [
    "in parts",
    answered("run", "criteria=d1").map((event) =>
      event.type === "question-closed"
        ? { ...event, parts: [{ part: "a", answer: "run", text: "", by: "human" }] }
        : event,
    ),
    [],
  ],
  ["not by a person", answered("run", "criteria=d1", { type: "engine" }), []],
  [
    "a question of another name",
    answered("run", "criteria=d1").map((event) => ("ask" in event ? { ...event, ask: "other" } : event)),
    [],
  ],
])("who vouches: %s", ([, events, vouched]) => {
  expect([...vouchedIn(workflow, events)]).toEqual(vouched);
});

test("of a list that somebody has written over nothing is run, and a person is told", async () => {
  const workers = parsed(FILE.replace("by: [worker, engine]", "by: worker"));
  const more: object = { notifier: { ask: () => Promise.resolve() } };
  const act = async (scene: Scene): Promise<void> => {
    const list = (text: string): void =>
      scene.put({ "criteria.json": JSON.stringify({ criteria: [{ verify: [`cmd: ${text}`] }] }) });
    await scene.begin();
    await scene.work();
    list("a");
    await scene.end("worker");
    const shown = shownBy(workflow, scene.run(), "agree");
    await scene.ask((at) => ({ type: "answered", by: HUMAN, at, ask: "agree", answer: "run", shown }));
    list("b");
    await submit(scene.works, {
      run: "r1",
      by: { type: "engine" },
      event: ({ at, readings = [] }) => ({ type: "observed", at, readings }),
    });
    await expect(scene.work()).rejects.toThrow("criteria.json was changed by somebody else");
  };
  await dispatching(workers, act, more);
});
