/** What the supervisor begins with: the program that agents call, the variables of a person, and no leftovers of the dead. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lookAtLeftovers } from "../../src/adapters/doctor/leftovers.ts";
import { homeAt, type Home } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import { isOtherInstallation, oddInBin, writeLauncher } from "../../src/adapters/works/launcher.ts";
import { openWorks } from "../../src/adapters/works/open.ts";
import { sweep } from "../../src/adapters/works/sweep.ts";

function newHome(): Home {
  const root = mkdtempSync(join(tmpdir(), "signalbox-works-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return homeAt(join(root, "home"));
}

test.for<[string, (file: string, bin: string) => void, boolean]>([
  ["another text", (file) => writeFileSync(file, "#!/bin/sh\necho forged\n"), false],
  [
    "another signalbox",
    (file) => writeFileSync(file, `#!/bin/sh\nexec '/node' '/x/dist/signalbox.cjs' "$@"\n`),
    true,
  ],
  ["another mode", (file) => chmodSync(file, 0o600), true],
  ["a link", (file) => (rmSync(file), symlinkSync("/bin/true", file)), false],
  ["a folder", (file) => (rmSync(file), mkdirSync(join(file, "x"), { recursive: true })), false],
  ["a pipe", (file) => (rmSync(file), void execFileSync("mkfifo", [file])), false],
  ["a program beside it", (_file, bin) => writeFileSync(join(bin, "git"), "", { mode: 0o755 }), false],
  ["no folder", (_file, bin) => (rmSync(bin, { recursive: true }), writeFileSync(bin, "")), false],
])("what agents call is put right: %s", ([, spoil, isOther]) => {
  const home = newHome();
  expect(writeLauncher(home)).toEqual([]);
  const file = join(home.bin, "signalbox");
  const text = readFileSync(file, "utf8");
  expect([oddInBin(home), writeLauncher(home)]).toEqual([[], []]);
  spoil(file, home.bin);
  const odd = oddInBin(home);
  expect([isOtherInstallation(home), writeLauncher(home)]).toEqual([isOther, odd]);
  expect([readFileSync(file, "utf8"), oddInBin(home), readdirSync(home.bin)]).toEqual([
    text,
    [],
    ["signalbox"],
  ]);
  expect(readdirSync(home.root).filter((name) => name.endsWith(".new"))).toEqual([]);
});

test("the doctor tells of a program that is not ours", () => {
  const home = newHome();
  const told = (): string[] =>
    lookAtLeftovers({ home, db: undefined })
      .filter(({ name }) => name === "programs")
      .map(({ status, text }) => `${status} ${text.replace(home.root, "")}`);
  writeLauncher(home);
  expect(told()).toEqual([]);
  writeFileSync(join(home.bin, "signalbox"), "#!/bin/sh\n");
  expect(told()).toEqual([
    "problem /bin/signalbox does not call this program; agents find it first, and it is put right before the next one is started",
  ]);
});

test("of a saved environment nothing is taken that makes programs load something", () => {
  const home = newHome();
  const store = openStore(home);
  onTestFinished(() => store.close());
  const open = (text: string): Readonly<Record<string, string>> => {
    writeFileSync(home.environment, text);
    return openWorks(home, store, { log: () => undefined }).person.env;
  };
  const hostile = { NODE_OPTIONS: "x", LD_PRELOAD: "x", BASH_ENV: "x", ENV: "x", SIGNALBOX_FAILPOINT: "x" };
  expect(open(JSON.stringify({ PATH: "/bin", API_KEY: "k", N: 1, ...hostile }))).toEqual({
    PATH: "/bin",
    API_KEY: "k",
  });
  for (const text of ["", "[]", "null", "{"]) expect(() => open(text)).toThrow("no variables of a person");
  rmSync(home.environment);
  execFileSync("mkfifo", [home.environment]);
  expect(() => openWorks(home, store, { log: () => undefined })).toThrow("no variables of a person");
});

test("what the dead left is swept after an hour, and nothing else", () => {
  const home = newHome();
  for (const folder of [home.exits, home.pokes, join(home.root, "tmp")])
    mkdirSync(folder, { recursive: true });
  const dead = 2 ** 22 + 1;
  const files = {
    [`environment.json.${dead}.0a1b.new`]: false,
    [`environment.json.${process.pid}.0a1b.new`]: true,
    "environment.json": true,
    "poke/0a1b.new": false,
    "exits/j": true,
    [`tmp/git-${dead}-0a1b`]: false,
    [`tmp/index-${dead}-0a1b.lock`]: false,
    [`tmp/git-${process.pid}-0a1b`]: true,
    [`tmp/notes`]: true,
  };
  const now = Date.now();
  for (const name of Object.keys(files)) {
    writeFileSync(join(home.root, name), "");
    utimesSync(join(home.root, name), now / 1000 - 4000, now / 1000 - 4000);
  }
  writeFileSync(join(home.root, `young.${dead}.0a1b.new`), "");
  sweep(home, now);
  const left = Object.keys(files).map((name) => [name, existsSync(join(home.root, name))]);
  expect(Object.fromEntries(left)).toEqual(files);
  expect(existsSync(join(home.root, `young.${dead}.0a1b.new`))).toBe(true);
  sweep(homeAt("/no/such/home"), now);
});
