/** Files that are replaced and a folder that is moved: all of it or nothing, whoever dies over it, and never over what is somebody's. */

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileArchives } from "../../src/adapters/archive/archives.ts";
import type { ArchiveRequest } from "../../src/engine/ports/archives.ts";

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

let folder = "";
let root = "";
let desk = "";

const OLD = {
  "specs/auth.md": "# Auth\n",
  "specs/CHANGELOG.md": "# Changelog\n",
  "changes/x/proposal.md": "# X\n",
  "changes/x/merged/auth.md": "# Auth, new\n",
};
const NEW = {
  "specs/auth.md": "# Auth, new\n",
  "specs/deep/new.md": "# New\n",
  "specs/CHANGELOG.md": "# Changelog, new\n",
  "archive/20260131-x/proposal.md": "# X\n",
  "archive/20260131-x/merged/auth.md": "# Auth, new\n",
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-archive-"));
  [root, desk] = [join(folder, "repo"), join(folder, "desk")];
  mkdirSync(desk);
  put(OLD);
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(texts: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

/** Everything that is there, but for what is written beside a file while it is replaced. */
function files(isWhole = true): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && (isWhole || !entry.name.endsWith(".signalbox-archive")))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    entries.toSorted().map((path) => [path.slice(root.length + 1), readFileSync(path, "utf8")]),
  );
}

const sorted = (of: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const CHILD = fileURLToPath(new URL("./archive-child.ts", import.meta.url));

function child(what: string, env: Readonly<Record<string, string>> = {}): string {
  const done = spawnSync(process.execPath, [CHILD, what, desk, root], {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (done.signal === "SIGKILL") return "killed";
  return done.status === 0 ? done.stdout : done.stderr;
}

/** Each file is one of the two, and each of the folders is where it was or where it goes. */
function expectOldOrNew(): void {
  const now = files(false);
  const isMoved = existsSync(join(root, "archive/20260131-x"));
  for (const [name, text] of Object.entries(now)) {
    const either = [OLD, NEW].flatMap((of) => (name in of ? [of[name as keyof typeof of]] : []));
    expect(either).toContain(text);
  }
  const kept = isMoved ? "archive/20260131-x" : "changes/x";
  expect(now).toMatchObject({
    [`${kept}/proposal.md`]: "# X\n",
    [`${kept}/merged/auth.md`]: "# Auth, new\n",
  });
  for (const name of ["specs/auth.md", "specs/CHANGELOG.md"]) expect(now).toHaveProperty([name]);
  expect(existsSync(join(root, "changes/x"))).toBe(!isMoved);
}

const POINTS = ["plan", "write", "put", "move", "turn"].flatMap((name) => [
  `archive.before-${name}`,
  `archive.after-${name}`,
]);
const TIMES = (name: string): number => (/write|put/.test(name) ? 3 : 1);
const SWEPT = POINTS.flatMap((name) => Array.from({ length: TIMES(name) }, (_, n) => `${name}:${n + 1}`));

test.for(isDeep ? SWEPT : SWEPT.filter((_, n) => n % 4 === 1))(
  "killed at %s: every file is the old or the new one, and the next try ends it",
  (at) => {
    expect(child("archive", { SIGNALBOX_FAILPOINT: at })).toBe("killed");
    expectOldOrNew();
    expect(child("archive")).toBe("archive/20260131-x");
    expect(files()).toEqual(sorted(NEW));
    // Done again, it finds its own work.
    expect(child("archive")).toBe("archive/20260131-x");
    expect(files()).toEqual(sorted(NEW));
  },
);

test.for(isDeep ? SWEPT : SWEPT.filter((_, n) => n % 6 === 0))(
  "killed at %s, and called off then: everything is as it was, or all of it is done",
  (at) => {
    expect(child("archive", { SIGNALBOX_FAILPOINT: at })).toBe("killed");
    child("undo");
    expect(files()).toEqual(sorted(at.startsWith("archive.after-turn") ? NEW : OLD));
  },
);

const BACK = ["turn", "take", "put", "drop", "move"].flatMap((name) => [
  `archive.before-${name}`,
  `archive.after-${name}`,
]);

test.for(isDeep ? BACK : BACK.filter((_, n) => n % 6 === 1))(
  "killed on the way back at %s: the way back is taken to its end",
  (at) => {
    child("archive", { SIGNALBOX_FAILPOINT: "archive.after-move" });
    expect(child("undo", { SIGNALBOX_FAILPOINT: at })).toBe("killed");
    expectOldOrNew();
    child("undo");
    expect(files()).toEqual(sorted(OLD));
    expect(child("archive")).toBe("archive/20260131-x");
    expect(files()).toEqual(sorted(NEW));
  },
);

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const digest = (file: string): string => fileArchives.look(root, file).digest;
const wanted = (): ArchiveRequest => ({
  root,
  files: [
    { file: "specs/auth.md", base: digest("specs/auth.md"), bytes: bytes("# Auth, new\n") },
    { file: "specs/deep/new.md", base: "none", bytes: bytes("# New\n") },
    { file: "specs/CHANGELOG.md", base: digest("specs/CHANGELOG.md"), bytes: bytes("# Changelog, new\n") },
  ],
  folder: "changes/x",
  to: "archive/20260131-x",
});

test.for<[string, () => void]>([
  ["another text", () => put({ "specs/auth.md": "# Mine\n" })],
  ["a file where there was none", () => put({ "specs/deep/new.md": "# Mine\n" })],
  ["a log that has gone on", () => put({ "specs/CHANGELOG.md": "# Mine\n" })],
  ["a file less", () => rmSync(join(root, "specs/auth.md"))],
])("%s since it was noted, or since it was planned: nothing of it is touched", ([, change]) => {
  const before = wanted();
  change();
  const mine = files();
  expect(fileArchives.plan(desk, before)).toBe(false);
  expect([files(), fileArchives.isPlanned(desk)]).toEqual([mine, false]);
  put(OLD);
  rmSync(join(root, "specs/deep"), { recursive: true, force: true });
  expect(fileArchives.plan(desk, before)).toBe(true);
  change();
  expect(fileArchives.put(desk)).toBe("undone");
  expect([files(), fileArchives.isPlanned(desk)]).toEqual([mine, false]);
});

test("changed by somebody after it was put there, and called off: theirs stays, the rest is put back", () => {
  fileArchives.plan(desk, wanted());
  fileArchives.put(desk);
  put({ "specs/auth.md": "# Mine\n" });
  fileArchives.undo(desk);
  expect(files()).toEqual(sorted({ ...OLD, "specs/auth.md": "# Mine\n" }));
});

test.for<[string, () => void, RegExp]>([
  [
    "a file that is a link",
    () => (rmSync(join(root, "specs/auth.md")), symlinkSync("../secret", join(root, "specs/auth.md"))),
    /is a symbolic link/,
  ],
  [
    "a folder that is a link within",
    () => (rmSync(join(root, "specs"), { recursive: true }), symlinkSync("changes", join(root, "specs"))),
    /no folder of its own/,
  ],
  [
    "a folder that is a link outside",
    () => (rmSync(join(root, "specs"), { recursive: true }), symlinkSync(desk, join(root, "specs"))),
    /no folder of its own/,
  ],
  ["an archive that is a link", () => symlinkSync(desk, join(root, "archive")), /no folder of its own/],
  ["no folder to move", () => rmSync(join(root, "changes/x"), { recursive: true }), /is no folder any more/],
])("%s: nothing is planned, written or followed", ([, change, message]) => {
  const before = wanted();
  change();
  const now = files();
  const links = readdirSync(desk);
  expect(() => {
    if (!fileArchives.plan(desk, before)) throw new Error("not planned");
    fileArchives.put(desk);
    fileArchives.move(desk);
  }).toThrow(message);
  expect([files(), readdirSync(desk)]).toEqual([now, links]);
});

test("what cannot be written is put back and thrown", () => {
  fileArchives.plan(desk, wanted());
  put({ "specs/deep": "no folder\n" });
  const before = files();
  expect(() => fileArchives.put(desk)).toThrow(/no folder of its own/);
  expect([files(), fileArchives.isPlanned(desk)]).toEqual([before, false]);
});

test("a second one of the same day gets a number, also where somebody takes the name meanwhile", () => {
  put({ "archive/20260131-x/mine.md": "x\n" });
  fileArchives.plan(desk, wanted());
  put({ "archive/20260131-x-2/mine.md": "y\n" });
  fileArchives.put(desk);
  expect(fileArchives.move(desk)).toEqual({ from: "changes/x", to: "archive/20260131-x-3" });
  expect(files()).toMatchObject({
    "archive/20260131-x/mine.md": "x\n",
    "archive/20260131-x-2/mine.md": "y\n",
    "archive/20260131-x-3/proposal.md": "# X\n",
  });
});

test("what somebody writes where the folder was goes along", () => {
  expect(child("archive", { SIGNALBOX_FAILPOINT: "archive.after-move" })).toBe("killed");
  put({ "changes/x/STATE.yaml": "late\n" });
  expect(child("archive")).toBe("archive/20260131-x");
  expect(files()).toEqual(sorted({ ...NEW, "archive/20260131-x/written-late/STATE.yaml": "late\n" }));
});

test("a file keeps its mode, and a copy is kept once", () => {
  chmodSync(join(root, "specs/auth.md"), 0o640);
  fileArchives.plan(desk, wanted());
  fileArchives.put(desk);
  expect(lstatSync(join(root, "specs/auth.md")).mode & 0o777).toBe(0o640);
  const copy = join(folder, "texts/one.md");
  fileArchives.keep(copy, bytes("one\n"));
  fileArchives.keep(copy, bytes("two\n"));
  expect(readFileSync(copy, "utf8")).toBe("one\n");
});
