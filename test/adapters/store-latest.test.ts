/** Snapshots that are older than their runs: what came after them is in the events. */

import { expect, test } from "vitest";
import { digestOfRun } from "../../src/adapters/store/chain.ts";
import type { SqliteStore } from "../../src/adapters/store/open.ts";
import { repair } from "../../src/adapters/store/repair.ts";
import { MIGRATIONS } from "../../src/adapters/store/schema.ts";
import { verifyRun } from "../../src/adapters/store/verify.ts";
import { openFile } from "../../src/adapters/store/sqlite.ts";
import { apply } from "../../src/core/apply.ts";
import { NO_RUN } from "../../src/core/run.ts";
import { add } from "./store-entries.ts";
import { newHome, opened, told } from "./store-support.ts";

const ENTRIES = 20;

test("whoever did not write a run loads it as it is, and few records after its snapshot", () => {
  const home = newHome();
  const [one, other] = [opened(home), opened(home)];
  const behind = Array.from({ length: ENTRIES }, () => {
    add(one, "a1");
    const run = one
      .events("a1")
      .map(({ event }) => event)
      .reduce(apply, NO_RUN);
    expect(other.load("a1")?.run).toEqual(run);
    expect(opened(home).load("a1")?.run).toEqual(run);
    expect(verifyRun(other.database, "a1")).toEqual({ ok: true, run: "a1", seq: run.seq });
    return run.seq - shotOf(one);
  });
  expect(Math.max(...behind)).toBe(14);
  expect(behind.filter((records) => records === 0)).toHaveLength(3);
});

test("two that write one run in turns go on from what the other wrote", () => {
  const home = newHome();
  const both = [opened(home), opened(home)];
  for (let n = 0; n < ENTRIES; n += 1)
    for (const store of both) expect(add(store, "a1").type).toBe("written");
  expect(both.map((store) => store.load("a1")?.row.seq)).toEqual([4 * ENTRIES, 4 * ENTRIES]);
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
])("%s: whoever did not write it is not told a run that never was", (sql) => {
  const home = newHome();
  const store = opened(home);
  for (let n = 0; n < 3; n += 1) add(store, "a1");
  expect(shotOf(store)).toBe(2);
  store.database.exec(sql);
  expect(told(() => opened(home).load("a1"))).toMatch(
    /^damaged 8: run a1 in .* -> signalbox doctor --repair$/,
  );
});

test("runs from before snapshots could be older are read, and go on", () => {
  const home = newHome();
  const store = opened(home);
  add(store, "a1");
  makeOld(store);
  store.close();
  const [one, other] = [opened(home), opened(home)];
  expect(one.database.get("PRAGMA user_version")).toEqual({ user_version: MIGRATIONS.length });
  expect(one.load("a1")?.row.seq).toBe(2);
  expect(verifyRun(one.database, "a1").ok).toBe(true);
  for (let n = 0; n < 3; n += 1) add(one, "a1");
  expect([shotOf(one), other.load("a1")?.row.seq]).toEqual([4, 8]);
  expect(verifyRun(other.database, "a1").ok).toBe(true);
});

test("a repair that finds an older database whole leaves it alone", () => {
  const home = newHome();
  const store = opened(home);
  add(store, "a1");
  makeOld(store);
  store.close();
  const file = openFile(home.database);
  file.exec("PRAGMA journal_mode = DELETE");
  file.close();
  expect(repair(home)).toMatchObject({ changed: false, found: [] });
});

function shotOf({ database }: SqliteStore): number {
  return Number(database.get("SELECT shot FROM snapshots")?.["shot"]);
}

/** As the version before wrote it: the digest of the row is over the snapshot itself. */
function makeOld(store: SqliteStore): void {
  const { database } = store;
  const row = store.load("a1")?.row;
  const snapshot = database.get("SELECT json FROM snapshots")?.["json"];
  if (row === undefined || typeof snapshot !== "string") throw new Error("there is no run a1");
  database.write(() => {
    database.run("UPDATE runs SET digest = ?", digestOfRun(row, snapshot));
    database.exec("ALTER TABLE snapshots DROP COLUMN shot; ALTER TABLE snapshots DROP COLUMN seal");
    database.exec("PRAGMA user_version = 5");
  });
}
