/**
 * Somebody is killed while a run of `staged` is in a phase: its agent, the supervisor, or everybody at once. It goes on by itself, and what
 * it has come to is what it would have come to.
 */

import { join } from "node:path";
import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { kill, processesOf, type } from "../lives/life.ts";
import { inStaged, LONG, wayOf, type Play } from "./play.ts";
import type { Now } from "../activities/stage.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

/** Who is at work in each state, by the name that makes them wait. */
const AT_WORK: Readonly<Record<string, string>> = {
  "0": "scout",
  "0-each": "explorer",
  "0-merge": "aggregator",
  "EXPLORE-summary": "summarizer",
  "1.1": "brainstormer",
  "1.2": "planner",
  "1.2-merge": "plan-merger",
  "1.3": "plan-reviewer",
  "2.1": "worker",
  "2.2": "simplifier",
  "2.3": "implementation-reviewer",
  "3.1": "check",
  "3.3": "test-reviewer",
  "4.1": "documenter",
  "4.2-testing": "final",
  "4.2": "final-reviewer",
  "4.3": "finisher",
};

/** Where nobody but the supervisor is at work, it is killed at a place of its own. */
const ALONE: Readonly<Record<string, string>> = {
  committing: "commit.before-ref",
  opening: "pull-request.before-push",
};

type Who = "agent" | "supervisor" | "everybody";

const WHO: readonly Who[] = ["agent", "supervisor", "everybody"];
/** A test that is killed is a red one, and no lost attempt. */
const CHECKS = new Set(["check", "final"]);
const all = Object.entries(AT_WORK).flatMap(([state, role]) =>
  WHO.filter((who) => who !== "agent" || !CHECKS.has(role)).map((who) => [who, state] as const),
);
const few = [["everybody", "2.1"]] as const;

describe.runIf(isPerson && IS_DEEP).concurrent("staged", LONG, () => {
  test.for<readonly [Who, string]>(IS_DEEP ? all : few)(
    "%s killed in %s",
    async ([who, state], { expect }) => {
      await inStaged({}, async (on) => {
        const role = AT_WORK[state] ?? "";
        const held = on.hold(role);
        const run = await on.run("A goal");
        const pid = await held();
        expect((await on.now(run)).state).toBe(state);
        if (who !== "agent")
          for (const each of processesOf(on))
            if (who === "everybody" || each.kind === "supervisor") kill(each.pid);
        if (who === "agent") kill(pid);
        on.letGo(role);
        const now = await on.ended(run);
        expect(lifeOf(on, now)).toEqual(await undisturbed());
        expect((await on.type("verify", run)).code).toBe(0);
      });
    },
  );

  test.for(IS_DEEP ? Object.keys(ALONE) : [])("the supervisor killed in %s", async (state, { expect }) => {
    await inStaged({ remote: true }, async (on) => {
      const log = { SIGNALBOX_FAILPOINT_LOG: join(on.ledger, "failpoints") };
      const env = { ...log, SIGNALBOX_SUPERVISOR_FAILPOINT: ALONE[state] ?? "" };
      const begun = await type(on, ["run", "staged", "A goal", "--detach"], env);
      const run = String(begun.document["run"]);
      const now = await on.ended(run);
      expect(lifeOf(on, now)).toEqual(await undisturbed());
      // A test that never gets there proves nothing.
      expect(on.said("failpoints")).toBe(ALONE[state]);
    });
  });
});

let life: Promise<object> | undefined;

test.runIf(isPerson && IS_DEEP).concurrent("nobody dies", LONG, async ({ expect }) => {
  expect(await undisturbed()).toMatchObject({ counters: {}, waivers: [], attention: "", commits: "1" });
});

/** What a life comes to in which nobody dies. */
function undisturbed(): Promise<object> {
  life ??= new Promise((resolve, reject) => {
    inStaged({}, async (on) => resolve(lifeOf(on, await on.ended(await on.run("A goal"))))).catch(reject);
  });
  return life;
}

/** The way it took, what was decided on it, and what it made; attempts that were lost are not told. */
function lifeOf(on: Play, now: Now) {
  const { run } = now;
  const counters = Object.entries(run.counters).filter(([name, n]) => n !== 0 && !name.endsWith(".tries"));
  const texts = Object.entries(run.held).filter(([name]) => !UNSTABLE.has(name));
  return {
    way: wayOf(now),
    counters: Object.fromEntries(counters),
    waivers: Object.keys(run.waivers),
    attention: now.attention,
    texts: Object.fromEntries(texts.map(([name, { reading }]) => [name, reading.digest])),
    work: on.git("rev-parse", `signalbox/${run.id}^{tree}`),
    commits: on.git("rev-list", "--count", `main..signalbox/${run.id}`),
  };
}

/** They hold a commit or how long something took. */
const UNSTABLE = new Set(["commit", "opened", "unopened", "3.1", "4.2-tests"]);
