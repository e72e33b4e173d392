/**
 * A process that uses a store: `HOME append N` adds N entries to run `a1` and says what was acknowledged; `HOME race` says
 * `ready`, waits for a line, and tries the next entry once; `HOME claim` claims and settles the first deed; `HOME migrate`
 * opens with one step more; `HOME repair` repairs; anything else only opens.
 */

import { readSync } from "node:fs";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import { repair } from "../../src/adapters/store/repair.ts";
import { MIGRATIONS } from "../../src/adapters/store/schema.ts";
import { apply } from "../../src/core/apply.ts";
import type { Event } from "../../src/core/event.ts";
import { NO_RUN } from "../../src/core/run.ts";
import type { Definition } from "../../src/core/workflow.ts";
import type { Appended } from "../../src/engine/ports.ts";

const [root = "", work = "", count = "1"] = process.argv.slice(2);
const migrations =
  work === "migrate" ? [...MIGRATIONS, "CREATE TABLE extra (n INTEGER PRIMARY KEY) STRICT"] : MIGRATIONS;
if (work === "repair") {
  repair(homeAt(root));
  process.exit(0);
}
const store = openStore(homeAt(root), { migrations });
const AT = "2026-01-01T00:00:00.000Z";

if (work === "append") {
  store.define("sha256:child", { states: {}, moves: [], name: "child" } as unknown as Definition);
  for (let n = 0; n < Number(count); n += 1) {
    const appended = add();
    if (appended.type === "written") process.stdout.write(`acked ${appended.seq}\n`);
  }
} else if (work === "race") {
  const seq = store.load("a1")?.row.seq;
  process.stdout.write("ready\n");
  readSync(0, Buffer.alloc(10));
  const appended = add(seq);
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

function add(seq?: number): Appended {
  const kept = store.load("a1");
  const run = kept?.run ?? NO_RUN;
  const definition = kept?.run.definition ?? "sha256:child";
  const events: readonly Event[] =
    run.seq === 0
      ? [
          { type: "run-started", by: { type: "human" }, at: AT, run: "a1", definition, params: {} },
          { type: "tree-seen", tree: "t", drop: [] },
        ]
      : [{ type: "observed", at: AT }];
  const after = { ...events.reduce(apply, run), seq: (seq ?? run.seq) + events.length };
  return store.append({
    run: "a1",
    seq: seq ?? run.seq,
    at: AT,
    by: { type: "engine" },
    events,
    after,
    status: "running",
    deeds: [{ type: "start-agent", role: "worker", slot: "", attempt: after.seq, prompt: "p" }],
    birth: { workflow: "child", goal: "", repo: "/repo", base: "main" },
  });
}
