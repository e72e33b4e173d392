/** A disk without room: every command says so, none takes it for damage, and everything goes on when there is room again. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { homeAt } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";

/** A file system of our own, which goes with the process that made it. Not everybody may have one. */
const ALONE = ["--user", "--map-root-user", "--mount"];
const canMount = spawnSync("unshare", [...ALONE, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

const BIN = join(import.meta.dirname, "../../bin/signalbox");
let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "signalbox-full-"));
  mkdirSync(join(root, "disk"));
  await openStore(homeAt(join(root, "home"))).close();
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Paths are shown as somebody types them there. */
const FULL = [1, "disk-full", "df -h disk/home"];

type Said = { readonly code: string; readonly next: string; readonly message: string };

/** Types them one after the other, with these lines of shell in between. Exit codes, and what was said. */
function typed(lines: readonly string[]): (readonly [exit: number, said: Said])[] {
  const script = lines.map((line) =>
    line.startsWith("$") ? line.slice(1) : `said=$('${BIN}' ${line} --json 2>/dev/null); echo "$? "$said`,
  );
  const { stdout, stderr } = spawnSync("unshare", [...ALONE, "sh", "-c", script.join("\n")], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: root, SIGNALBOX_HOME: join(root, "disk/home") },
  });
  expect(stderr).toBe("");
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [, exit = "", said = "{}"] = /^(\d+) (.*)$/.exec(line) ?? [];
      return [Number(exit), JSON.parse(said) as Said] as const;
    });
}

const MOUNT = "$mount -t tmpfs -o size=1m none disk";
const FILL = "$cat /dev/zero >disk/fill 2>/dev/null";

test.runIf(canMount)("where something is kept", () => {
  const said = typed([
    MOUNT,
    "$cp -r home disk/home",
    FILL,
    "list",
    "project list",
    "doctor --repair",
    "doctor",
    "$rm disk/fill",
    "list",
    '$[ ! -e disk/home/quarantine ] && echo \'0 {"code":"nothing aside"}\'',
  ]);
  expect(said.map(([exit, { code, next }]) => [exit, code, next])).toEqual([
    FULL,
    FULL,
    FULL,
    [1, "problems", "free some space"],
    [0, "ok", "signalbox run WORKFLOW GOAL"],
    [0, "nothing aside", undefined],
  ]);
});

test.runIf(canMount)("where nothing is kept yet", () => {
  const left = "$ls disk/home >&2";
  const said = typed([MOUNT, "$mkdir disk/home", FILL, "resume x", left, "$rm disk/fill", "resume x"]);
  expect(said.map(([exit, { code, next }]) => [exit, code, next])).toEqual([
    FULL,
    [2, "unknown-run", "signalbox list --all"],
  ]);
});
