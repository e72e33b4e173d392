/** Commands that an agent lists are run only where a person has approved of exactly these, or settings have them. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { questionOf } from "../../src/app/view/decision/question.ts";
import type { Event } from "../../src/core/model/event.ts";
import { shownBy } from "../../src/core/step/events/answer.ts";
import { vouchedIn } from "../../src/core/gates/vouched-commands.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import { dispatching, type Scene } from "../support/dispatch.ts";
import { agent, AT, HUMAN } from "../support/play.ts";
import { listedBy, played, workflow } from "../support/vouched.ts";

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
          ? await why()
          : launched()
              .map((each) => JSON.stringify(each))
              .join(),
      ).toBe(launched().length === 0 ? `tests is not run: ${outcome}` : outcome);
      // What nobody may run is asked about; what runs is waited for.
      expect((await run()).state).toBe(launched().length === 0 ? "asking" : "checking");
    },
    { checks: settings },
  );
});

test.for<[what: string, own: string, verify: readonly string[], outcome: string]>([
  ["to the letter", "npm test", ["cmd: npm test"], '["npm test"]'],
  ["one of several", "npm test", ["cmd: npm test", "cmd: x"], 'nobody has approved of "x"'],
  ["nearly", "npm test", ["cmd: npm  test"], 'nobody has approved of "npm  test"'],
  ["a part of it", "npm test && x", ["cmd: npm test"], 'nobody has approved of "npm test"'],
  ["more than it", "npm test", ["cmd: npm test && x"], 'nobody has approved of "npm test && x"'],
  ["by its name", "t", ["cmd: make test"], '["make test"]'],
  ["none is set", "", ["cmd: "], '"" is empty, or holds signs that cannot be seen'],
])("the command that a person has set is nobody's to approve of again, %s: %j, %j -> %s", async (row) => {
  const [, own, verify, outcome] = row;
  await played(
    verify,
    async ({ say, launched, why }) => {
      await say("skip");
      expect((await why()).replace("tests is not run: ", "") || JSON.stringify(launched()[0])).toBe(outcome);
    },
    { own, checks: { t: "make test" } },
  );
});

test("what passes counts, with how many are left to a person", async () => {
  await played(["cmd: a", "manual: b", "manual: c"], async ({ say, over, run }) => {
    await say("run");
    await over(0);
    expect((await run()).state).toBe("done");
    const { fields, lists } = (await run()).held["tests"]?.reading ?? {};
    expect([fields?.["manual"], lists?.["commands"]]).toEqual([2, ["a"]]);
  });
});

test("whoever changes the list after it was shown gets nothing run", async () => {
  await played(["cmd: a"], async ({ say, list, ask, launched, run }) => {
    const shown = shownBy(workflow, await run(), "agree");
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
    expect((await run()).state).toBe("asking");
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
    await over(0);
    expect(launched()).toEqual([["a"]]);
    expect((await run()).state).toBe("asking");
  });
});

test("an agent cannot answer, and a check that is begun again asks anew who vouches for it", async () => {
  await played(["cmd: a"], async ({ works, launched, run, say, list, ask, repeat }) => {
    const by = agent(await run(), "worker");
    const shown = shownBy(workflow, await run(), "agree");
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
  await played(["cmd: echo \u202Ea", "manual: look", "cmd: npm test"], async ({ store, run, repo }) => {
    const seen = { store, workflow, run: await run(), root: repo } as Parameters<typeof questionOf>[0];
    expect((await questionOf(seen))?.question).toBe(
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
          const shown = (await play.run()).held["criteria"]?.reading.lists["checks"]?.[0] ?? "";
          if (deed.startsWith("write")) play.list(`cmd: ${deed.slice(-1)}`);
          else if (deed === "look") await play.ask((at) => ({ type: "observed", at }));
          else if (deed === "green") await play.over(0).catch(() => undefined);
          else {
            const said = (await play.run()).state === "asking" ? await play.say(deed) : "";
            if (said === "accepted" && deed !== "garbage") approved.set(shown, deed === "run");
          }
          if (workflow.definition.states[(await play.run()).state]?.final !== undefined) break;
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
  const workers = listedBy("worker");
  const more: object = { notifier: { ask: () => Promise.resolve() } };
  const act = async (scene: Scene): Promise<void> => {
    const list = (text: string): void =>
      scene.put({ "criteria.json": JSON.stringify({ criteria: [{ verify: [`cmd: ${text}`] }] }) });
    await scene.begin();
    await scene.work();
    list("a");
    await scene.end("worker");
    const shown = shownBy(workflow, await scene.run(), "agree");
    await scene.ask((at) => ({ type: "answered", by: HUMAN, at, ask: "agree", answer: "run", shown }));
    list("b");
    await submit(scene.works, {
      run: "r1",
      by: { type: "engine" },
      event: ({ at, readings = [] }) => ({ type: "observed", at, readings }),
    });
    await expect(scene.work()).rejects.toThrow("criteria.json was changed by another author");
  };
  await dispatching(workers, act, more);
});
