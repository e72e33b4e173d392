/** What an accepted event costs in one process: against bare commits of the same SQLite, and with a long history. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileArtifacts } from "../src/adapters/files/artifacts/artifacts.ts";
import { homeAt, runFolders } from "../src/adapters/home/paths.ts";
import { openStore, type SqliteStore } from "../src/adapters/store/open.ts";
import { openFile } from "../src/adapters/store/sqlite.ts";
import type { Workflow } from "../src/core/model/compile.ts";
import type { Incoming } from "../src/core/model/event.ts";
import { step } from "../src/core/step/step.ts";
import { NO_RUN, type Run } from "../src/core/model/run.ts";
import { workflowsOf, type Box } from "../src/engine/box.ts";
import type { Store } from "../src/engine/ports/store.ts";
import { begin } from "../src/engine/submit/begin.ts";
import { submit as submitWhole } from "../src/engine/submit/submit.ts";
import { median, table, thousands, type Figure } from "./figure.ts";
import { incomingOf } from "./task/incoming.ts";
import { loadTask } from "./task/load.ts";
import { STORIES } from "./task/stories.ts";

const SHARE_WANTED = 0.35;
const LENGTH_WANTED = 1.3;
const ROUNDS = 41;
const BATCH = 100;
const LONG = 100_000;
const SHORT = 10;

/** Events that the core accepts, life after life. */
export type Feed = {
  readonly lives: readonly (readonly Incoming[])[];
  readonly name: string;
  /** The run as it is; undefined where it is loaded for each event. */
  run: Run | undefined;
  runs: number;
  next: number;
};

export function benchStore(): Promise<Figure> {
  return inFolder(async (folder) => {
    const store = openStore(homeAt(folder));
    const workflow = loadTask();
    await store.commit([{ type: "define", hash: workflow.hash(), definition: workflow.definition }]);
    await makeProjects(store);
    const lives = acceptedOf(workflow);
    const held: Feed = { lives, name: "held", run: NO_RUN, runs: 0, next: 0 };
    const loaded: Feed = { lives, name: "loaded", run: undefined, runs: 0, next: 0 };
    const bare = bareCommits(join(folder, "bare.db"));
    const box = boxOf(folder, store);
    const told: Feed = { lives, name: "told", run: undefined, runs: 0, next: 0 };
    const read: Feed = { lives, name: "read", run: undefined, runs: 0, next: 0 };
    const works = {
      bare: bare.commit,
      held: () => accept(store, workflow, held),
      loaded: () => accept(store, workflow, loaded),
      told: () => acceptWhole(box, workflow, { feed: told, isRead: false }),
      read: () => acceptWhole(box, workflow, { feed: read, isRead: true }),
    };
    const round = async (): Promise<Readonly<Record<keyof typeof works, number>>> => ({
      bare: await perSecond(works.bare),
      held: await perSecond(works.held),
      loaded: await perSecond(works.loaded),
      told: await perSecond(works.told),
      read: await perSecond(works.read),
    });
    await round();
    const rounds: Awaited<ReturnType<typeof round>>[] = [];
    for (let n = 0; n < ROUNDS; n += 1) rounds.push(await round());
    const events = store.database.get("SELECT count(*) AS count FROM events")?.["count"];
    const accepted = (ROUNDS + 1) * BATCH * 4;
    bare.close();
    await store.close();
    const rate = (of: keyof typeof works): string => thousands(median(rounds.map((one) => one[of])));
    const shareOf = (of: keyof typeof works): number => median(rounds.map((one) => one[of] / one.bare));
    const share = shareOf("told");
    const rows = [
      ["bare one-row commit", rate("bare"), "1.00"],
      ["decided and written", rate("held"), shareOf("held").toFixed(2)],
      ["loaded, decided and written", rate("loaded"), shareOf("loaded").toFixed(2)],
      ["the whole of the engine's `submit`, facts at hand", rate("told"), share.toFixed(2)],
      ["the same, and all files of the run are looked at", rate("read"), shareOf("read").toFixed(2)],
    ];
    return {
      name: "durable accepted events in one process, against bare one-row `node:sqlite` commits",
      wanted: `at least ${SHARE_WANTED}`,
      got: share.toFixed(2),
      ok: share >= SHARE_WANTED,
      details: `${table(["", "per second", "share"], rows)}\n\nWAL, \`synchronous=FULL\`. Lives of the task workflow; ${(Number(events) / accepted).toFixed(1)} records for each accepted event. Median of ${ROUNDS} alternating batches of ${BATCH}.`,
    };
  });
}

export function benchHistory(): Promise<Figure> {
  return inFolder(async (folder) => {
    const store = openStore(homeAt(folder));
    const workflow = loadTask();
    await store.commit([{ type: "define", hash: workflow.hash(), definition: workflow.definition }]);
    await quickly(store, async () => {
      await lengthen(store, workflow, { id: "long", events: LONG });
      for (let n = 0; n < BATCH; n += 1) await lengthen(store, workflow, { id: `short-${n}`, events: SHORT });
    });
    let turn = 0;
    const long = (): Promise<void> => observe(store, workflow, "long");
    const short = (): Promise<void> => observe(store, workflow, `short-${turn++ % BATCH}`);
    await perSecond(long);
    await perSecond(short);
    const rounds: { short: number; long: number }[] = [];
    for (let n = 0; n < ROUNDS; n += 1)
      rounds.push({ short: await perSecond(short), long: await perSecond(long) });
    await store.close();
    const ratio = median(rounds.map((round) => round.short / round.long));
    const rows = [
      [`${SHORT} events`, thousands(median(rounds.map((round) => round.short)))],
      [`${thousands(LONG)} events`, thousands(median(rounds.map((round) => round.long)))],
    ];
    return {
      name: `one event with ${thousands(LONG)} events of history, against one with ${SHORT}`,
      wanted: `at most ${LENGTH_WANTED} times`,
      got: `${ratio.toFixed(2)} times`,
      ok: ratio <= LENGTH_WANTED,
      details: `${table(["history", "accepted events per second"], rows)}\n\nMedian of ${ROUNDS} alternating batches of ${BATCH}; both in one database.`,
    };
  });
}

export function acceptedOf(workflow: Workflow): readonly (readonly Incoming[])[] {
  return STORIES.map(({ events }) => {
    let run = NO_RUN;
    return events
      .map((event) => incomingOf(event, workflow.hash()))
      .filter((incoming) => {
        const next = step(workflow, run, incoming);
        if (next.ok) ({ run } = next);
        return next.ok;
      });
  });
}

async function accept(store: Store, workflow: Workflow, feed: Feed): Promise<void> {
  const life = feed.lives[feed.runs % feed.lives.length] ?? [];
  const incoming = life[feed.next++];
  if (incoming === undefined) {
    feed.runs += 1;
    feed.next = 0;
    if (feed.run !== undefined) feed.run = NO_RUN;
    await accept(store, workflow, feed);
    return;
  }
  const id = `${feed.name}-${feed.runs}`;
  const after = await submit(store, workflow, { id, incoming, run: feed.run ?? (await load(store, id)) });
  if (feed.run !== undefined) feed.run = after;
}

/** As every door does it: the first event of a life begins the run, every other one is submitted. */
export async function acceptWhole(
  box: Box,
  workflow: Workflow,
  on: { readonly feed: Feed; readonly isRead: boolean },
): Promise<void> {
  const { feed } = on;
  const life = feed.lives[feed.runs % feed.lives.length] ?? [];
  const incoming = life[feed.next++];
  if (incoming === undefined) {
    feed.runs += 1;
    feed.next = 0;
    return acceptWhole(box, workflow, on);
  }
  const id = `${feed.name}-${feed.runs}`;
  const by = { type: "engine" } as const;
  const key = `${id}-${feed.next}`;
  const submission =
    incoming.type === "run-started"
      ? await begin(box, {
          ...incoming,
          run: id,
          workflow,
          birth: { ...BIRTH, repo: repoOf(feed.runs) },
          key,
        })
      : await submitWhole(box, {
          run: id,
          by,
          key,
          event: () => incoming,
          ...(on.isRead ? {} : { facts: {} }),
        });
  if (submission.type !== "accepted") throw new Error(`run ${id}: ${JSON.stringify(submission)}`);
}

/** No run waits here: as many agents may work as there are. */
const PROJECTS = 200;
const repoOf = (n: number): string => `/repo/${n % PROJECTS}`;

export async function makeProjects(store: Store): Promise<void> {
  for (let n = 0; n < PROJECTS; n += 1)
    await store.commit([
      {
        type: "put-project",
        project: { repo: repoOf(n), name: `p${n}`, defaultBranch: "", agents: 10_000, remote: "" },
      },
    ]);
}

const BIRTH = { workflow: "task", goal: "Bench", repo: "/repo", base: "main" };

export function boxOf(folder: string, store: Store): Box {
  const home = homeAt(folder);
  const none = (): never => {
    throw new Error("these runs have no workspace");
  };
  return {
    clock: { now: () => Date.now(), mono: () => performance.now() },
    store,
    artifacts: fileArtifacts(store),
    workspaces: {
      prepare: none,
      digest: none,
      files: none,
      besides: none,
      requireDeliverable: none,
      snapshot: none,
      usable: none,
      judge: none,
      baseline: none,
      discard: none,
      release: none,
    },
    folders: (run) => runFolders(home, run),
    workflow: workflowsOf(store),
  };
}

async function load(store: Store, id: string): Promise<Run> {
  return (await store.load(id))?.run ?? NO_RUN;
}

type Submission = {
  readonly id: string;
  readonly incoming: Incoming;
  readonly run: Run;
  readonly repo?: string | undefined;
};

async function submit(
  store: Store,
  workflow: Workflow,
  { id, incoming, run, repo }: Submission,
): Promise<Run> {
  const event = incoming.type === "run-started" ? { ...incoming, run: id } : incoming;
  const next = step(workflow, run, event);
  if (!next.ok) throw new Error(`run ${id} refuses: ${next.refusal.message}`);
  const appended = await store.commit([
    {
      type: "append",
      entry: {
        run: id,
        seq: run.seq,
        head: run.seq === 0 ? "" : ((await store.load(id))?.row.head ?? ""),
        at: incoming.at,
        by: { type: "human" },
        events: next.events,
        after: next.run,
        status: "running",
        deeds: next.effects,
        birth: { ...BIRTH, repo: repo ?? BIRTH.repo },
        key: `${id}-${run.seq}`,
        answer: JSON.stringify({ state: next.run.state }),
      },
    },
  ]);
  if (appended.type !== "written") throw new Error(`run ${id} is at ${JSON.stringify(appended)}`);
  return next.run;
}

/** Fills a store without waiting for the disk at each event. */
export async function quickly(store: SqliteStore, fill: () => Promise<void>): Promise<void> {
  store.database.exec("PRAGMA synchronous = OFF");
  await fill();
  store.database.exec("PRAGMA synchronous = FULL");
}

/** Runs that have begun and wait. */
export async function beginRuns(
  store: SqliteStore,
  count: number,
  repo?: string,
): Promise<readonly string[]> {
  const workflow = loadTask();
  await store.commit([{ type: "define", hash: workflow.hash(), definition: workflow.definition }]);
  const ids = Array.from({ length: count }, (_, n) => `run${String(n).padStart(6, "0")}`);
  await quickly(store, async () => {
    for (const id of ids) await lengthen(store, workflow, { id, events: 1, repo });
  });
  return ids;
}

async function lengthen(
  store: SqliteStore,
  workflow: Workflow,
  of: { readonly id: string; readonly events: number; readonly repo?: string | undefined },
): Promise<void> {
  const { id, events, repo } = of;
  const started = STORIES[0]?.events[0];
  if (started === undefined) throw new Error("there is no story");
  await submit(store, workflow, { id, incoming: incomingOf(started, workflow.hash()), run: NO_RUN, repo });
  while ((await load(store, id)).seq < events) await observe(store, workflow, id);
}

/** An agent that nobody waits for begins: two records, and a run that stays as large as it is. */
async function observe(store: SqliteStore, workflow: Workflow, id: string): Promise<void> {
  const at = "2026-01-01T00:00:00.000Z";
  const incoming: Incoming = { type: "agent-started", at, role: "worker", slot: "", attempt: 99 };
  await submit(store, workflow, { id, incoming, run: await load(store, id) });
}

function bareCommits(path: string): { readonly commit: () => void; readonly close: () => void } {
  const db = openFile(path);
  db.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE bare (n INTEGER PRIMARY KEY, text TEXT)",
  );
  const insert = db.prepare("INSERT INTO bare (text) VALUES (?)");
  return {
    commit: () => {
      insert.run(
        "one row of a hundred bytes, which is about what the smallest useful record takes, with its time",
      );
    },
    close: () => {
      db.close();
    },
  };
}

async function perSecond(work: () => void | Promise<void>): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < BATCH; n += 1) await work();
  return (BATCH * 1000) / (performance.now() - began);
}

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
