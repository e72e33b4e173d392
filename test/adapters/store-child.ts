/**
 * A process that uses a store, in a state home or at the address of a database: `PLACE append N` adds N entries to run `a1` and says what
 * was acknowledged; `PLACE race` says `ready`, waits for a line, and tries the next entry once; `PLACE contend N` says `ready`, waits, and
 * tries until N entries of its own are written; `PLACE claim` claims and settles the first deed; `PLACE repair` repairs; anything else only opens.
 */

import { claim, newFence, settle } from "../support/effects.ts";
import { readSync } from "node:fs";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { openStoreOf } from "../../src/adapters/stores.ts";
import { repair } from "../../src/adapters/store/recovery/repair.ts";
import { add, DEFINITION, HASH, next, START } from "./store-entries.ts";

const [place = "", work = "", count = "1"] = process.argv.slice(2);
const isAddress = place.startsWith("postgres:");
if (work === "repair") {
  repair(homeAt(place));
  process.exit(0);
}
const store = await openStoreOf({ home: homeAt(place), database: isAddress ? place : undefined });

if (work === "append") {
  await store.commit([{ type: "define", hash: HASH, definition: DEFINITION }]);
  for (let n = 0; n < Number(count); n += 1) {
    const appended = await add(store, "a1", { deeds: [START] });
    if (appended.type !== "written") continue;
    process.stdout.write(`acked ${(await store.load("a1"))?.row.seq ?? 0}\n`);
  }
} else if (work === "race") {
  const entry = await next(store, "a1", { deeds: [START] });
  process.stdout.write("ready\n");
  readSync(0, Buffer.alloc(10));
  const appended = await store.commit([{ type: "append", entry }]);
  process.stdout.write(`${appended.type}\n`);
} else if (work === "contend") {
  process.stdout.write("ready\n");
  readSync(0, Buffer.alloc(10));
  for (let n = 0; n < Number(count);) {
    const key = `${process.pid}-${n}`;
    const { type } = await add(store, "a1", { key, answer: key });
    if (type === "written") n += 1;
    else if (type !== "conflict") throw new Error(`the key ${key} is ${type}`);
  }
} else if (work === "claim") {
  const fence = await newFence(store);
  const [deed] = await store.due(0, 1);
  const claimed = deed === undefined ? undefined : await claim(store, deed.key, { fence, leaseUntil: 0 });
  if (claimed !== undefined) process.stdout.write(`claimed ${claimed.key}\n`);
  if (
    claimed !== undefined &&
    (await settle(store, claimed.key, { fence, outcome: { type: "done", note: "" } }))
  )
    process.stdout.write(`settled ${claimed.key}\n`);
}
await store.close();
