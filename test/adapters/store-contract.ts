/** What every store must do, whatever it is made of. */

import { claim, newFence, settle } from "../support/effects.ts";
import { describe, expect, test } from "vitest";
import type { Event } from "../../src/core/model/event.ts";
import { apply } from "../../src/core/step/apply.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import type { Deed } from "../../src/engine/effects/deed.ts";
import type { BatchAnswer } from "../../src/engine/ports/commit.ts";
import type { Outcome } from "../../src/engine/ports/outbox.ts";
import { sha256 } from "../../src/format/sha256.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import {
  add,
  AT,
  began,
  BIRTH,
  counted,
  DEFINITION,
  entry,
  HASH,
  next,
  START,
  STOP,
  TELL,
} from "./store-entries.ts";
import { append, batchContract } from "./store-batches.ts";
import { graphsContract } from "./store-graphs.ts";
import { historiesContract } from "./store-histories.ts";
import { parksContract } from "./store-parks.ts";
import { pendingContract } from "./store-pending.ts";
import { permissionsContract } from "./store-permissions.ts";
import { registryContract } from "./store-registry.ts";

export type Open = (of?: { readonly now?: () => number }) => Promise<readonly [Store, Store]>;

/** `open` gives two connections to one new store that knows the tiny definition. */
export function storeContract(name: string, open: Open): void {
  describe(`${name}: batches`, () => {
    batchContract(open);
  });
  describe(`${name}: journal`, () => {
    journalContract(open);
    permissionsContract(open);
  });
  describe(`${name}: histories`, () => {
    historiesContract(open);
  });
  describe(`${name}: outbox`, () => {
    outboxContract(open);
  });
  describe(`${name}: registry`, () => {
    registryContract(open);
    graphsContract(open);
    pendingContract(open);
    parksContract(open);
  });
}

function journalContract(open: Open): void {
  test("a submitted text is kept with its event, or not at all", async () => {
    const [one, other] = await open();
    const digest = (text: string): string => `sha256:${sha256(text)}`;
    const odd = "\uFEFFfirst\r\n\0last\n";
    await add(one, "a1", { texts: [odd, ""] });
    expect([await other.text(digest(odd)), await other.text(digest(""))]).toEqual([odd, ""]);
    // The same text once more, by another run.
    expect((await add(other, "b1", { texts: [odd] })).type).toBe("written");
    const stale = entry(NO_RUN, began("a1"), { texts: ["too late"] });
    expect((await one.commit([{ type: "append", entry: stale }])).type).toBe("conflict");
    expect(await other.text(digest("too late"))).toBeUndefined();
  });

  test("a run is loaded as its events made it, by every connection", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    await add(one, "a1");
    const run = [...began("a1"), ...counted(2)].reduce(apply, NO_RUN);
    expect((await other.load("a1"))?.run).toEqual(run);
    expect((await other.load("a1"))?.row).toMatchObject({
      ...BIRTH,
      id: "a1",
      definition: HASH,
      state: "working",
      status: "running",
      seq: 4,
      entry: 1,
      attention: "",
      halted: false,
      projected: 0,
    });
    expect(await other.load("nobody")).toBeUndefined();
    expect(await other.definition(HASH)).toEqual(DEFINITION);
    expect(await other.definition("sha256:none")).toBeUndefined();
  });

  test("of two that decided on the same sequence number one is written, the other learns where the run is", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    const [first, second] = [await next(one, "a1"), await next(other, "a1")];
    expect(await append(one, first)).toEqual({ type: "written" });
    const late = { type: "conflict", reason: "run a1 is at 4" };
    expect(await append(other, second)).toEqual(late);
    expect(await append(other, entry(NO_RUN, began("a1")))).toEqual(late);
    const strange = entry({ ...first.after, id: "new" }, counted(2));
    expect(await append(other, strange)).toEqual({ type: "conflict", reason: "run new is at 0" });
    expect(await other.events("a1")).toHaveLength(4);
  });

  test("the same key twice gives the same answer once, also when the run has moved on", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    const said = { key: "k1", answer: '{"state":"working"}', deeds: [START] };
    const first = await next(one, "a1", said);
    expect((await append(one, first)).type).toBe("written");
    await add(one, "a1");
    expect(await append(other, { ...first, answer: "another" })).toEqual({
      type: "repeated",
      answer: said.answer,
    });
    expect(await other.answerTo("a1", "k1")).toBe(said.answer);
    expect(await other.answerTo("a1", "k2")).toBeUndefined();
    expect(await other.deeds("a1")).toHaveLength(1);
    await add(other, "a2", { key: "k1", answer: "of another run" });
    expect(await other.answerTo("a2", "k1")).toBe("of another run");
  });

  test("a key of a run that did not get the place can be used again", async () => {
    const [one] = await open();
    await add(one, "a1", { place: "/repo" });
    await add(one, "a2");
    const said = { key: "k1", answer: "said", place: "/repo" };
    expect(await add(one, "a2", said)).toEqual({ type: "taken", by: "a1" });
    expect(await one.answerTo("a2", "k1")).toBeUndefined();
    await one.commit([{ type: "leave-place", run: "a1", of: "any" }]);
    expect([(await add(one, "a2", said)).type, (await add(one, "a2", said)).type]).toEqual([
      "written",
      "repeated",
    ]);
  });

  test("events are kept with who did them, chained, and read in pieces", async () => {
    const [one] = await open();
    const by = { type: "agent", role: "worker", slot: "s1", attempt: 3 } as const;
    const proof = { user: "anna", terminal: "pts/1", ancestry: ["sh"], cgroup: "/", signature: "s" };
    await add(one, "a1", { by: { type: "engine" } });
    await add(one, "a1", { by, key: "k", proof });
    const all = await one.events("a1");
    expect(all.map((record) => record.seq)).toEqual([1, 2, 3, 4]);
    expect(all[0]).toMatchObject({ by: { type: "engine" }, prev: "", definition: HASH, tree: "t0", key: "" });
    expect(all[2]).toMatchObject({ by, key: "k", proof, at: AT });
    expect(all[3]).toMatchObject({ by, key: "" });
    expect(all[3]).not.toHaveProperty("proof");
    expect(all.slice(1).map((record) => record.prev)).toEqual(all.slice(0, -1).map((record) => record.hash));
    expect(await one.events("a1", 3)).toEqual(all.slice(2));
    expect(await one.events("a1", 2, 2)).toEqual(all.slice(1, 3));
    expect(await one.events("nobody")).toEqual([]);
  });

  test("a person without a name stays without one", async () => {
    const [one] = await open();
    await add(one, "a1", { by: { type: "human" } });
    expect((await one.events("a1"))[0]?.by).toEqual({ type: "human" });
  });

  test("what cannot be an entry is our bug, and changes nothing", async () => {
    const [one] = await open();
    const good = entry(NO_RUN, began("a1"));
    const { birth: _none, ...unborn } = good;
    const strange = began("a1").map((event) => ({ ...event, definition: "sha256:strange" }));
    await expect(append(one, { ...good, events: [] })).rejects.toThrow("at least one event");
    await expect(append(one, { ...good, seq: 1 })).rejects.toThrow("counts one");
    await expect(append(one, unborn)).rejects.toThrow("how it came to be");
    await expect(append(one, entry(NO_RUN, strange))).rejects.toThrow("sha256:strange");
    expect(await one.load("a1")).toBeUndefined();
    expect((await add(one, "a1")).type).toBe("written");
  });

  test("questions are opened, asked again and closed by events; the same one may be opened twice", async () => {
    const [one] = await open();
    const ask = { ask: "approve", id: "D-1" };
    const opened: Event = { type: "question-opened", ...ask };
    const again: Event = { type: "question-repeated", ...ask, reason: "unclear" };
    const closed: Event = { type: "question-closed", ...ask, answer: "yes", text: "fine", by: "anna" };
    const say = async (events: readonly Event[]): Promise<void> => {
      const { run = NO_RUN, row: { head } = { head: "" } } = (await one.load("a1")) ?? {};
      await append(one, entry(run, events, { head }));
    };
    await say([...began("a1"), opened]);
    await say([again]);
    await say([again]);
    expect(await one.questions({ open: true })).toEqual([
      { run: "a1", ...ask, openedAt: AT, repeats: 2, answer: "", text: "", by: "", closedAt: "" },
    ]);
    await say([closed]);
    expect(await one.questions({ open: true })).toEqual([]);
    await say([opened]);
    const closedRow = { repeats: 2, answer: "yes", text: "fine", by: "anna", closedAt: AT };
    expect(await one.questions({ run: "a1" })).toMatchObject([closedRow, { repeats: 0, answer: "" }]);
    expect(await one.questions({ id: "D-1", open: false })).toMatchObject([closedRow]);
    await say([{ ...closed, answer: "no" }]);
    expect(await one.questions({ run: "a1" })).toMatchObject([closedRow, { repeats: 0, answer: "no" }]);
    expect(await one.questions({ run: "a2" })).toEqual([]);
    expect(await one.questions({ id: "D-2" })).toEqual([]);
  });

  test("runs are listed newest first, by what is asked for, and the rest is counted", async () => {
    const [one] = await open();
    for (let n = 0; n < 7; n += 1)
      await add(one, `r${n}`, n % 2 === 0 ? {} : { status: "done", birth: { ...BIRTH, repo: "/b" } });
    const ids = async (filter: Parameters<Store["list"]>[0]): Promise<string> => {
      const { rows, more } = await one.list(filter);
      return `${rows.map((row) => row.id).join(" ")} +${more}`;
    };
    expect(await ids({ limit: 100 })).toBe("r6 r5 r4 r3 r2 r1 r0 +0");
    expect(await ids({ limit: 3 })).toBe("r6 r5 r4 +4");
    expect(await ids({ limit: 7 })).toBe("r6 r5 r4 r3 r2 r1 r0 +0");
    expect(await ids({ limit: 2, status: "running" })).toBe("r6 r4 +2");
    expect(await ids({ limit: 2, repo: "/b" })).toBe("r5 r3 +1");
    expect(await ids({ limit: 2, repo: "/b", status: "running" })).toBe(" +0");
    expect(await ids({ limit: 2, state: "working", workflow: "tiny" })).toBe("r6 r5 +5");
    expect(await ids({ limit: 2, workflow: "other" })).toBe(" +0");
    expect(await ids({ limit: 2, attention: true })).toBe(" +0");
    expect(await ids({ limit: 1, attention: false })).toBe("r6 +6");
    expect(await one.idsLike("r", 3)).toEqual(["r0", "r1", "r2"]);
    expect(await one.idsLike("r5", 3)).toEqual(["r5"]);
    expect(await one.idsLike("%", 3)).toEqual([]);
  });

  test("notes are kept in their order", async () => {
    const [one, other] = await open();
    const note = { run: "a1", at: AT, kind: "files", text: "edited by hand" };
    await one.commit([{ type: "note", note }]);
    await one.commit([{ type: "note", note: { ...note, text: "again" } }]);
    expect(await other.notes("a1")).toEqual([note, { ...note, text: "again" }]);
    expect(await other.notes("a2")).toEqual([]);
  });

  test("files show only the state that the run is in", async () => {
    const [one, other] = await open();
    await add(one, "a1");
    expect(await one.behind()).toEqual(["a1"]);
    const remember = (seq: number, fields: string): Promise<BatchAnswer> =>
      one.commit([
        { type: "expect-run", run: "a1", seq },
        { type: "put-projection", run: "a1", file: "TASK.md", fields },
      ]);
    expect((await remember(1, "old")).type).toBe("conflict");
    expect((await one.commit([{ type: "projected", run: "a1", seq: 1 }])).type).toBe("conflict");
    expect(await other.projection("a1", "TASK.md")).toBeUndefined();
    expect((await remember(2, "{}")).type).toBe("written");
    expect((await one.commit([{ type: "projected", run: "a1", seq: 2 }])).type).toBe("written");
    expect((await other.load("a1"))?.row.projected).toBe(2);
    expect(await other.behind()).toEqual([]);
    expect(await other.projection("a1", "TASK.md")).toBe("{}");
    expect((await add(one, "a1")).type).toBe("written");
    expect(await other.behind()).toEqual(["a1"]);
  });
}

function outboxContract(open: Open): void {
  test("deeds of one run become due one after the other", async () => {
    const [one, other] = await open();
    await add(one, "a1", { deeds: [START, TELL] });
    await add(one, "b1", { deeds: [STOP] });
    await add(one, "a1", { deeds: [STOP] });
    const fence = await newFence(one);
    expect(await newFence(other)).toBe(fence + 1);
    const due = async (): Promise<string[]> => (await one.due(0, 10)).map((row) => row.key);
    expect(await due()).toEqual(["a1:2:0", "b1:2:0"]);
    expect(await one.due(0, 1)).toHaveLength(1);
    const mine = fence + 1;
    expect(await claim(one, "a1:2:0", { fence: mine, leaseUntil: 100 })).toMatchObject({
      deed: START,
      kind: "probed",
      status: "claimed",
      tries: 1,
      owner: mine,
    });
    expect(await due()).toEqual(["b1:2:0"]);
    expect(await settle(one, "a1:2:0", { fence: mine, outcome: { type: "done", note: "pid 1" } })).toBe(true);
    expect(await due()).toEqual(["a1:2:1", "b1:2:0"]);
    expect((await one.deeds("a1")).map((row) => [row.key, row.status, row.note])).toEqual([
      ["a1:2:0", "done", "pid 1"],
      ["a1:2:1", "pending", ""],
      ["a1:4:0", "pending", ""],
    ]);
    expect((await one.deeds("a1"))[1]).toMatchObject({ deed: TELL, kind: "once" });
  });

  test("a claim is for one; a higher fence takes over, a lower one is out", async () => {
    let now = 0;
    const [one, other] = await open({ now: () => now });
    await add(one, "a1", { deeds: [START] });
    const first = await newFence(one);
    expect((await claim(one, "a1:2:0", { fence: first, leaseUntil: 100 }))?.tries).toBe(1);
    expect(await claim(one, "a1:2:0", { fence: first, leaseUntil: 100 })).toBeUndefined();
    expect(await one.due(50, 10)).toEqual([]);
    expect(await one.due(100, 10)).toHaveLength(1);
    const second = await newFence(other);
    expect(await other.due(50, 10)).toHaveLength(1);
    expect(await claim(one, "a1:2:0", { fence: first, leaseUntil: 200 })).toBeUndefined();
    expect((await claim(other, "a1:2:0", { fence: second, leaseUntil: 300 }))?.tries).toBe(2);
    expect(await settle(one, "a1:2:0", { fence: first, outcome: { type: "done", note: "" } })).toBe(false);
    now = 300;
    expect((await claim(other, "a1:2:0", { fence: second, leaseUntil: 400 }))?.tries).toBe(3);
    expect(await settle(other, "a1:2:0", { fence: second, outcome: { type: "done", note: "" } })).toBe(true);
    expect(await settle(other, "a1:2:0", { fence: second, outcome: { type: "done", note: "" } })).toBe(false);
    expect(await claim(other, "a1:2:0", { fence: second, leaseUntil: 500 })).toBeUndefined();
    expect(await claim(other, "a1:9:9", { fence: second, leaseUntil: 500 })).toBeUndefined();
  });

  test("what failed is due again later; what needs attention holds up nothing, and waits for a person", async () => {
    const [one] = await open();
    await add(one, "a1", { deeds: [START, STOP] });
    const fence = await newFence(one);
    const fail = async (key: string, outcome: Outcome): Promise<void> => {
      expect((await claim(one, key, { fence, leaseUntil: 1e15 }))?.key).toBe(key);
      expect(await settle(one, key, { fence, outcome })).toBe(true);
    };
    await fail("a1:2:0", { type: "again", note: "no space", dueAt: 1000 });
    expect(await one.due(999, 10)).toEqual([]);
    expect(await one.nextDue()).toBe(1000);
    expect(await one.isBusy()).toBe(true);
    expect(await one.due(1000, 10)).toMatchObject([{ key: "a1:2:0", tries: 1, note: "no space" }]);
    await fail("a1:2:0", { type: "attention", note: "no space", next: "signalbox resume a1" });
    expect((await one.load("a1"))?.row.attention).toBe("no space; try again: signalbox resume a1");
    expect((await one.list({ limit: 5, attention: true })).rows).toHaveLength(1);
    await fail("a1:2:1", { type: "done", note: "" });
    expect([await one.nextDue(), await one.isBusy(), await one.due(1e6, 10)]).toEqual([undefined, false, []]);
    expect(await one.commit([{ type: "retry", run: "a1" }])).toEqual({ type: "written" });
    expect((await one.load("a1"))?.row.attention).toBe("");
    expect(await one.due(0, 10)).toMatchObject([{ key: "a1:2:0", tries: 2, status: "pending" }]);
  });

  test("what is tried again keeps its place before those of later runs, however many there are", async () => {
    const [one] = await open();
    for (const run of ["a1", "b1", "c1"]) await add(one, run, { deeds: [START] });
    const fence = await newFence(one);
    expect((await claim(one, "b1:2:0", { fence, leaseUntil: 1e15 }))?.key).toBe("b1:2:0");
    await settle(one, "b1:2:0", { fence, outcome: { type: "again", note: "no space", dueAt: 1000 } });
    const due = async (at: number, limit: number): Promise<string[]> =>
      (await one.due(at, limit)).map(({ run }) => run);
    expect(await due(999, 10)).toEqual(["a1", "c1"]);
    expect(await due(1000, 10)).toEqual(["a1", "b1", "c1"]);
    expect(await due(1000, 2)).toEqual(["a1", "b1"]);
  });

  test("a halted run has nothing due but the end of its agents", async () => {
    const [one] = await open();
    await add(one, "a1", { deeds: [START, STOP, TELL] });
    const fence = await newFence(one);
    await one.commit([{ type: "halt", run: "a1", halted: true }]);
    expect([(await one.marks("a1"))?.halted, (await one.load("a1"))?.row.halted]).toEqual([true, true]);
    expect((await one.due(0, 10)).map((row) => row.key)).toEqual(["a1:2:1"]);
    expect(await claim(one, "a1:2:0", { fence, leaseUntil: 100 })).toBeUndefined();
    expect((await claim(one, "a1:2:1", { fence, leaseUntil: 1e15 }))?.deed).toEqual(STOP);
    await settle(one, "a1:2:1", { fence, outcome: { type: "done", note: "" } });
    expect([await one.isBusy(), await one.nextDue()]).toEqual([false, undefined]);
    await one.commit([{ type: "halt", run: "a1", halted: "held" }]);
    expect([(await one.marks("a1"))?.halted, (await one.load("a1"))?.row.halted]).toEqual(["held", true]);
    expect([await one.isBusy(), await one.nextDue()]).toEqual([false, undefined]);
    await one.commit([{ type: "halt", run: "a1", halted: false }]);
    expect((await one.marks("a1"))?.halted).toBe(false);
    expect((await one.due(0, 10)).map((row) => row.key)).toEqual(["a1:2:0"]);
  });

  test("what waits until an agent has ended is not due, and holds up no end of another agent", async () => {
    const [one] = await open();
    const [start, stop] = ["start-agent", "stop-agent"] as const;
    const agent = { role: "worker", attempt: 1, prompt: "worker" };
    const deeds: Deed[] = [
      { ...agent, type: start, slot: "s2" },
      { ...agent, type: start, slot: "s3" },
      { ...agent, type: stop, slot: "s1" },
      { ...agent, type: stop, slot: "s3" },
    ];
    await add(one, "a1", { deeds });
    await add(one, "b1", { deeds: [START] });
    const fence = await newFence(one);
    const due = async (): Promise<string[]> => (await one.due(1e15, 10)).map(({ key }) => key);
    const queue = async (key: string): Promise<void> => {
      expect((await claim(one, key, { fence, leaseUntil: 1e15 }))?.key).toBe(key);
      await settle(one, key, { fence, outcome: { type: "queued", note: "4 of 4" } });
    };
    expect(await due()).toEqual(["a1:2:0", "b1:2:0"]);
    await queue("a1:2:0");
    await queue("b1:2:0");
    // The end of the third waits for its beginning, which waits behind the second.
    expect(await due()).toEqual(["a1:2:2"]);
    expect(await one.queuedDeeds()).toEqual([
      { key: "a1:2:0", repo: "/repo" },
      { key: "b1:2:0", repo: "/repo" },
    ]);
    expect(await one.deeds("b1")).toMatchObject([{ status: "pending", isQueued: true, note: "4 of 4" }]);
    expect(await one.isBusy()).toBe(true);
    await one.commit([{ type: "halt", run: "b1", halted: true }]);
    expect(await one.queuedDeeds()).toHaveLength(1);
    await one.commit([{ type: "halt", run: "b1", halted: false }]);
    await one.commit([{ type: "admit", key: "a1:2:0" }]);
    expect(await due()).toEqual(["a1:2:0"]);
    // Whatever is ordered for a run may make the rest needless.
    await add(one, "b1", { deeds: [STOP] });
    expect(await due()).toEqual(["a1:2:0", "b1:2:0"]);
  });
}
