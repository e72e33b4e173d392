/** Child runs over the real store: what they are made of and started with, and what their parent is told. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileArtifacts } from "../../src/adapters/files/artifacts.ts";
import { homeAt, runFolders } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import type { Workflow } from "../../src/core/compile.ts";
import type { Works } from "../../src/engine/box.ts";
import { Families } from "../../src/engine/families.ts";
import type { Hands } from "../../src/engine/hands.ts";
import { perform } from "../../src/engine/perform.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { begin, submit } from "../../src/engine/submit.ts";
import { AT, HUMAN } from "../support/play.ts";
import { fromText } from "../support/workflows.ts";

const CHILD = fromText(`$schema: workflow-1.schema.json
name: child
title: A part of the work, which a person does
params: { goal: { text: "" }, task: { text: "" }, plan: { text: none }, parent: { text: "" } }
artifacts: { orphaned: { fact: parent-over } }
states: { working: { waits: true }, done: { final: done }, lost: { final: cancelled } }
moves:
  - { from: start, to: working, by: [human, engine] }
  - { from: working, to: done, by: human }
  - { from: working, to: lost, by: human }
  - { from: working, to: lost, by: engine, when: { orphaned: holds } }
`);

const PARENT = fromText(`$schema: workflow-1.schema.json
name: parent
title: One run is made of no list
params: { goal: { text: "" } }
artifacts:
  pass: { children: { id: meta, title: $goal }, workflow: child, fresh: judging }
states:
  judging: { enter: [start tasks pass] }
  good: { waits: true }
  bad: { waits: true }
  over: { final: done }
moves:
  - { from: start, to: judging, by: human }
  - { from: judging, to: good, by: engine, when: { pass: all } }
  - { from: judging, to: bad, by: engine, when: { pass: none } }
  - { from: [good, bad], to: judging, by: human }
  - { from: [good, bad], to: over, by: human }
`);

let folder = "";
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-children-"));
  store = openStore(homeAt(join(folder, "state")));
});
afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

let made = 0;

function works(): Works {
  const home = homeAt(join(folder, "state"));
  const all = new Map<string, Workflow>([PARENT, CHILD].map((each) => [each.hash(), each]));
  const some = {
    clock: { now: () => Date.parse(AT), mono: () => 0 },
    store,
    artifacts: fileArtifacts({ registry: store }),
    workspaces: { digest: () => Promise.resolve("t1"), snapshot: () => Promise.resolve("") },
    folders: (run: string) => runFolders(home, run),
    workflow: (hash: string) => all.get(hash),
    library: () => Promise.resolve(CHILD),
    newRun: () => `c${(made += 1)}`,
    log: () => undefined,
  };
  return some as unknown as Works;
}

/** Everything that is due, as the supervisor does it. */
async function work(): Promise<void> {
  const families = new Families(works());
  for (let round = 0; round < 3; round += 1) {
    for (const row of store.deeds("r1")) {
      if (row.status !== "pending") continue;
      store.claim(row.key, 0, Number.MAX_SAFE_INTEGER);
      await perform(works(), row);
      store.settle(row.key, 0, { type: "done", note: "" });
    }
    const taken: Promise<void>[] = [];
    const hands = {
      isBusyWith: () => false,
      take: (_run: string, act: () => Promise<void>) => taken.push(act()),
    };
    families.look(hands as unknown as Hands);
    await Promise.all(taken);
  }
}

async function begun(params: Readonly<Record<string, string>>): Promise<void> {
  const birth = { workflow: "parent", goal: "X", repo: folder, base: "" };
  store.define(PARENT.hash(), PARENT.definition);
  const outcome = await begin(works(), { run: "r1", by: HUMAN, workflow: PARENT, birth, params });
  if (outcome.type === "refused") throw new Error(outcome.refusal.message);
  await work();
}

async function move(run: string, to: string): Promise<void> {
  const moved = await submit(works(), {
    run,
    by: HUMAN,
    event: ({ at, kept: _kept, ...facts }) => ({ type: "move-asked", by: HUMAN, at, to, ...facts }),
  });
  if (moved.type !== "accepted") throw new Error(JSON.stringify({ ...moved, run: "" }));
  await work();
}

const children = () => store.childrenOf("r1");
const state = (): string => store.load("r1")?.run.state ?? "";

test("a run is made of no list: what it is for, how it ends, and anew each time", async () => {
  await begun({ goal: `Judge\n  everything ${"x".repeat(300)}` });
  expect(children().map(({ task }) => task)).toEqual([
    { id: "meta", title: `Judge everything ${"x".repeat(183)}`, files: [], dependsOn: [] },
  ]);
  const [first] = children();
  expect(first?.params).toEqual({ task: "meta", goal: first?.task.title, plan: "", parent: "r1" });
  await move(first?.run ?? "", "lost");
  expect([state(), store.load("r1")?.run.held["pass"]?.reading.fields["outcome"]]).toEqual(["bad", "none"]);
  await move("r1", "judging");
  await move(children().at(-1)?.run ?? "", "done");
  expect(state()).toBe("good");
  // What was done is not taken over: somebody wants it judged again.
  await move("r1", "judging");
  expect(state()).toBe("judging");
  expect(children().map(({ outcome, took, status }) => [outcome, took, status])).toEqual([
    ["failed", "", "cancelled"],
    ["done", "", "done"],
    ["", "", "waiting"],
  ]);
});
