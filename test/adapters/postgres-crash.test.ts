/** Processes that race for one database, connections that break, and a server that dies: what was acknowledged is there, once. */

import { describe, expect, test } from "vitest";
import type { Write } from "../../src/engine/ports/commit.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { newDatabase, NO_POSTGRES, ownServer } from "../support/postgres.ts";
import { openedAt, wireTo } from "./postgres-support.ts";
import { add, AT, next, START } from "./store-entries.ts";
import { child } from "./store-processes.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const EACH = 100;
const RESTARTS = IS_DEEP ? 10 : 3;
const WRITERS = 4;

describe.skipIf(NO_POSTGRES !== undefined)("on a real server", () => {
  test(`two processes race on one run, ${EACH} events each: every sequence number is there once`, async () => {
    const url = await newDatabase();
    const store = await openedAt(url);
    await add(store, "a1");
    const racers = [child([url, "contend", String(EACH)]), child([url, "contend", String(EACH)])];
    await Promise.all(racers.map((racer) => racer.said("ready")));
    for (const racer of racers) racer.go();
    const ends = await Promise.all(racers.map((racer) => racer.ended()));
    expect(ends.map(({ signal, lines }) => [signal, lines])).toEqual([
      [null, ["ready"]],
      [null, ["ready"]],
    ]);
    const events = await store.events("a1");
    const count = 2 + 4 * EACH;
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    expect(new Set(events.map(({ key }) => key)).size).toBe(2 * EACH + 1);
    expect(await store.verify("a1")).toEqual({ ok: true, run: "a1", seq: count });
  });

  test("processes that open an empty database at once get one store", async () => {
    const url = await newDatabase();
    const openers = Array.from({ length: 4 }, () => child([url, "open"]));
    const ends = await Promise.all(openers.map((opener) => opener.ended()));
    expect(ends.map(({ signal }) => signal)).toEqual([null, null, null, null]);
    expect((await add(await openedAt(url), "a1")).type).toBe("written");
  });

  test.for([
    ["store.before-commit", 3],
    ["store.after-commit", 3],
    ["journal.before-append", 2],
    ["journal.after-append", 2],
  ] as const)(
    "killed at %s the %i. time: acknowledged means present, and nothing is half",
    async ([at, times]) => {
      const url = await newDatabase();
      const { lines, signal } = await child([url, "append", "10"], `${at}:${times}`).ended();
      expect([lines, signal]).toEqual([[`acked 2`], "SIGKILL"]);
      const store = await openedAt(url);
      const isWritten = at === "store.after-commit" || at === "journal.after-append";
      // The server may still be at what was sent before the process died; the run's row is free when it is done.
      const seq = isWritten ? 4 : 2;
      await store.commit([{ type: "attend", run: "a1", attention: "", shown: "" }]);
      expect((await store.load("a1"))?.row.seq).toBe(seq);
      expect((await store.deeds("a1")).map((row) => row.key)).toEqual(
        Array.from({ length: seq / 2 }, (_, n) => `a1:${2 * n + 2}:0`),
      );
      expect(await store.verify("a1")).toEqual({ ok: true, run: "a1", seq });
      expect((await child([url, "append", "1"]).ended()).lines).toEqual([`acked ${seq + 2}`]);
    },
  );

  const NOTE: Write = { type: "note", note: { run: "a1", at: AT, kind: "files", text: "noted" } };
  const CLAIM: Write = { type: "claim", key: "a1:2:0", tries: 0, fence: 1, leaseUntil: 1e15 };
  type Broken = readonly [
    what: string,
    when: "before" | "after",
    batch: (store: Store) => Promise<readonly Write[]>,
  ];

  test.for<Broken>(
    (["before", "after"] as const).flatMap((when): Broken[] => [
      ["a note", when, () => Promise.resolve([NOTE])],
      ["a claim", when, () => Promise.resolve([CLAIM, NOTE])],
      ["the number of a supervisor", when, () => Promise.resolve([{ type: "take-fence", fence: 2 }, NOTE])],
      [
        "an event without a key",
        when,
        async (store) => [{ type: "append", entry: await next(store, "a1") }, NOTE],
      ],
    ]),
  )("%s, and the connection breaks %s the commit: it is written once", async ([, when, batch]) => {
    const url = await newDatabase();
    const wire = await wireTo(url);
    const store = await openedAt(wire.url);
    await add(store, "a1", { deeds: [START] });
    await store.commit([{ type: "take-fence", fence: 1 }]);
    const members = await batch(store);
    wire.breakCommit(when);
    expect(await store.commit(members)).toEqual({ type: "written" });
    expect(wire.broken()).toBe(1);
    expect(await store.notes("a1")).toHaveLength(1);
    expect(await store.verify("a1")).toMatchObject({ ok: true });
  });

  test("the connection breaks after the commit of an event with a key: its answer is kept once", async () => {
    const wire = await wireTo(await newDatabase());
    const store = await openedAt(wire.url);
    await add(store, "a1");
    const entry = await next(store, "a1", { key: "k1", answer: "said" });
    wire.breakCommit("after");
    expect(await store.commit([{ type: "append", entry }])).toEqual({ type: "written" });
    expect(await store.commit([{ type: "append", entry }])).toEqual({ type: "repeated", answer: "said" });
    expect([wire.broken(), (await store.load("a1"))?.row.seq]).toEqual([1, 4]);
  });

  test(`the server is killed ${RESTARTS} times under load: nothing that was acknowledged is lost or doubled`, async () => {
    const server = await ownServer();
    const store = await openedAt(server.url("postgres"));
    const acknowledged: string[] = [];
    const over = new AbortController();
    const write = async (run: string): Promise<void> => {
      for (let n = 0; !over.signal.aborted;) {
        const text = `${run}-${n}`;
        const entry = await next(store, run, n % 2 === 0 ? { key: text, answer: text, deeds: [START] } : {});
        const { type } = await store.commit([
          { type: "append", entry },
          { type: "note", note: { run, at: AT, kind: "files", text } },
        ]);
        expect(type).toBe("written");
        acknowledged.push(text);
        n += 1;
      }
    };
    const runs = Array.from({ length: WRITERS }, (_, n) => `r${n}`);
    const writers = Promise.all(runs.map(write));
    for (let n = 0; n < RESTARTS; n += 1) {
      const goal = acknowledged.length + 40;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(goal);
      await server.stop("immediate");
      await server.start();
    }
    const goal = acknowledged.length + 40;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(goal);
    over.abort();
    await writers;
    for (const run of runs) {
      const own = acknowledged.filter((text) => text.startsWith(`${run}-`));
      expect((await store.notes(run)).map(({ text }) => text)).toEqual(own);
      expect(await store.verify(run)).toEqual({ ok: true, run, seq: 2 * own.length });
    }
  });
});
