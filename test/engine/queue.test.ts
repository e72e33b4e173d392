/** The queue over the real store: who is started, in which order, and what is told of those who are not. */

import { claim, newFence, settle } from "../support/effects.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Place } from "../../src/engine/ports/files.ts";
import type { Works } from "../../src/engine/box.ts";
import type { Observer } from "../../src/engine/supervise/observed-facts.ts";
import { Hands } from "../../src/engine/supervise/in-progress.ts";
import { MergedElsewhere } from "../../src/engine/supervise/merged-elsewhere.ts";
import { dependencyProblem, isTurnOfSomebody, waitsFor, whyInLine } from "../../src/engine/queue/position.ts";
import type { Landing, Merges, WorkOf } from "../../src/engine/ports/merges.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { Queue } from "../../src/engine/queue/queue.ts";
import { begin } from "../../src/engine/submit/begin.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import { AT, HUMAN } from "../support/play.ts";
import { fromText, loadWorkflow } from "../support/workflows.ts";

const task = loadWorkflow("task");
/** Other names for everything: what the engine does hangs on no name. */
const other = fromText(`$schema: workflow-1.schema.json
name: laundry
title: Laundry, one machine at a time
artifacts:
  machine: { fact: ready-to-start }
  dry: { fact: branch-merged }
  note: { in: NOTE.md, document: [What], by: human }
states:
  basket: { waits: true }
  drum: { waits: true }
  shelf: { final: done }
  bin: { final: cancelled }
moves:
  - { from: start, to: basket, by: human }
  - { from: start, to: drum, by: human, reserve: workspace }
  - { from: basket, to: drum, by: engine, when: { machine: holds }, reserve: workspace }
  - { from: drum, to: shelf, by: engine, when: { dry: holds }, do: [release workspace] }
  - { from: [basket, drum], to: bin, by: human }
`);

const REPO = "/repo";
let folder = "";
let store: Store;
let workflow: Workflow = task;
let now = 0;

beforeEach(async () => {
  now = Date.parse(AT);
  folder = mkdtempSync(join(tmpdir(), "signalbox-queue-"));
  store = openStore(homeAt(folder));
  workflow = task;
  await project(2);
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

async function project(agents: number, repo = REPO): Promise<void> {
  await store.commit([
    {
      type: "put-project",
      project: { repo, name: repo.slice(1), defaultBranch: "main", agents, remote: "" },
    },
  ]);
}

/** What each look finds; work is news until it was told, and again when its run has moved. */
function mergesThat(find: () => Landing | undefined): Merges {
  const told = new Set<string>();
  const stamp = ({ run, entry }: WorkOf): string => `${run} ${entry}`;
  return {
    news: (all) => all.filter((work) => !told.has(stamp(work))),
    landing: () => Promise.resolve(find()),
    remember: (work) => void told.add(stamp(work)),
  };
}

const NOTHING_MERGED: Merges = mergesThat(() => undefined);
const LANDED: Landing = { ref: "refs/heads/main", commit: "3", by: "Ada" };

/** A world without files, processes and git. */
function worksOf(merges: Merges = NOTHING_MERGED): Works {
  const nothing = {
    clock: { now: () => now, mono: () => 0 },
    store,
    artifacts: {
      read: () => Promise.resolve([]),
      collect: () => Promise.resolve({ readings: [], textOf: () => Promise.resolve(undefined) }),
      keep: () => Promise.resolve([]),
      project: () => Promise.resolve(() => ({ told: [], isWhole: true })),
    },
    workspaces: { digest: () => Promise.resolve("t1"), requireDeliverable: () => Promise.resolve() },
    folders: () => ({ files: folder, agents: folder, checks: folder, archive: folder, kept: folder }),
    workflow: () => workflow,
    merges,
    log: () => undefined,
  };
  return nothing as unknown as Works;
}

async function begun(
  run: string,
  more: { repo?: string; to?: string; queued?: boolean } = {},
): Promise<void> {
  const { repo = REPO, to, queued = true } = more;
  const birth = { workflow: workflow.definition.name, goal: "", repo, base: "" };
  const start = { run, by: HUMAN, workflow, birth, params: {}, ...(to === undefined ? {} : { to }) };
  const { type } = await begin(worksOf(), start);
  if (type !== "accepted") throw new Error(type);
  if (queued) await store.commit([{ type: "enqueue", run, repo }]);
}

async function move(run: string, to: string): Promise<void> {
  const { type } = await submit(worksOf(), {
    run,
    by: HUMAN,
    event: ({ kept: _kept, ...known }) => ({ type: "move-asked", by: HUMAN, to, ...known }),
  });
  if (type !== "accepted") throw new Error(type);
}

/** One turn of the supervisor. */
async function look(observer: Observer = new Queue(worksOf())): Promise<void> {
  const hands = new Hands(worksOf(), () => undefined);
  await observer.look(hands, false);
  await hands.rest();
}

/** Everything that was ordered for a run has been done. */
async function done(run: string): Promise<void> {
  const fence = await newFence(store);
  for (;;) {
    const deed = (await store.due(now, 100)).find((each) => each.run === run);
    if (deed === undefined) return;
    await claim(store, deed.key, { fence: fence, leaseUntil: now + 1000 });
    await settle(store, deed.key, { fence: fence, outcome: { type: "done", note: "" } });
  }
}

const states = async (...runs: string[]): Promise<string[]> =>
  Promise.all(runs.map(async (run) => (await store.load(run))?.run.state ?? ""));
const queued = async (): Promise<string[]> => (await store.queued()).map(({ run }) => run);

test("in the order in which they came, as many as agents may work", async () => {
  for (const run of ["a", "b", "c"]) await begun(run);
  expect(await isTurnOfSomebody(store, now)).toBe(true);
  await look();
  expect(await states("a", "b", "c")).toEqual(["planning", "planning", "pending"]);
  expect(await queued()).toEqual(["c"]);
  expect(await waitsFor(store, "c")).toEqual([
    "0 of 2 agents at work and 2 about to start (raise with: signalbox project update repo --agents 4)",
  ]);
  await move("a", "cancelled");
  await done("a");
  await look();
  expect(await states("c")).toEqual(["planning"]);
  expect(await queued()).toEqual([]);
  expect(await waitsFor(store, "c")).toEqual([]);
});

test("one project whose agents all work holds up no other", async () => {
  await project(1);
  await project(1, "/other");
  for (const run of ["a", "b"]) await begun(run);
  await begun("c", { repo: "/other" });
  await look();
  expect(await states("a", "b", "c")).toEqual(["planning", "pending", "planning"]);
});

test("whoever depends on others waits for them, and lets those behind go first", async () => {
  await project(9);
  for (const run of ["a", "b", "c"]) await begun(run);
  await store.commit([{ type: "put-depends", run: "b", on: ["a"] }]);
  await look();
  expect(await states("a", "b", "c")).toEqual(["planning", "pending", "planning"]);
  expect(await waitsFor(store, "b")).toEqual(["waits for a (planning)"]);
  await move("a", "cancelled");
  await look();
  expect(await states("b")).toEqual(["pending"]);
  expect(await waitsFor(store, "b")).toEqual([
    "waits for a, which was cancelled: signalbox update b --depends-on none",
  ]);
  await store.commit([{ type: "put-depends", run: "b", on: ["a", "gone"] }]);
  expect(await waitsFor(store, "b")).toEqual([
    "waits for a, which was cancelled: signalbox update b --depends-on gone",
    "waits for gone, which is not there or damaged: signalbox update b --depends-on a",
  ]);
  await store.commit([{ type: "put-depends", run: "b", on: [] }]);
  await look();
  expect(await states("b")).toEqual(["planning"]);
});

test("whoever has gone on by other means leaves the queue; whoever is halted stays", async () => {
  await project(9);
  for (const run of ["a", "b", "c"]) await begun(run);
  await move("a", "cancelled");
  await move("b", "planning");
  await store.commit([{ type: "halt", run: "c", halted: true }]);
  await look();
  expect(await queued()).toEqual(["c"]);
  expect(await states("a", "b", "c")).toEqual(["cancelled", "planning", "pending"]);
  await store.commit([{ type: "halt", run: "c", halted: false }]);
  await look();
  expect(await states("c")).toEqual(["planning"]);
});

/** Of the run `a` nothing can be read; `tries` counts how often that was tried. */
function brokenWorks(): { works: Works; tries: () => number } {
  const works = worksOf();
  let tries = 0;
  const collect = (place: Place): Promise<unknown> => {
    if (place.run.id !== "a") return works.artifacts.collect(place);
    tries += 1;
    return Promise.reject(new Error("no such disk"));
  };
  const broken = { ...works, artifacts: { ...works.artifacts, collect } } as unknown as Works;
  return { works: broken, tries: () => tries };
}

const MINUTE = 60_000;

test("one that does not go is tried again less and less often, and no command wakes anybody in between", async () => {
  await begun("a");
  const { works, tries } = brokenWorks();
  const tried: number[] = [];
  // Somebody types a command every second; each would start a supervisor of its own.
  for (const end = now + 10 * MINUTE; now < end; now += 1000) {
    if (!(await isTurnOfSomebody(store, now))) continue;
    await look(new Queue(works));
    tried.push((now - Date.parse(AT)) / 1000);
  }
  expect(tried).toEqual([0, 10, 30, 70, 150, 310]);
  expect(tries()).toBe(tried.length);
  expect(await whyInLine(store, "a")).toEqual([
    "could not be started when its turn came: no such disk; tried again now and then, and at once with: signalbox resume a",
  ]);
  expect(await waitsFor(store, "a")).toEqual([]);
});

test.for<[what: string, change: () => unknown]>([
  ["a person resumes it", () => store.commit([{ type: "readmit", run: "a" }])],
  ["a person starts it", () => store.commit([{ type: "enqueue", run: "a", repo: REPO }])],
  ["time has passed", () => void (now += 10_000)],
  ["the clock was put back", () => void (now -= 100 * 24 * 60 * MINUTE)],
  ["something has happened to it", () => setSummary("a")],
])("one that did not go is tried again at once when %s", async ([, change]) => {
  await begun("a");
  await look(new Queue(brokenWorks().works));
  expect(await isTurnOfSomebody(store, now)).toBe(false);
  await change();
  expect(await isTurnOfSomebody(store, now)).toBe(true);
  await look();
  expect([await states("a"), await queued()]).toEqual([["planning"], []]);
});

async function setSummary(run: string): Promise<void> {
  const event = { type: "param-set", by: HUMAN, name: "summary", value: "another", at: AT } as const;
  const { type } = await submit(worksOf(), { run, by: HUMAN, event: () => event });
  if (type !== "accepted") throw new Error(type);
}

test("one that cannot be started stays, is told once, and holds up nobody", async () => {
  await project(9);
  for (const run of ["a", "b"]) await begun(run);
  const { works: broken } = brokenWorks();
  const queue = new Queue(broken);
  for (let turn = 0; turn < 3; turn += 1) await look(queue);
  await look(new Queue(broken));
  expect(await states("a", "b")).toEqual(["pending", "planning"]);
  expect(await queued()).toEqual(["a"]);
  expect((await store.notes("a")).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    "queue: it was its turn, and it could not be started: no such disk",
  ]);
  const { seq } = (await store.load("a"))?.run ?? { seq: 0 };
  now += MINUTE;
  await look();
  expect((await store.load("a"))?.run.seq).toBeGreaterThan(seq);
});

test("a damaged run in the line, or with a workspace, stops nobody", async () => {
  await project(9);
  for (const run of ["a", "b"]) await begun(run);
  const works = worksOf();
  const load: Store["load"] = async (run) => {
    if (run === "a") return Promise.reject(new Error("damaged"));
    return store.load(run);
  };
  const damaged = { ...works, store: { ...store, load } } as Works;
  const queue = new Queue(damaged);
  for (let turn = 0; turn < 2; turn += 1) await look(queue);
  expect(await states("b")).toEqual(["planning"]);
  expect(await queued()).toEqual(["a"]);
  expect(await isTurnOfSomebody(store, now)).toBe(false);
  now += MINUTE;
  await look();
  await store.commit([
    {
      type: "put-workspace",
      workspace: {
        run: "a",
        repo: REPO,
        path: "/w",
        branch: "x",
        base: "1",
        status: "bound",
        salvage: "",
        kept: "",
      },
    },
  ]);
  let looks = 0;
  const merges = mergesThat(() => ((looks += 1), LANDED));
  const landings = new MergedElsewhere({ ...damaged, merges }, 0);
  for (let turn = 0; turn < 3; turn += 1) await look(landings);
  expect(looks).toBe(0);
});

test("another workflow, by other names; nothing is written where a fact leads nowhere", async () => {
  workflow = other;
  await project(1);
  await begun("a");
  await begun("b");
  await store.commit([{ type: "put-depends", run: "b", on: ["a"] }]);
  await look();
  expect(await states("a", "b")).toEqual(["drum", "basket"]);
  const seq = (await store.load("b"))?.run.seq;
  await look();
  expect((await store.load("b"))?.run.seq).toBe(seq);
  await store.commit([
    {
      type: "put-workspace",
      workspace: {
        run: "a",
        repo: REPO,
        path: "/w",
        branch: "x",
        base: "1",
        status: "bound",
        salvage: "",
        kept: "",
      },
    },
  ]);
  // What was seen is about other work than there is: nothing is told.
  await look(new MergedElsewhere(worksOf(mergesThat(() => LANDED)), 0));
  expect(await states("a")).toEqual(["drum"]);
  await submit(worksOf(), {
    run: "a",
    by: { type: "engine" },
    event: ({ at, tree = "" }) => ({ type: "observed", at, tree }),
  });
  await look(new MergedElsewhere(worksOf(mergesThat(() => LANDED)), 0));
  expect(await states("a")).toEqual(["shelf"]);
});

test("a merge that leads nowhere is told once: the supervisor can leave", async () => {
  await begun("a");
  await look();
  await move("a", "cancelled");
  await store.commit([
    {
      type: "put-workspace",
      workspace: {
        run: "a",
        repo: REPO,
        path: "/w",
        branch: "x",
        base: "1",
        status: "bound",
        salvage: "",
        kept: "",
      },
    },
  ]);
  let looks = 0;
  const merges = mergesThat(() => ((looks += 1), LANDED));
  const landings = new MergedElsewhere(worksOf(merges), 0);
  for (let turn = 0; turn < 3; turn += 1) await look(landings);
  expect(looks).toBe(1);
});

test("what nothing can depend on", async () => {
  for (const run of ["a", "b", "c"]) await begun(run);
  await begun("z", { repo: "/other" });
  await store.commit([{ type: "put-depends", run: "b", on: ["a"] }]);
  await store.commit([{ type: "put-depends", run: "c", on: ["b"] }]);
  const problem = async (run: string, ...on: string[]): Promise<string | undefined> =>
    (await dependencyProblem(store, { run, repo: REPO }, on))?.message;
  expect(await problem("d", "a", "b", "c")).toBeUndefined();
  expect(await problem("c", "a", "b")).toBeUndefined();
  expect(await problem("a", "a")).toBe("a cannot depend on itself");
  expect(await problem("a", "nobody")).toBe('there is no task "nobody"');
  expect(await problem("a", "z")).toContain("z is a task of another project, in /other");
  expect(await problem("a", "b")).toBe("that is a circle: a -> b -> a");
  expect(await problem("a", "c")).toBe("that is a circle: a -> c -> b -> a");
});
