/** What a person has put in the place of the state home: told by every command, with the variable that says so. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../src/adapters/home/folders.ts";
import { run } from "../../src/cli/run.ts";
import { AT_HOME } from "../support/procs.ts";
import { folderWith } from "./calling.ts";

const LINES = ["list", "inbox", "run task x --detach", "show x", "verify --all", "trust", "doctor --repair"];

async function say(line: string, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout, stderr } = await run(line.split(" "), {
    cwd,
    env,
    procs: AT_HOME,
    startSupervisor: () => undefined,
  });
  return `${code}\n${stdout}${stderr}`;
}

test.for(LINES)("a file in its place: %s", async (line) => {
  const cwd = folderWith({ file: "mine" });
  const said = await say(line, cwd, { HOME: cwd, SIGNALBOX_HOME: join(cwd, "file") });
  expect(said).toBe(
    "2\nsignalbox: SIGNALBOX_HOME says that runs are kept in file, but that is a file\n" +
      "  next: export SIGNALBOX_HOME=..., with a folder of your own, or one that is not there yet\n",
  );
});

const PLACES: readonly (readonly [place: string, env: (folder: string) => object, said: RegExp])[] = [
  [
    "below a file",
    (at) => ({ SIGNALBOX_HOME: `${at}/file/x/y` }),
    /SIGNALBOX_HOME says .* but file is a file/,
  ],
  ["a home that is a file", (at) => ({ HOME: `${at}/file` }), /HOME says .* but file is a file/],
  ["XDG_STATE_HOME", (at) => ({ XDG_STATE_HOME: `${at}/file` }), /XDG_STATE_HOME says .* but file is a file/],
  ["a link to nowhere", (at) => ({ SIGNALBOX_HOME: `${at}/nowhere` }), /is a link that leads nowhere/],
  ["links in a circle", (at) => ({ SIGNALBOX_HOME: `${at}/circle` }), /is a link that leads in a circle/],
  ["a device", () => ({ SIGNALBOX_HOME: "/dev/null" }), /that is no folder/],
];

test.for(PLACES)("%s", async ([, env, said]) => {
  const cwd = folderWith({ file: "mine" });
  symlinkSync(join(cwd, "gone"), join(cwd, "nowhere"));
  symlinkSync(join(cwd, "circle"), join(cwd, "circle"));
  const given = { HOME: cwd, ...env(cwd) };
  expect(await say("list", cwd, given)).toMatch(/^2\n/);
  expect(await say("list", cwd, given)).toMatch(said);
  const examined = await say("doctor", cwd, given);
  expect(examined).toMatch(/^1\n/);
  expect(examined).toMatch(/problem +state home/);
  expect(await say("list", cwd, { HOME: cwd, SIGNALBOX_HOME: join(cwd, "not/there/yet") })).toMatch(/^0\n/);
});

test("what no run ever is can be asked for nowhere, also where there are none", async () => {
  const cwd = folderWith({});
  expect(await say("list --status stuk", cwd, { HOME: cwd })).toMatch(/^2\nsignalbox: --status is running, /);
});

test.skipIf(process.platform !== "linux")("a folder that takes no new names is not tried for ever", () => {
  expect(() => makeFolder("/proc/x/y/z")).toThrow(/cannot create \/proc\/x: \/proc is not writable/);
});

test("folders are made step by step", () => {
  const cwd = folderWith();
  writeFileSync(join(cwd, "file"), "");
  makeFolder(join(cwd, "a/b/c"));
  makeFolder(join(cwd, "a/b/c"));
  expect(() => makeFolder(join(cwd, "file"))).toThrow(/cannot create .*file: something else exists there/);
  expect(() => makeFolder(join(cwd, "file/a"))).toThrow(/cannot create .*file: something else exists there/);
});
