/** Batches: all of one or nothing, and what each member expects. */

import { expect, test } from "vitest";
import type { Actor } from "../../src/core/model/event.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import type { BatchAnswer, Write } from "../../src/engine/ports/commit.ts";
import type { Entry } from "../../src/engine/ports/journal.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import type { Open } from "./store-contract.ts";
import { add, AT, began, entry, HASH, next, START, STOP } from "./store-entries.ts";

export async function append(store: Store, of: Entry): Promise<BatchAnswer> {
  return store.commit([{ type: "append", entry: of }]);
}

const NOTE = { run: "a1", at: AT, kind: "files", text: "noted" };
const NOTED: Write = { type: "note", note: NOTE };
const PROJECT = { repo: "/repo", name: "shop", defaultBranch: "main", agents: 4, remote: "" };
const byOf = (name: string): Actor => ({ type: "human", name });
const GRAPH = { parent: "a1", artifact: "work", entry: 1 };
const TASK = { id: "1", title: "One", files: [], dependsOn: [] };
const BOUND = { repo: "/repo", path: "/w/b1", branch: "b", base: "x", salvage: "", kept: "" };

export function batchContract(open: Open): void {
  test("the members are written in their order, all of them", async () => {
    const [one, other] = await open();
    const written = await one.commit([
      { type: "append", entry: await next(one, "a1", { deeds: [START] }) },
      { type: "expect-run", run: "a1", seq: 2 },
      { type: "projected", run: "a1", seq: 2 },
      NOTED,
      { type: "note", note: { ...NOTE, text: "noted later" } },
    ]);
    expect(written).toEqual({ type: "written" });
    expect((await other.load("a1"))?.row).toMatchObject({ seq: 2, projected: 2 });
    expect((await other.notes("a1")).map(({ text }) => text)).toEqual(["noted", "noted later"]);
    expect(await other.commit([])).toEqual({ type: "written" });
  });

  test("two entries of one run in one batch are one chain", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    const first = await next(one, "a1");
    const twice = await one.commit([
      { type: "append", entry: first },
      { type: "append", entry: first },
    ]);
    expect([twice.type, (await other.load("a1"))?.row.seq]).toEqual(["conflict", 2]);
  });

  type Refused = readonly [what: string, member: Write, answer: BatchAnswer["type"]];
  const CLAIM = { type: "claim", key: "a1:2:0", tries: 0, fence: 2, leaseUntil: 9 } as const;
  const outcome = { type: "done", note: "" } as const;

  test.for<Refused>([
    ["a run that has gone on", { type: "expect-run", run: "a1", seq: 1 }, "conflict"],
    ["a run that does not exist", { type: "expect-run", run: "zz", seq: 1 }, "conflict"],
    ["files of an older state", { type: "projected", run: "a1", seq: 1 }, "conflict"],
    ["another attention", { type: "attend", run: "a1", attention: "x", shown: "y" }, "conflict"],
    ["a number that a supervisor has", { type: "take-fence", fence: 2 }, "conflict"],
    ["a number that leaves one out", { type: "take-fence", fence: 4 }, "conflict"],
    ["an effect that was tried since", { ...CLAIM, tries: 1 }, "conflict"],
    ["a supervisor that has lost its lock", { ...CLAIM, fence: 1 }, "conflict"],
    ["an effect of a stopped run", { ...CLAIM, key: "c1:2:0" }, "conflict"],
    ["an effect that does not exist", { ...CLAIM, key: "a1:9:9" }, "conflict"],
    ["the end of an effect of nobody", { type: "settle", key: "a1:2:0", fence: 2, outcome }, "conflict"],
    ["a place of another run", { type: "take-place", run: "a1", repo: "/place" }, "taken"],
    ["a task with another run", { type: "name-child", graph: GRAPH, task: "1", run: "x9" }, "taken"],
    ["a name of another project", { type: "put-project", project: { ...PROJECT, repo: "/b" } }, "taken"],
    ["a project with a workspace", { type: "drop-project", repo: "/repo" }, "taken"],
  ])("nothing of a batch is written that expects %s", async ([, member, answer]) => {
    const [one, other] = await open();
    await add(one, "a1", { deeds: [START] });
    await add(one, "b1", { place: "/place" });
    await add(one, "c1", { deeds: [START] });
    await one.commit([
      { type: "take-fence", fence: 1 },
      { type: "take-fence", fence: 2 },
      { type: "halt", run: "c1", halted: true },
      {
        type: "put-graph",
        graph: { ...GRAPH, definition: HASH, most: 1 },
        children: [{ task: TASK, params: {} }],
      },
      { type: "name-child", graph: GRAPH, task: "1", run: "b1" },
      { type: "put-project", project: PROJECT },
      { type: "put-workspace", workspace: { ...BOUND, run: "b2", status: "bound" } },
    ]);
    const good = await next(other, "a1", { key: "k1", answer: "{}", deeds: [STOP] });
    for (const batch of [
      [NOTED, { type: "append", entry: good }, member],
      [member, { type: "append", entry: good }, NOTED],
    ] as const) {
      expect((await other.commit(batch)).type).toBe(answer);
      expect([await one.notes("a1"), (await one.load("a1"))?.row.seq]).toEqual([[], 2]);
      expect([await one.answerTo("a1", "k1"), (await one.deeds("a1")).length]).toEqual([undefined, 1]);
    }
    expect((await other.commit([NOTED, { type: "append", entry: good }])).type).toBe("written");
  });

  test("nothing of a batch is written with an entry whose key is known, or that throws", async () => {
    const [one, other] = await open();
    await add(one, "a1", { key: "k1", answer: "first" });
    const again = await next(one, "a1", { key: "k1", answer: "again", deeds: [START] });
    expect(await one.commit([NOTED, { type: "append", entry: again }])).toEqual({
      type: "repeated",
      answer: "first",
    });
    await expect(one.commit([NOTED, { type: "append", entry: { ...again, events: [] } }])).rejects.toThrow(
      "at least one event",
    );
    expect([await other.notes("a1"), (await other.load("a1"))?.row.seq]).toEqual([[], 2]);
  });

  test("a signature is over the head: an entry on another head is a conflict, also at the same number", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    const good = await next(other, "a1");
    expect((await append(other, { ...good, head: "forged" })).type).toBe("conflict");
    expect((await append(other, { ...good, head: "" })).type).toBe("conflict");
    expect((await append(other, good)).type).toBe("written");
    const [last] = (await one.events("a1")).slice(2);
    expect(last?.prev).toBe(good.head);
  });

  test("of many writers at once each entry is written once, and the chain is whole", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    let conflicts = 0;
    const write = async (store: Store, key: string): Promise<void> => {
      const committed = await append(store, await next(store, "a1", { key, answer: key }));
      if (committed.type === "written") return;
      conflicts += 1;
      await write(store, key);
    };
    const keys = Array.from({ length: 12 }, (_, n) => `k${n}`);
    await Promise.all(keys.map((key, n) => write(n % 2 === 0 ? one : other, key)));
    const events = await one.events("a1");
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 26 }, (_, n) => n + 1));
    expect(events.slice(1).map(({ prev }) => prev)).toEqual(events.slice(0, -1).map(({ hash }) => hash));
    expect(new Set(events.map(({ key }) => key))).toEqual(new Set(["", ...keys]));
    expect(conflicts).toBeGreaterThan(0);
  });

  type Raced = readonly [what: string, member: (run: string) => Write, late: BatchAnswer["type"]];

  test.for<Raced>([
    ["a place", (run) => ({ type: "take-place", run, repo: "/raced" }), "taken"],
    ["a task", (run) => ({ type: "name-child", graph: GRAPH, task: "1", run }), "taken"],
    [
      "the name of a project",
      (run) => ({ type: "put-project", project: { ...PROJECT, name: "raced", repo: `/${run}` } }),
      "taken",
    ],
    [
      "a new run",
      (run) => ({ type: "append", entry: entry(NO_RUN, began("new"), { by: byOf(run) }) }),
      "conflict",
    ],
    [
      "a new run with one key",
      (run) => ({
        type: "append",
        entry: entry(NO_RUN, began("new"), { by: byOf(run), key: "k", answer: "said" }),
      }),
      "repeated",
    ],
  ])("of many at once one gets %s", async ([, member, late]) => {
    const [one, other] = await open();
    const runs = Array.from({ length: 6 }, (_, n) => `r${n}`);
    for (const run of runs) await add(one, run);
    await one.commit([
      {
        type: "put-graph",
        graph: { ...GRAPH, definition: HASH, most: 1 },
        children: [{ task: TASK, params: {} }],
      },
    ]);
    const answers = await Promise.all(
      runs.map((run, n) =>
        (n % 2 === 0 ? one : other).commit([member(run), { type: "note", note: { ...NOTE, run } }]),
      ),
    );
    expect(answers.map(({ type }) => type).toSorted()).toEqual(
      ["written", ...runs.slice(1).map(() => late)].toSorted(),
    );
    const winner = runs[answers.findIndex(({ type }) => type === "written")];
    const noted = await Promise.all(runs.map((run) => one.notes(run)));
    expect(noted.flat().map(({ run }) => run)).toEqual([winner]);
  });

  test("of two supervisors at once one has each number, and each effect has one owner", async () => {
    const [one, other] = await open();
    await add(one, "a1", { deeds: [START] });
    const fence = 1;
    const take = (store: Store): Promise<BatchAnswer> => store.commit([{ type: "take-fence", fence }]);
    const both = await Promise.all([take(one), take(other)]);
    expect(both.map(({ type }) => type).toSorted()).toEqual(["conflict", "written"]);
    const claims = await Promise.all(
      [one, other].map((store) => store.commit([{ ...CLAIM, fence, leaseUntil: 1e15 }])),
    );
    expect(claims.map(({ type }) => type).toSorted()).toEqual(["conflict", "written"]);
    expect(await other.fence()).toBe(1);
  });
}
