/**
 * Tasks on two workers while workers are killed, one is paused until its runs are taken over, and PostgreSQL is restarted.
 *
 * The deep tier has the full counts. A seed says who is killed when.
 */

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { makeStage, tailOf, type Stage, type Worker } from "../../scripts/cluster/stage.ts";
import { openPostgres } from "../../src/adapters/postgres/open.ts";
import { NO_POSTGRES, ownServer } from "../support/postgres.ts";

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;
const SIZE = isDeep
  ? { tasks: 60, kills: 10, pauses: 2, restarts: 3, everyMs: 2000 }
  : { tasks: 6, kills: 1, pauses: 0, restarts: 1, everyMs: 1000 };
const OPTIONS = ["--slots", "4", "--take-over-after", "3"];
const LIMIT_MS = isDeep ? 600_000 : 150_000;
const SUCCESS_MIN = 0.95;
const OVER: ReadonlySet<string> = new Set(["done", "cancelled"]);
const FENCED = "6";

/** Who wrote what, and who changed whose term. */
const AUDIT = `
  CREATE TABLE signalbox.audit (n BIGINT GENERATED ALWAYS AS IDENTITY, at TIMESTAMPTZ NOT NULL, app TEXT NOT NULL, what TEXT NOT NULL);
  CREATE FUNCTION signalbox.audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO signalbox.audit (at, app, what) VALUES (clock_timestamp(), current_setting('application_name'),
      CASE WHEN TG_TABLE_NAME = 'machines' THEN 'term of ' || (to_jsonb(NEW) ->> 'name') ELSE TG_TABLE_NAME END);
    RETURN NEW;
  END $$;
`;
const AUDITED = ["events", "deeds", "jobs", "agents", "workspaces", "notes", "machines"];

test.skipIf(NO_POSTGRES !== undefined)(
  `${SIZE.tasks} tasks end once each, with ${SIZE.kills} kills, ${SIZE.pauses} pauses and ${SIZE.restarts} restarts of PostgreSQL`,
  { timeout: LIMIT_MS + 60_000 },
  async () => {
    const server = await ownServer();
    const database = server.url("postgres");
    const stage = makeStage(database, isDeep ? 1 : 0.2);
    const workers = new Map<string, Worker>();
    const begun: Worker[] = [];
    const start = (name: string): void => {
      const worker = stage.worker(name, OPTIONS);
      workers.set(name, worker);
      begun.push(worker);
    };
    onTestFinished(async () => {
      for (const { process: child } of begun) child.kill("SIGKILL");
      await Promise.all(begun.map(({ ended }) => ended));
      stage.remove();
    });
    const person = countingPerson(stage);
    await person.must("project", "add", "--remote", stage.remote, "--agents", "20");
    await person.must("trust");
    start("one");
    start("two");
    await ready(begun);
    await audit(database);

    const random = seeded(Number(process.env["SIGNALBOX_SEED"] ?? 1));
    const troubles = shuffled(random, [
      ...Array.from({ length: SIZE.kills }, () => "kill" as const),
      ...Array.from({ length: SIZE.pauses }, () => "pause" as const),
      ...Array.from({ length: SIZE.restarts }, () => "restart" as const),
    ]);
    const said: string[] = [];
    let left = SIZE.tasks;
    const begin = async (count: number): Promise<void> => {
      for (let n = Math.min(count, left); n > 0; n -= 1) {
        await person.try("run", "errand", `Errand ${left}`, "--detach", "--key", `errand-${left}`);
        left -= 1;
      }
    };
    const fenced: Worker[] = [];
    for (const trouble of troubles) {
      await begin(Math.ceil(SIZE.tasks / troubles.length));
      // Each has taken some of them.
      await pause(1000 + random() * SIZE.everyMs);
      const name = random() < 0.5 ? "one" : "two";
      said.push(`${trouble} ${name}`);
      const worker = workers.get(name);
      if (worker === undefined) throw new Error(`there is no worker ${name}`);
      if (trouble === "restart") {
        await server.stop("immediate");
        const asked = person.try("list", "--all", "--json");
        await pause(500 + random() * 1000);
        await server.start();
        await asked;
      } else if (trouble === "kill") {
        worker.process.kill("SIGKILL");
        await worker.ended;
        // Some come back at once, some after others have taken their runs over.
        await pause(random() < 0.7 ? 200 : 6000);
        start(name);
      } else {
        worker.process.kill("SIGSTOP");
        await cut(database, worker);
        await pause(7000);
        worker.process.kill("SIGCONT");
        const end = await Promise.race([worker.ended, pause(15_000)]);
        // Without a run that had something to do, nobody has taken its place.
        if (end !== undefined) fenced.push(worker);
        worker.process.kill("SIGKILL");
        await worker.ended;
        start(name);
      }
    }
    await begin(left);
    const giveUpAt = performance.now() + LIMIT_MS / 2;
    for (;;) {
      // What did not get through is asked for again, under the same key.
      for (let n = 1; n <= SIZE.tasks; n += 1)
        if (!person.done.has(`errand-${n}`))
          await person.try("run", "errand", `Errand ${n}`, "--detach", "--key", `errand-${n}`);
      const runs = await listed(person);
      if (runs.length === SIZE.tasks && runs.every(({ status }) => OVER.has(status))) break;
      if (performance.now() > giveUpAt)
        throw new Error(
          `${said.join(", ")}\n${runs.length} runs, ${person.done.size} begun: ${JSON.stringify(runs.filter(({ status }) => !OVER.has(status)))}\n${begun.map(({ log }) => tailOf(log, 12)).join("\n\n")}`,
        );
      await pause(500);
    }
    // Workspaces are released after the last move.
    await expect.poll(() => openEffects(database)).toEqual([]);

    await checkHistories(database);
    await checkNobodyFencedWrote(database, begun);
    expect(await Promise.all(fenced.map(({ ended }) => ended))).toEqual(fenced.map(() => FENCED));
    expect(fenced.length).toBeGreaterThanOrEqual(Math.min(SIZE.pauses, 1));
    const turns = readFileSync(stage.ledger, "utf8").trim().split("\n");
    expect(turns.filter((turn, place) => turns.indexOf(turn) !== place)).toEqual([]);
    checkRemote(stage, await listed(person));
    const { asked, failed } = person.counts();
    console.log(
      `${asked} operations of people, ${failed} failed; ${turns.length} turns of agents; ${begun.length} workers`,
    );
    expect(1 - failed / asked).toBeGreaterThanOrEqual(SUCCESS_MIN);
  },
);

type Person = {
  must(...argv: readonly string[]): Promise<string>;
  try(...argv: readonly string[]): Promise<string | undefined>;
  /** Keys of calls that were acknowledged. */
  readonly done: ReadonlySet<string>;
  counts(): { readonly asked: number; readonly failed: number };
};

function countingPerson(stage: Stage): Person {
  const done = new Set<string>();
  let [asked, failed] = [0, 0];
  const attempt = async (argv: readonly string[]): Promise<{ code: number; text: string }> => {
    asked += 1;
    const { code, stdout, stderr } = await stage.person(...argv);
    if (code !== 0) {
      failed += 1;
      console.log(`${argv.join(" ")}: ${code} ${stdout.slice(0, 300)} ${stderr.slice(0, 300)}`);
    }
    if (code === 0 && argv.includes("--key")) done.add(argv[argv.indexOf("--key") + 1] ?? "");
    return { code, text: `${stdout}${code === 0 ? "" : stderr}` };
  };
  return {
    done,
    counts: () => ({ asked, failed }),
    async try(...argv) {
      const { code, text } = await attempt(argv);
      return code === 0 ? text : undefined;
    },
    async must(...argv) {
      const { code, text } = await attempt(argv);
      if (code !== 0) throw new Error(`${argv.join(" ")}: ${text}`);
      return text;
    },
  };
}

type Listed = { readonly run: string; readonly status: string; readonly attention: unknown };

async function listed(person: Person): Promise<readonly Listed[]> {
  const text = await person.try("list", "--all", "--limit", "200", "--json");
  return text === undefined ? [] : (JSON.parse(text) as { readonly runs: readonly Listed[] }).runs;
}

/** Both have said that they are at work. */
async function ready(workers: readonly Worker[]): Promise<void> {
  for (const { log } of workers) await expect.poll(() => tailOf(log, 5)).toMatch(/is at work/);
}

async function inDatabase<T>(database: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: `${database}?application_name=test` });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function audit(database: string): Promise<void> {
  const triggers = AUDITED.map(
    (table) =>
      `CREATE TRIGGER audit AFTER INSERT OR UPDATE ON signalbox.${table} FOR EACH ROW EXECUTE FUNCTION signalbox.audit();`,
  );
  await inDatabase(database, (client) => client.query(`${AUDIT}${triggers.join("\n")}`));
}

/** Its connections end, as those of a machine that nobody can reach. */
async function cut(database: string, { application }: Worker): Promise<void> {
  const sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
  await inDatabase(database, (client) => client.query(sql, [application]));
}

async function openEffects(database: string): Promise<readonly unknown[]> {
  return inDatabase(database, async (client) => {
    const sql = "SELECT run, seq, i, type, status, note FROM signalbox.deeds WHERE status <> 'done'";
    return (await client.query<Record<string, unknown>>(sql)).rows;
  });
}

/** Every event once, in order; every effect once; every workflow of DBOS once; the chain of every run holds. */
async function checkHistories(database: string): Promise<void> {
  await inDatabase(database, async (client) => {
    const count = async (sql: string): Promise<number> => (await client.query(sql)).rows.length;
    expect(await count("SELECT run FROM signalbox.events GROUP BY run, seq HAVING count(*) > 1")).toBe(0);
    expect(
      await count(
        "SELECT run FROM signalbox.events GROUP BY run HAVING min(seq) <> 1 OR max(seq) <> count(*)",
      ),
    ).toBe(0);
    expect(await count("SELECT run FROM signalbox.deeds GROUP BY run, seq, i HAVING count(*) > 1")).toBe(0);
    const { rows } = await client.query<{ keys: string; workflows: string }>(
      `SELECT count(*) AS keys, (SELECT count(DISTINCT split_part(split_part(workflow_uuid, '/', 1), '+', 1)) FROM dbos.workflow_status WHERE name = 'effect') AS workflows FROM signalbox.deeds`,
    );
    expect(rows[0]?.workflows).toBe(rows[0]?.keys);
  });
  const store = await openPostgres(database);
  try {
    const runs = await store.knownRuns();
    expect(runs).toHaveLength(SIZE.tasks);
    for (const run of runs) expect(await store.verify(run)).toMatchObject({ ok: true });
  } finally {
    await store.close();
  }
}

/** After somebody else has changed the term of its machine, a process has written nothing. */
async function checkNobodyFencedWrote(database: string, begun: readonly Worker[]): Promise<void> {
  await inDatabase(database, async (client) => {
    for (const { name, application } of begun) {
      const { rows } = await client.query(
        `SELECT late.what, late.at FROM signalbox.audit AS late
         WHERE late.app = $1 AND late.n > (SELECT min(n) FROM signalbox.audit
           WHERE what LIKE $2 AND app <> $1 AND n > (SELECT min(n) FROM signalbox.audit WHERE app = $1))`,
        [application, `term of %/${name}`],
      );
      expect(rows, `${application} wrote after its term`).toEqual([]);
    }
  });
}

/** The work of each run is on its branch, and nothing else of ours is there. */
function checkRemote({ remote }: Stage, runs: readonly Listed[]): void {
  const git = (...argv: readonly string[]): string =>
    execFileSync("git", ["--git-dir", remote, ...argv], { encoding: "utf8" }).trim();
  const done = runs.flatMap(({ run, status }) => (status === "done" ? [run] : []));
  for (const run of done) expect(git("show", `refs/heads/signalbox/${run}:work-${run}.txt`)).toBe(run);
  expect(git("for-each-ref", "refs/signalbox")).toBe("");
}

function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffled<T>(random: () => number, rows: readonly T[]): readonly T[] {
  return rows
    .map((row) => [random(), row] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, row]) => row);
}
