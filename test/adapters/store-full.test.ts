/** A database without room to grow: told as what it is, nothing half is written, and it goes on when there is room. */

import { expect, test } from "vitest";
import { repair } from "../../src/adapters/store/recovery/repair.ts";
import { verifyRun } from "../../src/adapters/store/recovery/verify.ts";
import { add } from "./store-entries.ts";
import { newHome, opened, told } from "./store-support.ts";

test("what does not fit is refused, and no damage", async () => {
  const home = newHome();
  const store = await opened(home);
  await add(store, "a1");
  const pages = Number(store.database.get("PRAGMA page_count")?.["page_count"]);
  store.database.exec(`PRAGMA max_page_count = ${pages}`);
  const fill = async (): Promise<void> => {
    for (let n = 0; n < 1000; n += 1) await add(store, `b${n}`);
  };
  expect(await told(fill)).toBe(
    `disk-full 1: no room is left on the disk of ${home.database}; nothing was changed -> df -h ${home.root}`,
  );
  const { rows } = await store.list({ limit: 2000 });
  expect(rows.filter(({ id }) => !verifyRun(store.database, id).ok)).toEqual([]);
  store.database.exec("PRAGMA max_page_count = 1000000");
  await add(store, "c1");
  expect((await store.list({ limit: 2000 })).rows.length).toBe(rows.length + 1);
  await store.close();
  expect(repair(home)).toMatchObject({ changed: false, quarantine: "" });
});
