/** A worker whose machine was taken over writes nothing, whatever it writes. */

import { expect, onTestFinished, test } from "vitest";
import { openCluster } from "../../src/adapters/cluster/cluster.ts";
import { workerStore } from "../../src/adapters/cluster/worker-store.ts";
import { openPostgres } from "../../src/adapters/postgres/open.ts";
import type { Write } from "../../src/engine/ports/commit.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { newDatabase, NO_POSTGRES } from "../support/postgres.ts";

const RUN = "a1";
const NOTE: Write = {
  type: "note",
  note: { run: RUN, at: "2026-01-01T00:00:00.000Z", kind: "x", text: "y" },
};

/** Batches of every part of the supervisor. */
const BATCHES: Readonly<Record<string, readonly Write[]>> = {
  "a note": [NOTE],
  "a workspace": [
    {
      type: "put-workspace",
      workspace: {
        run: RUN,
        repo: "/r",
        path: "/p",
        branch: "b",
        base: "",
        status: "bound",
        salvage: "",
        kept: "",
      },
    },
  ],
  "an agent": [
    {
      type: "put-agent",
      agent: {
        run: RUN,
        role: "r",
        slot: "",
        attempt: 1,
        token: "t",
        dir: "/d",
        turn: 1,
        status: "idle",
        entry: 1,
        startedAt: 0,
      },
    },
  ],
  "a graph of tasks": [
    {
      type: "put-graph",
      graph: { parent: RUN, artifact: "tasks", entry: 1, workflow: "w", definition: "d" } as never,
      children: [],
    },
  ],
  "a place in the queue": [{ type: "enqueue", run: RUN, repo: "/r" }],
  attention: [{ type: "attend", run: RUN, attention: "look" }],
};

type Machines = {
  readonly store: Store;
  readonly one: Store;
  readonly fenced: string[];
  /** Another machine takes the runs of the first one over. */
  takeOver(): Promise<void>;
};

async function machines(): Promise<Machines> {
  const url = await newDatabase();
  const [store, fenced] = [await openPostgres(url), [] as string[]];
  const cluster = await openCluster(url);
  onTestFinished(async () => {
    await cluster.close();
    await store.close();
  });
  const term = await cluster.enrol({ id: "aa", name: "one" });
  await cluster.enrol({ id: "bb", name: "two" });
  expect(await cluster.place(RUN, "aa")).toBe(true);
  const one = workerStore(store, {
    machine: "aa",
    slots: 1,
    term: () => term,
    owns: () => Promise.resolve(true),
    onFenced(reason) {
      fenced.push(reason);
      throw new Error(reason);
    },
  });
  return {
    store,
    one,
    fenced,
    async takeOver() {
      const from = { id: "aa", name: "one", term };
      expect(await cluster.takeOver({ from, to: "bb", runs: [RUN] })).toBeGreaterThan(term);
      expect(await cluster.placements()).toEqual(new Map([[RUN, "bb"]]));
      // Whoever comes second finds the term over, and takes nothing.
      expect(await cluster.takeOver({ from, to: "bb", runs: [RUN] })).toBeUndefined();
    },
  };
}

test.skipIf(NO_POSTGRES !== undefined).for(Object.entries(BATCHES))(
  "%s is refused after a take-over",
  async ([, batch]) => {
    const on = await machines();
    const { store, one, fenced } = on;
    expect(await one.commit([NOTE])).toEqual({ type: "written" });
    await on.takeOver();
    const before = await store.version();
    await expect(one.commit(batch)).rejects.toThrow("not in its term");
    expect(fenced).toHaveLength(1);
    expect(await store.version()).toBe(before);
    expect(await store.notes(RUN)).toHaveLength(1);
  },
);

test.skipIf(NO_POSTGRES !== undefined)("a run is placed once", async () => {
  const url = await newDatabase();
  const store = await openPostgres(url);
  const cluster = await openCluster(url);
  onTestFinished(async () => {
    await cluster.close();
    await store.close();
  });
  for (const id of ["aa", "bb", "cc"]) await cluster.enrol({ id, name: id });
  const taken = await Promise.all(["aa", "bb", "cc"].map((id) => cluster.place(RUN, id)));
  expect(taken.filter(Boolean)).toHaveLength(1);
});
