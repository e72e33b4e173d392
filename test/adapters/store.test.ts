/** The store in SQLite: the contract of all stores, and what is only its own. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountName } from "../../src/adapters/home/network.ts";
import { newRunId } from "../../src/adapters/home/run-id.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import { repair } from "../../src/adapters/store/recovery/repair.ts";
import { openFile } from "../../src/adapters/store/sqlite.ts";
import { node, script } from "./store-processes.ts";
import { storeContract } from "./store-contract.ts";
import { add } from "./store-entries.ts";
import { newHome, opened, told } from "./store-support.ts";

storeContract("SQLite", async (options) => {
  const home = newHome();
  return [await opened(home, options), await opened(home, options)];
});

test.for(["000", "022", "077", "0777"])("only the owner sees anything, also with umask %s", async (mask) => {
  const home = newHome();
  execFileSync("/bin/sh", ["-c", `umask ${mask}; exec "$@"`, "sh", node, script, home.root, "append", "2"]);
  // While it is open, the log is there as well.
  const store = await opened(home);
  await add(store, "b1");
  const modes = readdirSync(home.root).map((name) => `${name} ${mode(join(home.root, name))}`);
  expect([mode(home.root), ...modes]).toEqual([
    "700",
    "signalbox.db 600",
    "signalbox.db-shm 600",
    "signalbox.db-wal 600",
  ]);
});

test("a home that is open to others is closed to them", async () => {
  const home = newHome();
  mkdirSync(home.root, { recursive: true, mode: 0o755 });
  await (await opened(home)).close();
  execFileSync("chmod", ["644", home.database]);
  await (await opened(home)).close();
  expect([mode(home.root), mode(home.database)]).toEqual(["700", "600"]);
});

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

test("commits are as durable as SQLite makes them", async () => {
  const { database } = await opened(newHome());
  expect(database.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
  expect(database.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
  database.writeSoon(() => 0);
  expect(database.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
});

test("opening says nothing, on any Node", () => {
  const home = newHome();
  const said = execFileSync("/bin/sh", ["-c", '"$@" 2>&1', "sh", node, script, home.root, "append", "1"]);
  expect(said.toString()).toBe("acked 2\n");
});

test.for([
  [0x6969, "", "NFS"],
  [0xfe534d42, "", "SMB"],
  [0xff534d42, "", "CIFS"],
  [0x01021997, "", "9p"],
  [0x65735546, "fuse.sshfs", "fuse.sshfs"],
  [0x65735546, "", "FUSE"],
  [0x65735546, "fuse.ntfs-3g", "nothing"],
  [0xef53, "", "nothing"],
  [0x01021994, "", "nothing"],
] as const)("file system %d %s: refused as %s", async ([kind, name, word]) => {
  const home = newHome();
  const answer = await told(async () => {
    await openStore(home, { mount: () => ({ kind, name }) }).close();
  });
  const refused = /^network-file-system 2: .* \((.*)\), .* -> put SIGNALBOX_HOME on a local disk/.exec(
    answer,
  );
  expect(refused?.[1] ?? answer).toBe(word);
  expect(readdirSync(home.root)).toEqual(word === "nothing" ? ["signalbox.db"] : []);
});

test("the mount of a path is the longest that holds it", () => {
  const info = [
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw",
    "30 22 0:40 / /home/anna rw,nosuid shared:9 - fuse.sshfs host:/ rw",
    "31 22 0:41 / /mnt/my\\040disk rw - fuseblk /dev/sdb rw",
  ].join("\n");
  expect(["/home/anna/x", "/home/annabel", "/mnt/my disk/x"].map((path) => mountName(path, info))).toEqual([
    "fuse.sshfs",
    "ext4",
    "fuseblk",
  ]);
});

test("names of runs are short, safe in paths, and begin with a letter", () => {
  const names = Array.from({ length: 500 }, () => newRunId());
  expect(new Set(names).size).toBe(500);
  for (const name of names) expect(name).toMatch(/^[a-z][0-9a-z]{7}$/);
});

test.for([
  [
    "PRAGMA user_version = 2",
    /^newer-schema 8: .* it has schema 2, and this program knows 1 -> upgrade signalbox/,
  ],
  [
    "PRAGMA application_id = 0x53424f58",
    /^older-schema 8: the state home .* was made by version 0\.1, .* -> mv /,
  ],
  ["PRAGMA application_id = 0x53424f58; PRAGMA user_version = 6", /^older-schema 8: /],
] as const)(
  "after %s, neither the store nor repair uses the database, and it stays as it is",
  async ([sql, refusal]) => {
    const home = newHome();
    const store = await opened(home);
    await add(store, "a1");
    await store.close();
    const file = openFile(home.database);
    file.exec(`${sql}; PRAGMA journal_mode = DELETE`);
    file.close();
    const before = readFileSync(home.database);
    expect([await told(() => openStore(home)), await told(() => repair(home))]).toEqual([
      expect.stringMatching(refusal),
      expect.stringMatching(refusal),
    ]);
    expect([readFileSync(home.database).equals(before), readdirSync(home.root)]).toEqual([
      true,
      ["signalbox.db"],
    ]);
  },
);

test("a database of somebody else is left alone", async () => {
  const home = newHome();
  mkdirSync(home.root, { recursive: true });
  const theirs = openFile(home.database);
  theirs.exec("CREATE TABLE theirs (n); INSERT INTO theirs VALUES (1)");
  theirs.close();
  expect(await told(() => openStore(home))).toMatch(/^damaged 8: .*not a database of signalbox/);
  const again = openFile(home.database);
  expect(again.prepare("SELECT n FROM theirs").all()).toEqual([{ n: 1 }]);
  again.close();
});

test.for([
  ["", "it is empty"],
  ["some text that is long enough to be anything but a database", "file is not a database"],
] as const)("a file that says %j is damage, and stays", async ([content, reason]) => {
  const home = newHome();
  mkdirSync(home.root, { recursive: true });
  writeFileSync(home.database, content);
  expect(await told(() => openStore(home))).toBe(
    `damaged 8: ${home.database} is damaged: ${reason} -> signalbox doctor --repair`,
  );
  expect(statSync(home.database).size).toBe(content.length);
});

test.for(["runs/a1", "workspaces/a1"])("no database while %s is there is no fresh start", async (left) => {
  const home = newHome();
  mkdirSync(join(home.root, left), { recursive: true });
  expect(await told(() => openStore(home))).toMatch(/^damaged 8: .* it is missing, and .* is not empty/);
  expect(readdirSync(home.root)).toEqual([left.split("/")[0]]);
});
