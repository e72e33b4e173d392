/** The built command as a process: what only shows there. */
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import config from "../../rolldown.config.ts";
import { folderWith, tiny } from "../cli/calling.ts";
import { NOTE_FILES, prepareHome, removeHomes } from "../support/home.ts";
import { isPerson } from "../support/person.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const signalbox = join(root, "bin/signalbox");

beforeAll(async () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const newest = Math.max(...sources.map((file) => statSync(join(root, "src", file)).mtimeMs));
  const built = statSync(join(root, "dist/main.cjs"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built > newest) return;
  const { output, ...input } = config;
  const bundle = await rolldown({ ...input, cwd: root });
  // Others may be reading the folder: what is there is replaced, never taken away.
  await bundle.write({ ...(Array.isArray(output) ? output[0] : output), cleanDir: false });
});

const JOB = {
  id: "a1.writer.1.1",
  run: "a1",
  kind: "turn",
  role: "writer",
  slot: "",
  attempt: 1,
  artifact: "",
  tree: "",
  startedAt: 1,
  endsBy: 0,
  stallMs: 0,
  killed: "",
  status: "over",
  seat: "",
} as const;

function start(
  args: readonly string[],
  cwd: string,
): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(signalbox, args, { cwd, encoding: "utf8", timeout: 45_000 });
  return { code: status, stdout, stderr };
}

test("check finds the built-in workflows from anywhere", () => {
  expect(start(["check", "task"], folderWith())).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^task: it ends\./) as string,
    stderr: "",
  });
});

/** Agents and people call these all day: libraries that they do not use are not loaded, nor are many files. */
// DBOS is a part of `worker`.
const LIBRARIES = new Set(["dagre", "hono", "markdown", "mcp", "yaml", "postgres", "worker"]);
const FILES_MAX = 24;
test.for(["--version", "show a1", "next a1", "list", "inbox", "check task", "move a1 dropped"])(
  "%s loads no library that it does not use",
  async (line) => {
    const on = prepareHome(NOTE_FILES);
    await on.runIn("open", "a1");
    const hook = loadedHook(on.root);
    const { status } = spawnSync(signalbox, line.split(" "), {
      cwd: on.repo,
      env: { ...on.env, ...hook.env },
    });
    const { lines, loaded } = hook.read();
    removeHomes();
    expect({
      status,
      isLoaded: loaded.includes("main"),
      libraries: loaded.filter((name) => LIBRARIES.has(name)),
      startsProcesses: lines.includes("NativeModule child_process"),
      isManyFiles: loaded.length > FILES_MAX,
    }).toEqual({
      status: 0,
      isLoaded: true,
      libraries: [],
      // Without /proc, a program lists the processes among which a person's move looks for agents.
      startsProcesses: process.platform !== "linux" && line.startsWith("move"),
      isManyFiles: false,
    });
  },
);

/** What several machines need is loaded where a database address is given, and nowhere else. */
test.skipIf(!isPerson).for([
  ["serve --port 0", /http:/, "hono"],
  ["supervise", undefined, "main"],
] as const)("%s on one machine loads neither pg nor DBOS", async ([line, until, own]) => {
  const on = prepareHome(NOTE_FILES);
  await on.runIn("open", "a1");
  const hook = loadedHook(on.root);
  const child = spawn(signalbox, line.split(" "), { cwd: on.repo, env: { ...on.env, ...hook.env } });
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (until?.test(text) === true) child.kill("SIGINT");
  });
  await once(child, "close");
  const { loaded } = hook.read();
  removeHomes();
  expect(loaded.filter((name) => [own, "postgres", "worker"].includes(name))).toEqual([own]);
});

type LoadedFiles = { readonly lines: readonly string[]; readonly loaded: readonly string[] };

/** Writes what a process has loaded when it exits. */
function loadedHook(folder: string): { readonly env: Record<string, string>; read(): LoadedFiles } {
  const [hook, list] = [join(folder, "hook.cjs"), join(folder, "loaded")];
  writeFileSync(
    hook,
    `process.on("exit", () => require("fs").writeFileSync(${JSON.stringify(list)}, [...Object.keys(require.cache), ...process.moduleLoadList.filter((name) => name === "NativeModule child_process")].join("\\n")));`,
  );
  return {
    env: { NODE_OPTIONS: `--require ${hook}` },
    read() {
      const lines = readFileSync(list, "utf8").split("\n");
      return { lines, loaded: lines.flatMap((path) => /\/dist\/([\w-]+)\.cjs$/.exec(path)?.[1] ?? []) };
    },
  };
}

/** A build of its own, with a cache that no other test uses, and a user who has none yet. */
function copyOfBuild() {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dist = join(folder, "dist");
  const home = join(folder, "home");
  cpSync(join(root, "dist"), dist, { recursive: true, filter: (path) => !path.endsWith(".cache") });
  writeFileSync(join(folder, "package.json"), readFileSync(join(root, "package.json")));
  symlinkSync(join(root, "workflows"), join(folder, "workflows"));
  mkdirSync(home);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const argv = (line: string): [string, ...string[]] => [join(dist, "signalbox.cjs"), ...line.split(" ")];
  const call = (more: Record<string, string> = {}, cwd = folder): string =>
    execFileSync(process.execPath, argv("check task"), { encoding: "utf8", cwd, env: { ...env, ...more } });
  const end = (line: string, more: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, argv(line), {
      encoding: "utf8",
      env: { ...env, ...more },
    });
    return { code: status, stdout, stderr };
  };
  /** The only file with compiled code in a folder. */
  const cacheIn = (at: string): string => {
    const found = readdirSync(at, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(found).toHaveLength(1);
    return join(found[0]?.parentPath ?? "", found[0]?.name ?? "");
  };
  return { call, end, cacheIn, dist, home, env, beside: join(dist, ".cache"), own: join(home, ".cache") };
}

/** How often the first runs of a command write its compiled code. */
const RUNS_THAT_WRITE = 4;

test("compiled code is kept beside the bundle, else in the user's cache, else nowhere", () => {
  const { call, beside, own } = copyOfBuild();
  const whole = call();
  expect([existsSync(beside), existsSync(own)]).toEqual([true, false]);
  rmSync(beside, { recursive: true });
  // A file where the folder would be: root may write into any folder.
  writeFileSync(beside, "");
  expect([call(), existsSync(join(own, "signalbox"))]).toEqual([whole, true]);
  rmSync(own, { recursive: true });
  writeFileSync(own, "");
  expect(call()).toBe(whole);
});

test("compiled code is written by the first runs, then left alone", () => {
  const { call, cacheIn, beside } = copyOfBuild();
  const written = Array.from({ length: RUNS_THAT_WRITE + 2 }, () => {
    call();
    return statSync(cacheIn(beside)).ino;
  });
  expect(written.map((one, n) => one !== written[n - 1])).toEqual([true, true, true, true, false, false]);
});

test("damaged compiled code is written again", () => {
  const { call, cacheIn, beside } = copyOfBuild();
  const whole = call();
  const good = readFileSync(cacheIn(beside));
  const line = good.indexOf("\n") + 1;
  const damaged = [
    Buffer.alloc(0),
    Buffer.alloc(good.length),
    good.subarray(0, 1000),
    good.subarray(0, -1),
    Buffer.concat([good, good]),
    Buffer.concat([good.subarray(0, line), Buffer.alloc(good.length - line)]),
    Buffer.from("{}\n"),
    Buffer.from("null\n"),
  ];
  for (const bytes of damaged) {
    writeFileSync(cacheIn(beside), bytes);
    expect(call()).toBe(whole);
    expect(readFileSync(cacheIn(beside)).equals(bytes)).toBe(false);
  }
});

test("compiled code of another bundle is not run, even if the files are as long", () => {
  const { call, dist } = copyOfBuild();
  const whole = Array.from({ length: RUNS_THAT_WRITE + 1 }, () => call()).at(-1) ?? "";
  const file = join(dist, "check2.cjs");
  const { atime, mtime } = statSync(file);
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("it ends.", "IT ENDS."));
  // Packages have files of one and the same time.
  utimesSync(file, atime, mtime);
  expect([call(), call()]).toEqual(Array(2).fill(whole.replace("it ends.", "IT ENDS.")));
});

test.runIf(process.getuid?.() === 0)("compiled code of another user is not run", () => {
  const { call, cacheIn, beside } = copyOfBuild();
  const whole = call();
  chownSync(cacheIn(beside), 65_534, 65_534);
  expect([call(), statSync(cacheIn(beside)).uid]).toEqual([whole, 0]);
});

test("compiled code is not looked for in the folder in which a command is called", () => {
  const { call, home, beside } = copyOfBuild();
  writeFileSync(beside, "");
  call({ HOME: "", XDG_CACHE_HOME: "here" }, home);
  call({ HOME: "." }, home);
  expect(readdirSync(home)).toEqual([]);
});

test("commands that write compiled code at the same time leave one good file", async () => {
  const { call, cacheIn, dist, beside, env } = copyOfBuild();
  const whole = call();
  const started = (): Promise<string> =>
    promisify(execFile)(process.execPath, [join(dist, "signalbox.cjs"), "check", "task"], { env }).then(
      ({ stdout }) => stdout,
    );
  expect(await Promise.all(Array.from({ length: 6 }, started))).toEqual(Array(6).fill(whole));
  for (let n = 0; n < RUNS_THAT_WRITE; n += 1) call();
  const { ino } = statSync(cacheIn(beside));
  expect([call(), statSync(cacheIn(beside)).ino]).toEqual([whole, ino]);
});

test("compiled code changes neither exit codes nor output", () => {
  const { end } = copyOfBuild();
  for (const line of [
    "--version",
    "help",
    "no-such-command",
    "check no-such-workflow",
    "schema",
    "list --json",
  ]) {
    const outcomes = Array.from({ length: RUNS_THAT_WRITE + 2 }, () => end(line));
    expect(outcomes).toEqual(Array(RUNS_THAT_WRITE + 2).fill(outcomes[0]));
  }
  expect(end("check no-such-workflow").code).toBe(2);
});

test("a command that ends by process.exit keeps its exit code and its compiled code", () => {
  const { end, cacheIn, beside, home } = copyOfBuild();
  const hook = join(home, "hook.cjs");
  writeFileSync(hook, `process.once("beforeExit", () => process.exit(3));`);
  expect(end("schema", { NODE_OPTIONS: `--require ${hook}` }).code).toBe(3);
  expect(cacheIn(beside)).toMatch(/-schema$/);
});

test("it can be called through a link", () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  symlinkSync(signalbox, join(folder, "sb"));
  expect(execFileSync(join(folder, "sb"), ["--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test("ejecting from the bundle brings the schema along", () => {
  const cwd = folderWith();
  expect(start(["eject", "task"], cwd).code).toBe(0);
  expect(readFileSync(join(cwd, ".signalbox/schema/workflow-1.schema.json"), "utf8")).toBe(
    start(["schema"], cwd).stdout,
  );
});

test("a pipe that nobody writes to is not waited for", () => {
  const cwd = folderWith();
  execFileSync("sh", ["-c", `mkfifo "$0"`, join(cwd, "pipe.yaml")]);
  expect(start(["check", "pipe.yaml"], cwd)).toEqual({
    code: 2,
    stdout: "",
    stderr: "signalbox: pipe.yaml cannot be read: it is no regular file\n  next: signalbox workflows\n",
  });
});

test.skipIf(process.getuid?.() === 0)("a file that may not be read", () => {
  const cwd = folderWith({ "mine.yaml": tiny("mine") });
  chmodSync(join(cwd, "mine.yaml"), 0);
  expect(start(["check", "mine.yaml"], cwd)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("permission denied\n  next: ls -l mine.yaml") as string,
  });
});

test("a reader that leaves early is no error", async () => {
  const child = spawn("sh", ["-c", `{ "$0" schema; echo "exit $?" >&2; } | head -c 10`, signalbox], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  await new Promise((resolve) => child.on("close", resolve));
  expect(stderr).toBe("exit 0\n");
});

test("a stream ends when its reader has left", async () => {
  const on = prepareHome(NOTE_FILES);
  await on.runIn("open", "a1");
  const dir = join(on.root, "turn");
  mkdirSync(dir);
  writeFileSync(join(dir, "out.log"), "one\n");
  await on.withStore((store) => store.commit([{ type: "put-job", job: { ...JOB, dir } }]));
  const child = spawn(signalbox, ["logs", "a1", "-f"], { cwd: on.repo, env: on.env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  await once(child.stdout, "data");
  child.stdout.destroy();
  appendFileSync(join(dir, "out.log"), "two\n");
  const [code] = (await once(child, "close")) as [number];
  removeHomes();
  expect({ code, stderr }).toEqual({ code: 130, stderr: "" });
});

test.skipIf(process.platform !== "linux").for(["schema", "schema --json", "workflows"])(
  "a full disk is told in one line: %s",
  (line) => {
    const { status, stderr } = spawnSync("sh", ["-c", `"$0" ${line} >/dev/full`, signalbox], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "signalbox: what it says cannot be written to the standard output: no space is left\n",
    });
  },
);

test("a slow reader gets every byte", async () => {
  const child = spawn(signalbox, ["schema", "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({
    ok: true,
    schema: { type: "object" },
  });
});

test("a folder that is gone", () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  const { status, stderr } = spawnSync(
    "sh",
    ["-c", `cd "$1" && rmdir "$1" && "$0" check task`, signalbox, folder],
    { encoding: "utf8" },
  );
  rmSync(folder, { recursive: true, force: true });
  expect(status).toBe(2);
  expect(stderr).toMatch(/signalbox: the folder you are in is gone\n  next: cd \.\.\n$/);
});
