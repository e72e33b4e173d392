/**
 * A process that uses a store: `HOME append N` adds N entries to run `a1` and says what was acknowledged; `HOME race` says
 * `ready`, waits for a line, and tries the next entry once; `HOME claim` claims and settles the first deed; `HOME repair`
 * repairs; anything else only opens.
 */

import { readSync } from "node:fs";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import { repair } from "../../src/adapters/store/recovery/repair.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import { add, counted, DEFINITION, entry, HASH, START } from "./store-entries.ts";

const [root = "", work = "", count = "1"] = process.argv.slice(2);
if (work === "repair") {
  repair(homeAt(root));
  process.exit(0);
}
const store = openStore(homeAt(root));

if (work === "append") {
  store.define(HASH, DEFINITION);
  for (let n = 0; n < Number(count); n += 1) {
    const appended = add(store, "a1", { deeds: [START] });
    if (appended.type === "written") process.stdout.write(`acked ${appended.seq}\n`);
  }
} else if (work === "race") {
  const run = store.load("a1")?.run ?? NO_RUN;
  process.stdout.write("ready\n");
  readSync(0, Buffer.alloc(10));
  const appended = store.append(entry(run, counted(run.seq), { deeds: [START] }));
  process.stdout.write(`${appended.type}\n`);
} else if (work === "claim") {
  const fence = store.fence();
  const [deed] = store.due(0, 1);
  const claimed = deed === undefined ? undefined : store.claim(deed.key, fence, 0);
  if (claimed !== undefined) process.stdout.write(`claimed ${claimed.key}\n`);
  if (claimed !== undefined && store.settle(claimed.key, fence, { type: "done", note: "" }))
    process.stdout.write(`settled ${claimed.key}\n`);
}
store.close();
