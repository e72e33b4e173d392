/** Snapshots that are older than their runs: what came after them is in the events. */

import { expect, test } from "vitest";
import type { SqliteStore } from "../../src/adapters/store/open.ts";
import { verifyRun } from "../../src/adapters/store/recovery/verify.ts";
import { apply } from "../../src/core/step/apply.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import { add } from "./store-entries.ts";
import { newHome, opened, told } from "./store-support.ts";

const ENTRIES = 20;

test("whoever did not write a run loads it as it is, and few records after its snapshot", async () => {
  const home = newHome();
  const [one, other] = [await opened(home), await opened(home)];
  const behind: number[] = [];
  for (let n = 0; n < ENTRIES; n += 1) {
    await add(one, "a1");
    const run = (await one.events("a1")).map(({ event }) => event).reduce(apply, NO_RUN);
    expect((await other.load("a1"))?.run).toEqual(run);
    expect((await (await opened(home)).load("a1"))?.run).toEqual(run);
    expect(verifyRun(other.database, "a1")).toEqual({ ok: true, run: "a1", seq: run.seq });
    behind.push(run.seq - shotOf(one));
  }
  expect(Math.max(...behind)).toBe(14);
  expect(behind.filter((records) => records === 0)).toHaveLength(3);
});

test("two that write one run in turns go on from what the other wrote", async () => {
  const home = newHome();
  const both = [await opened(home), await opened(home)];
  for (let n = 0; n < ENTRIES; n += 1)
    for (const store of both) expect((await add(store, "a1")).type).toBe("written");
  expect(await Promise.all(both.map(async (store) => (await store.load("a1"))?.row.seq))).toEqual([
    4 * ENTRIES,
    4 * ENTRIES,
  ]);
  expect(both.map(({ database }) => verifyRun(database, "a1").ok)).toEqual([true, true]);
});

test.for([
  "UPDATE events SET body = replace(body, '2', '3') WHERE seq = 4",
  "UPDATE events SET hash = 'x' WHERE seq = 4",
  "UPDATE events SET prev = 'x' WHERE seq = 5",
  "DELETE FROM events WHERE seq = 3",
  "DELETE FROM events WHERE seq = 5",
  "DELETE FROM events WHERE seq = 6",
  "DELETE FROM events WHERE seq > 2",
  "UPDATE snapshots SET seal = ''",
  "UPDATE snapshots SET seal = 'x'",
])("%s: whoever did not write it is not told a run that never was", async (sql) => {
  const home = newHome();
  const store = await opened(home);
  for (let n = 0; n < 3; n += 1) await add(store, "a1");
  expect(shotOf(store)).toBe(2);
  store.database.exec(sql);
  expect(await told(async () => (await opened(home)).load("a1"))).toMatch(
    /^damaged 8: run a1 in .* -> signalbox doctor --repair$/,
  );
});

function shotOf({ database }: SqliteStore): number {
  return Number(database.get("SELECT shot FROM snapshots")?.["shot"]);
}
