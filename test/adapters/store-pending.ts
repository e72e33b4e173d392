/** What every store must say of runs of which nothing is pending. */

import { claim, newFence, settle } from "../support/effects.ts";
import { expect, test } from "vitest";
import type { AgentRow, JobRow } from "../../src/engine/ports/registry.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import type { Open } from "./store-contract.ts";
import { add, START } from "./store-entries.ts";

const AGENT: AgentRow = {
  run: "a1",
  role: "worker",
  slot: "",
  attempt: 1,
  token: "hash",
  dir: "/dir",
  turn: 1,
  status: "running",
  entry: 1,
  startedAt: 5,
};

const JOB: JobRow = {
  id: "a1.worker.1.1",
  run: "a1",
  kind: "turn",
  role: "worker",
  slot: "",
  attempt: 1,
  artifact: "",
  tree: "",
  dir: "/dir",
  startedAt: 5,
  endsBy: 0,
  stallMs: 0,
  killed: "",
  status: "live",
  seat: "",
};

const GRAPH = { parent: "a1", artifact: "work", entry: 1, definition: "hash", most: 4 };
const NONE: readonly string[] = [];

async function settled(store: Store): Promise<void> {
  await add(store, "a1", { deeds: [START] });
  const fence = await newFence(store);
  await claim(store, "a1:4:0", { fence, leaseUntil: 1e15 });
  await settle(store, "a1:4:0", { fence, outcome: { type: "done", note: "" } });
}

export function pendingContract(open: Open): void {
  test.for<[what: string, make: (store: Store) => unknown, residents: readonly string[] | undefined]>([
    ["nothing", () => undefined, NONE],
    ["an effect to be done", (store) => add(store, "a1", { deeds: [START] }), undefined],
    ["an effect that was done", settled, NONE],
    ["a turn of an agent", (store) => store.commit([{ type: "put-job", job: JOB }]), undefined],
    [
      "a turn that is over",
      (store) => store.commit([{ type: "put-job", job: { ...JOB, status: "over" } }]),
      NONE,
    ],
    [
      "a check",
      (store) => store.commit([{ type: "put-job", job: { ...JOB, kind: "check", artifact: "tests" } }]),
      undefined,
    ],
    [
      "an agent that stays in its terminal",
      (store) => store.commit([{ type: "put-job", job: { ...JOB, seat: "resident" } }]),
      ["worker"],
    ],
    [
      "an agent that is idle here",
      (store) => store.commit([{ type: "put-agent", agent: { ...AGENT, status: "idle" } }]),
      NONE,
    ],
    [
      "an agent to be woken",
      (store) => store.commit([{ type: "put-agent", agent: { ...AGENT, status: "idle", entry: 0 } }]),
      undefined,
    ],
    [
      "its child runs",
      (store) => store.commit([{ type: "put-graph", graph: GRAPH, children: [] }]),
      undefined,
    ],
    [
      "child runs of an earlier state",
      (store) => store.commit([{ type: "put-graph", graph: { ...GRAPH, entry: 0 }, children: [] }]),
      NONE,
    ],
    [
      "child runs that it knows the end of",
      async (store) => {
        await store.commit([{ type: "put-graph", graph: GRAPH, children: [] }]);
        await store.commit([{ type: "set-graph", graph: GRAPH, status: "told" }]);
      },
      NONE,
    ],
    [
      "its turn in the queue",
      (store) => store.commit([{ type: "enqueue", run: "a1", repo: "/repo" }]),
      undefined,
    ],
    [
      "a person who halted it",
      (store) => store.commit([{ type: "halt", run: "a1", halted: true }]),
      undefined,
    ],
    [
      "what went wrong",
      (store) => store.commit([{ type: "attend", run: "a1", attention: "it failed" }]),
      undefined,
    ],
    ["a person who is asked", (store) => add(store, "a1", { status: "waiting" }), undefined],
    ["its end", (store) => add(store, "a1", { status: "done" }), undefined],
  ])("pending: %s", async ([, make, residents]) => {
    const [one, other] = await open();
    await add(one, "a1");
    await add(one, "b1", { deeds: [START] });
    await make(one);
    const found =
      residents === undefined ? [] : [{ run: "a1", seq: (await one.load("a1"))?.run.seq, residents }];
    expect(await other.unattended()).toEqual(found);
    expect(await other.unattended("a1")).toEqual(found);
    expect(await other.unattended("b1")).toEqual([]);
  });
}
