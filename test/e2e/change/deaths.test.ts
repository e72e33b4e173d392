/**
 * Somebody is killed while a change is between two artifacts: its agent, the supervisor, or everybody at once. The same command goes on
 * where it was left, nothing that was done is done again, and what it comes to is what it would have come to.
 */

import { describe, test } from "vitest";
import { isPerson } from "../../support/person.ts";
import { kill, processesOf } from "../lives/life.ts";
import { inChange, LONG, wayOf, type Play } from "./play.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;

/** Who is at work, one after the other, and by which command. */
const AT_WORK: readonly (readonly [door: string, name: string])[] = [
  ["plan", "planner"],
  ["plan", "spec-writer.session"],
  ["plan", "spec-writer.login"],
  ["plan", "task-writer"],
  ["plan", "challenger"],
  ["plan", "reviser"],
  ["impl", "worker.1.1"],
  ["impl", "worker.2.1"],
  ["impl", "check"],
  ["impl", "reviewer"],
  ["impl", "fixer"],
  ["archive", "archiver.session"],
  ["archive", "archiver.login"],
  ["archive", "merge-reviewer"],
];

const WHO = ["agent", "supervisor", "everybody"] as const;
type Row = readonly [who: (typeof WHO)[number], door: string, name: string];

/** A test that is killed is a red one, and no lost attempt. */
const all = AT_WORK.flatMap(([door, name]) =>
  WHO.filter((who) => who !== "agent" || name !== "check").map((who): Row => [who, door, name]),
);
const few: readonly Row[] = [["everybody", "plan", "task-writer"]];

const DOORS = [
  ["plan", "x", "Something else"],
  ...(IS_DEEP
    ? [
        ["impl", "x"],
        ["archive", "x"],
      ]
    : []),
];
/** Everything is sent back once. */
const AGENTS = { challenger: "NEEDS_REVISION HIGH", reviewer: "NEEDS_CHANGES HIGH" };

describe.runIf(isPerson).concurrent("change", LONG, () => {
  test.for(IS_DEEP ? all : few)("%s killed: %s, %s at work", async ([who, door, name], { expect }) => {
    await inChange({ agents: AGENTS }, async (on) => {
      for (const argv of DOORS) {
        const isHere = argv[0] === door;
        const held = isHere ? on.hold(name) : undefined;
        const typed = on.door(...argv);
        if (held !== undefined) {
          const pid = await held();
          const victims = processesOf(on).filter(({ kind }) => who === "everybody" || kind === "supervisor");
          for (const each of who === "agent" ? [{ pid }] : victims) kill(each.pid);
          on.letGo(name);
        }
        await typed;
        // Killed with everybody else, or not: it goes on by the same words.
        if (isHere) await on.door(...argv.slice(0, 2));
        await on.rested("x");
      }
      const { called, ...straight } = await undisturbed();
      const again = who === "supervisor" || name === "check" ? [] : [name];
      const { called: now, ...life } = await lifeOf(on);
      expect(life).toEqual(straight);
      expect(now).toEqual([...called, ...again].toSorted());
      expect((await on.type("verify", on.of("x"))).code).toBe(0);
    });
  });
});

type Lived = Awaited<ReturnType<typeof lifeOf>>;
let lived: Promise<Lived> | undefined;

test.runIf(isPerson).concurrent("nobody dies", LONG, async ({ expect }) => {
  expect(await undisturbed()).toMatchObject({ waivers: [], attention: "" });
});

/** What a life comes to in which nobody dies. */
function undisturbed(): Promise<Lived> {
  lived ??= new Promise((resolve, reject) => {
    inChange({ agents: AGENTS }, async (on) => {
      for (const argv of DOORS) await on.door(...argv);
      await on.rested("x");
      resolve(await lifeOf(on));
    }).catch(reject);
  });
  return lived;
}

/** The way it took, what was decided on it, who was called, and what it made. */
async function lifeOf(on: Play) {
  const now = await on.now(on.of("x"));
  const texts = Object.entries(now.run.held).filter(([name]) => !UNSTABLE.has(name));
  return {
    way: wayOf(now),
    counters: { ...now.run.counters, deaths: 0 },
    waivers: Object.keys(now.run.waivers),
    attention: now.attention,
    texts: Object.fromEntries(texts.map(([name, { reading }]) => [name, reading.digest])),
    specs: ["login", "session"].map((name) => on.read(`specs/${name}.md`)),
    called: on.called().toSorted(),
  };
}

/** They hold how long something took, or when it was. */
const UNSTABLE = new Set(["tests", "base", "archived", "done"]);
