/**
 * `npm run cluster`: PostgreSQL, one server and two workers on this machine, and twelve tasks with scripted agents.
 *
 * Everything is in temporary folders, and is removed at the end. `docs/cluster.md` says how to do the same on real machines.
 */

import { spawn } from "node:child_process";
import { join, dirname } from "node:path";
import { mkdtempSync, realpathSync, rmSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres, whyNoPostgres } from "./postgres.ts";
import { makeStage, tailOf, type Stage, type Worker } from "./cluster/stage.ts";

const TASKS = 12;
const SLOTS = "3";
const LIMIT_MS = 180_000;

const missing = whyNoPostgres();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
const parent = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-postgres-"));
chmodSync(parent, 0o755);
const server = await startPostgres(parent);
const database = server.url("postgres");
const stage = makeStage(database, 0.5);
const workers: Worker[] = [];
try {
  console.log(`PostgreSQL: ${database}`);
  await say(stage, "project", "add", "--remote", stage.remote, "--agents", "12");
  await say(stage, "trust");
  workers.push(stage.worker("one", ["--slots", SLOTS]), stage.worker("two", ["--slots", SLOTS]));
  const page = spawn(
    process.execPath,
    [
      join(dirname(import.meta.dirname), "dist/signalbox.cjs"),
      "serve",
      "--database",
      database,
      "--port",
      "0",
    ],
    {
      cwd: stage.repo,
      env: stage.env("state"),
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  for (let n = 1; n <= TASKS; n += 1) await say(stage, "run", "errand", `Errand ${n}`, "--detach");
  await untilOver(stage);
  page.kill("SIGINT");
} finally {
  for (const worker of workers) worker.process.kill("SIGTERM");
  await Promise.all(workers.map(({ ended }) => ended));
  await server.remove();
  rmSync(parent, { recursive: true, force: true });
  stage.remove();
}

async function say(on: Stage, ...argv: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await on.person(...argv);
  process.stdout.write(`$ signalbox ${argv.join(" ")}\n${stdout}${stderr}`);
  if (code !== 0) throw new Error(`signalbox ${argv.join(" ")} ended with ${code}`);
}

async function untilOver(on: Stage): Promise<void> {
  const giveUpAt = performance.now() + LIMIT_MS;
  for (;;) {
    const { stdout } = await on.person("list", "--all", "--json");
    const { runs } = JSON.parse(stdout) as { readonly runs: readonly { readonly status: string }[] };
    const count = Map.groupBy(runs, ({ status }) => status);
    console.log([...count].map(([status, all]) => `${all.length} ${status}`).join(", "));
    if ((count.get("done")?.length ?? 0) === TASKS) return;
    if (performance.now() > giveUpAt)
      throw new Error(`not all tasks ended:\n${workers.map(({ log }) => tailOf(log)).join("\n")}`);
    await pause(1000);
  }
}
