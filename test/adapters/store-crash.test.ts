/** Processes that race for one store, and processes that die at every point: what was acknowledged is there. */

import { expect, test } from "vitest";
import { openStore } from "../../src/adapters/store/open.ts";
import { knownRuns, verifyRun } from "../../src/adapters/store/recovery/verify.ts";
import { child } from "./store-processes.ts";
import { add, START } from "./store-entries.ts";
import { newHome, opened } from "./store-support.ts";

const IS_DEEP = process.env["SIGNALBOX_DEEP"] !== undefined;
const RACERS = IS_DEEP ? 50 : 8;

test(`of ${RACERS} processes that race for one event one wins, and the others learn that they are late`, async () => {
  const home = newHome();
  const store = await opened(home);
  await add(store, "a1");
  const racers = Array.from({ length: RACERS }, () => child([home.root, "race"]));
  await Promise.all(racers.map((racer) => racer.said("ready")));
  for (const racer of racers) racer.go();
  const results = (await Promise.all(racers.map((racer) => racer.ended()))).map(({ lines }) => lines.at(-1));
  expect(results.filter((result) => result === "written")).toHaveLength(1);
  expect(results.filter((result) => result === "conflict")).toHaveLength(RACERS - 1);
  expect([(await store.load("a1"))?.row.seq, (await store.deeds("a1")).length]).toEqual([4, 1]);
});

test("processes that open a new home at once get one store", async () => {
  const home = newHome();
  const openers = Array.from({ length: 4 }, () => child([home.root, "open"]));
  const ends = await Promise.all(openers.map((opener) => opener.ended()));
  expect(ends.map(({ signal }) => signal)).toEqual([null, null, null, null]);
  expect((await add(await opened(home), "a1")).type).toBe("written");
});

/** The tables are a transaction of their own; then the definition, and one record. */
const LATER = 4;

test.for([
  ["store.before-begin", LATER],
  ["store.before-commit", LATER],
  ["store.after-commit", LATER],
  ["journal.before-append", 3],
  ["journal.after-append", 3],
] as const)(
  "killed at %s the %i. time: acknowledged means present, and nothing is half",
  async ([at, times]) => {
    const home = newHome();
    const { lines, signal } = await child([home.root, "append", "10"], `${at}:${times}`).ended();
    expect(signal).toBe("SIGKILL");
    const acked = Number(lines.at(-1)?.split(" ")[1] ?? 0);
    expect(acked).toBeGreaterThan(0);
    const store = openStore(home);
    const seq = (await store.load("a1"))?.row.seq ?? 0;
    // The one that was on its way may be there; it was never promised.
    expect([acked, acked + 2]).toContain(seq);
    expect(seq > acked).toBe(at === "store.after-commit" || at === "journal.after-append");
    expect(await store.events("a1")).toHaveLength(seq);
    expect((await store.deeds("a1")).map((row) => row.key)).toEqual(
      Array.from({ length: seq / 2 }, (_, n) => `a1:${2 * n + 2}:0`),
    );
    await store.close();
    const again = await child([home.root, "append", "1"]).ended();
    expect(again.lines).toEqual([`acked ${seq + 2}`]);
  },
);

test.for(["store.before-create", "store.after-create"])(
  "killed at %s while the store is made: the next one makes it",
  async (at) => {
    const home = newHome();
    const { lines, signal } = await child([home.root, "append", "1"], at).ended();
    expect([lines, signal]).toEqual([[], "SIGKILL"]);
    expect((await child([home.root, "append", "1"]).ended()).lines).toEqual(["acked 2"]);
  },
);

test.for([
  ["outbox.before-claim", "pending", 0],
  ["outbox.after-claim", "claimed", 1],
  ["outbox.before-settle", "claimed", 1],
  ["outbox.after-settle", "done", 1],
] as const)("killed at %s: the deed is %s", async ([at, status, tries]) => {
  const home = newHome();
  const store = await opened(home);
  await add(store, "a1", { deeds: [START] });
  expect((await child([home.root, "claim"], at).ended()).signal).toBe("SIGKILL");
  expect(await store.deeds("a1")).toMatchObject([{ status, tries }]);
  const { lines } = await child([home.root, "claim"]).ended();
  expect(lines).toEqual(status === "done" ? [] : ["claimed a1:2:0", "settled a1:2:0"]);
});

test.runIf(IS_DEEP)("killed at every commit in turn", { timeout: 600_000 }, async () => {
  for (let times = 1; times <= 25; times += 1) {
    const home = newHome();
    const { lines } = await child([home.root, "append", "20"], `store.before-commit:${times}`).ended();
    const acked = Number(lines.at(-1)?.split(" ")[1] ?? 0);
    const store = openStore(home);
    expect((await store.load("a1"))?.row.seq ?? 0).toBe(acked);
    for (const run of knownRuns(store.database))
      expect(verifyRun(store.database, run)).toEqual({ ok: true, run, seq: acked });
    await store.close();
  }
});
