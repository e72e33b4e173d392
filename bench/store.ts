/** What an accepted event costs in one process: against bare commits of the same SQLite, and with a long history. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeAt } from "../src/adapters/home/paths.ts";
import { openStore, type SqliteStore } from "../src/adapters/store/open.ts";
import { openFile } from "../src/adapters/store/sqlite.ts";
import type { Workflow } from "../src/core/compile.ts";
import type { Incoming } from "../src/core/event.ts";
import { step } from "../src/core/step.ts";
import { NO_RUN, type Run } from "../src/core/run.ts";
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
type Feed = {
  readonly lives: readonly (readonly Incoming[])[];
  readonly name: string;
  /** The run as it is; undefined where it is loaded for each event. */
  run: Run | undefined;
  runs: number;
  next: number;
};

export function benchStore(): Figure {
  return inFolder((folder) => {
    const store = openStore(homeAt(folder));
    const workflow = loadTask();
    store.define(workflow.hash(), workflow.definition);
    const lives = acceptedOf(workflow);
    const held: Feed = { lives, name: "held", run: NO_RUN, runs: 0, next: 0 };
    const loaded: Feed = { lives, name: "loaded", run: undefined, runs: 0, next: 0 };
    const bare = bareCommits(join(folder, "bare.db"));
    const works = {
      bare: bare.commit,
      held: () => accept(store, workflow, held),
      loaded: () => accept(store, workflow, loaded),
    };
    const round = (): Readonly<Record<keyof typeof works, number>> => ({
      bare: perSecond(works.bare),
      held: perSecond(works.held),
      loaded: perSecond(works.loaded),
    });
    round();
    const rounds = Array.from({ length: ROUNDS }, round);
    const events = store.database.get("SELECT count(*) AS count FROM events")?.["count"];
    const accepted = (ROUNDS + 1) * BATCH * 2;
    bare.close();
    store.close();
    const rate = (of: keyof typeof works): string => thousands(median(rounds.map((one) => one[of])));
    const shareOf = (of: keyof typeof works): number => median(rounds.map((one) => one[of] / one.bare));
    const share = shareOf("held");
    const rows = [
      ["bare one-row commit", rate("bare"), "1.00"],
      ["accepted event: step, append", rate("held"), share.toFixed(2)],
      ["accepted event: load, step, append", rate("loaded"), shareOf("loaded").toFixed(2)],
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

export function benchHistory(): Figure {
  return inFolder((folder) => {
    const store = openStore(homeAt(folder));
    const workflow = loadTask();
    store.define(workflow.hash(), workflow.definition);
    store.database.write(() => {
      lengthen(store, workflow, { id: "long", events: LONG });
      for (let n = 0; n < BATCH; n += 1) lengthen(store, workflow, { id: `short-${n}`, events: SHORT });
    });
    let turn = 0;
    const long = (): void => observe(store, workflow, "long");
    const short = (): void => observe(store, workflow, `short-${turn++ % BATCH}`);
    perSecond(long);
    perSecond(short);
    const rounds = Array.from({ length: ROUNDS }, () => ({ short: perSecond(short), long: perSecond(long) }));
    store.close();
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

function acceptedOf(workflow: Workflow): readonly (readonly Incoming[])[] {
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

function accept(store: SqliteStore, workflow: Workflow, feed: Feed): void {
  const life = feed.lives[feed.runs % feed.lives.length] ?? [];
  const incoming = life[feed.next++];
  if (incoming === undefined) {
    feed.runs += 1;
    feed.next = 0;
    if (feed.run !== undefined) feed.run = NO_RUN;
    accept(store, workflow, feed);
    return;
  }
  const id = `${feed.name}-${feed.runs}`;
  const after = submit(store, workflow, { id, incoming, run: feed.run ?? load(store, id) });
  if (feed.run !== undefined) feed.run = after;
}

function load(store: SqliteStore, id: string): Run {
  return store.load(id)?.run ?? NO_RUN;
}

type Submission = { readonly id: string; readonly incoming: Incoming; readonly run: Run };

function submit(store: SqliteStore, workflow: Workflow, { id, incoming, run }: Submission): Run {
  const event = incoming.type === "run-started" ? { ...incoming, run: id } : incoming;
  const next = step(workflow, run, event);
  if (!next.ok) throw new Error(`run ${id} refuses: ${next.refusal.message}`);
  const appended = store.append({
    run: id,
    seq: run.seq,
    at: incoming.at,
    by: { type: "human" },
    events: next.events,
    after: next.run,
    status: "running",
    deeds: next.effects,
    birth: { workflow: "task", goal: "Bench", repo: "/repo", base: "main" },
    key: `${id}-${run.seq}`,
    answer: JSON.stringify({ state: next.run.state }),
  });
  if (appended.type !== "written") throw new Error(`run ${id} is at ${JSON.stringify(appended)}`);
  return next.run;
}

/** Runs that have begun and wait. */
export function beginRuns(store: SqliteStore, count: number): readonly string[] {
  const workflow = loadTask();
  store.define(workflow.hash(), workflow.definition);
  const ids = Array.from({ length: count }, (_, n) => `run${String(n).padStart(6, "0")}`);
  store.database.write(() => {
    for (const id of ids) lengthen(store, workflow, { id, events: 1 });
  });
  return ids;
}

function lengthen(
  store: SqliteStore,
  workflow: Workflow,
  of: { readonly id: string; readonly events: number },
): void {
  const { id, events } = of;
  const started = STORIES[0]?.events[0];
  if (started === undefined) throw new Error("there is no story");
  submit(store, workflow, { id, incoming: incomingOf(started, workflow.hash()), run: NO_RUN });
  while (load(store, id).seq < events) observe(store, workflow, id);
}

/** An agent that nobody waits for begins: two records, and a run that stays as large as it is. */
function observe(store: SqliteStore, workflow: Workflow, id: string): void {
  const at = "2026-01-01T00:00:00.000Z";
  const incoming: Incoming = { type: "agent-started", at, role: "worker", slot: "", attempt: 99 };
  submit(store, workflow, { id, incoming, run: load(store, id) });
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

function perSecond(work: () => void): number {
  const begin = performance.now();
  for (let n = 0; n < BATCH; n += 1) work();
  return (BATCH * 1000) / (performance.now() - begin);
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
