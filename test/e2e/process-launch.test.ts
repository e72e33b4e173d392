/** Launching real programs under the shim: what they get, how they end, and that each is started once. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/adapters/library/package.ts";
import { markOf } from "../../src/adapters/process/marker.ts";
import { shimProcesses } from "../../src/adapters/process/processes.ts";
import type { Launch } from "../../src/engine/ports/process.ts";
import { bench, carriers, exists, isAlive, until, type Bench } from "./process-bench.ts";

const launcher = fileURLToPath(new URL("process-launcher.ts", import.meta.url));
const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

test.for<[string, number]>([
  ["exit 0", 0],
  ["exit 1", 1],
  ["exit 255", 255],
  ["kill -TERM $$", 143],
  ["kill -KILL $$", 137],
  ["kill -INT $$", 130],
  ["kill -SEGV $$", 139],
  ["kill -PIPE $$", 141],
  // Whatever a program does to its whole group, its end is written down.
  ["kill -TERM 0", 143],
  ["kill -HUP 0", 129],
  ["kill -USR1 0", 138],
  ["exec /no/such/program", 127],
])("%s ends with %i", async ([script, code]) => {
  const b = bench();
  expect(await b.run(b.script("j", script))).toBe(code);
  expect(b.text("j", "exit")).toBe(`${code}\n`);
  await until(() => readdirSync(b.home.exits).length > 0);
  expect(readFileSync(join(b.home.exits, "j"), "utf8")).toBe(`${code}\n`);
  expect([b.processes.reported(), b.processes.reported()]).toEqual([["j"], []]);
});

test.for<[readonly string[], number]>([
  [["/no/such/program"], 127],
  [["no-such-program"], 127],
  [["/etc/passwd"], 126],
  // Not what a shell has by these names.
  [["false"], 1],
])("%o ends with %i, and the log says why", async ([argv, code]) => {
  const b = bench();
  expect(await b.run(b.script("j", "", { argv }))).toBe(code);
  expect(b.text("j", "out.log") !== "").toBe(code > 1);
});

test("arguments arrive byte for byte", async () => {
  const b = bench();
  const hostile = [
    "",
    " ",
    "a b",
    "'",
    '"',
    "$(touch x)",
    "`id`",
    "\n\n",
    "\\",
    "-n",
    "--",
    "*",
    "é\t\u{1F686}",
    "x".repeat(100_000),
  ];
  const argv = ["/bin/sh", "-c", 'printf "%s\\0" "$@"', "sh", ...hostile];
  expect(await b.run(b.script("j", "", { argv }))).toBe(0);
  expect(b.text("j", "out.log").split("\0").slice(0, -1)).toEqual(hostile);
});

test("names of folders and files may be hostile", async () => {
  const b = bench();
  const cwd = join(b.home.root, "a 'b\"\n$(c) ; *");
  mkdirSync(cwd, { recursive: true });
  const stdin = join(cwd, "in\nput");
  writeFileSync(stdin, "hello");
  const dir = join(cwd, "job folder");
  const launch = { ...b.script("j", "pwd; cat"), cwd, stdin, dir };
  expect(await b.run(launch)).toBe(0);
  expect(readFileSync(join(dir, "out.log"), "utf8")).toBe(`${cwd}\nhello`);
});

test("the environment is exactly what was given, the marker, and the working folder", async () => {
  const b = bench();
  const env = {
    A: "1",
    EMPTY: "",
    LINES_: "a\nb\n",
    QUOTES: "'\"$(id)`id`\\",
    // Names that a careless shim would use itself.
    code: "c",
    dir: "d",
    mask: "m",
    PATH: "/usr/bin:/bin",
    // What a shell trips over does not reach it.
    IFS: "Z",
    OPTIND: "abc",
    PS4: "$(touch x)",
    "no-name": "x",
    ENV: "/no/such/profile",
  };
  expect(await b.run(b.script("j", "", { argv: ["/usr/bin/env", "-0"], env }))).toBe(0);
  const seen = b.text("j", "out.log").split("\0").slice(0, -1).sort();
  const { IFS: _, OPTIND: _1, PS4: _2, "no-name": _3, ...handed } = env;
  const expected = {
    ...handed,
    SIGNALBOX_JOB: "j",
    SIGNALBOX_JOB_MARK: markOf(b.dir("j")),
    PWD: join(b.home.root, ".."),
  };
  expect(seen).toEqual(
    Object.entries(expected)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );
});

test("signals, umask and files are those of a program that is started afresh", async () => {
  const b = bench();
  const script = "umask; grep -E '^Sig(Ign|Blk)' /proc/self/status; ls /proc/self/fd";
  const launch = b.script("j", script);
  // The launcher has files open, and ignores what its terminal says.
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      'trap "" HUP INT; exec "$@"',
      "sh",
      process.execPath,
      launcher,
      b.home.root,
      JSON.stringify(launch),
    ],
    { stdio: ["pipe", "pipe", "pipe", "pipe", "pipe", "pipe"] },
  );
  // Nothing of ours keeps them open either, so they end with the launcher.
  await once(child, "close");
  expect(await b.run(launch)).toBe(0);
  const lines = b.text("j", "out.log").replaceAll("\t", " ").trim().split("\n");
  const mask = process.umask().toString(8).padStart(4, "0");
  expect(lines.slice(0, 3)).toEqual([mask, `SigBlk: ${"0".repeat(16)}`, `SigIgn: ${"0".repeat(16)}`]);
  // File 3 is what ls itself reads the folder with.
  expect(lines.slice(3).filter((file) => Number(file) < 16)).toEqual(["0", "1", "2", "3"]);
});

test.for([0o000, 0o022, 0o277])("with a umask of %o, everything is ours alone", async (mask) => {
  const b = bench();
  const launch = JSON.stringify(b.script("j", "echo x"));
  const child = spawn(
    "/bin/sh",
    ["-c", `umask ${mask.toString(8)}; exec "$@"`, "sh", process.execPath, launcher, b.home.root, launch],
    { stdio: "ignore" },
  );
  await once(child, "exit");
  await until(() => b.processes.probe(b.dir("j")).type === "ended");
  const modes = ["", "claim", "pid", "out.log", "exit"].map((name) =>
    (statSync(b.file("j", name)).mode & 0o777).toString(8),
  );
  expect(modes).toEqual(["700", "600", "600", "600", "600"]);
});

test("standard input is the file, and nobody minds when it is not read", async () => {
  const b = bench();
  const big = "0123456789abcdef".repeat(64 * 1024);
  const stdin = b.put("in", big);
  const codes = await Promise.all([
    b.run(b.script("cat", "cat | sha256sum", { stdin })),
    b.run(b.script("closed", "exec <&-; exit 3", { stdin })),
    b.run(b.script("head", "head -c 5; exit 4", { stdin })),
    b.run(b.script("none", "cat; exit 5")),
    b.run(b.script("missing", "exit 0", { stdin: "/no/such/file" })),
  ]);
  expect(codes.slice(0, 4)).toEqual([0, 3, 4, 5]);
  expect(codes[4]).toBeGreaterThan(0);
  expect(b.text("cat", "out.log")).toContain(createHash("sha256").update(big).digest("hex"));
  expect(b.text("head", "out.log")).toBe("01234");
  expect(b.text("none", "out.log")).toBe("");
  expect(b.text("missing", "out.log")).toContain("/no/such/file");
});

test("output is kept whole, both kinds in order", async () => {
  const b = bench();
  const lines = isDeep ? 500_000 : 50_000;
  expect(await b.run(b.script("j", `echo out; echo err >&2; seq 1 ${lines}`))).toBe(0);
  const log = b.text("j", "out.log").split("\n");
  expect([log.length, log[0], log[1], log.at(-2)]).toEqual([lines + 3, "out", "err", String(lines)]);
});

test("a folder that is not there is no reason to claim anything", async () => {
  const b = bench();
  const launch = b.script("j", "exit 0");
  await expect(b.processes.launch({ ...launch, cwd: "/no/such/folder" })).rejects.toThrow("/no/such/folder");
  expect(b.processes.probe(launch.dir)).toEqual({ type: "absent" });
  expect(await b.run(launch)).toBe(0);
});

test("many launches from many processes start one program", async () => {
  const b = bench();
  const launch = b.script("j", `echo started >>"${b.home.root}/starts"; exec sleep 60`);
  const own = Array.from({ length: 10 }, () => b.processes.launch(launch));
  const others = Array.from({ length: isDeep ? 20 : 4 }, () => otherLaunch(b, launch));
  const answers = [...(await Promise.all(own)), ...(await Promise.all(others.map(({ said }) => said)))];
  await exists(join(b.home.root, "starts"));
  expect(new Set(answers.map((seen) => JSON.stringify({ ...(seen as object), outputAt: 0 }))).size).toBe(1);
  expect(answers[0]).toMatchObject({ type: "alive" });
  // The shim and the program: nothing else is left.
  expect(carriers(launch.dir)).toHaveLength(2);
  await b.processes.kill(launch);
  expect(readFileSync(join(b.home.root, "starts"), "utf8")).toBe("started\n");
  // Also when it is over.
  expect(await b.processes.launch(launch)).toEqual({ type: "ended", code: 143 });
});

test("a program outlives its launcher, whenever that is killed, and is not in its group", async () => {
  const b = bench();
  const fifo = join(b.home.root, "..", "fifo");
  const launch = b.script("j", 'mkfifo "$FIFO"; read x <"$FIFO"; exit 7', {
    env: { FIFO: fifo, PATH: "/usr/bin:/bin" },
  });
  const killed = spawn(process.execPath, [launcher, b.home.root, JSON.stringify(launch)], {
    env: { ...process.env, SIGNALBOX_FAILPOINT: "process.after-spawn" },
    stdio: "ignore",
  });
  expect(await once(killed, "exit")).toEqual([null, "SIGKILL"]);
  const seen = await until(() => {
    const now = b.processes.probe(launch.dir);
    return now.type === "alive" && now;
  });
  const [group, session] = readFileSync(`/proc/${seen.pid}/stat`, "utf8").split(" ").slice(4, 6).map(Number);
  expect([group, session]).toEqual([seen.pid, seen.pid]);
  expect(await b.processes.launch(launch)).toMatchObject({ type: "alive", pid: seen.pid });
  await exists(fifo);
  writeFileSync(fifo, "go\n");
  expect(await b.run(launch)).toBe(7);
});

test("a launcher that is killed before it spawns has started nothing", async () => {
  const b = bench();
  const launch = b.script("j", "exit 0");
  const env = { ...process.env, SIGNALBOX_FAILPOINT: "process.before-spawn" };
  const killed = spawn(process.execPath, [launcher, b.home.root, JSON.stringify(launch)], {
    env,
    stdio: "ignore",
  });
  expect(await once(killed, "exit")).toEqual([null, "SIGKILL"]);
  expect(b.processes.probe(launch.dir)).toEqual({ type: "absent" });
  expect(await b.run(launch)).toBe(0);
});

test.for<[string, string, string]>([
  ["after-claim", "lost", ""],
  ["after-pid", "lost", ""],
  ["before-exit", "lost", "ran"],
  ["after-exit", "ended", "ran"],
])("a shim killed %s: %s, and nobody starts it again", async ([point, type, ran]) => {
  const b = bench({ startingMs: 100 });
  const launch = b.script("j", "printf ran");
  const other = otherLaunch(b, launch, { SIGNALBOX_SHIM_FAILPOINT: point });
  await other.said;
  await until(() => b.processes.probe(launch.dir).type === type);
  expect(await b.processes.launch(launch)).toMatchObject({ type });
  await b.processes.kill(launch);
  expect(b.processes.probe(launch.dir)).toMatchObject({ type });
  expect(carriers(launch.dir)).toEqual([]);
  expect(readdirSync(launch.dir).includes("out.log") ? b.text("j", "out.log") : "").toBe(ran);
  expect(readdirSync(launch.dir).filter((name) => name.endsWith(".new"))).toEqual([]);
});

test("the shim hands its failpoint to nobody", async () => {
  const b = bench();
  const launch = b.script("j", "env");
  await otherLaunch(b, launch, { SIGNALBOX_SHIM_FAILPOINT: "nowhere" }).said;
  expect(await b.run(launch)).toBe(0);
  expect(b.text("j", "out.log")).not.toContain("FAILPOINT");
});

test("a pid that is another process by now is not taken for ours", async () => {
  const b = bench();
  const launch = b.script("j", "exec sleep 60");
  await b.processes.launch(launch);
  const [pid = "", start = "", boot = ""] = b.text("j", "pid").split("\n");
  // Starts are told in ticks of 10 ms: a bystander of the same tick would be no lie.
  await setTimeout(20);
  const bystander = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  const lies = [
    [bystander.pid, start, boot],
    [pid, "1", boot],
    [pid, start, "another-boot"],
    [process.pid, start, boot],
  ];
  // One who has only the folder to go by.
  const other = shimProcesses({ home: b.home, graceMs: 300, startingMs: 0 });
  const probes = (): unknown[] =>
    lies.map((lines) => {
      writeFileSync(b.file("j", "pid"), `${lines.join("\n")}\n`);
      return other.probe(launch.dir);
    });
  // The shim is found all the same.
  expect(probes()).toMatchObject(lies.map(() => ({ type: "alive", pid: Number(pid) })));
  rmSync(b.file("j", "pid"));
  expect(other.probe(launch.dir)).toMatchObject({ type: "alive", pid: Number(pid) });
  // Ends what is the job's, and not the group that the number belongs to now.
  const at = readFileSync(`/proc/${bystander.pid}/stat`, "latin1").split(" ")[21];
  writeFileSync(b.file("j", "pid"), `${bystander.pid}\n${at}\n${boot}\n`);
  await other.kill(launch);
  expect(isAlive(bystander.pid ?? 0)).toBe(true);
  expect(isAlive(Number(pid))).toBe(false);
  bystander.kill("SIGKILL");
  rmSync(b.file("j", "exit"));
  expect(probes()).toMatchObject([
    { type: "lost", infrastructure: false },
    { type: "lost", infrastructure: false },
    { type: "lost", infrastructure: true },
    { type: "lost", infrastructure: false },
  ]);
});

test.for<[string, number, object]>([
  ["a moment ago", 0, { type: "starting" }],
  ["a minute ago", 60, { type: "lost", infrastructure: false }],
  ["in the future", -3600, { type: "lost", infrastructure: false }],
  ["before the machine was started", 20 * 365 * 86_400, { type: "lost", infrastructure: true }],
])("a claim without a pid, made %s", ([, age, expected]) => {
  const b = bench();
  mkdirSync(b.file("j", "claim"), { recursive: true });
  const at = Date.now() / 1000 - age;
  utimesSync(b.file("j", "claim"), at, at);
  expect(b.processes.probe(b.dir("j"))).toEqual(expected);
});

test.for(["", "12", "x\ny\nz\n", "-1\n2\n3\n"])("a pid file that says %o says nothing", (text) => {
  const b = bench({ startingMs: 0 });
  mkdirSync(b.file("j", "claim"), { recursive: true });
  writeFileSync(b.file("j", "pid"), text);
  writeFileSync(b.file("j", "exit"), "");
  expect(b.processes.probe(b.dir("j"))).toEqual({ type: "lost", infrastructure: false });
});

test("the time of the last output is told", async () => {
  const b = bench();
  const launch = b.script("j", "echo x; exec sleep 60");
  await b.processes.launch(launch);
  await until(() => statSync(b.file("j", "out.log"), { throwIfNoEntry: false })?.size === 2);
  utimesSync(b.file("j", "out.log"), 1000, 1000);
  expect(b.processes.probe(launch.dir)).toMatchObject({ type: "alive", outputAt: 1_000_000 });
});

test.for(["bash", "dash", "busybox"])("the shim runs under %s", async (shell) => {
  const b = bench();
  const launch = b.script("j", "exit 9");
  for (const folder of [launch.dir, b.home.exits]) mkdirSync(folder, { recursive: true });
  const shim = join(packageRoot(), "bin", "shim.sh");
  const argv = [...(shell === "busybox" ? ["sh"] : []), shim, launch.dir, b.home.exits, "/dev/null", "log"];
  const env = { PATH: process.env["PATH"] ?? "", SIGNALBOX_JOB: "j", SIGNALBOX_JOB_MARK: markOf(launch.dir) };
  const run = (): Promise<unknown> => {
    const child = spawn(shell, [...argv, ...launch.argv], { env, stdio: "ignore", detached: true });
    return new Promise((resolve) =>
      child.once("exit", resolve).once("error", (error) => resolve(error.message)),
    );
  };
  const first = await run();
  if (first === `spawn ${shell} ENOENT`) return;
  expect([first, b.text("j", "exit"), await run()]).toEqual([9, "9\n", 0]);
  expect(b.processes.reported()).toEqual(["j"]);
});

test("fifty live shims", { timeout: 120_000 }, async () => {
  const b = bench();
  const jobs = Array.from({ length: isDeep ? 200 : 50 }, (_, at) => b.script(`j${at}`, "exec sleep 600"));
  const seen = await Promise.all(jobs.map((job) => b.processes.launch(job)));
  const shims = seen.flatMap((process_) => (process_.type === "alive" ? [process_.pid] : []));
  expect(shims).toHaveLength(jobs.length);
  const of = (name: string): number =>
    shims
      .map((pid) =>
        new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")),
      )
      .reduce((sum, found) => sum + Number(found?.[1] ?? 0), 0) / shims.length;
  console.log(`A shim takes ${of("Pss").toFixed(0)} kB (${of("Rss").toFixed(0)} kB with what it shares)`);
  await Promise.all(jobs.map((job) => b.processes.kill(job)));
  expect(carriers(b.home.root)).toEqual([]);
});

function otherLaunch(
  b: Bench,
  launch: Launch,
  env: Readonly<Record<string, string>> = {},
): { readonly said: Promise<unknown> } {
  const child = spawn(process.execPath, [launcher, b.home.root, JSON.stringify(launch)], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return { said: once(child, "close").then(() => JSON.parse(text) as unknown) };
}
