/**
 * Somebody is killed while a session is in a state: its agent, or everybody at once. It goes on where it was, nothing that was
 * done is done again, and what it has come to is what it would have come to.
 */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { kill, processesOf } from "../lives/life.ts";
import { inSession, LONG, wayOf, type Play, type Wishes } from "./play.ts";
import type { Now } from "../activities/stage.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

type Life = { readonly wishes: Wishes; readonly argv: readonly string[]; readonly people: string };

/** Everything that can come, comes: research and design, and each judge refuses once. */
const LIVES: Readonly<Record<"full" | "single" | "lean", Life>> = {
  full: {
    wishes: {
      agents: {
        SpecAgent: "OK ui research",
        "Reviewer.T-001": "BLOCKED major",
        "QA.T-001": "BLOCKED high",
        "Security.T-001": "BLOCKED high",
      },
    },
    argv: ["--param", "release=notes", "--param", "tag=v1"],
    people: "approved, per-batch, attested",
  },
  single: { wishes: {}, argv: [], people: "approved, single-final, attested" },
  lean: { wishes: {}, argv: ["--lean"], people: "run" },
};

/** Who is at work, in which state; with a number, at that call. */
const AT_WORK: readonly (readonly [life: keyof typeof LIVES, name: string, state: string])[] = [
  ["full", "SpecAgent", "INTAKE"],
  ["full", "Researcher", "RESEARCH"],
  ["full", "Architect", "DESIGN"],
  ["full", "Designer", "DESIGN_UI"],
  ["full", "Planner", "PLAN"],
  ["full", "Coder.T-001", "PER_BATCH CODE"],
  ["full", "Reviewer.T-001", "PER_BATCH REVIEW"],
  ["full", "Coder.T-001-2", "PER_BATCH FIX_REVIEW"],
  ["full", "QA.T-001", "PER_BATCH QA"],
  ["full", "Coder.T-001-3", "PER_BATCH FIX_TESTS"],
  ["full", "Security.T-001", "PER_BATCH SECURITY"],
  ["full", "Coder.T-001-4", "PER_BATCH FIX_SECURITY"],
  ["full", "QA.meta", "FINAL_REVIEW QA"],
  ["full", "Integrator", "INTEGRATE"],
  ["full", "check", "CHECKS"],
  ["full", "Docs", "RELEASE"],
  ["full", "Integrator-2", "RELEASE_NOTES"],
  ["single", "Coder.T-002", "SINGLE_FINAL CODE"],
  ["lean", "SpecAgent", "INTAKE_LEAN"],
  ["lean", "Coder", "LEAN_CODE"],
  ["lean", "Reviewer.lean", "LEAN_REVIEW REVIEW"],
  ["lean", "check", "LEAN_CHECKS"],
];

/** Where nobody but the supervisor is at work, it is killed at a place of its own. */
const ALONE: readonly (readonly [life: keyof typeof LIVES, failpoint: string])[] = [
  ["full", "registry.before-graph"],
  ["full", "registry.after-child"],
  ["full", "registry.before-outcome"],
  ["full", "registry.before-graph-set"],
  ["full", "commit.before-ref"],
  ["full", "commit.after-ref"],
  ["full", "tag.before-ref"],
  ["full", "tag.after-ref"],
  ["lean", "commit.before-ref"],
];

type Who = "agent" | "everybody";
type Row = readonly [who: Who, life: keyof typeof LIVES, name: string, state: string];

const WHO: readonly Who[] = ["agent", "everybody"];
/** A test that is killed is a red one, and no lost attempt. */
const all = AT_WORK.flatMap(([life, name, state]) =>
  WHO.filter((who) => who !== "agent" || name !== "check").map((who): Row => [who, life, name, state]),
);
const few: readonly Row[] = [["everybody", "lean", "Coder", "LEAN_CODE"]];

describe.runIf(isPerson).concurrent("orchestrated", LONG, () => {
  test.for(IS_DEEP ? all : few)("%s killed, %s: %s in %s", async ([who, of, name, state], { expect }) => {
    const { wishes, argv, people } = LIVES[of];
    await inSession(wishes, async (on) => {
      const held = on.hold(name);
      const run = await on.run(...argv);
      const lived = on.people(run, people);
      const pid = await held();
      expect(await statesOf(on, run)).toBe(state);
      for (const each of who === "agent" ? [{ pid }] : processesOf(on)) kill(each.pid);
      on.letGo(name.replace(/-\d$/, ""));
      expect(await lifeOf(on, await lived)).toEqual(await undisturbed(of));
      expect((await on.type("verify", run)).code).toBe(0);
    });
  });

  test.for(IS_DEEP ? ALONE : [])("the supervisor killed, %s: at %s", async ([of, failpoint], { expect }) => {
    const { wishes, argv, people } = LIVES[of];
    const env = { SIGNALBOX_SUPERVISOR_FAILPOINT: failpoint };
    await inSession({ ...wishes, env }, async (on) => {
      const run = await on.run(...argv);
      expect(await lifeOf(on, await on.people(run, people))).toEqual(await undisturbed(of));
    });
  });

  test.for(IS_DEEP ? ["APPROVE_DESIGN", "REVIEW_STRATEGY", "ATTEST"] : [])(
    "everybody killed in %s: it is still asked, once",
    async (state, { expect }) => {
      await inSession(LIVES.single.wishes, async (on) => {
        const run = await on.run();
        for (const answer of LIVES.single.people.split(", ")) {
          const now = await on.rested(run);
          if (now.state === state) for (const { pid } of processesOf(on)) kill(pid);
          expect(await on.asked()).toHaveLength(1);
          await on.people(run, answer);
        }
        expect(await lifeOf(on, await on.now(run))).toEqual(await undisturbed("single"));
      });
    },
  );
});

const lives = new Map<string, Promise<object>>();

/** What a life comes to in which nobody dies. */
function undisturbed(of: keyof typeof LIVES): Promise<object> {
  const { wishes, argv, people } = LIVES[of];
  const known = lives.get(of);
  if (known !== undefined) return known;
  const life = new Promise<object>((resolve, reject) => {
    inSession(wishes, async (on) => {
      const run = await on.run(...argv);
      resolve(await lifeOf(on, await on.people(run, people)));
    }).catch(reject);
  });
  lives.set(of, life);
  return life;
}

/** Of the session, and of the task that is under way. */
async function statesOf(on: Play, run: string): Promise<string> {
  const child = (await on.children(run)).find(({ status }) => status === "running" || status === "waiting");
  return [(await on.now(run)).state, ...(child === undefined ? [] : [(await on.now(child.run)).state])].join(
    " ",
  );
}

/** The way it took, and those of its tasks; what was decided on it, and what it made. Attempts that were lost are not told. */
async function lifeOf(on: Play, now: Now) {
  const { run } = now;
  const counters = Object.entries(run.counters).filter(([name, n]) => n !== 0 && name !== "deaths");
  const texts = Object.entries(run.held).filter(([name]) => !UNSTABLE.has(name));
  return {
    way: wayOf(now),
    tasks: await Promise.all(
      (await on.children(run.id)).map(async ({ task, run: id }) => [task.id, wayOf(await on.now(id))]),
    ),
    counters: Object.fromEntries(counters),
    waivers: Object.keys(run.waivers),
    attention: now.attention,
    texts: Object.fromEntries(texts.map(([name, { reading }]) => [name, reading.digest])),
    report: await on.file(run.id, "report.md"),
    work: on.git("rev-parse", `signalbox/${run.id}^{tree}`),
    commits: on.git("rev-list", "--count", `main..signalbox/${run.id}`),
  };
}

/** They hold a commit, or how long something took, or which runs there were. */
const UNSTABLE = new Set([
  "commit",
  "tagged",
  "untagged",
  "ci",
  "lean-ci",
  "judged",
  "coded",
  "approved",
  "lean-approved",
]);
