/** What every store must say of runs of which nothing is pending. */

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

function settled(store: Store): void {
  add(store, "a1", { deeds: [START] });
  const fence = store.fence();
  store.claim("a1:4:0", fence, 1e15);
  store.settle("a1:4:0", fence, { type: "done", note: "" });
}

export function pendingContract(open: Open): void {
  test.for<[what: string, make: (store: Store) => void, residents: readonly string[] | undefined]>([
    ["nothing", () => undefined, NONE],
    ["an effect to be done", (store) => void add(store, "a1", { deeds: [START] }), undefined],
    ["an effect that was done", settled, NONE],
    ["a turn of an agent", (store) => store.putJob(JOB), undefined],
    ["a turn that is over", (store) => store.putJob({ ...JOB, status: "over" }), NONE],
    ["a check", (store) => store.putJob({ ...JOB, kind: "check", artifact: "tests" }), undefined],
    [
      "an agent that stays in its terminal",
      (store) => store.putJob({ ...JOB, seat: "resident" }),
      ["worker"],
    ],
    ["an agent that is idle here", (store) => store.putAgent({ ...AGENT, status: "idle" }), NONE],
    ["an agent to be woken", (store) => store.putAgent({ ...AGENT, status: "idle", entry: 0 }), undefined],
    ["its child runs", (store) => store.putGraph(GRAPH, []), undefined],
    ["child runs of an earlier state", (store) => store.putGraph({ ...GRAPH, entry: 0 }, []), NONE],
    [
      "child runs that it knows the end of",
      (store) => {
        store.putGraph(GRAPH, []);
        store.setGraph(GRAPH, "told");
      },
      NONE,
    ],
    ["its turn in the queue", (store) => store.enqueue("a1", "/repo"), undefined],
    ["a person who halted it", (store) => store.halt("a1", true), undefined],
    ["what went wrong", (store) => store.attend("a1", "it failed"), undefined],
    ["a person who is asked", (store) => void add(store, "a1", { status: "waiting" }), undefined],
    ["its end", (store) => void add(store, "a1", { status: "done" }), undefined],
  ])("pending: %s", ([, make, residents]) => {
    const [one, other] = open();
    add(one, "a1");
    add(one, "b1", { deeds: [START] });
    make(one);
    const found = residents === undefined ? [] : [{ run: "a1", seq: one.load("a1")?.run.seq, residents }];
    expect(other.unattended()).toEqual(found);
    expect(other.unattended("a1")).toEqual(found);
    expect(other.unattended("b1")).toEqual([]);
  });
}
