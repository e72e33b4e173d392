/** Everything that can be done to a database behind our back: it is found, named, hides nothing else, and is mended as far as it can be. */

import { claim, newFence, settle } from "../support/effects.ts";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Home } from "../../src/adapters/home/paths.ts";
import { hashOf } from "../../src/adapters/store/journal/chain.ts";
import { openStore, type SqliteStore } from "../../src/adapters/store/open.ts";
import { repair } from "../../src/adapters/store/recovery/repair.ts";
import { openFile } from "../../src/adapters/store/sqlite.ts";
import { verifyRun } from "../../src/adapters/store/recovery/verify.ts";
import type { Proof } from "../../src/engine/ports/journal.ts";
import { child } from "./store-processes.ts";
import { add, START, STOP, TELL } from "./store-entries.ts";
import { newHome, opened, told } from "./store-support.ts";

const PROOF: Proof = { user: "anna", terminal: "pts/1", ancestry: [], cgroup: "/", signature: "good" };

/** Three runs; the second has six records in three entries. */
async function filled(home: Home): Promise<SqliteStore> {
  const store = await opened(home);
  await add(store, "a1", { deeds: [START] });
  await add(store, "b1", { deeds: [START], key: "k1", answer: "{}" });
  await add(store, "b1", { key: "k2", answer: "{}", proof: PROOF });
  await add(store, "b1", { deeds: [STOP, TELL] });
  await add(store, "c1");
  return store;
}

function verified(store: SqliteStore, run: string): string {
  const result = verifyRun(store.database, run);
  return result.ok ? `ok ${result.seq}` : `${result.seq}: ${result.reason}`;
}

test("what nobody touched is whole", async () => {
  const store = await filled(newHome());
  expect(["a1", "b1", "c1"].map((run) => verified(store, run))).toEqual(["ok 2", "ok 6", "ok 2"]);
  expect(verified(store, "nobody")).toBe("1: it is missing");
});

const HASH_WRONG = "4: its hash is not that of its content";
const ROW_WRONG = "0: its row and its snapshot do not agree";
const EVENT = "UPDATE events SET";
const FOURTH = "WHERE run = 'b1' AND seq = 4";

describe("a changed record is named", () => {
  test.for([
    [`${EVENT} at = 'later' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} type = 'moved' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} actor = 'human/eve' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} slot = 's' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} attempt = 7 ${FOURTH}`, HASH_WRONG],
    [`${EVENT} definition = 'x' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} tree = 'x' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} key = 'x' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} body = replace(body, '2', '3') ${FOURTH}`, HASH_WRONG],
    [`${EVENT} body = 'no json' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} proof = '{}' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} birth = '{}' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} answer = 'x' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} deeds = '[]' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} status = 'done' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} prev = 'x' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} hash = 'x' ${FOURTH}`, HASH_WRONG],
    [`${EVENT} seq = 9 ${FOURTH}`, "4: it is missing"],
    [`${EVENT} run = 'z1' ${FOURTH}`, "4: it is missing"],
    [`DELETE FROM events ${FOURTH}`, "4: it is missing"],
    [`DELETE FROM events WHERE run = 'b1' AND seq = 6`, "6: it is missing"],
    [`DELETE FROM events WHERE run = 'b1' AND seq > 4`, "5: the row ends at 6, the history at 4"],
    [`DELETE FROM events WHERE run = 'b1'`, "1: it is missing"],
    [
      `${EVENT} proof = replace(proof, 'good', 'evil') WHERE run = 'b1' AND seq = 3`,
      "3: its hash is not that of its content",
    ],
    [`UPDATE keys SET key = 'k9' WHERE key = 'k2'`, "3: its key k2 is not kept"],
    [`DELETE FROM keys WHERE key = 'k1'`, "1: its key k1 is not kept"],
    [
      `UPDATE deeds SET json = replace(json, 'worker', 'other') WHERE run = 'b1' AND seq = 2`,
      "2: its deed b1:2:0 is not kept as it was ordered",
    ],
    [`DELETE FROM deeds WHERE run = 'b1' AND i = 1`, "6: its deed b1:6:1 is not kept as it was ordered"],
    [
      `INSERT INTO deeds (run, seq, i, type, json, kind) VALUES ('b1', 4, 0, 'start-next', '{"type":"start-next"}', 'probed')`,
      "0: it has 4 deeds, and its history orders 3",
    ],
  ] as const)("%s", async ([sql, fault]) => {
    const store = await filled(newHome());
    store.database.exec(sql);
    expect(verified(store, "b1")).toBe(fault);
    expect([verified(store, "a1"), verified(store, "c1")]).toEqual(["ok 2", "ok 2"]);
  });
});

test("a record that was written anew, hash and all, does not fit what follows", async () => {
  const store = await filled(newHome());
  const row = store.database.get(`SELECT * FROM events ${FOURTH}`) ?? {};
  const values = Object.entries({ ...row, at: "later" }).filter(([column]) => column !== "hash");
  const hash = hashOf(values.map(([, value]) => value as string | number));
  store.database.run(`UPDATE events SET at = 'later', hash = ? ${FOURTH}`, hash);
  expect(verified(store, "b1")).toBe("5: it does not follow from the record before it");
});

describe("a changed row is refused when it is loaded, listed as damaged, and hides no other", () => {
  const ROW = "WHERE id = 'b1'";
  test.for([
    ...[
      "workflow",
      "goal",
      "repo",
      "base",
      "definition",
      "state",
      "status",
      "head",
      "started_at",
      "updated_at",
      "digest",
    ].map((column) => [`UPDATE runs SET ${column} = 'x' ${ROW}`, ROW_WRONG] as const),
    [`UPDATE runs SET entry = 7 ${ROW}`, ROW_WRONG],
    [`UPDATE runs SET seq = 7 ${ROW}`, ROW_WRONG],
    [`UPDATE snapshots SET json = replace(json, 'working', 'done') WHERE n = 2`, ROW_WRONG],
    [`UPDATE snapshots SET json = '{' WHERE n = 2`, ROW_WRONG],
    [`DELETE FROM snapshots WHERE n = 2`, "0: its snapshot is missing"],
    [`UPDATE snapshots SET n = 99 WHERE n = 2`, "0: its snapshot is missing"],
  ] as const)("%s", async ([sql, fault]) => {
    const store = await filled(newHome());
    store.database.exec(sql);
    expect(verified(store, "b1")).toBe(fault);
    expect(await told(() => store.load("b1"))).toMatch(
      /^damaged 8: run b1 in .* -> signalbox doctor --repair$/,
    );
    const { rows } = await store.list({ limit: 10 });
    expect(rows.map((row) => `${row.id} ${row.status}`)).toEqual(["c1 running", "b1 damaged", "a1 running"]);
    expect((await store.list({ limit: 10, status: "damaged" })).rows.map((row) => row.id)).toEqual(["b1"]);
    expect((await store.load("a1"))?.row.seq).toBe(2);
  });

  test("a row with a new digest of its own is found by the history", async () => {
    const home = newHome();
    const store = await filled(home);
    // Whoever can write can also count: the chain is what does not lie.
    const twin = newHome();
    const other = await opened(twin);
    await add(other, "a1");
    await add(other, "b1");
    await add(other, "b1");
    await add(other, "b1", { status: "done" });
    const row = other.database.get("SELECT * FROM runs WHERE id = 'b1'") ?? {};
    store.database.run(
      "UPDATE runs SET status = 'done', head = ?, digest = ? WHERE id = 'b1'",
      row["head"] ?? "",
      row["digest"] ?? "",
    );
    await expect(store.load("b1")).rejects.toThrow("its row and its history do not agree");
    expect(verified(store, "b1")).toBe("7: the row ends at 6, the history at 6");
  });

  test("a row that is gone is damage, not a run that never was", async () => {
    const store = await filled(newHome());
    store.database.exec("DELETE FROM runs WHERE id = 'b1'");
    await expect(store.load("b1")).rejects.toThrow("it has events and no row");
    await expect(add(store, "b1")).rejects.toThrow("it has events and no row");
    expect(verified(store, "b1")).toBe("0: it has events and no row");
  });

  test("a definition that is gone or changed is found", async () => {
    const store = await filled(newHome());
    store.database.exec("UPDATE definitions SET json = replace(json, 'Tiny', 'Other')");
    expect(verified(store, "b1")).toContain("0: its definition is not the one with hash");
    store.database.exec("DELETE FROM definitions");
    expect(verified(store, "b1")).toMatch(/0: its definition .* is missing/);
  });

  test("what speaks for a record is asked for at each one, and its fault told with its place", async () => {
    const store = await filled(newHome());
    const seen: number[] = [];
    const check = verifyRun(store.database, "b1", ({ seq, proof }) => {
      seen.push(seq);
      return proof?.signature === "good" ? "signed by nobody we know" : undefined;
    });
    expect([check, seen]).toEqual([
      { ok: false, run: "b1", seq: 3, reason: "signed by nobody we know" },
      [1, 2, 3],
    ]);
    expect(verifyRun(store.database, "b1", () => undefined)).toMatchObject({ ok: true });
  });
});

describe("repair", () => {
  test("does nothing where nothing is wrong", async () => {
    const home = newHome();
    await (await filled(home)).close();
    expect(repair(home)).toMatchObject({ changed: false, found: [], quarantine: "" });
    expect(existsSync(home.quarantine)).toBe(false);
    expect(repair(newHome())).toMatchObject({ changed: false });
  });

  test.for([
    "UPDATE runs SET state = 'done' WHERE id = 'b1'",
    "DELETE FROM runs WHERE id = 'b1'",
    "DELETE FROM snapshots",
    "DELETE FROM keys; DELETE FROM questions",
    "DROP TABLE keys",
    "DROP TABLE snapshots; DROP TABLE questions",
  ])("makes everything again from the events: %s", async (sql) => {
    const home = newHome();
    const store = await filled(home);
    const fence = await newFence(store);
    await claim(store, "b1:2:0", { fence: fence, leaseUntil: 100 });
    await settle(store, "b1:2:0", { fence: fence, outcome: { type: "done", note: "pid 7" } });
    await store.commit([{ type: "note", note: { run: "b1", at: "x", kind: "files", text: "kept" } }]);
    await store.commit([{ type: "trust", repo: "/repo", trust: { digest: "d", at: "x", signature: "s" } }]);
    const before = await Promise.all(
      ["a1", "b1", "c1"].map(async (run) => ({
        ...(await store.load(run)),
        events: await store.events(run),
        deeds: await store.deeds(run),
      })),
    );
    store.database.exec(sql);
    await store.close();
    const report = repair(home);
    expect([report.changed, report.lost]).toEqual([true, []]);
    expect(report.restored).toEqual([
      "run a1: whole, 2 records",
      "run b1: whole, 6 records",
      "run c1: whole, 2 records",
    ]);
    const after = await opened(home);
    expect(
      await Promise.all(
        ["a1", "b1", "c1"].map(async (run) => ({
          ...(await after.load(run)),
          events: await after.events(run),
          deeds: await after.deeds(run),
        })),
      ),
    ).toEqual(before);
    expect(["a1", "b1", "c1"].map((run) => verified(after, run))).toEqual(["ok 2", "ok 6", "ok 2"]);
    expect([
      await after.answerTo("b1", "k1"),
      (await after.trusted("/repo"))?.signature,
      (await after.notes("b1")).length,
    ]).toEqual(["{}", "s", 1]);
    expect(await newFence(after)).toBeGreaterThan(fence);
    expect(readdirSync(report.quarantine).toSorted()).toContain(basename(home.database));
    expect(readFileSync(join(report.quarantine, "reason.txt"), "utf8")).toBe(`${report.found.join("\n")}\n`);
  });

  test("goes back to the last whole entry where the chain is broken, halts the run, and says so", async () => {
    const home = newHome();
    const store = await filled(home);
    store.database.exec(`UPDATE events SET body = replace(body, '2', '3') ${FOURTH}`);
    await store.close();
    const report = repair(home);
    expect(report.found).toEqual([`run b1: record ${HASH_WRONG}`]);
    expect(report.lost).toEqual([`run b1: its history ends at record 2: record ${HASH_WRONG}; it is halted`]);
    const after = await opened(home);
    expect((await after.load("b1"))?.row).toMatchObject({ seq: 2, halted: true });
    expect((await after.load("b1"))?.row.attention).toContain("signalbox resume b1");
    expect([
      verified(after, "b1"),
      await after.answerTo("b1", "k2"),
      (await after.deeds("b1")).length,
    ]).toEqual(["ok 2", undefined, 1]);
    const kept = openFile(join(report.quarantine, basename(home.database)));
    expect(kept.prepare("SELECT count(*) AS count FROM events WHERE run = 'b1'").get()).toEqual({ count: 6 });
    kept.close();
  });

  test("deeds whose fate is not known are asked about, or wait for a person", async () => {
    const home = newHome();
    const store = await filled(home);
    store.database.exec("DROP TABLE deeds");
    await store.close();
    const report = repair(home);
    expect(report.restored).toContain(
      "run b1: of 3 of its deeds it is not known whether they were done; it is halted",
    );
    const after = await opened(home);
    expect((await after.deeds("b1")).map((row) => [row.key, row.status, row.tries])).toEqual([
      ["b1:2:0", "pending", 1],
      ["b1:6:0", "pending", 1],
      ["b1:6:1", "attention", 1],
    ]);
  });

  test("is refused while somebody uses the database", async () => {
    const home = newHome();
    const store = await filled(home);
    store.database.exec("DELETE FROM keys");
    expect(await told(() => repair(home))).toMatch(/^in-use 6: /);
    expect((await store.load("b1"))?.row.seq).toBe(6);
    await store.close();
    expect(repair(home).changed).toBe(true);
  });

  test("a missing database: what is left is named, and the next run can begin", async () => {
    const home = newHome();
    await (await filled(home)).close();
    rmSync(home.database);
    mkdirSync(join(home.root, "runs", "b1"), { recursive: true });
    expect(repair(home).lost).toEqual([
      `the history of run b1; its files are in ${join(home.root, "runs", "b1")}`,
    ]);
    expect((await add(await opened(home), "d1")).type).toBe("written");
    expect(readdirSync(join(home.root, "runs"))).toEqual(["b1"]);
  });

  test.for([
    "repair.before-quarantine",
    "repair.after-quarantine",
    "repair.before-replace",
    "repair.after-replace",
  ])("killed at %s it can be begun again", async (at) => {
    const home = newHome();
    const store = await filled(home);
    store.database.exec("DELETE FROM keys");
    await store.close();
    expect((await child([home.root, "repair"], at).ended()).signal).toBe("SIGKILL");
    repair(home);
    const after = await opened(home);
    expect(["a1", "b1", "c1"].map((run) => verified(after, run))).toEqual(["ok 2", "ok 6", "ok 2"]);
  });
});

describe("bytes", () => {
  /** A database of many pages, closed, and its bytes. */
  async function large(home: Home): Promise<Buffer> {
    const store = await opened(home);
    store.database.exec("PRAGMA synchronous = OFF");
    for (let run = 0; run < 20; run += 1)
      for (let n = 0; n < 15; n += 1)
        await add(store, `r${run}`, { deeds: [START], key: `k${n}`, answer: "x".repeat(200) });
    await store.close();
    return readFileSync(home.database);
  }

  type Survived = { readonly before: string; readonly runs: number; readonly wrong: readonly string[] };

  /** What the store says of a hurt file, and what there is after its repair. */
  async function repaired(home: Home): Promise<Survived> {
    const size = statSync(home.database).size;
    const before = await told(async () => {
      const store = openStore(home);
      try {
        const { rows } = await store.list({ limit: 100 });
        if (rows.length === 0) throw new Error("it is shown as empty");
        for (const { id, status } of rows) if (status !== "damaged") await store.load(id);
      } finally {
        await store.close();
      }
    });
    if (statSync(home.database).size !== size) throw new Error("looking at it has changed it");
    repair(home);
    const store = openStore(home);
    const ids = (await store.list({ limit: 100 })).rows.map((row) => row.id);
    const wrong = ids.map((id) => verified(store, id)).filter((line) => !/^ok|its definition/.test(line));
    await store.close();
    const again = repair(home).found.filter((fault) => !fault.includes("definition"));
    return { before, runs: ids.length, wrong: [...wrong, ...again] };
  }

  test.for([0.2, 0.5, 0.9])("cut to %d of its length", async (share) => {
    const home = newHome();
    truncateSync(home.database, Math.floor((await large(home)).length * share));
    const { before, wrong } = await repaired(home);
    expect(before).toMatch(/^damaged 8: .*signalbox\.db is damaged: .* -> signalbox doctor --repair$/);
    expect(wrong).toEqual([]);
  });

  test("cut to nothing", async () => {
    const home = newHome();
    await large(home);
    truncateSync(home.database, 0);
    expect(await told(() => openStore(home))).toMatch(/^damaged 8: .* it is empty/);
    expect(statSync(home.database).size).toBe(0);
    expect(repair(home).lost).toEqual(["everything in the database: nothing in it can be read"]);
  });

  function hurt(bytes: Buffer, page: number): Buffer {
    const copy = Buffer.from(bytes);
    const [from, to] = [page * 4096, (page + 1) * 4096];
    if (page % 2 === 0) return copy.fill(0, from, to);
    for (let at = from; at < to; at += 7) copy[at] = (copy[at] ?? 0) ^ 0x5a;
    return copy;
  }

  test("each page in turn made of zeros, or of noise", { timeout: 120_000 }, async () => {
    const home = newHome();
    const bytes = await large(home);
    const pages = bytes.length / 4096;
    const stride = process.env["SIGNALBOX_DEEP"] === undefined ? Math.ceil(pages / 8) : 1;
    const results: Survived[] = [];
    for (let n = 0; n < Math.ceil(pages / stride); n += 1) {
      const own = newHome();
      mkdirSync(own.root, { recursive: true });
      writeFileSync(own.database, hurt(bytes, n * stride));
      results.push(await repaired(own));
    }
    expect(results.flatMap(({ wrong }) => wrong)).toEqual([]);
    for (const { before } of results) expect(before).toMatch(/^nothing$|^damaged 8: /);
    expect(Math.max(...results.map(({ runs }) => runs))).toBe(20);
  });
});
