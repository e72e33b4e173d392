/** What every store must do, whatever it is made of. */

import { describe, expect, test } from "vitest";
import type { Event } from "../../src/core/model/event.ts";
import { apply } from "../../src/core/step/apply.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import type { Deed } from "../../src/engine/effects/deed.ts";
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
  START,
  STOP,
  TELL,
} from "./store-entries.ts";
import { graphsContract } from "./store-graphs.ts";
import { pendingContract } from "./store-pending.ts";
import { registryContract } from "./store-registry.ts";

export type Open = (of?: { readonly now?: () => number }) => readonly [Store, Store];

/** `open` gives two connections to one new store that knows the tiny definition. */
export function storeContract(open: Open): void {
  describe("journal", () => {
    journalContract(open);
  });
  describe("outbox", () => {
    outboxContract(open);
  });
  describe("registry", () => {
    registryContract(open);
    graphsContract(open);
    pendingContract(open);
  });
}

function journalContract(open: Open): void {
  test("a run is loaded as its events made it, by every connection", () => {
    const [one, other] = open();
    add(one, "a1");
    add(one, "a1");
    const run = [...began("a1"), ...counted(2)].reduce(apply, NO_RUN);
    expect(other.load("a1")?.run).toEqual(run);
    expect(other.load("a1")?.row).toMatchObject({
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
    expect(other.load("nobody")).toBeUndefined();
    expect(other.definition(HASH)).toEqual(DEFINITION);
    expect(other.definition("sha256:none")).toBeUndefined();
  });

  test("of two that decided on the same sequence number one is written, the other learns where the run is", () => {
    const [one, other] = open();
    add(one, "a1");
    const run = one.load("a1")?.run ?? NO_RUN;
    expect(one.append(entry(run, counted(1)))).toEqual({ type: "written", seq: 4, deeds: [] });
    expect(other.append(entry(run, counted(2)))).toEqual({ type: "conflict", seq: 4 });
    expect(other.append(entry(NO_RUN, began("a1")))).toEqual({ type: "conflict", seq: 4 });
    expect(other.append(entry({ ...run, id: "new" }, counted(2)))).toEqual({ type: "conflict", seq: 0 });
    expect(other.events("a1")).toHaveLength(4);
  });

  test("the same key twice gives the same answer once, also when the run has moved on", () => {
    const [one, other] = open();
    add(one, "a1");
    const run = one.load("a1")?.run ?? NO_RUN;
    const said = { key: "k1", answer: '{"state":"working"}', deeds: [START] };
    expect(one.append(entry(run, counted(1), said)).type).toBe("written");
    add(one, "a1");
    expect(other.append(entry(run, counted(1), { ...said, answer: "another" }))).toEqual({
      type: "repeated",
      answer: said.answer,
    });
    expect(other.answerTo("a1", "k1")).toBe(said.answer);
    expect(other.answerTo("a1", "k2")).toBeUndefined();
    expect(other.deeds("a1")).toHaveLength(1);
    add(other, "a2", { key: "k1", answer: "of another run" });
    expect(other.answerTo("a2", "k1")).toBe("of another run");
  });

  test("what is done together is done whole or not at all, and a key that is known changes none of it", () => {
    const [one, other] = open();
    add(one, "a1", { key: "k1", answer: "first" });
    const failed = (): void => {
      one.together(() => {
        add(one, "a1", { key: "k2", answer: "second", deeds: [START] });
        throw new Error("too late");
      });
    };
    expect(failed).toThrow("too late");
    expect([other.load("a1")?.row.seq, other.answerTo("a1", "k2"), other.deeds("a1")]).toEqual([
      2,
      undefined,
      [],
    ]);
    const appended = one.together(() => [
      add(one, "a1", { key: "k1", answer: "again", deeds: [START] }),
      add(one, "a1", { key: "k3", answer: "third", deeds: [STOP] }),
    ]);
    expect(appended.map(({ type }) => type)).toEqual(["repeated", "written"]);
    expect(other.load("a1")?.row.seq).toBe(4);
    expect(other.deeds("a1").map(({ deed }) => deed)).toEqual([STOP]);
  });

  test("a key of a run that did not get the place can be used again", () => {
    const [one] = open();
    add(one, "a1", { place: "/repo" });
    add(one, "a2");
    const said = { key: "k1", answer: "said", place: "/repo" };
    expect(add(one, "a2", said)).toEqual({ type: "taken" });
    expect(one.answerTo("a2", "k1")).toBeUndefined();
    one.leavePlace("a1", "any");
    expect([add(one, "a2", said).type, add(one, "a2", said).type]).toEqual(["written", "repeated"]);
  });

  test("events are kept with who did them, chained, and read in pieces", () => {
    const [one] = open();
    const by = { type: "agent", role: "worker", slot: "s1", attempt: 3 } as const;
    const proof = { user: "anna", terminal: "pts/1", ancestry: ["sh"], cgroup: "/", signature: "s" };
    const links: unknown[] = [];
    add(one, "a1", { by: { type: "engine" } });
    add(one, "a1", { by, key: "k", prove: (link) => (links.push(link), proof) });
    const all = one.events("a1");
    expect(all.map((record) => record.seq)).toEqual([1, 2, 3, 4]);
    expect(all[0]).toMatchObject({ by: { type: "engine" }, prev: "", definition: HASH, tree: "t0", key: "" });
    expect(all[2]).toMatchObject({ by, key: "k", proof, at: AT });
    expect(all[3]).toMatchObject({ by, key: "" });
    expect(all[3]).not.toHaveProperty("proof");
    expect(links).toEqual([{ seq: 3, prev: all[1]?.hash }]);
    expect(all.slice(1).map((record) => record.prev)).toEqual(all.slice(0, -1).map((record) => record.hash));
    expect(one.events("a1", 3)).toEqual(all.slice(2));
    expect(one.events("a1", 2, 2)).toEqual(all.slice(1, 3));
    expect(one.events("nobody")).toEqual([]);
  });

  test("a person without a name stays without one", () => {
    const [one] = open();
    add(one, "a1", { by: { type: "human" } });
    expect(one.events("a1")[0]?.by).toEqual({ type: "human" });
  });

  test("what cannot be an entry is our bug, and changes nothing", () => {
    const [one] = open();
    expect(() => one.append({ ...entry(NO_RUN, began("a1")), events: [] })).toThrow("at least one event");
    expect(() => one.append({ ...entry(NO_RUN, began("a1")), seq: 1 })).toThrow("counts one");
    const { birth: _none, ...unborn } = entry(NO_RUN, began("a1"));
    expect(() => one.append(unborn)).toThrow("how it came to be");
    const strange = began("a1").map((event) => ({ ...event, definition: "sha256:strange" }));
    expect(() => one.append(entry(NO_RUN, strange))).toThrow("sha256:strange");
    const unsigned = entry(NO_RUN, began("a1"), {
      prove: () => {
        throw new Error("no key");
      },
    });
    expect(() => one.append(unsigned)).toThrow("no key");
    expect(one.load("a1")).toBeUndefined();
    expect(add(one, "a1").type).toBe("written");
  });

  test("questions are opened, asked again and closed by events; the same one may be opened twice", () => {
    const [one] = open();
    const ask = { ask: "approve", id: "D-1" };
    const opened: Event = { type: "question-opened", ...ask };
    const again: Event = { type: "question-repeated", ...ask, reason: "unclear" };
    const closed: Event = { type: "question-closed", ...ask, answer: "yes", text: "fine", by: "anna" };
    const say = (events: readonly Event[]): void => {
      one.append(entry(one.load("a1")?.run ?? NO_RUN, events));
    };
    say([...began("a1"), opened]);
    say([again]);
    say([again]);
    expect(one.questions({ open: true })).toEqual([
      { run: "a1", ...ask, openedAt: AT, repeats: 2, answer: "", text: "", by: "", closedAt: "" },
    ]);
    say([closed]);
    expect(one.questions({ open: true })).toEqual([]);
    say([opened]);
    const closedRow = { repeats: 2, answer: "yes", text: "fine", by: "anna", closedAt: AT };
    expect(one.questions({ run: "a1" })).toMatchObject([closedRow, { repeats: 0, answer: "" }]);
    expect(one.questions({ id: "D-1", open: false })).toMatchObject([closedRow]);
    say([{ ...closed, answer: "no" }]);
    expect(one.questions({ run: "a1" })).toMatchObject([closedRow, { repeats: 0, answer: "no" }]);
    expect(one.questions({ run: "a2" })).toEqual([]);
    expect(one.questions({ id: "D-2" })).toEqual([]);
  });

  test("runs are listed newest first, by what is asked for, and the rest is counted", () => {
    const [one] = open();
    for (let n = 0; n < 7; n += 1)
      add(one, `r${n}`, n % 2 === 0 ? {} : { status: "done", birth: { ...BIRTH, repo: "/b" } });
    const ids = (filter: Parameters<Store["list"]>[0]): string => {
      const { rows, more } = one.list(filter);
      return `${rows.map((row) => row.id).join(" ")} +${more}`;
    };
    expect(ids({ limit: 100 })).toBe("r6 r5 r4 r3 r2 r1 r0 +0");
    expect(ids({ limit: 3 })).toBe("r6 r5 r4 +4");
    expect(ids({ limit: 7 })).toBe("r6 r5 r4 r3 r2 r1 r0 +0");
    expect(ids({ limit: 2, status: "running" })).toBe("r6 r4 +2");
    expect(ids({ limit: 2, repo: "/b" })).toBe("r5 r3 +1");
    expect(ids({ limit: 2, repo: "/b", status: "running" })).toBe(" +0");
    expect(ids({ limit: 2, state: "working", workflow: "tiny" })).toBe("r6 r5 +5");
    expect(ids({ limit: 2, workflow: "other" })).toBe(" +0");
    expect(ids({ limit: 2, attention: true })).toBe(" +0");
    expect(ids({ limit: 1, attention: false })).toBe("r6 +6");
    expect(one.idsLike("r", 3)).toEqual(["r0", "r1", "r2"]);
    expect(one.idsLike("r5", 3)).toEqual(["r5"]);
    expect(one.idsLike("%", 3)).toEqual([]);
  });

  test("notes are kept in their order", () => {
    const [one, other] = open();
    const note = { run: "a1", at: AT, kind: "files", text: "edited by hand" };
    one.note(note);
    one.note({ ...note, text: "again" });
    expect(other.notes("a1")).toEqual([note, { ...note, text: "again" }]);
    expect(other.notes("a2")).toEqual([]);
  });

  test("files are written only for the state that the run is in", () => {
    const [one, other] = open();
    add(one, "a1");
    const written: string[] = [];
    expect(one.behind()).toEqual(["a1"]);
    expect(one.project("a1", 1, () => written.push("old"))).toBe(false);
    const isDone = one.project("a1", 2, () => {
      one.keepProjection("a1", "TASK.md", "{}");
      written.push("new");
    });
    expect([isDone, written]).toEqual([true, ["new"]]);
    expect(other.load("a1")?.row.projected).toBe(2);
    expect(other.behind()).toEqual([]);
    expect(other.projection("a1", "TASK.md")).toBe("{}");
    const fails = (): void => {
      one.project("a1", 2, () => {
        one.keepProjection("a1", "TASK.md", "half");
        throw new Error("disk");
      });
    };
    expect(fails).toThrow("disk");
    expect(other.projection("a1", "TASK.md")).toBe("{}");
    expect(add(one, "a1").type).toBe("written");
    expect(other.behind()).toEqual(["a1"]);
  });
}

function outboxContract(open: Open): void {
  test("deeds of one run become due one after the other", () => {
    const [one, other] = open();
    add(one, "a1", { deeds: [START, TELL] });
    add(one, "b1", { deeds: [STOP] });
    const appended = add(one, "a1", { deeds: [STOP] });
    expect(appended).toMatchObject({ deeds: ["a1:4:0"] });
    const fence = one.fence();
    expect(other.fence()).toBe(fence + 1);
    const due = (): string[] => one.due(0, 10).map((row) => row.key);
    expect(due()).toEqual(["a1:2:0", "b1:2:0"]);
    expect(one.due(0, 1)).toHaveLength(1);
    const mine = fence + 1;
    expect(one.claim("a1:2:0", mine, 100)).toMatchObject({
      deed: START,
      kind: "probed",
      status: "claimed",
      tries: 1,
      owner: mine,
    });
    expect(due()).toEqual(["b1:2:0"]);
    expect(one.settle("a1:2:0", mine, { type: "done", note: "pid 1" })).toBe(true);
    expect(due()).toEqual(["a1:2:1", "b1:2:0"]);
    expect(one.deeds("a1").map((row) => [row.key, row.status, row.note])).toEqual([
      ["a1:2:0", "done", "pid 1"],
      ["a1:2:1", "pending", ""],
      ["a1:4:0", "pending", ""],
    ]);
    expect(one.deeds("a1")[1]).toMatchObject({ deed: TELL, kind: "once" });
  });

  test("a claim is for one; a higher fence takes over, a lower one is out", () => {
    let now = 0;
    const [one, other] = open({ now: () => now });
    add(one, "a1", { deeds: [START] });
    const first = one.fence();
    expect(one.claim("a1:2:0", first, 100)?.tries).toBe(1);
    expect(one.claim("a1:2:0", first, 100)).toBeUndefined();
    expect(one.due(50, 10)).toEqual([]);
    expect(one.due(100, 10)).toHaveLength(1);
    const second = other.fence();
    expect(other.due(50, 10)).toHaveLength(1);
    expect(one.claim("a1:2:0", first, 200)).toBeUndefined();
    expect(other.claim("a1:2:0", second, 300)?.tries).toBe(2);
    expect(one.settle("a1:2:0", first, { type: "done", note: "" })).toBe(false);
    now = 300;
    expect(other.claim("a1:2:0", second, 400)?.tries).toBe(3);
    expect(other.settle("a1:2:0", second, { type: "done", note: "" })).toBe(true);
    expect(other.settle("a1:2:0", second, { type: "done", note: "" })).toBe(false);
    expect(other.claim("a1:2:0", second, 500)).toBeUndefined();
    expect(other.claim("a1:9:9", second, 500)).toBeUndefined();
  });

  test("what failed is due again later; what needs attention holds up nothing, and waits for a person", () => {
    const [one] = open();
    add(one, "a1", { deeds: [START, STOP] });
    const fence = one.fence();
    const fail = (key: string, outcome: Parameters<Store["settle"]>[2]): void => {
      expect(one.claim(key, fence, 1e15)?.key).toBe(key);
      expect(one.settle(key, fence, outcome)).toBe(true);
    };
    fail("a1:2:0", { type: "again", note: "no space", dueAt: 1000 });
    expect(one.due(999, 10)).toEqual([]);
    expect(one.nextDue()).toBe(1000);
    expect(one.isBusy(0)).toBe(true);
    expect(one.due(1000, 10)).toMatchObject([{ key: "a1:2:0", tries: 1, note: "no space" }]);
    fail("a1:2:0", { type: "attention", note: "no space", next: "signalbox resume a1" });
    expect(one.load("a1")?.row.attention).toBe("no space; try again: signalbox resume a1");
    expect(one.list({ limit: 5, attention: true }).rows).toHaveLength(1);
    fail("a1:2:1", { type: "done", note: "" });
    expect([one.nextDue(), one.isBusy(0), one.due(1e6, 10)]).toEqual([undefined, false, []]);
    expect(one.retry("a1")).toEqual(["a1:2:0"]);
    expect(one.load("a1")?.row.attention).toBe("");
    expect(one.due(0, 10)).toMatchObject([{ key: "a1:2:0", tries: 2, status: "pending" }]);
  });

  test("what is tried again keeps its place before those of later runs, however many there are", () => {
    const [one] = open();
    for (const run of ["a1", "b1", "c1"]) add(one, run, { deeds: [START] });
    const fence = one.fence();
    expect(one.claim("b1:2:0", fence, 1e15)?.key).toBe("b1:2:0");
    one.settle("b1:2:0", fence, { type: "again", note: "no space", dueAt: 1000 });
    const due = (at: number, limit: number): string[] => one.due(at, limit).map(({ run }) => run);
    expect(due(999, 10)).toEqual(["a1", "c1"]);
    expect(due(1000, 10)).toEqual(["a1", "b1", "c1"]);
    expect(due(1000, 2)).toEqual(["a1", "b1"]);
  });

  test("a halted run has nothing due but the end of its agents", () => {
    const [one] = open();
    add(one, "a1", { deeds: [START, STOP, TELL] });
    const fence = one.fence();
    one.halt("a1", true);
    expect([one.isHalted("a1"), one.load("a1")?.row.halted]).toEqual([true, true]);
    expect(one.due(0, 10).map((row) => row.key)).toEqual(["a1:2:1"]);
    expect(one.claim("a1:2:0", fence, 100)).toBeUndefined();
    expect(one.claim("a1:2:1", fence, 1e15)?.deed).toEqual(STOP);
    one.settle("a1:2:1", fence, { type: "done", note: "" });
    expect([one.isBusy(0), one.nextDue()]).toEqual([false, undefined]);
    one.halt("a1", "held");
    expect([one.isHalted("a1"), one.isHeld("a1"), one.load("a1")?.row.halted]).toEqual([true, true, true]);
    expect([one.isBusy(0), one.nextDue()]).toEqual([false, undefined]);
    one.halt("a1", false);
    expect([one.isHalted("a1"), one.isHeld("a1")]).toEqual([false, false]);
    expect(one.due(0, 10).map((row) => row.key)).toEqual(["a1:2:0"]);
  });

  test("what waits until an agent has ended is not due, and holds up no end of another agent", () => {
    const [one] = open();
    const [start, stop] = ["start-agent", "stop-agent"] as const;
    const agent = { role: "worker", attempt: 1, prompt: "worker" };
    const deeds: Deed[] = [
      { ...agent, type: start, slot: "s2" },
      { ...agent, type: start, slot: "s3" },
      { ...agent, type: stop, slot: "s1" },
      { ...agent, type: stop, slot: "s3" },
    ];
    add(one, "a1", { deeds });
    add(one, "b1", { deeds: [START] });
    const fence = one.fence();
    const due = (): string[] => one.due(1e15, 10).map(({ key }) => key);
    const queue = (key: string): void => {
      expect(one.claim(key, fence, 1e15)?.key).toBe(key);
      one.settle(key, fence, { type: "queued", note: "4 of 4" });
    };
    expect(due()).toEqual(["a1:2:0", "b1:2:0"]);
    queue("a1:2:0");
    queue("b1:2:0");
    // The end of the third waits for its beginning, which waits behind the second.
    expect(due()).toEqual(["a1:2:2"]);
    expect(one.queuedDeeds()).toEqual([
      { key: "a1:2:0", repo: "/repo" },
      { key: "b1:2:0", repo: "/repo" },
    ]);
    expect(one.deeds("b1")).toMatchObject([{ status: "pending", isQueued: true, note: "4 of 4" }]);
    expect(one.isBusy(0)).toBe(true);
    one.halt("b1", true);
    expect(one.queuedDeeds()).toHaveLength(1);
    one.halt("b1", false);
    one.admit("a1:2:0");
    expect(due()).toEqual(["a1:2:0"]);
    // Whatever is ordered for a run may make the rest needless.
    add(one, "b1", { deeds: [STOP] });
    expect(due()).toEqual(["a1:2:0", "b1:2:0"]);
  });
}
