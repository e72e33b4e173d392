/** Of a damaged database, repair keeps all that no event tells: projects, who waits for whom, what was made of tasks. */

import { expect, test } from "vitest";
import { repair } from "../../src/adapters/store/recovery/repair.ts";
import { COPIED } from "../../src/adapters/store/recovery/salvage.ts";
import { TABLES } from "../../src/adapters/store/schema.ts";
import type { SqliteStore } from "../../src/adapters/store/open.ts";
import { add } from "./store-entries.ts";
import { newHome, opened } from "./store-support.ts";

const DAMAGE = "UPDATE runs SET state = 'done' WHERE id = 'b1'";
/** Made again from the events. */
const DERIVED = ["meta", "runs", "snapshots", "keys", "deeds", "questions"];

function rowsOf({ database }: SqliteStore, table: string): unknown {
  return database.all(`SELECT * FROM ${table}`);
}

/** a1 waits in the queue, for b1; c1 was put away. */
async function filled(store: SqliteStore): Promise<void> {
  await store.commit([
    {
      type: "put-project",
      project: { repo: "/repo", name: "shop", defaultBranch: "trunk", agents: 2, remote: "origin" },
    },
  ]);
  await add(store, "a1");
  await add(store, "b1");
  await add(store, "c1", { status: "done" });
  await store.commit([{ type: "enqueue", run: "a1", repo: "/repo" }]);
  await store.commit([{ type: "put-depends", run: "a1", on: ["b1"] }]);
  await store.commit([{ type: "hide", run: "c1", hidden: true }]);
  store.database.exec(`
    INSERT INTO messages VALUES ('b1', 'b1:1:0', 'worker', '', 1, 'told', 1, 0);
    INSERT INTO graphs VALUES ('b1', 'tasks', 1, 'd', 2, 'open');
    INSERT INTO children VALUES ('b1', 'tasks', 1, 't1', 0, '{}', '{}', 'c1', 'done');
  `);
}

test("every table is copied, or made again from the events", () => {
  expect([...Object.keys(COPIED), ...DERIVED].toSorted()).toEqual(TABLES.toSorted());
});

test.for(["projects", "queue", "depends", "messages", "graphs", "children"])(
  "repair keeps %s",
  async (table) => {
    const home = newHome();
    const store = await opened(home);
    await filled(store);
    const before = rowsOf(store, table);
    store.database.exec(DAMAGE);
    await store.close();
    expect(repair(home)).toMatchObject({ changed: true, lost: [] });
    expect(rowsOf(await opened(home), table)).toEqual(before);
  },
);

test("what was put away stays away", async () => {
  const home = newHome();
  const store = await opened(home);
  await filled(store);
  store.database.exec(DAMAGE);
  await store.close();
  repair(home);
  expect((await (await opened(home)).list({ limit: 10 })).rows.map(({ id }) => id)).toEqual(["b1", "a1"]);
});

test("whose history is lost waits for nothing any more", async () => {
  const home = newHome();
  const store = await opened(home);
  await filled(store);
  store.database.exec("DELETE FROM events WHERE run = 'a1'");
  await store.close();
  repair(home);
  expect(await (await opened(home)).line()).toEqual([]);
});
