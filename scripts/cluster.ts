/**
 * `npm run cluster`: PostgreSQL, one server and two workers on this machine, and twelve tasks with scripted agents.
 *
 * Everything is in temporary folders, and is removed at the end, also after Ctrl-C. `docs/cluster.md` says how to do the same on real
 * machines.
 */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres, whyNoPostgres, type PostgresServer } from "./postgres.ts";
import { makeStage, PROGRAM, tailOf, type Stage, type Worker } from "./cluster/stage.ts";

const TASKS = 12;
const SLOTS = "3";
const LIMIT_MS = 180_000;
const EXIT_INTERRUPTED = 130;

const missing = whyNoPostgres();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
const over = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => over.abort());
const parent = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-postgres-"));
// The server runs as another user.
chmodSync(parent, 0o755);
let server: PostgresServer | undefined;
let stage: Stage | undefined;
const processes: ChildProcess[] = [];
try {
  server = await startPostgres(parent);
  stage = makeStage(server.url("postgres"), 0.5);
  await play(stage, server.url("postgres"));
} catch (error) {
  if (!over.signal.aborted) throw error;
  console.log("Interrupted: the processes are ended and the folders are removed.");
  process.exitCode = EXIT_INTERRUPTED;
} finally {
  await Promise.all(processes.map(end));
  await server?.remove();
  rmSync(parent, { recursive: true, force: true });
  stage?.remove();
}

async function play(on: Stage, database: string): Promise<void> {
  console.log(`PostgreSQL: ${database}`);
  await say(on, "project", "add", "--remote", on.remote, "--agents", "12");
  await say(on, "trust");
  const workers = ["one", "two"].map((name) => on.worker(name, ["--slots", SLOTS]));
  const serve = ["serve", "--database", database, "--port", "0"];
  const page = spawn(process.execPath, [PROGRAM, ...serve], {
    cwd: on.repo,
    env: on.env("state"),
    stdio: ["ignore", "inherit", "inherit"],
  });
  processes.push(page, ...workers.map((worker) => worker.process));
  for (let n = 1; n <= TASKS; n += 1) await say(on, "run", "errand", `Errand ${n}`, "--detach");
  await untilOver(on, workers);
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function say(on: Stage, ...argv: readonly string[]): Promise<void> {
  over.signal.throwIfAborted();
  const { code, stdout, stderr } = await on.person(...argv);
  process.stdout.write(`$ signalbox ${argv.join(" ")}\n${stdout}${stderr}`);
  if (code !== 0) throw new Error(`signalbox ${argv.join(" ")} ended with ${code}`);
}

async function untilOver(on: Stage, workers: readonly Worker[]): Promise<void> {
  const giveUpAt = performance.now() + LIMIT_MS;
  for (;;) {
    const { stdout } = await on.person("list", "--all", "--json");
    const { runs } = JSON.parse(stdout) as { readonly runs: readonly { readonly status: string }[] };
    const count = Map.groupBy(runs, ({ status }) => status);
    console.log([...count].map(([status, all]) => `${all.length} ${status}`).join(", "));
    if ((count.get("done")?.length ?? 0) === TASKS) return;
    const lost = processes.find(hasEnded);
    if (lost !== undefined)
      throw new Error(`a process ended too early: ${lost.spawnargs.slice(1).join(" ")}`);
    if (performance.now() > giveUpAt)
      throw new Error(`not all tasks ended:\n${workers.map(({ log }) => tailOf(log)).join("\n")}`);
    await pause(1000, undefined, { signal: over.signal });
  }
}
