/** Ending jobs that do not want to end, and keeping their logs small. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { markOf } from "../../src/adapters/process/marker.ts";
import { seenIn } from "../../src/adapters/process/table.ts";
import { processTable, startOf } from "../../src/adapters/process/table.ts";
import { bench, carriers, exists, isAlive, until } from "./process-bench.ts";

const isDeep = process.env["SIGNALBOX_DEEP"] !== undefined;

/** `READY` names a file to make when everything is set up; `PIDS` a file that takes pids to be gone afterwards. */
test.for<[string, string, number]>([
  ["a program that ends when asked", "touch $READY; exec sleep 600", 143],
  ["one that tidies up first", "trap 'exit 3' TERM; touch $READY; while :; do sleep 0.01; done", 3],
  ["one that ignores it", "trap '' TERM INT HUP; touch $READY; while :; do sleep 0.01; done", 137],
  [
    "one that is stopped",
    "(until grep -q '^State:.T' /proc/$$/status; do sleep 0.01; done; touch $READY) & kill -STOP $$; exit 1",
    137,
  ],
  ["a child in another session", "setsid sleep 600 & echo $! >>$PIDS; touch $READY; exec sleep 600", 143],
  [
    "a grandchild whose parents are gone",
    "(setsid sh -c 'sleep 600 & echo $! >>$PIDS' &); exists $PIDS; touch $READY; exec sleep 600",
    143,
  ],
  ["a child without an environment", "env -i sleep 600 & echo $! >>$PIDS; touch $READY; exec sleep 600", 143],
  [
    "such a child in another session",
    "env -i setsid sleep 600 & echo $! >>$PIDS; touch $READY; exec sleep 600",
    143,
  ],
  [
    "an orphan without an environment that ignores it",
    `(env -i sh -c 'trap "" TERM; echo $$ >>'$PIDS'; while :; do sleep 0.01; done' &); exists $PIDS; touch $READY; exec sleep 600`,
    143,
  ],
  [
    "what a program left behind when it ended",
    "(setsid sleep 600 & echo $! >>$PIDS); touch $READY; exit 5",
    5,
  ],
  [
    "one that starts others all the time",
    "trap '' TERM; (while :; do setsid sleep 600 & sleep 0.005; done) & touch $READY; wait",
    137,
  ],
  [
    "one that starts another when asked to end",
    "trap 'setsid sleep 600 & exit 4' TERM; touch $READY; while :; do sleep 0.01; done",
    4,
  ],
])("%s: nothing is left", async ([, script, code]) => {
  const b = bench({ graceMs: 250 });
  const ready = join(b.home.root, "ready");
  const pids = join(b.home.root, "pids");
  const text = `exists() { while ! [ -s $1 ]; do sleep 0.01; done; }; ${script}`;
  const env = { PATH: process.env["PATH"] ?? "", READY: ready, PIDS: pids };
  const launch = b.script("j", text, { env });
  await b.processes.launch(launch);
  await exists(ready);
  const started = existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").map(Number) : [];
  await b.processes.kill(launch);
  expect(carriers(b.home.root)).toEqual([]);
  expect(started.filter(isAlive)).toEqual([]);
  expect(b.processes.probe(launch.dir)).toEqual({ type: "ended", code });
});

test("the program outlives a shim that is killed; the job is lost, and ends with a kill", async () => {
  const b = bench();
  const launch = b.script("j", "trap '' TERM; while :; do sleep 0.01; done");
  const seen = await b.processes.launch(launch);
  expect(seen.type).toBe("alive");
  await until(() => carriers(launch.dir).length > 1);
  process.kill(seen.type === "alive" ? seen.pid : 0, "SIGKILL");
  await until(() => b.processes.probe(launch.dir).type === "lost");
  expect(carriers(launch.dir).length).toBeGreaterThan(0);
  await b.processes.kill(launch);
  expect(carriers(launch.dir)).toEqual([]);
  expect(b.processes.probe(launch.dir)).toEqual({ type: "lost", infrastructure: false });
});

test("killed before it was launched: it is never started", async () => {
  const b = bench();
  const launch = b.script("j", "echo x");
  await b.processes.kill(launch);
  expect(b.processes.probe(launch.dir)).toEqual({ type: "ended", code: 137 });
  expect(await b.processes.launch(launch)).toEqual({ type: "ended", code: 137 });
  expect(existsSync(b.file("j", "out.log"))).toBe(false);
});

test("a shim that is on its way when the job is killed starts nothing", async () => {
  const b = bench({ launchMs: 300 });
  const launch = b.script("j", "echo x");
  const killing = b.processes.kill(launch);
  // The launch sees the folder as it was before: its shim finds the claim of the kill.
  const launching = b.processes.launch(launch);
  await Promise.all([killing, launching]);
  expect(carriers(launch.dir)).toEqual([]);
  expect(existsSync(b.file("j", "out.log"))).toBe(false);
});

test("whenever it is killed, nothing is left and it is not started again", async () => {
  const b = bench({ graceMs: 100 });
  let life = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(12), async (delay) => {
      life += 1;
      const launch = b.script(`j${life}`, "exec sleep 600");
      const launching = b.processes.launch(launch);
      await pause(delay);
      await Promise.all([b.processes.kill(launch), b.processes.kill(launch)]);
      expect(carriers(launch.dir)).toEqual([]);
      expect((await launching).type).toMatch(/^(alive|ended)$/);
      expect(b.processes.probe(launch.dir).type).toBe("ended");
      expect((await b.processes.launch(launch)).type).toBe("ended");
      expect(carriers(launch.dir)).toEqual([]);
    }),
    { numRuns: isDeep ? 300 : 15 },
  );
});

test("the same id in another state home, another job of a child, and bystanders live on", async () => {
  const [one, two] = [bench(), bench()];
  const outer = one.script("j", "exec sleep 600");
  const inner = two.script("j", "exec sleep 600");
  // Started by a process of the first job, as when an agent uses us itself.
  const marked = spawn(
    process.execPath,
    [join(import.meta.dirname, "process-launcher.ts"), two.home.root, JSON.stringify(inner)],
    {
      env: { ...process.env, SIGNALBOX_JOB: "j", SIGNALBOX_JOB_MARK: markOf(one.dir("j")) },
      stdio: "ignore",
    },
  );
  await Promise.all([one.processes.launch(outer), once(marked, "exit")]);
  await until(() => carriers(inner.dir).length === 2);
  await one.processes.kill(outer);
  expect([carriers(outer.dir), carriers(inner.dir).length]).toEqual([[], 2]);
  await two.processes.kill(inner);
});

test("a process of another job is left alone, also below one of this job", async () => {
  const b = bench();
  const env = { PATH: process.env["PATH"] ?? "", OTHER: markOf(b.dir("other")) };
  const launch = b.script("j", "SIGNALBOX_JOB_MARK=$OTHER setsid sleep 600 & exec sleep 600", { env });
  await b.processes.launch(launch);
  await until(() => carriers(b.dir("other")).length === 1);
  await b.processes.kill(launch);
  expect([carriers(launch.dir).length, carriers(b.dir("other")).length]).toEqual([0, 1]);
});

test("who is older than a shim is seen to be that, and not looked at again", () => {
  const child = spawn("sleep", ["600"], { stdio: "ignore" });
  onTestFinished(() => void child.kill());
  const pid = child.pid ?? 0;
  const since = startOf(pid) ?? "";
  const older = new Set<number>();
  const pidsIn = (): number[] => processTable({ since, older }).map((seen) => seen.pid);
  expect(pidsIn()).toContain(pid);
  expect([older.has(process.pid), older.has(pid)]).toEqual([true, false]);
  older.add(pid);
  expect(pidsIn()).not.toContain(pid);
});

test("whoever waits for the end of a shim is told at once", async () => {
  let ends = 0;
  const b = bench({ onEnd: () => (ends += 1) });
  await b.processes.launch(b.script("j", "exit 3"));
  await until(() => ends === 1);
  expect(b.processes.probe(b.dir("j"))).toEqual({ type: "ended", code: 3 });
});

test("a state home that is reached by another name is the same", async () => {
  const b = bench();
  const launch = b.script("j", "exec sleep 600");
  const link = `${b.home.root}-link`;
  await b.processes.launch(launch);
  symlinkSync(b.home.root, link);
  expect(await b.run({ ...b.script("k", 'echo "$SIGNALBOX_JOB_MARK"'), dir: join(link, "jobs", "k") })).toBe(
    0,
  );
  expect(b.text("k", "out.log")).toBe(`${markOf(b.dir("k"))}\n`);
  const dir = join(link, "jobs", "j");
  expect(await b.processes.launch({ ...launch, dir })).toMatchObject({ type: "alive" });
  await b.processes.kill({ id: "j", dir });
  expect(carriers(launch.dir)).toEqual([]);
  rmSync(link);
});

test("a kill that was cut short is finished by the next", async () => {
  const b = bench();
  const launch = b.script("j", "trap '' TERM; touch ready; while :; do sleep 0.01; done");
  await b.processes.launch(launch);
  await exists(join(b.home.root, "..", "ready"));
  for (const point of [
    "process.before-kill",
    "process.before-claim",
    "process.after-kill",
    "process.before-exit",
  ]) {
    const text = `
      import { homeAt } from "./src/adapters/home/paths.ts";
      import { shimProcesses } from "./src/adapters/process/processes.ts";
      const [root, dir] = process.argv.slice(1);
      await shimProcesses({ home: homeAt(root), graceMs: 50 }).kill({ id: "j", dir });
    `;
    const child = spawn(
      process.execPath,
      ["--input-type=module-typescript", "-e", text, b.home.root, launch.dir],
      {
        cwd: join(import.meta.dirname, "../.."),
        env: { ...process.env, SIGNALBOX_FAILPOINT: point },
        stdio: "ignore",
      },
    );
    const [, signal] = (await once(child, "exit")) as [number | null, string | null];
    // The last is not reached: what was killed before that is lost, and stays so.
    expect([point, signal]).toEqual([point, point === "process.before-exit" ? null : "SIGKILL"]);
  }
  await b.processes.kill(launch);
  expect(carriers(launch.dir)).toEqual([]);
  expect(b.processes.probe(launch.dir)).toEqual({ type: "lost", infrastructure: false });
});

test("a log is cut while it is written", async () => {
  const b = bench({ logBytesMax: 20_000 });
  const lines = isDeep ? 200_000 : 20_000;
  const script = `i=0; while [ $i -lt ${lines} ]; do i=$((i+1)); echo $i; done; touch done; read x; while ! [ -e cut ]; do sleep 0.01; done; echo end`;
  const launch = b.script("j", script);
  await b.processes.launch(launch);
  let cuts = 0;
  await until(() => {
    const before = statSync(b.file("j", "out.log"), { throwIfNoEntry: false })?.size ?? 0;
    b.processes.rotate(launch.dir);
    if (before > 20_000) cuts += 1;
    return existsSync(join(launch.cwd, "done"));
  });
  const last = b.text("j", "out.log.1") + b.text("j", "out.log");
  b.put("cut", "");
  expect(await b.run(launch)).toBe(0);
  expect(cuts).toBeGreaterThan(0);
  expect(statSync(b.file("j", "out.log.1")).mode & 0o777).toBe(0o600);
  // No hole where it was cut off, nothing twice, and what comes after the cut is there.
  expect(b.text("j", "out.log.1") + b.text("j", "out.log")).toBe(`${last}end\n`);
  const numbers = last.trim().split("\n").slice(1).map(Number);
  expect(numbers.every((number, at) => number > (numbers[at - 1] ?? 0))).toBe(true);
});

test.for<[number, number, number, number]>([
  // before, limit -> kept in the old one, left
  [0, 10, -1, 0],
  [10, 10, -1, 10],
  [11, 10, 11, 0],
  [1000, 10, 20, 0],
])("a log of %i bytes with a limit of %i: %i kept, %i left", async ([size, logBytesMax, kept, left]) => {
  const b = bench({ logBytesMax });
  await b.run(b.script("j", "exit 0"));
  appendFileSync(b.file("j", "out.log"), "x".repeat(size));
  b.processes.rotate(b.dir("j"));
  const old = statSync(b.file("j", "out.log.1"), { throwIfNoEntry: false })?.size ?? -1;
  expect([old, statSync(b.file("j", "out.log")).size]).toEqual([kept, left]);
  b.processes.rotate(join(b.home.root, "no", "such", "job"));
});

test("what ps of macOS prints is understood", () => {
  const start = "Sat Nov 15 12:00:00 2025";
  const lines = [
    `  501   1   501 Ss   ${start}     /bin/sh /x/shim.sh A=1 SIGNALBOX_JOB=j SIGNALBOX_JOB_MARK=0a1b PATH=/bin`,
    `  502 501   501 S+   Sat Nov  1 02:00:00 2025     sleep 600 SIGNALBOX_JOB_MARK=2c`,
    `  503 501   501 Z    ${start}     (sleep)`,
    `  504   1   504 S    ${start}     /sbin/other`,
    "",
  ];
  expect(lines.flatMap(seenIn)).toEqual([
    {
      pid: 501,
      parent: 1,
      group: 501,
      session: 501,
      start,
      mark: "0a1b",
      command: ["/bin/sh", "/x/shim.sh", "A=1", "SIGNALBOX_JOB=j", "SIGNALBOX_JOB_MARK=0a1b", "PATH=/bin"],
    },
    {
      pid: 502,
      parent: 501,
      group: 501,
      session: 501,
      start: "Sat Nov 1 02:00:00 2025",
      mark: "2c",
      command: ["sleep", "600", "SIGNALBOX_JOB_MARK=2c"],
    },
    { pid: 504, parent: 1, group: 504, session: 504, start, mark: "", command: [] },
  ]);
});
