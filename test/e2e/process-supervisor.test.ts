/** One supervisor for each state home: its lock, its pokes, its start. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isSupervisorAlive, takeSupervisorLock } from "../../src/adapters/supervisor/lock.ts";
import { poke, watchPokes } from "../../src/adapters/supervisor/poke.ts";
import { startSupervisor } from "../../src/adapters/supervisor/start.ts";
import { bench, exists, isAlive, until } from "./process-bench.ts";

const root = join(import.meta.dirname, "../..");

test("who holds the lock is the supervisor, until it lets go", () => {
  const { home } = bench();
  expect(isSupervisorAlive(home)).toBe(false);
  const lock = takeSupervisorLock(home);
  expect([isSupervisorAlive(home), takeSupervisorLock(home)]).toEqual([true, undefined]);
  expect(isSupervisorAlive(home)).toBe(true);
  lock?.release();
  lock?.release();
  expect(isSupervisorAlive(home)).toBe(false);
  takeSupervisorLock(home)?.release();
  expect(statSync(home.supervisorLock).mode & 0o777).toBe(0o600);
});

test("of many contenders one wins, and its death frees the lock", async () => {
  const { home } = bench();
  const script = `
    const lock = takeSupervisorLock(home);
    console.log(lock === undefined ? "lost" : "won");
    if (lock !== undefined) setInterval(() => {}, 1000);
  `;
  const contenders = Array.from({ length: 4 }, () => node(script, home.root));
  const said = await Promise.all(contenders.map(firstLine));
  expect([...said].sort()).toEqual(["lost", "lost", "lost", "won"]);
  expect([isSupervisorAlive(home), takeSupervisorLock(home)]).toEqual([true, undefined]);
  const winner = contenders[said.indexOf("won")];
  winner?.kill("SIGKILL");
  if (winner !== undefined) await once(winner, "exit");
  expect(isSupervisorAlive(home)).toBe(false);
  takeSupervisorLock(home)?.release();
});

test("asking all the time keeps nobody from taking it", async () => {
  const { home } = bench();
  const asking = Array.from({ length: 2 }, () =>
    node(`console.log("go"); for (;;) isSupervisorAlive(home);`, home.root),
  );
  await Promise.all(asking.map(firstLine));
  for (let turn = 0; turn < 50; turn += 1) {
    const lock = takeSupervisorLock(home);
    expect(lock, `turn ${turn}`).toBeDefined();
    expect(isSupervisorAlive(home)).toBe(true);
    lock?.release();
  }
  for (const child of asking) child.kill("SIGKILL");
});

test("pokes are heard, also after the folder was removed", async () => {
  const { home } = bench();
  let heard = 0;
  const watching = watchPokes(home, () => (heard += 1));
  onTestFinished(() => watching.close());
  const isHeard = async (happens: () => void): Promise<void> => {
    // What is still on its way from before does not count.
    await new Promise((resolve) => setTimeout(resolve, 30));
    const before = heard;
    happens();
    await until(() => heard > before);
  };
  await isHeard(() => poke(home));
  await isHeard(() => poke(home));
  await isHeard(() => writeFileSync(join(home.pokes, "now"), "\n"));
  await isHeard(() => rmSync(home.pokes, { recursive: true }));
  await isHeard(() => poke(home));
  await isHeard(() => {
    rmSync(home.root, { recursive: true });
    mkdirSync(home.root);
  });
  await isHeard(() => poke(home));
  // A shim leaves its exit status here.
  await isHeard(() => writeFileSync(join(home.exits, "j"), "0\n"));
  watching.close();
  const before = heard;
  poke(home);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heard).toBe(before);
});

test("a supervisor is on its own: another session, no marker, its words in the log", async () => {
  const { home } = bench();
  const argv = [
    "/bin/sh",
    "-c",
    `echo "job=$SIGNALBOX_JOB$SIGNALBOX_JOB_MARK a=$A$NODE_OPTIONS$LD_PRELOAD$GIT_DIR tz=$TZ"; pwd; echo $$ >pid; exec sleep 60`,
  ];
  // As from a command of an agent, which is killed afterwards with its group.
  const own = { A: "1", SIGNALBOX_JOB: "j", SIGNALBOX_JOB_MARK: "0a", NODE_OPTIONS: "-r x", GIT_DIR: "x" };
  const env = { ...own, LD_PRELOAD: "/x", TZ: "UTC0", PATH: process.env["PATH"] };
  const starter = node(
    `startSupervisor(home, JSON.parse(process.argv[2])); process.kill(process.pid, "SIGKILL")`,
    home.root,
    JSON.stringify({ argv, env }),
  );
  await once(starter, "exit");
  await exists(join(home.root, "pid"));
  const pid = Number(await until(() => readFileSync(join(home.root, "pid"), "utf8").trim()));
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  const [group, session] = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ").slice(4, 6).map(Number);
  expect([isAlive(pid), group, session]).toEqual([true, pid, pid]);
  expect(readFileSync(home.supervisorLog, "utf8")).toBe(`job= a= tz=UTC0\n${home.root}\n`);
  expect(statSync(home.supervisorLog).mode & 0o777).toBe(0o600);
});

test("a supervisor that cannot be started says so in the log; a big log is put aside", async () => {
  const { home } = bench();
  mkdirSync(home.root, { recursive: true });
  writeFileSync(home.supervisorLog, "x".repeat(1024 * 1024 + 1));
  startSupervisor(home, { argv: ["/no/such/program"], env: {} });
  await until(() => readFileSync(home.supervisorLog, "utf8").includes("/no/such/program"));
  expect(statSync(`${home.supervisorLog}.1`).size).toBe(1024 * 1024 + 1);
});

/** What agents of the same user could have put into the places of ours. */
const ODD: readonly [string, (place: string) => void][] = [
  ["a pipe", (place) => void execFileSync("mkfifo", [place])],
  ["a folder", (place) => mkdirSync(join(place, "x"), { recursive: true })],
  ["a link", (place) => symlinkSync("/dev/zero", place)],
  [
    "a text",
    (place) => writeFileSync(place, "no lock of ours, and neither a database nor empty".repeat(100)),
  ],
];

test.for(ODD)("%s in the place of the lock: it is put aside, and one can be supervisor", ([, put]) => {
  const { home } = bench();
  mkdirSync(home.root, { recursive: true });
  put(home.supervisorLock);
  expect(isSupervisorAlive(home)).toBe(false);
  const lock = takeSupervisorLock(home);
  expect([lock !== undefined, isSupervisorAlive(home)]).toEqual([true, true]);
  lock?.release();
  expect(readdirSync(home.quarantine)).toHaveLength(1);
});

test.for(ODD)("%s in the place of a poke, or of their folder: it is heard", async ([, put]) => {
  const { home } = bench();
  mkdirSync(home.pokes, { recursive: true });
  let heard = 0;
  const watching = watchPokes(home, () => (heard += 1));
  onTestFinished(() => watching.close());
  put(join(home.pokes, "now"));
  poke(home);
  await until(() => heard > 0);
  rmSync(home.pokes, { recursive: true });
  put(home.pokes);
  poke(home);
  poke(home);
  expect(statSync(join(home.pokes, "now")).isFile()).toBe(true);
});

test.for(ODD)("%s in the place of the log: a supervisor is started all the same", async ([what, put]) => {
  const { home } = bench();
  mkdirSync(home.root, { recursive: true });
  put(home.supervisorLog);
  startSupervisor(home, { argv: ["/bin/sh", "-c", "echo here"], env: {} });
  await until(() => readFileSync(home.supervisorLog, "utf8").endsWith("here\n"));
  expect(existsSync(home.quarantine)).toBe(what !== "a text");
});

/** A process of its own with these lines in it. */
function node(lines: string, ...argv: readonly string[]): ChildProcess {
  const text = `
    import { homeAt } from "./src/adapters/home/paths.ts";
    import { isSupervisorAlive, takeSupervisorLock } from "./src/adapters/supervisor/lock.ts";
    import { startSupervisor } from "./src/adapters/supervisor/start.ts";
    import { writePid } from "./src/adapters/supervisor/end.ts";
    const home = homeAt(process.argv[1]);
    ${lines}
  `;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "-e", text, ...argv], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout ?? child, "data")) as [Buffer];
  return chunk.toString().trim();
}
