/** A list of commands is changed while they are run: it is asked again or checked again, and never waited for what does not come. */

import fc from "fast-check";
import type { Place } from "../../src/engine/ports/files.ts";
import { expect, test } from "vitest";
import { HUMAN } from "../support/play.ts";
import { listedBy, played, type Play } from "../support/vouched.ts";

/** As the lists of most workflows: whoever else writes into them is nobody. */
const definition = listedBy("[worker, human]");
const SETTINGS = { t: "npm test", l: "npm run lint" };
const FOREIGN = "criteria.json was changed by another author since it was accepted from worker";

type Doing = (play: Play) => Promise<void>;

const handIn: Doing = ({ ask }) => ask((at) => ({ type: "submitted", by: HUMAN, at }));
const look: Doing = ({ ask }) => ask((at) => ({ type: "observed", at }));

test.for<[what: string, isSeen: boolean]>([
  ["and nobody has looked", false],
  ["and the run has taken it in", true],
])(
  "somebody else writes over it %s: nothing counts, nothing is run, and a person is told",
  async ([, isSeen]) => {
    await played(
      ["cmd: a"],
      async (play) => {
        await play.say("run");
        play.list("cmd: a", "cmd: evil");
        if (isSeen) await look(play);
        for (const _time of [1, 2, 3, 4]) await expect(play.over(0)).rejects.toThrow(FOREIGN);
        expect([(await play.run()).state, play.launched()]).toEqual(["checking", [["a"]]]);
      },
      { definition },
    );
  },
);

test.for<[what: string, then: string, mend: Doing, state: string]>([
  ["it is put back", "a", () => Promise.resolve(), "done"],
  ["a person says that it is theirs", "b", handIn, "asking"],
  ["a person writes another one", "c", handIn, "asking"],
])("where %s, it goes on", async ([, then, mend, state]) => {
  await played(
    ["cmd: a"],
    async (play) => {
      await play.say("run");
      play.list("cmd: b");
      await expect(play.over(0)).rejects.toThrow(FOREIGN);
      play.list(`cmd: ${then}`);
      await mend(play);
      await play.over(0);
      expect([(await play.run()).state, play.launched()]).toEqual([state, [["a"]]]);
      if (state !== "asking") return;
      await play.say("run");
      await play.over(0);
      expect([(await play.run()).state, play.launched()]).toEqual(["done", [["a"], [then]]]);
    },
    { definition },
  );
});

test("a person hands in another one in time after time: each time it is asked, also behind the last run", async () => {
  await played(
    ["cmd: t"],
    async (play) => {
      await play.say("skip");
      for (const name of ["l", "t"]) {
        play.list(`cmd: ${name}`);
        await handIn(play);
        await play.over(0);
      }
      expect(play.launched()).toEqual([["npm test"], ["npm run lint"], ["npm test"]]);
      play.list("cmd: evil");
      await handIn(play);
      await play.over(0);
      expect([(await play.run()).state, play.launched().length]).toEqual(["asking", 3]);
    },
    { definition, checks: SETTINGS },
  );
});

test("what a person has handed in with the same commands, and settings have those, has passed", async () => {
  await played(
    ["cmd: t"],
    async (play) => {
      await play.say("skip");
      play.list("cmd: t", "manual: look");
      await handIn(play);
      await play.over(0);
      const { fields } = (await play.run()).held["tests"]?.reading ?? {};
      expect([(await play.run()).state, play.launched().length, fields?.["manual"]]).toEqual(["done", 1, 1]);
    },
    { definition, checks: SETTINGS },
  );
});

test("changed between the order and the start of the check: a person is told before anything is asked", async () => {
  await played(
    ["cmd: a"],
    async (play) => {
      const shown = `criteria=${(await play.run()).held["criteria"]?.reading.digest ?? ""}`;
      await play.ask((at) => ({ type: "answered", by: HUMAN, at, ask: "agree", answer: "skip", shown }));
      play.list("cmd: b");
      await expect(play.work()).rejects.toThrow(FOREIGN);
      await handIn(play);
      await play.work();
      expect([(await play.run()).state, await play.why()]).toEqual([
        "asking",
        'tests is not run: nobody has approved of "b"',
      ]);
    },
    { definition },
  );
});

type Deed = "write a" | "write b" | "look" | "hand in" | "run" | "skip" | "green" | "red";
const DEEDS: readonly Deed[] = ["write a", "write b", "look", "hand in", "run", "skip", "green", "red"];

test.for([1, 2, 3, 4, 5])("changed at the moment when its files are read for the time %i", async (time) => {
  await played(
    ["cmd: a"],
    async (play) => {
      await play.say("run");
      const { artifacts } = play.works;
      const original = { ...artifacts };
      let times = 0;
      const before =
        <T>(act: (place: Place) => T) =>
        (place: Place): T => {
          times += 1;
          if (times === time) play.list("cmd: evil");
          return act(place);
        };
      Object.assign(artifacts, {
        read: before((place) => original.read(place)),
        collect: before((place) => original.collect(place)),
      });
      await play.over(0).catch(() => undefined);
      const isLate = (await play.run()).state === "done";
      // Either it was late, or nothing is believed of it and nothing else is run.
      expect([(await play.run()).state, play.launched()]).toEqual([isLate ? "done" : "checking", [["a"]]]);
      if (isLate) return;
      await handIn(play);
      await play.over(0);
      expect([(await play.run()).state, play.launched()]).toEqual(["asking", [["a"]]]);
    },
    { definition },
  );
});

test("in no order of deeds is it left waiting for nothing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...DEEDS), { maxLength: 12 }), async (deeds) => {
      await played(
        ["cmd: a"],
        async (play) => {
          const isOver = async (): Promise<boolean> =>
            definition.definition.states[(await play.run()).state]?.final !== undefined;
          await play.say("run");
          for (const deed of deeds) {
            if (await isOver()) return;
            if (deed.startsWith("write")) play.list(`cmd: ${deed.slice(-1)}`);
            else if (deed === "look") await look(play);
            else if (deed === "hand in") await handIn(play);
            else if (deed === "green" || deed === "red")
              await play.over(deed === "green" ? 0 : 1).catch(() => undefined);
            else if ((await play.run()).state === "asking") await play.say(deed).catch(() => undefined);
          }
          if (await isOver()) return;
          // Whatever was done: handed in by a person, approved of and green, it ends.
          await handIn(play);
          await play.work();
          for (const _time of [1, 2]) {
            if ((await play.run()).state === "checking") await play.over(0);
            if ((await play.run()).state === "asking") await play.say("run");
          }
          expect((await play.run()).state).toBe("done");
        },
        { definition },
      );
    }),
    { numRuns: 40 },
  );
});
