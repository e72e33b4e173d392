/** What an accepted event costs on PostgreSQL, against plain inserts into a table of the same server. */

import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { Pool } from "pg";
import { startPostgres, whyNoPostgres } from "../scripts/postgres.ts";
import { openPostgres } from "../src/adapters/postgres/open.ts";
import { median, table, thousands, type Figure } from "./figure.ts";
import { acceptedOf, acceptWhole, boxOf, inFolder, makeProjects, type Feed } from "./store.ts";
import { loadTask } from "./task/load.ts";

const SHARE_WANTED = 0.2;
const ROUNDS = 21;
const BATCH = 60;
const WRITERS = 6;
const NAME = "accepted events on PostgreSQL, against plain `INSERT` and commit on the same server";
const ROW = "one row of a hundred bytes, which is about what the smallest useful record takes, with its time";

export async function benchPostgres(): Promise<Figure> {
  const wanted = `at least ${SHARE_WANTED}`;
  const missing = whyNoPostgres();
  if (missing !== undefined) return { name: NAME, wanted, got: "not measured", ok: false, details: missing };
  const server = await startPostgres(realpathSync(tmpdir()));
  try {
    return await inFolder((folder) => measure(folder, server.url("postgres"), wanted));
  } finally {
    await server.remove();
  }
}

async function measure(folder: string, url: string, wanted: string): Promise<Figure> {
  const store = await openPostgres(url);
  const workflow = loadTask();
  await store.commit([{ type: "define", hash: workflow.hash(), definition: workflow.definition }]);
  await makeProjects(store);
  const lives = acceptedOf(workflow);
  const box = boxOf(folder, store);
  const feeds = Array.from({ length: WRITERS }, (_, n): Feed => ({
    lives,
    name: `writer${n}`,
    run: undefined,
    runs: 0,
    next: 0,
  }));
  const pool = new Pool({ connectionString: url, max: WRITERS });
  await pool.query("CREATE TABLE bare (n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT)");
  const insert = async (): Promise<void> => {
    await pool.query({ name: "bare", text: "INSERT INTO bare (text) VALUES ($1)", values: [ROW] });
  };
  const accept = (feed: Feed): Promise<void> => acceptWhole(box, workflow, { feed, isRead: false });
  const round = async (): Promise<Readonly<Record<"one" | "many", readonly [number, number]>>> => ({
    one: [await perSecond([insert]), await perSecond(feeds.slice(0, 1).map((feed) => () => accept(feed)))],
    many: [
      await perSecond(feeds.map(() => insert)),
      await perSecond(feeds.map((feed) => () => accept(feed))),
    ],
  });
  await round();
  const rounds: Awaited<ReturnType<typeof round>>[] = [];
  for (let n = 0; n < ROUNDS; n += 1) rounds.push(await round());
  await pool.end();
  await store.close();
  const shareOf = (of: "one" | "many"): number => median(rounds.map((each) => each[of][1] / each[of][0]));
  const rate = (of: "one" | "many", at: 0 | 1): string =>
    thousands(median(rounds.map((each) => each[of][at])));
  const rows = (["one", "many"] as const).map((of) => [
    of === "one" ? "one writer" : `${WRITERS} writers at once, each with its own run`,
    rate(of, 0),
    rate(of, 1),
    shareOf(of).toFixed(2),
  ]);
  const share = shareOf("one");
  const head = ["", "plain inserts per second", "accepted events per second", "share"];
  return {
    name: NAME,
    wanted,
    got: share.toFixed(2),
    ok: share >= SHARE_WANTED,
    details: `${table(head, rows)}\n\nPrepared one-row inserts, each its own transaction; the whole of the engine's \`submit\`, facts at hand, lives of the task workflow. TCP on loopback, \`fsync\` on. Median of ${ROUNDS} alternating batches of ${BATCH}; one writer counts, as for SQLite. With several writers one process of Node and the server share the processors, and both sides of the ratio are bound by them.`,
  };
}

/** Each writer does its part, all at the same time. */
async function perSecond(writers: readonly (() => Promise<void>)[]): Promise<number> {
  const each = Math.ceil(BATCH / writers.length);
  const began = performance.now();
  await Promise.all(
    writers.map(async (work) => {
      for (let n = 0; n < each; n += 1) await work();
    }),
  );
  return (each * writers.length * 1000) / (performance.now() - began);
}
