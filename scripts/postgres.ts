/**
 * A PostgreSQL server of one's own, on loopback, in a folder that is removed with it: for tests, benches and trials.
 *
 * It needs the programs of Debian's package `postgresql`. The server refuses to run as root: root starts it as the user `postgres`.
 */

import { execFileSync, spawn, type SpawnOptions } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";

const SUPERUSER = "postgres";
const PACKAGES = "/usr/lib/postgresql";
const START_MS = 30_000;
const POLL_MS = 20;

export type PostgresServer = {
  readonly folder: string;
  readonly port: number;
  /** The address of a database on it. */
  url(database: string): string;
  /** *immediate*: as if the machine had lost its power; connections are cut. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  /** After `stop`, at the same address. */
  start(): Promise<void>;
  /** Ends the server and removes everything. */
  remove(): Promise<void>;
};

/** Undefined where a server can be started. */
export function whyNoPostgres(): string | undefined {
  if (programs() === undefined) return "PostgreSQL is not installed (apt install postgresql)";
  if (isRoot() && userOf(SUPERUSER) === undefined) return `there is no user ${SUPERUSER} to run it as`;
  return undefined;
}

/** `parent` must be open to the user `postgres`. */
export async function startPostgres(parent: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(parent, "signalbox-postgres-"));
  const data = join(folder, "data");
  const user = isRoot() ? userOf(SUPERUSER) : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  run("initdb", ["-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--no-sync"], user);
  const server = serverIn(folder, await freePort());
  await server.start();
  return server;
}

/** A server that another process has started there. */
export function serverIn(folder: string, port: number): PostgresServer {
  const data = join(folder, "data");
  const user = isRoot() ? userOf(SUPERUSER) : undefined;
  const url = (database: string): string => `postgres://${SUPERUSER}@127.0.0.1:${port}/${database}`;
  const stop = async (mode: "fast" | "immediate"): Promise<void> => {
    const pid = pidIn(data);
    if (pid === undefined) return;
    process.kill(pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
    while (isAlive(pid)) await pause(POLL_MS);
  };
  return {
    folder,
    port,
    url,
    stop,
    async start() {
      const log = openSync(join(folder, "log"), "a");
      const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${folder}`];
      const options: SpawnOptions = { detached: true, stdio: ["ignore", log, log], ...user };
      const [postgres, ...argv] = [
        join(programs() ?? "", "postgres"),
        "-D",
        data,
        ...settings.flatMap((setting) => ["-c", setting]),
      ];
      spawn(postgres, argv, options).unref();
      await answering(url("postgres"));
    },
    async remove() {
      await stop("immediate");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the server takes connections. */
async function answering(url: string): Promise<void> {
  for (const until = performance.now() + START_MS; ; await pause(POLL_MS)) {
    const client = new Client({ connectionString: url });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
    }
  }
}

type SystemUser = { readonly uid: number; readonly gid: number };

function run(program: string, argv: readonly string[], user: SystemUser | undefined): void {
  execFileSync(join(programs() ?? "", program), argv, {
    stdio: ["ignore", "ignore", "pipe"],
    cwd: "/",
    ...user,
  });
}

/** The folder with `initdb` and `postgres`, of the newest version. */
function programs(): string | undefined {
  const versions = existsSync(PACKAGES)
    ? readdirSync(PACKAGES).toSorted((a, b) => Number(b) - Number(a))
    : [];
  const folders = [
    ...versions.map((version) => join(PACKAGES, version, "bin")),
    "/usr/bin",
    "/usr/local/bin",
  ];
  return folders.find((folder) => ["initdb", "postgres"].every((name) => existsSync(join(folder, name))));
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function userOf(name: string): SystemUser | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("there is no free port");
  return address.port;
}

function pidIn(data: string): number | undefined {
  const file = join(data, "postmaster.pid");
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    // It is gone.
    return false;
  }
}
