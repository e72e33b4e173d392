/** Homes with something wrong: how each got so, what doctor says of it, and what is left after --repair. */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/adapters/store/open.ts";
import type { Prepared } from "../support/home.ts";

/** The runs that all of them begin with. */
export const RUNS = ["a1", "b1", "c1"] as const;

const ALL = RUNS.join(" ");

export type Broken = {
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
  /** What is listed before anything is mended, where anything can be. */
  readonly still?: string;
  /** Of doctor after that; 0 unless given. */
  readonly after?: number;
};

export const BROKEN: readonly Broken[] = [
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
    still: "a1 b1 c1",
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
    still: "a1 b1 c1",
    exit: 8,
    says: /damaged run a1: its row and its snapshot do not agree/,
    repaired: 0,
  },
  {
    name: "a row of a run is gone",
    broken: (on) => sql(on, "DELETE FROM runs WHERE id = 'b1'"),
    still: "a1 c1",
    exit: 8,
    says: /damaged run b1: it has events and no row/,
    repaired: 0,
  },
  {
    name: "all snapshots are gone",
    broken: (on) => sql(on, "DELETE FROM snapshots"),
    still: "a1 b1 c1",
    exit: 8,
    says: /damaged run a1[^]*damaged run b1[^]*damaged run c1/,
    repaired: 0,
  },
  {
    name: "the middle of a history was changed",
    broken: (on) => sql(on, "UPDATE events SET at = '1999' WHERE run = 'c1' AND seq = 4"),
    still: "a1 b1 c1",
    exit: 8,
    says: /damaged run c1: record 4: its hash is not that of its content/,
    repaired: 1,
    lost: /run c1: its history ends at record \d: record 4/,
  },
  {
    name: "the beginning of a history is gone",
    broken: (on) => sql(on, "DELETE FROM events WHERE run = 'c1' AND seq = 1"),
    still: "a1 b1 c1",
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
    name: "a definition is half a text",
    broken: (on) => sql(on, "UPDATE definitions SET json = substr(json, 1, 100)"),
    exit: 8,
    says: /damaged run a1: it is no JSON/,
    repaired: 0,
  },
  {
    name: "a definition is another one",
    broken: (on) => sql(on, `UPDATE definitions SET json = replace(json, '"open"', '"shut"')`),
    exit: 8,
    says: /damaged run a1: its definition is not the one with hash/,
    repaired: 0,
  },
  {
    name: "a question is gone",
    broken: (on) => sql(on, "DELETE FROM questions"),
    exit: 8,
    says: /damaged run b1: record \d+: its question \S+ is not kept as it was asked/,
    repaired: 0,
  },
  {
    name: "an answered question is open again",
    broken: (on) => sql(on, "UPDATE questions SET closed_at = '' WHERE run = 'c1'"),
    exit: 8,
    says: /damaged run c1: record \d+: its question \S+ is not kept as answered/,
    repaired: 0,
  },
  {
    name: "a definition is gone, and so is its file",
    ownRepo: true,
    broken: async (on) => {
      await sql(on, "DELETE FROM definitions");
      rmSync(join(on.repo, ".signalbox"), { recursive: true });
    },
    still: "a1 b1 c1",
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
    still: "a1 b1 c1",
    exit: 1,
    says: /problem folders: the journal does not know the run of .*runs\/w1/,
    repaired: 1,
    lost: /whatever the history of run w1 was/,
  },
  {
    name: "the supervisor's lock is a text",
    broken: ({ home }) => writeFileSync(home.supervisorLock, "lock\n", { mode: 0o600 }),
    still: "a1 b1 c1",
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
    says: /problem workspaces: the workspace of run a1 cannot be used: its repository .* is gone/,
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

async function sql(on: Prepared, statement: string): Promise<void> {
  await on.withStore(({ database }) => database.exec(statement));
}

/** The database as a killed process leaves it: with a log that was not taken over. */
async function withLog(on: Prepared): Promise<void> {
  const holder = openStore(on.home);
  await on.runIn("open", "w1");
  for (const suffix of ["", "-wal"])
    copyFileSync(on.home.database + suffix, `${on.home.database}${suffix}.copy`);
  await holder.close();
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
