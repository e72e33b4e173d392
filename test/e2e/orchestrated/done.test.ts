/** DONE is refused while anything is missing that was promised: nobody moves it there, and `why` names what it is. */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { inSession, LONG, type Play, type Wishes } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

/** Whoever is at work, and what is missing while it is, one after the other. */
const IN_TURN: readonly (readonly [name: string, people: string, missing: string])[] = [
  ["SpecAgent", "", "intake must be pass"],
  ["Architect", "", "architected must be pass"],
  ["Planner", "approved", "planned must be pass"],
  ["Coder.T-001", "per-batch", "judged must be all or waived"],
  ["Security.meta", "", "approved must be all"],
  ["Integrator", "", "integrated must be pass"],
  ["check", "", "ci must be pass"],
  ["Docs", "attested", "documented must be pass"],
];

/** What is missing, how that comes, what people say, where it stays, and what `why` says of it. */
type Row = readonly [missing: string, wishes: Wishes, people: string, state: string, why: string];

const GATES = "approved, per-batch";

describe.runIf(isPerson && IS_DEEP).concurrent("DONE is refused", LONG, () => {
  test("while somebody is at work on what is missing", async ({ expect }) => {
    await inSession({}, async (on) => {
      let held = on.hold(IN_TURN[0]?.[0] ?? "");
      const run = await on.run();
      for (const [index, [name, people, missing]] of IN_TURN.entries()) {
        if (people !== "") {
          await on.rested(run);
          await on.type("answer", run, people);
        }
        await held();
        expect([name, await refusal(on, run)]).toEqual([name, "not-in-map"]);
        expect(await why(on, run)).toContain(missing);
        held = on.hold(IN_TURN[index + 1]?.[0] ?? "nobody");
        on.letGo(name);
      }
      expect((await on.rested(run)).state).toBe("DONE");
    });
  });

  test.for<Row>([
    ["an approved design", {}, "", "APPROVE_DESIGN", "Go ahead with this design"],
    ["a strategy", {}, "approved", "REVIEW_STRATEGY", "Judge all of it once"],
    ["a task that asks", { agents: { Coder: "BLOCKED*" } }, GATES, "PER_BATCH", '"task":"T-001"'],
    ["a task", { agents: { Coder: "BLOCKED*" } }, `${GATES}, give-up`, "ASK_TASKS", "Try what is left again"],
    [
      "the last pass",
      { agents: { "Reviewer.meta": "silent*" } },
      `${GATES}, give-up`,
      "ASK_TASKS",
      '"task":"meta"',
    ],
    ["the integration", { agents: { Integrator: "BLOCKED" } }, GATES, "ASK_USER", "back to INTEGRATE"],
    ["what only a person sees", {}, GATES, "ATTEST", "I have looked; it holds"],
    [
      "the words of Docs",
      { agents: { Docs: "silent*" } },
      `${GATES}, attested`,
      "BLOCKED",
      "back to RELEASE",
    ],
    [
      "a README that says something",
      { agents: { Docs: "OK bare*" } },
      `${GATES}, attested`,
      "BLOCKED",
      "back to RELEASE",
    ],
    [
      "release notes that say something",
      { instead: { "release-notes.md": "\u200B\u00AD\n" } },
      `${GATES}, attested`,
      "BLOCKED",
      "back to RELEASE_NOTES",
    ],
    [
      "release notes",
      { agents: { Integrator: "OK, OK -release-notes.md*" } },
      `${GATES}, attested`,
      "BLOCKED",
      "back to RELEASE_NOTES",
    ],
  ])("without %s", async ([, wishes, people, state, reason], { expect }) => {
    await inSession(wishes, async (on) => {
      const run = await on.run("--param", "attempts=0", "--param", "release=notes");
      expect((await on.people(run, people)).state).toBe(state);
      expect(await refusal(on, run)).toBe("not-in-map");
      expect(await why(on, run)).toContain(reason);
      expect((await on.now(run)).state).toBe(state);
    });
  });
});

async function refusal(on: Play, run: string): Promise<unknown> {
  return (await on.type("move", run, "DONE")).document["code"];
}

async function why(on: Play, run: string): Promise<string> {
  return JSON.stringify((await on.type("why", run)).document);
}
