/** The store in PostgreSQL: the contract of all stores, and what is only its own. */

import { describe, expect, test } from "vitest";
import { persist } from "../../src/adapters/postgres/failure.ts";
import { openPostgres } from "../../src/adapters/postgres/open.ts";
import { SCHEMA_VERSION } from "../../src/adapters/store/schema.ts";
import { inDatabase, newDatabase, NO_POSTGRES } from "../support/postgres.ts";
import { openedAt, wireTo } from "./postgres-support.ts";
import { storeContract } from "./store-contract.ts";
import { add, AT, next, START } from "./store-entries.ts";
import { told } from "./store-support.ts";

test.for(["", "shop.db", "mysql://anna:secret@host/db", "postgres"])(
  "%j is no address of a database",
  async (address) => {
    const said = await told(() => openPostgres(address));
    expect(said).toBe(
      "bad-address 2: the address of the database is not one of PostgreSQL -> write it as postgres://USER@HOST/DATABASE",
    );
  },
);

/** As `pg` gives them. */
function failure(code: string, message = "words of the server"): Error {
  return Object.assign(new Error(message), code === "" ? {} : { code });
}

test.for<[error: Error, tries: number, said: string]>([
  [failure("40001"), 20, "busy 6: "],
  [failure("40P01"), 20, "busy 6: "],
  [failure("23505"), 20, "busy 6: "],
  [failure("57014"), 1, "busy 6: "],
  [failure("28P01"), 1, "database-refused 1: "],
  [failure("", "SASL: client password must be a string"), 1, "database-refused 1: "],
  [failure("42601"), 1, "words of the server"],
])("%s is tried %i times, then: %s", async ([error, tries, said]) => {
  let count = 0;
  const attempt = (): Promise<never> => {
    count += 1;
    return Promise.reject(error);
  };
  const patience = { path: "postgres://host/db", waitMs: 60_000, pauseMs: 0 };
  const answer = await told(() => persist(patience, attempt)).catch(String);
  expect([count, answer]).toEqual([tries, expect.stringContaining(said)]);
});

describe.skipIf(NO_POSTGRES !== undefined)("on a real server", () => {
  storeContract("PostgreSQL", async (options) => {
    const url = await newDatabase();
    return [await openedAt(url, options), await openedAt(url, options)];
  });

  test("a run is loaded with one packet, and a batch is one packet, whatever its answer is decided by", async () => {
    const wire = await wireTo(await newDatabase());
    const store = await openedAt(wire.url);
    await add(store, "a1", { deeds: [START] });
    await store.commit([{ type: "take-fence", fence: 1 }]);
    const packetsOf = async (work: Promise<unknown>): Promise<number> => {
      const before = wire.packets();
      await work;
      return wire.packets() - before;
    };
    expect(await packetsOf(store.load("a1"))).toBe(1);
    const entry = await next(store, "a1", { key: "k1", answer: "said", deeds: [START] });
    const note = { run: "a1", at: AT, kind: "files", text: "noted" };
    const written = store.commit([
      { type: "append", entry },
      { type: "expect-run", run: "a1", seq: 4 },
      { type: "projected", run: "a1", seq: 4 },
      { type: "note", note },
    ]);
    expect([await packetsOf(written), await written]).toEqual([1, { type: "written" }]);
    const claimed = store.commit([
      { type: "claim", key: "a1:2:0", tries: 0, fence: 1, leaseUntil: 9 },
      { type: "settle", key: "a1:2:0", fence: 1, outcome: { type: "done", note: "" } },
    ]);
    expect([await packetsOf(claimed), await claimed]).toEqual([1, { type: "written" }]);
  });

  test("a server that has lost the last event, such as a replica that takes over: what was decided on it is a conflict", async () => {
    const url = await newDatabase();
    const store = await openedAt(url);
    await add(store, "a1");
    await inDatabase(url, "CREATE TABLE replica AS SELECT * FROM signalbox.runs");
    await add(store, "a1");
    const entry = await next(store, "a1");
    await inDatabase(
      url,
      `DELETE FROM signalbox.events WHERE seq > 2; UPDATE signalbox.runs SET (seq, head, updated_at, digest) =
       (SELECT seq, head, updated_at, digest FROM replica)`,
    );
    expect(await store.commit([{ type: "append", entry }])).toEqual({
      type: "conflict",
      reason: "run a1 is at 2",
    });
    expect(await store.verify("a1")).toEqual({ ok: true, run: "a1", seq: 2 });
    expect((await add(store, "a1")).type).toBe("written");
  });

  test("those that open an empty database at once all get its tables", async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openedAt(url)));
    const [first, second] = stores;
    if (first === undefined || second === undefined) throw new Error("there are five");
    await add(first, "a1");
    expect((await second.load("a1"))?.row.seq).toBe(2);
  });

  test.for([
    ["schema 2", "UPDATE signalbox.meta SET value = 2 WHERE name = 'schema'", `knows ${SCHEMA_VERSION}`],
    ["no version", "DELETE FROM signalbox.meta WHERE name = 'schema'", "has schema 0"],
  ] as const)("a database with %s is refused, and stays as it is", async ([, sql, reason]) => {
    const url = await newDatabase();
    const store = await openedAt(url);
    await add(store, "a1");
    await inDatabase(url, sql);
    expect(await told(() => openPostgres(url))).toMatch(/^other-schema 8: postgres:.* -> use the version/);
    expect(await told(() => openPostgres(url))).toContain(reason);
    expect((await store.load("a1"))?.row.seq).toBe(2);
  });

  test("a database in another encoding is refused", async () => {
    const url = await newDatabase("ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0");
    expect(await told(() => openPostgres(url))).toMatch(/^unfit-database 2: .* its encoding is SQL_ASCII/);
  });

  test.for<[what: string, change: (url: URL) => void, code: string]>([
    ["a server that is away", (url) => (url.port = "1"), "unreachable 1"],
    ["a database that does not exist", (url) => (url.pathname = "/nowhere"), "database-refused 1"],
    ["a user that does not exist", (url) => (url.username = "nobody_here"), "database-refused 1"],
  ])("%s is named without the password", async ([, change, code]) => {
    const url = new URL(await newDatabase());
    url.password = "secret-word";
    change(url);
    const said = await told(() => openPostgres(url.href));
    expect(said).toMatch(new RegExp(`^${code}: postgres://127\\.0\\.0\\.1:\\d+/\\w+ `));
    expect(said).not.toContain("secret-word");
  });

  test.for([
    ["UPDATE signalbox.events SET body = replace(body, 'rounds', 'Rounds') WHERE seq = 4", 4, "its hash"],
    ["DELETE FROM signalbox.events WHERE seq = 3", 3, "it is missing"],
    ["UPDATE signalbox.runs SET state = 'done'", 0, "its row and its snapshot do not agree"],
    ["DELETE FROM signalbox.deeds", 4, "its deed a1:4:0 is not kept"],
    ["DELETE FROM signalbox.keys", 3, "its key k1 is not kept"],
  ] as const)("after %s verify names record %i", async ([sql, seq, reason]) => {
    const url = await newDatabase();
    const store = await openedAt(url);
    await add(store, "a1");
    await add(store, "a1", { key: "k1", answer: "{}", deeds: [START], texts: ["a text"] });
    await add(store, "a1");
    expect(await store.verify("a1")).toMatchObject({ ok: true, seq: 6 });
    await inDatabase(url, sql);
    const verified = await (await openedAt(url)).verify("a1");
    expect(verified).toMatchObject({ ok: false, seq });
    expect(verified).toHaveProperty("reason", expect.stringContaining(reason));
  });

  test("a damaged run is not loaded, and the advice is not that for a file", async () => {
    const url = await newDatabase();
    await add(await openedAt(url), "a1");
    await inDatabase(url, "UPDATE signalbox.runs SET state = 'done'");
    const store = await openedAt(url);
    expect(await told(() => store.load("a1"))).toMatch(/^damaged 8: .* -> restore the PostgreSQL database/);
    const { rows } = await store.list({ limit: 1 });
    expect(rows[0]?.attention).toMatch(/try: restore the PostgreSQL database/);
  });
});
