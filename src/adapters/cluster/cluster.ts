/**
 * Which machines there are, and which run is whose: tables of the shared database beside those of the store.
 *
 * Each process of a machine has a term: a number that no other process ever had. A batch of a process that is not in its term is
 * refused by the store (`expect-term`).
 */

import { setTimeout as pause } from "node:timers/promises";
import { connectTo } from "../postgres/connect.ts";
import { persist } from "../postgres/failure.ts";
import { drive, type Session } from "../postgres/session.ts";
import type { Row } from "../store/sql.ts";

export type Machine = { readonly id: string; readonly name: string; readonly term: number };

/** A file of a run, by its path in the place of the run. */
export type RunFile = { readonly path: string; readonly bytes: Uint8Array };

/** Contract: a run is placed on at most one machine. All calls are repeated while the database is away. */
export type Cluster = {
  /** Begins a term of this machine. Call only with its lock. */
  enrol(machine: { readonly id: string; readonly name: string }): Promise<number>;
  machines(): Promise<readonly Machine[]>;
  /** The machine of each run that has one. */
  placements(): Promise<ReadonlyMap<string, string>>;
  /** False where another machine was faster. */
  place(run: string, machine: string): Promise<boolean>;
  /**
   * Ends the term of a machine whose lock we hold, begins one of our own, and places these runs here. Undefined where that machine
   * has begun another term meanwhile.
   */
  takeOver(of: {
    readonly from: Machine;
    readonly to: string;
    readonly runs: readonly string[];
  }): Promise<number | undefined>;
  /** Replaces all files that are kept for the run. */
  putFiles(run: string, files: readonly RunFile[]): Promise<void>;
  files(run: string): Promise<readonly RunFile[]>;
  /** Two processes never do it at the same moment. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

const TABLES = `
  CREATE SEQUENCE IF NOT EXISTS machine_terms;
  CREATE TABLE IF NOT EXISTS machines (id TEXT PRIMARY KEY, name TEXT NOT NULL, term BIGINT NOT NULL);
  CREATE TABLE IF NOT EXISTS placements (run TEXT PRIMARY KEY, machine TEXT NOT NULL REFERENCES machines);
  CREATE TABLE IF NOT EXISTS run_files (run TEXT NOT NULL, path TEXT NOT NULL, bytes BYTEA NOT NULL, PRIMARY KEY (run, path));
`;
const NEXT_TERM = "nextval('machine_terms')";
const WAIT_MS = 120_000;
const AGAIN_MS = 100;
const LOCK = "hashtextextended('signalbox ' || ?, 0)";

/** The tables of the store must exist: open the store first. */
export async function openCluster(url: string): Promise<Cluster> {
  const connections = connectTo(url);
  const patience = { path: connections.path, waitMs: WAIT_MS };
  const during = <T>(work: (session: Session) => Promise<T>): Promise<T> =>
    persist(patience, () => connections.during(work));
  const rowsOf = (text: string, values: readonly string[] = []): Promise<readonly Row[]> =>
    during(({ sql }) => drive(sql.all(text, ...values)));
  // Two processes that create a table at the same moment get an error of the catalogue.
  await during((session) =>
    session.exec(`SELECT pg_advisory_xact_lock(hashtextextended('signalbox machines', 0)); ${TABLES}`),
  );
  return {
    async enrol({ id, name }) {
      const [row] = await rowsOf(
        `INSERT INTO machines (id, name, term) VALUES ($1, $2, ${NEXT_TERM})
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, term = excluded.term RETURNING term`,
        [id, name],
      );
      return Number(row?.["term"]);
    },
    machines: async () =>
      (await rowsOf("SELECT id, name, term FROM machines ORDER BY term")).map(({ id, name, term }) => ({
        id: String(id),
        name: String(name),
        term: Number(term),
      })),
    placements: async () =>
      new Map(
        (await rowsOf("SELECT run, machine FROM placements")).map((row) => [
          String(row["run"]),
          String(row["machine"]),
        ]),
      ),
    async place(run, machine) {
      const sql = `INSERT INTO placements (run, machine) VALUES ($1, $2)
        ON CONFLICT (run) DO UPDATE SET machine = placements.machine RETURNING machine`;
      return (await rowsOf(sql, [run, machine]))[0]?.["machine"] === machine;
    },
    async takeOver({ from, to, runs }) {
      // Not repeated by itself: after a lost answer, the term of this machine may have changed, and the next batch says so.
      const sql = `
        WITH ended AS (UPDATE machines SET term = ${NEXT_TERM} WHERE id = $1 AND term = $2::bigint RETURNING id),
        begun AS (UPDATE machines SET term = ${NEXT_TERM} WHERE id = $3 AND EXISTS (SELECT 1 FROM ended) RETURNING term),
        moved AS (UPDATE placements SET machine = $3 WHERE machine = $1 AND EXISTS (SELECT 1 FROM ended)
          AND run IN (SELECT json_array_elements_text($4::json)))
        SELECT term FROM begun`;
      const values = [from.id, String(from.term), to, JSON.stringify(runs)];
      const begun = await connections.during((session) => drive(session.sql.get(sql, ...values)));
      const term = begun?.["term"];
      return term === undefined ? undefined : Number(term);
    },
    async putFiles(run, files) {
      const rows = files.map(({ path, bytes }) => [run, path, bytes]);
      await during(({ sql }) => {
        sql.put("BEGIN");
        sql.put("DELETE FROM run_files WHERE run = ?", run);
        sql.putRows("run_files (run, path, bytes)", rows);
        return drive(sql.run("COMMIT"));
      });
    },
    files: async (run) =>
      (await rowsOf("SELECT path, bytes FROM run_files WHERE run = $1", [run])).map(({ path, bytes }) => ({
        path: String(path),
        bytes: bytes instanceof Uint8Array ? bytes : new Uint8Array(),
      })),
    alone: (name, work) =>
      during(async ({ sql }) => {
        // Without a transaction, which others would wait for.
        while ((await drive(sql.get(`SELECT pg_try_advisory_lock(${LOCK}) AS taken`, name)))?.["taken"] !== 1)
          await pause(AGAIN_MS);
        try {
          return await work();
        } finally {
          await drive(sql.run(`SELECT pg_advisory_unlock(${LOCK})`, name));
        }
      }),
    close: () => connections.close(),
  };
}
