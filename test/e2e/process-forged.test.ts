/** What a program writes into the places of its shim: none of it counts, and none of it stops anybody. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shimProcesses } from "../../src/adapters/process/processes.ts";
import { bench, carriers, exists, until, type Bench } from "./process-bench.ts";

/** `F` is the folder of the job, which no program is told. */
const script = (b: Bench, text: string): Parameters<Bench["run"]>[0] =>
  b.script("j", text, { env: { PATH: process.env["PATH"] ?? "", F: b.dir("j"), H: b.home.root } });

test("no program is told where its exit status is kept", async () => {
  const b = bench();
  await b.run(b.script("j", "env"));
  expect(b.text("j", "out.log")).not.toContain(b.dir("j"));
});

test("an exit status beside a living shim says nothing, whoever looks", async () => {
  const b = bench();
  const launch = script(b, 'echo 0 >"$F/exit"; : >"$H/exits/j"; touch ready; read x <go; exit 7');
  execFileSync("mkfifo", [join(launch.cwd, "go")]);
  await b.processes.launch(launch);
  await exists(join(launch.cwd, "ready"));
  const other = shimProcesses({ home: b.home });
  expect([b.processes, other].map((each) => each.probe(launch.dir).type)).toEqual(["alive", "alive"]);
  expect(b.processes.reported()).toEqual(["j"]);
  writeFileSync(join(launch.cwd, "go"), "go\n");
  expect(await b.run(launch)).toBe(7);
  expect(other.probe(launch.dir)).toEqual({ type: "ended", code: 7 });
});

/** The program writes a status, and sees to it that its shim cannot. */
test.for<[string, string]>([
  ["kills its shim", 'echo 0 >"$F/exit"; kill -9 $PPID'],
  ["names another shim", 'echo 0 >"$F/exit"; printf "%s\\n" 1 1 1 >"$F/pid"; kill -9 $PPID'],
  [
    "leaves somebody behind who writes it afterwards",
    '(setsid sh -c \'while [ -d "/proc/$1" ]; do :; done; echo 0 >"$F/exit"\' sh $PPID &); exit 3',
  ],
  ["has a pipe there that the shim moves away, and kills it", 'mkfifo "$F/exit"; kill -9 $PPID'],
])("a program that %s has not passed, and what it wrote is taken away", async ([, text]) => {
  const b = bench();
  const launch = script(b, text);
  await b.processes.launch(launch);
  await until(() => b.processes.probe(launch.dir).type === "lost");
  await b.processes.kill(launch);
  expect(carriers(launch.dir)).toEqual([]);
  const other = shimProcesses({ home: b.home });
  expect([b.processes, other].map((each) => each.probe(launch.dir).type)).toEqual(["lost", "lost"]);
});

test("a program that is killed has not ended as it says", async () => {
  const b = bench({ graceMs: 50 });
  const launch = script(b, 'trap "" TERM; echo 0 >"$F/exit"; touch ready; while :; do sleep 0.01; done');
  await b.processes.launch(launch);
  await exists(join(launch.cwd, "ready"));
  await b.processes.kill(launch);
  expect(b.processes.probe(launch.dir)).toEqual({ type: "ended", code: 137 });
});

test("a program that says it has only just begun hides nobody who began before", async () => {
  const b = bench({ graceMs: 50 });
  const text =
    '{ read p; read s; read b; } <"$F/pid"; (setsid sleep 600 &); printf "%s\\n" $p $((s + 100000000)) $b >"$F/pid"; touch ready; exec sleep 600';
  const launch = script(b, text);
  await b.processes.launch(launch);
  await exists(join(launch.cwd, "ready"));
  await b.processes.kill(launch);
  expect(carriers(launch.dir)).toEqual([]);
});

test.for<[string, string]>([
  ["pipes", 'mkfifo "$F/exit" "$F/exit.new" "$H/exits/j"'],
  ["folders", 'mkdir -p "$F/exit/x" "$F/exit.new/x" "$H/exits/j"'],
  ["links to a folder", 'mkdir -p d/x; ln -s "$PWD/d" "$F/exit"; ln -s "$PWD/d" "$F/exit.new"'],
  ["links", 'ln -s /dev/full "$F/exit"; ln -s /dev/full "$F/exit.new"; ln -s /dev/full "$H/exits/j"'],
])("%s in the way of the shim's last words do not hold it up", async ([what, plant]) => {
  const b = bench();
  expect(await b.run(script(b, `${plant}; exit 6`))).toBe(6);
  const report = join(b.home.exits, what === "folders" ? "j/exit.new" : "j");
  await until(() => readFileSync(report, "utf8") === "6\n");
  expect(b.text("j", "exit")).toBe("6\n");
});

test.for<[string, (file: string) => void, string]>([
  ["a pipe", (file) => void execFileSync("mkfifo", [file]), "lost"],
  ["a folder", (file) => mkdirSync(join(file, "x"), { recursive: true }), "lost"],
  ["a link to a status", (file) => symlinkSync("../status", file), "lost"],
  ["a large file", (file) => writeFileSync(file, "0".repeat(100_000)), "lost"],
  ["no digits", (file) => writeFileSync(file, "0x0\n"), "lost"],
  ["no whole line", (file) => writeFileSync(file, "0"), "lost"],
  ["a status", (file) => writeFileSync(file, "0\n"), "ended"],
])("%s as an exit status, or as a pid", async ([, make, type]) => {
  const b = bench({ startingMs: 0 });
  await b.run(b.script("j", "exit 1"));
  writeFileSync(join(b.dir("j"), "../status"), "0\n");
  const other = shimProcesses({ home: b.home, startingMs: 0 });
  for (const name of ["pid", "exit"]) {
    rmSync(b.file("j", name));
    make(b.file("j", name));
    expect([name, other.probe(b.dir("j")).type]).toEqual([name, name === "pid" ? "ended" : type]);
  }
});

test("what is no report is put aside, and the others are told", () => {
  const b = bench();
  mkdirSync(join(b.home.exits, "x/y"), { recursive: true });
  execFileSync("mkfifo", [join(b.home.exits, "pipe")]);
  writeFileSync(join(b.home.exits, "j"), "0\n");
  expect(b.processes.reported().sort()).toEqual(["j", "pipe", "x"]);
  expect([b.processes.reported(), readdirSync(b.home.exits)]).toEqual([[], []]);
  expect(readdirSync(b.home.quarantine)).toHaveLength(1);
});

test("where our folders should be, something else is put aside", async () => {
  const b = bench();
  mkdirSync(b.home.root, { recursive: true });
  for (const place of [b.home.exits, b.home.pokes, b.home.quarantine]) writeFileSync(place, "no folder");
  expect(await b.run(b.script("j", "exit 2"))).toBe(2);
  await until(() => b.processes.reported().includes("j"));
});

test("a log that leads elsewhere is not cut", async () => {
  const b = bench({ logBytesMax: 10 });
  await b.run(b.script("j", "exit 0"));
  const precious = b.put("precious", "x".repeat(100));
  rmSync(b.file("j", "out.log"));
  symlinkSync(precious, b.file("j", "out.log"));
  b.processes.rotate(b.dir("j"));
  expect(readFileSync(precious, "utf8")).toHaveLength(100);
});
