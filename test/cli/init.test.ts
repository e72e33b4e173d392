/** `signalbox init`. */

import {
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
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONFIG_TEMPLATE, initialise } from "../../src/adapters/config/init.ts";
import { mergeLayers } from "../../src/adapters/config/read.ts";
import { contentOf } from "../../src/adapters/trust/content.ts";
import { ConfigFile, parseConfig } from "../../src/format/settings/config.ts";
import { call, document, folderWith } from "./calling.ts";

function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    names
      .filter((name) => lstatSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

test("writes the settings, commented out, and the folder of workflows", async () => {
  const cwd = folderWith();
  expect(await document("init", cwd)).toMatchObject({
    ok: true,
    code: "ok",
    folder: ".signalbox",
    files: [
      { path: ".signalbox/config.yaml", status: "written" },
      { path: ".signalbox/workflows/README.md", status: "written" },
    ],
  });
  expect(Object.keys(filesIn(join(cwd, ".signalbox")))).toEqual(["config.yaml", "workflows/README.md"]);
});

test("what it writes runs nothing, and so need not be trusted", async () => {
  const cwd = folderWith();
  await call("init", cwd);
  expect(contentOf(cwd).digest).toBe("");
});

test("a second time nothing changes, and it says so", async () => {
  const cwd = folderWith();
  await call("init", cwd);
  const before = filesIn(cwd);
  const { code, stdout, stderr } = await call("init", cwd);
  expect(filesIn(cwd)).toEqual(before);
  expect(code).toBe(0);
  expect(stdout).toBe(
    ".signalbox/config.yaml: there already\n.signalbox/workflows/README.md: there already\n",
  );
  expect(stderr).toContain("Nothing was written.");
});

test("what somebody changed stays, and what is missing comes back", async () => {
  const cwd = folderWith({ ".signalbox/config.yaml": "minutes: 3\n" });
  expect(await document("init", cwd)).toMatchObject({
    files: [{ status: "changed" }, { status: "written" }],
  });
  expect(readFileSync(join(cwd, ".signalbox/config.yaml"), "utf8")).toBe("minutes: 3\n");
  rmSync(join(cwd, ".signalbox/workflows/README.md"));
  expect(await document("init", cwd)).toMatchObject({
    files: [{ status: "changed" }, { status: "written" }],
  });
});

test("from a folder below, it is the repository that is set up", async () => {
  const cwd = folderWith({ "src/deep/x": "" });
  expect(await document("init", join(cwd, "src/deep"))).toMatchObject({ folder: "../../.signalbox" });
  expect(readdirSync(cwd)).toContain(".signalbox");
});

test("without a repository: exit 2 and the way to get one", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-init-"));
  expect(await call("init", cwd)).toEqual({
    code: 2,
    stdout: "",
    stderr: `signalbox: ${cwd} is not in a git repository\n  next: git init\n`,
  });
  expect(readdirSync(cwd)).toEqual([]);
});

test("in a bare repository: told so, and the way out", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "signalbox-init-"));
  for (const folder of ["objects", "refs", "deep"]) mkdirSync(join(cwd, folder));
  writeFileSync(join(cwd, "HEAD"), "ref: refs/heads/main\n");
  const said = `signalbox: ${cwd} is a bare repository: there is no working tree to work for\n  next: git clone ${cwd} somewhere else, and go there\n`;
  for (const place of [cwd, join(cwd, "deep")])
    expect(await call("init", place)).toEqual({ code: 2, stdout: "", stderr: said });
});

test.skipIf(process.platform !== "linux")("where nothing can be written, the true reason is told", () => {
  expect(() => initialise("/proc")).toThrow(
    "/proc/.signalbox cannot be written: its parent folder does not exist or is not writable",
  );
});

test.for<[what: string, make: (cwd: string) => void]>([
  ["a link", (cwd) => symlinkSync(mkdtempSync(join(tmpdir(), "signalbox-init-")), join(cwd, ".signalbox"))],
  ["no folder", (cwd) => writeFileSync(join(cwd, ".signalbox"), "")],
  [
    "a link",
    (cwd) => {
      mkdirSync(join(cwd, ".signalbox"));
      symlinkSync("/tmp", join(cwd, ".signalbox/workflows"));
    },
  ],
])("nothing is written where there is %s", async ([what, make]) => {
  const cwd = folderWith();
  make(cwd);
  const { code, stderr } = await call("init", cwd);
  expect(code).toBe(2);
  expect(stderr).toContain(`is ${what}; nothing was written`);
});

test("without its comment signs the template is valid, and names every key that a repository may set", () => {
  const text = CONFIG_TEMPLATE.replaceAll(/^#(?! \S)/gm, "");
  const { config, problems, warnings } = parseConfig({
    file: "config.yaml",
    bytes: new TextEncoder().encode(text),
    scope: "repository",
  });
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
  const keys = Object.keys(ConfigFile.def.shape).filter(
    (key) => !["notify", "reach", "prices"].includes(key),
  );
  expect(Object.keys(config).toSorted()).toEqual(keys.toSorted());
  const layer = {
    config,
    placeOf: () => ({ file: "", line: 1, col: 1 }),
    folder: "/",
    from: "repository" as const,
  };
  expect(mergeLayers([layer], { home: "", repo: "", kept: [] }).problems).toEqual([]);
});

test("says how to begin, and which workflows there are", async () => {
  const cwd = folderWith({ ".signalbox/workflows/mine/workflow.yaml": "name: mine\n" });
  const { stderr } = await call("init", cwd);
  expect(stderr).toContain('signalbox create "what to do"');
  expect(stderr).toContain('signalbox run staged "what to do"');
  expect(stderr).toContain('signalbox plan NAME "what to do"');
  const ways = stderr.split("\n").filter((line) => line.startsWith("  signalbox"));
  expect(new Set(ways.map((line) => line.lastIndexOf("  ")))).toHaveLength(1);
  expect(stderr).toContain(
    "\nWorkflows: change, change-task, design-approval, mine, one-task, orchestrated, orchestrated-task, staged, task (signalbox workflows)\n",
  );
});
