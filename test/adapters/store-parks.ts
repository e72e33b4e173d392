/** What every store must say of parks, and of the turns that they hold up. */

import { expect, test } from "vitest";
import type { Write } from "../../src/engine/ports/commit.ts";
import type { Park } from "../../src/engine/ports/parks.ts";
import type { AgentRow, RunAttempt } from "../../src/engine/ports/registry.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { claim, newFence, settle } from "../support/effects.ts";
import type { Open } from "./store-contract.ts";
import { add, START } from "./store-entries.ts";

const PARK: Park = {
  key: "harness:codex",
  class: "quota",
  message: "used up",
  until: 900,
  at: 100,
  next: "",
};
const LOGIN: Park = { ...PARK, class: "login", until: 0, next: "codex login" };

function agentOf(run: string, role = "worker"): RunAttempt {
  return { run, role, slot: "", attempt: 1 };
}

const held = (run: string, role?: string, key = PARK.key): Write => ({
  type: "hold",
  turn: { ...agentOf(run, role), key },
});

/** An agent that a turn of its own would go on with. */
async function idle(store: Store, run: string): Promise<void> {
  await add(store, run);
  const row = { token: "hash", dir: "/dir", turn: 1, status: "idle", entry: -1, startedAt: 5 } as const;
  const agent: AgentRow = { ...agentOf(run), ...row };
  await store.commit([{ type: "put-agent", agent }]);
}

/** An effect that starts an agent, which waits until another agent may work. */
async function queued(store: Store, run: string, roles: readonly string[]): Promise<void> {
  await add(store, run, { deeds: roles.map((role) => ({ ...START, role })) });
  const fence = await newFence(store);
  const [first] = await store.due(1e12, 1);
  const key = first?.key ?? "";
  await claim(store, key, { fence, leaseUntil: 1e15 });
  await settle(store, key, { fence, outcome: { type: "queued", note: "parked" } });
}

export function parksContract(open: Open): void {
  test("a park replaces the one with its key, and every connection sees it", async () => {
    const [one, other] = await open();
    await one.commit([
      { type: "park", park: PARK },
      { type: "park", park: { ...PARK, key: "day", class: "budget", at: 200 } },
    ]);
    await one.commit([{ type: "park", park: { ...PARK, until: 5, at: 300 } }]);
    expect((await other.parks()).map(({ key, until, at }) => [key, until, at])).toEqual([
      ["day", 900, 200],
      ["harness:codex", 5, 300],
    ]);
  });

  test("a turn is held only by a park that exists, and by one of them", async () => {
    const [one, other] = await open();
    expect((await one.commit([held("a1")])).type).toBe("conflict");
    await one.commit([
      { type: "park", park: PARK },
      { type: "park", park: { ...PARK, key: "day" } },
    ]);
    expect((await one.commit([held("a1"), held("b1")])).type).toBe("written");
    await other.commit([held("a1", "worker", "day")]);
    expect(await one.heldTurns("a1")).toEqual([{ ...agentOf("a1"), key: "day" }]);
    expect((await one.heldTurns()).map(({ run }) => run)).toEqual(["a1", "b1"]);
  });

  test("lifting a park frees its turns, and not those of a park that began later", async () => {
    const [one, other] = await open();
    await one.commit([{ type: "park", park: PARK }, held("a1"), held("b1")]);
    await other.commit([{ type: "park", park: { ...PARK, at: 200 } }]);
    await one.commit([{ type: "lift", key: PARK.key, at: 100 }]);
    expect([(await one.parks()).length, (await one.heldTurns()).length]).toEqual([1, 2]);
    await one.commit([{ type: "lift", key: PARK.key, at: 200 }]);
    expect([await other.parks(), await other.heldTurns()]).toEqual([[], []]);
  });

  test.for<[park: Park, left: readonly number[]]>([
    [PARK, [1, 1]],
    [LOGIN, [1, 0]],
  ])("a park that waits for a person is over with its last turn: %o", async ([park, left]) => {
    const [one, other] = await open();
    await one.commit([{ type: "park", park }, held("a1"), held("b1")]);
    await one.commit([{ type: "release", agent: agentOf("c1") }]);
    for (const [index, run] of ["a1", "b1"].entries()) {
      await one.commit([{ type: "release", agent: agentOf(run) }]);
      expect((await other.parks()).length).toBe(left[index]);
      expect(await other.heldTurns(run)).toEqual([]);
    }
  });

  test.for<[park: Park, isBusy: boolean]>([
    [PARK, true],
    [LOGIN, false],
  ])(
    "an idle agent that is held is not woken; a supervisor waits for the time and not for a person: %o",
    async ([park, isBusy]) => {
      const [one, other] = await open();
      await idle(one, "a1");
      const woken = async (): Promise<unknown> => [
        (await other.idleMoved()).map(({ run }) => run),
        await other.comingTurns("/repo"),
        await other.isBusy(),
        await other.unattended(),
      ];
      const before = [["a1"], [agentOf("a1")], true, []];
      expect(await woken()).toEqual(before);
      await one.commit([{ type: "park", park }, held("a1")]);
      expect(await woken()).toEqual([[], [], isBusy, []]);
      await one.commit([{ type: "lift", key: park.key, at: park.at }]);
      expect(await woken()).toEqual(before);
    },
  );

  test.for<[park: Park, isBusy: boolean]>([
    [PARK, true],
    [LOGIN, false],
  ])("an effect whose agent is held is not admitted: %o", async ([park, isBusy]) => {
    const [one, other] = await open();
    await queued(one, "a1", ["worker"]);
    expect([(await other.queuedDeeds()).length, await other.isBusy()]).toEqual([1, true]);
    await one.commit([{ type: "park", park }, held("a1")]);
    expect([await other.queuedDeeds(), await other.isBusy()]).toEqual([[], isBusy]);
    await one.commit([{ type: "lift", key: park.key, at: park.at }]);
    expect((await other.queuedDeeds()).length).toBe(1);
  });

  test("a start that is held delays no start of another agent; one that waits for a slot does", async () => {
    const [one, other] = await open();
    await queued(one, "a1", ["worker", "reviewer"]);
    expect(await other.due(1e12, 9)).toEqual([]);
    await one.commit([{ type: "park", park: PARK }, held("a1")]);
    expect((await other.due(1e12, 9)).map(({ deed }) => deed)).toMatchObject([{ role: "reviewer" }]);
  });
}
