/** Broken homes: what doctor says of each, that it ends with a command that works, and what is left after --repair. */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openStore } from "../../src/adapters/store/open.ts";
import { copyOf, NOTE_FILES, prepareHome, type Prepared } from "../support/home.ts";

const RUNS = ["a1", "b1", "c1"] as const;
const REPAIR = "signalbox doctor --repair";

type Findings = readonly { status: string; name: string; text: string; next: string }[];
type Told = {
  readonly exit: number;
  readonly next: string;
  readonly said: string;
  readonly findings: Findings;
  readonly did: readonly string[];
  readonly lost: readonly string[];
};

let origin: Prepared | undefined;

/** The home is one's own; the repository is the same for all. */
async function withRuns(): Promise<Prepared> {
  origin ??= await makeRuns();
  return copyOf(origin);
}

async function makeRuns(): Promise<Prepared> {
  const on = prepareHome(NOTE_FILES);
  await on.runIn("open", "a1");
  await on.runIn("asked", "b1");
  await on.runIn("filed", "c1");
  await on.call("trust");
  await on.call("key --new");
  return on;
}

async function doctor(on: Prepared, option = ""): Promise<Told> {
  const { code, stdout, stderr } = await on.call(`doctor --json ${option}`);
  const document = JSON.parse(stdout) as Omit<Told, "exit" | "said"> & { code: string };
  expect({ stderr, code: document.code }).not.toMatchObject({ code: "bug" });
  const findings = document.findings ?? [];
  const wrong = findings.filter(({ status }) => status !== "ok" && status !== "note");
  return {
    ...document,
    findings,
    exit: code,
    said: wrong.map(({ status, name, text, next }) => `${status} ${name}: ${text}; ${next}`).join("\n"),
  };
}

async function listed(on: Prepared): Promise<readonly string[]> {
  const { stdout } = await on.call("list --all --json");
  const { runs } = JSON.parse(stdout) as { runs: readonly { run: string }[] };
  return runs.map(({ run }) => run);
}

function sql(on: Prepared, statement: string): void {
  on.withStore(({ database }) => database.exec(statement));
}

function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const content = readFileSync(file);
  content.set(bytes, at);
  writeFileSync(file, content);
}

/** The database as a killed process leaves it: with a log that was not taken over. */
async function withLog(on: Prepared): Promise<void> {
  const holder = openStore(on.home);
  await on.runIn("open", "w1");
  for (const suffix of ["", "-wal"])
    copyFileSync(on.home.database + suffix, `${on.home.database}${suffix}.copy`);
  holder.close();
  for (const suffix of ["", "-wal"]) {
    copyFileSync(`${on.home.database}${suffix}.copy`, on.home.database + suffix);
    chmodSync(on.home.database + suffix, 0o600);
    rmSync(`${on.home.database}${suffix}.copy`);
  }
}

function age(path: string): void {
  const before = new Date(Date.now() - 3_600_000);
  utimesSync(path, before, before);
}

const ALL = RUNS.join(" ");

type Case = {
  readonly name: string;
  readonly broken: (on: Prepared) => unknown;
  /** The repository is changed, too. */
  readonly ownRepo?: true;
  readonly exit: number;
  readonly says: RegExp;
  /** Afterwards: of --repair itself, what it says is lost, and the runs that are listed. */
  readonly repaired: number;
  readonly lost?: RegExp;
  readonly runs?: string;
  /** Of doctor after that; 0 unless given. */
  readonly after?: number;
};

const CASES: readonly Case[] = [
  { name: "nothing is wrong", broken: () => undefined, exit: 0, says: /^$/, repaired: 0 },
  {
    name: "the home is open to others",
    broken: ({ home }) => chmodSync(home.root, 0o777),
    exit: 1,
    says: /problem state home: .*state is open to others \(0777\); signalbox doctor --repair/,
    repaired: 0,
  },
  {
    name: "the home is read-only",
    broken: ({ home }) => chmodSync(home.root, 0o500),
    exit: 1,
    says: /state cannot be written by you \(0500\)/,
    repaired: 0,
  },
  {
    name: "the database can be read by others",
    broken: ({ home }) => chmodSync(home.database, 0o644),
    exit: 1,
    says: /signalbox\.db is open to others \(0644\)/,
    repaired: 0,
  },
  {
    name: "folders are missing",
    broken: ({ home }) =>
      [home.exits, home.pokes].forEach((path) => rmSync(path, { recursive: true, force: true })),
    exit: 0,
    says: /^$/,
    repaired: 0,
  },
  {
    name: "a file in the place of a folder",
    broken: ({ home }) => {
      rmSync(home.exits, { recursive: true, force: true });
      writeFileSync(home.exits, "x", { mode: 0o600 });
    },
    exit: 1,
    says: /problem state home: .*exits is no folder/,
    repaired: 0,
  },
  {
    name: "a file in the place of the quarantine",
    broken: ({ home }) => writeFileSync(home.quarantine, "x", { mode: 0o600 }),
    exit: 1,
    says: /quarantine is no folder/,
    repaired: 0,
  },
  {
    name: "a folder in the place of the database",
    broken: ({ home }) => {
      rmSync(home.database);
      mkdirSync(home.database, { mode: 0o700 });
    },
    exit: 8,
    says: /signalbox\.db is no file/,
    repaired: 1,
    lost: /run a1[^]*run b1[^]*run c1/,
    runs: "",
    // What was trusted is gone as well.
    after: 1,
  },
  {
    name: "the database is gone",
    broken: ({ home }) => rmSync(home.database),
    exit: 8,
    says: /damaged database: .*it is missing, and .*runs is not empty/,
    repaired: 1,
    lost: /run a1[^]*run b1[^]*run c1/,
    runs: "",
    // What was trusted is gone as well.
    after: 1,
  },
  {
    name: "the database is empty",
    broken: ({ home }) => truncateSync(home.database, 0),
    exit: 8,
    says: /damaged database: .*it is empty/,
    repaired: 1,
    lost: /run a1[^]*run b1[^]*run c1/,
    runs: "",
    // What was trusted is gone as well.
    after: 1,
  },
  {
    name: "the database is a text",
    broken: ({ home }) =>
      writeFileSync(home.database, "These are not the pages you are looking for.\n".repeat(100)),
    exit: 8,
    says: /damaged database: .*not a database/,
    repaired: 1,
    lost: /everything in the database/,
    runs: "",
    // What was trusted is gone as well.
    after: 1,
  },
  {
    name: "the database is all zero",
    broken: ({ home }) => writeFileSync(home.database, new Uint8Array(statSync(home.database).size)),
    exit: 8,
    says: /damaged database/,
    repaired: 1,
    lost: /run a1/,
    runs: "",
    // What was trusted is gone as well.
    after: 1,
  },
  {
    name: "the database belongs to another program",
    broken: (on) => sql(on, "PRAGMA application_id = 1"),
    exit: 8,
    says: /it is not a database of signalbox/,
    repaired: 0,
  },
  {
    name: "a newer signalbox was here",
    broken: (on) => sql(on, "PRAGMA user_version = 99"),
    exit: 8,
    says: /written by a newer signalbox.*upgrade signalbox/,
    repaired: 8,
    lost: /nothing was done to the database.*newer signalbox/,
    runs: "none",
    after: 8,
  },
  {
    name: "a table is gone",
    broken: (on) => sql(on, "DROP TABLE trust"),
    exit: 8,
    says: /it has no table trust/,
    repaired: 1,
    lost: /./,
    after: 1,
  },
  {
    name: "a row of a run was changed",
    broken: (on) => sql(on, "UPDATE runs SET state = 'filed', status = 'done' WHERE id = 'a1'"),
    exit: 8,
    says: /damaged run a1: its row and its snapshot do not agree/,
    repaired: 0,
  },
  {
    name: "a row of a run is gone",
    broken: (on) => sql(on, "DELETE FROM runs WHERE id = 'b1'"),
    exit: 8,
    says: /damaged run b1: it has events and no row/,
    repaired: 0,
  },
  {
    name: "all snapshots are gone",
    broken: (on) => sql(on, "DELETE FROM snapshots"),
    exit: 8,
    says: /damaged run a1[^]*damaged run b1[^]*damaged run c1/,
    repaired: 0,
  },
  {
    name: "the middle of a history was changed",
    broken: (on) => sql(on, "UPDATE events SET at = '1999' WHERE run = 'c1' AND seq = 4"),
    exit: 8,
    says: /damaged run c1: record 4: its hash is not that of its content/,
    repaired: 1,
    lost: /run c1: its history ends at record \d: record 4/,
  },
  {
    name: "the beginning of a history is gone",
    broken: (on) => sql(on, "DELETE FROM events WHERE run = 'c1' AND seq = 1"),
    exit: 8,
    says: /damaged run c1: record 1: it is missing/,
    repaired: 1,
    lost: /run c1/,
    runs: "a1 b1",
  },
  {
    name: "a definition is gone, and its file is there",
    broken: (on) => sql(on, "DELETE FROM definitions"),
    exit: 8,
    says: /damaged run a1: its definition sha256:\w+ is missing/,
    repaired: 0,
  },
  {
    name: "a definition is gone, and so is its file",
    ownRepo: true,
    broken: (on) => {
      sql(on, "DELETE FROM definitions");
      rmSync(join(on.repo, ".signalbox"), { recursive: true });
    },
    exit: 8,
    says: /damaged run a1: its definition sha256:\w+ is missing/,
    repaired: 8,
    lost: /the definition sha256:\w+: no workflow here has it; put its file back/,
    after: 8,
  },
  {
    name: "the log was not taken over",
    broken: withLog,
    exit: 0,
    says: /^$/,
    repaired: 0,
    runs: `${ALL} w1`,
  },
  {
    name: "the log is gone",
    broken: async (on) => {
      await withLog(on);
      rmSync(`${on.home.database}-wal`);
      age(join(on.home.root, "runs/w1"));
    },
    exit: 1,
    says: /problem folders: the journal does not know the run of .*runs\/w1/,
    repaired: 1,
    lost: /whatever the history of run w1 was/,
  },
  {
    name: "the supervisor's lock is a text",
    broken: ({ home }) => writeFileSync(home.supervisorLock, "lock\n", { mode: 0o600 }),
    exit: 8,
    says: /damaged supervisor: .*supervisor\.lock is damaged/,
    repaired: 0,
  },
  {
    name: "the saved environment is half a file",
    broken: ({ home }) => writeFileSync(home.environment, '{"PATH": "/bin', { mode: 0o600 }),
    exit: 8,
    says: /damaged supervisor: .*environment\.json is damaged/,
    repaired: 0,
  },
  {
    name: "files are behind the journal",
    broken: (on) => sql(on, "UPDATE runs SET projected = 0 WHERE id = 'a1'"),
    exit: 1,
    says: /problem files: those of 1 run show an earlier state: a1/,
    repaired: 0,
  },
  {
    name: "a workspace is gone, with its repository",
    broken: (on) =>
      sql(on, "INSERT INTO workspaces VALUES ('a1', '/no/such', '/no/such/tree', 'b', 'c', 'bound', '', '')"),
    exit: 1,
    says: /problem workspaces: the workspace of run a1 is gone/,
    repaired: 1,
    lost: /the workspace of run a1: .*signalbox cancel a1/,
  },
  {
    name: "the human key is half a file",
    broken: ({ root }) => truncateSync(join(root, ".config/signalbox/human.key"), 20),
    exit: 8,
    says: /damaged human key: .*is damaged; signalbox key --new/,
    repaired: 8,
    after: 8,
  },
  {
    name: "the human key can be read by others",
    broken: ({ root }) => chmodSync(join(root, ".config/signalbox/human.key"), 0o644),
    exit: 8,
    says: /damaged human key: .*can be read or changed by others; chmod 600/,
    repaired: 8,
    after: 8,
  },
  {
    name: "settings with a mistake",
    broken: ({ root }) =>
      writeFileSync(join(root, ".config/signalbox/config.yaml"), "minutes: 3\nharnes: x\n"),
    exit: 1,
    says: /problem settings: .*config\.yaml:2:1: .*harnes/,
    repaired: 1,
    after: 1,
  },
  {
    name: "a repository that changed since it was trusted",
    ownRepo: true,
    broken: ({ repo }) => appendFileSync(join(repo, ".signalbox/workflows/note/workflow.yaml"), "# more\n"),
    exit: 1,
    says: /missing repository: .*is not trusted.*signalbox trust/,
    repaired: 1,
    after: 1,
  },
];

describe.for(CASES)("$name", ({ broken, ownRepo, exit, says, repaired, lost, runs = ALL, after = 0 }) => {
  test("is told, mended as far as it can be, and hides no other run", async () => {
    const on = ownRepo === true ? await makeRuns() : await withRuns();
    await broken(on);
    const first = await doctor(on);
    expect(first.said).toMatch(says);
    expect(first.exit).toBe(exit);
    // From everywhere there is a way on.
    if (exit !== 0) expect(first.next).not.toBe("");
    const mended = await doctor(on, "--repair");
    expect(mended.lost.join("\n")).toMatch(lost ?? /^$/);
    expect(mended.exit, mended.said).toBe(repaired);
    const last = await doctor(on);
    expect(last.exit, last.said).toBe(after);
    // Nobody is sent in a circle.
    if (after === 0) expect(last.next).toBe("");
    if (after !== 8) expect(last.next).not.toBe(REPAIR);
    if (runs !== "none") expect((await listed(on)).toSorted().join(" ")).toBe(runs);
  });
});

test("looking changes nothing", async () => {
  const on = await withRuns();
  chmodSync(on.home.database, 0o644);
  const names = (): readonly string[] => readdirSync(on.root, { recursive: true }).map(String).toSorted();
  const before = names();
  await doctor(on);
  const left = names().filter((name) => !before.includes(name));
  expect(left.filter((name) => !/-(wal|shm)$/.test(name))).toEqual([]);
  expect(statSync(on.home.database).mode & 0o777).toBe(0o644);
  const fresh = prepareHome();
  await doctor(fresh);
  expect(existsSync(fresh.home.root)).toBe(false);
});

test("what was put aside is kept whole, with its reason", async () => {
  const on = await withRuns();
  writeFileSync(on.home.database, "all that is left");
  const { did } = await doctor(on, "--repair");
  const [, folder = ""] = /kept the database as it was in (\S+),/.exec(did.join("\n")) ?? [];
  expect(readFileSync(join(folder, "signalbox.db"), "utf8")).toBe("all that is left");
  expect(readFileSync(join(folder, "reason.txt"), "utf8")).toMatch(/not a database/);
});

test("wherever bytes are lost, every run is listed or told as lost, and nothing is a bug", async () => {
  const on = await withRuns();
  const whole = readFileSync(on.home.database);
  const damage = fc.record({
    at: fc.integer({ min: 0, max: whole.length - 1 }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }),
    cut: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(damage, async ({ at, bytes, cut }) => {
      for (const suffix of ["-wal", "-shm"]) rmSync(on.home.database + suffix, { force: true });
      writeFileSync(on.home.database, whole, { mode: 0o600 });
      if (cut) truncateSync(on.home.database, at);
      else overwrite(on.home.database, at, bytes.subarray(0, whole.length - at));
      const first = await doctor(on);
      expect([0, 1, 8]).toContain(first.exit);
      if (first.exit !== 0) expect(first.next).not.toBe("");
      const mended = await doctor(on, "--repair");
      const told = mended.lost.join("\n");
      const there = await listed(on);
      for (const run of RUNS) expect(there.includes(run) || told.includes(run), `${run}: ${told}`).toBe(true);
      const last = await doctor(on);
      expect(last.exit === 8 && last.next === REPAIR, last.said).toBe(false);
    }),
    { numRuns: process.env["SIGNALBOX_DEEP"] === undefined ? 12 : 300 },
  );
});
