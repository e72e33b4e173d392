/** One life of a run with real processes, which may be killed at any moment, and what must be true of it afterwards. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { homeAt, type Home } from "../../../src/adapters/home/paths.ts";
import { openStore } from "../../../src/adapters/store/open.ts";
import { isSupervisorAlive } from "../../../src/adapters/supervisor/lock.ts";
import { findPlace } from "../../../src/adapters/terminal/place.ts";
import { DEADLOCK } from "../../../src/engine/supervise/deadlocks.ts";

const ROOT = realpathSync(join(import.meta.dirname, "../../.."));
const NODE = join(ROOT, "node_modules/node/bin/node");
/** The build of this repository, unless the caller names another one to compare with. */
export const PROGRAM = process.env["SIGNALBOX_PROGRAM"] ?? join(ROOT, "dist/signalbox.cjs");

export type Life = {
  readonly root: string;
  readonly repo: string;
  readonly home: Home;
  readonly ledger: string;
  readonly env: Readonly<Record<string, string>>;
};

export type Seat = "none" | "window" | "resident";

export type Answer = {
  readonly code: number | null;
  readonly document: Readonly<Record<string, unknown>>;
  readonly stderr: string;
};

/** What a life begins with, where it is not the life of a task. */
export type Props = {
  /** Where agents live: without terminals, in windows for each turn, or the worker as long as its run. */
  readonly seat?: Seat;
  /** The person's settings, by the folder of everything. */
  readonly config?: (root: string) => string;
  /** Called in the repository before its first commit. */
  readonly furnish?: (repo: string, root: string) => void;
};

export function makeLife({ config: configOf, furnish, seat = "none" }: Props = {}): Life {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-life-"));
  const [repo, ledger, config] = [join(root, "repo"), join(root, "ledger"), join(root, "config/signalbox")];
  for (const folder of [repo, ledger, config, join(root, "person")]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(repo, "README.md"), "A project.\n");
  furnish?.(repo, root);
  const git = (...argv: string[]): void => void execFileSync("git", argv, { cwd: repo, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  appendFileSync(join(repo, ".git/config"), "[user]\n\tname = Life\n\temail = life@localhost\n");
  git("add", "-A");
  git("commit", "-q", "--no-gpg-sign", "-m", "start");
  const harness = (name: string, more = ""): string =>
    `  ${name}: { command: [sh, ${scriptOf(name)}]${more}, set: { LEDGER: ${ledger} } }\n`;
  const stays = seat === "resident" ? `, terminal: [sh, ${scriptOf("worker")}]` : "";
  const own = `terminal: ${seat === "none" ? "none" : "auto"}\nharnesses:\n${harness("worker", stays)}${harness("reviewer")}`;
  // Scripted agents write into folders of the test: only tests of the sandbox have one.
  const settings = configOf?.(root) ?? own;
  writeFileSync(
    join(config, "config.yaml"),
    /^sandbox:/m.test(settings) ? settings : `sandbox: off\n${settings}`,
  );
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: join(root, "person"),
    USER: "ada",
    XDG_CONFIG_HOME: join(root, "config"),
    SIGNALBOX_HOME: join(root, "state"),
  };
  return { root, repo, ledger, home: homeAt(join(root, "state")), env };
}

function scriptOf(name: string): string {
  return join(import.meta.dirname, `${name}.sh`);
}

/** A command of a person, in a process of its own; what it acknowledges is written down. */
export async function type(
  life: Life,
  argv: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const child = spawn(NODE, [PROGRAM, ...argv, "--json"], { cwd: life.repo, env: { ...life.env, ...more } });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve) =>
    child.once("close", (exit, signal) => {
      if (signal !== null) stderr += `(ended by ${signal})`;
      resolve(exit);
    }),
  );
  const document = (stdout.trim() === "" ? {} : JSON.parse(stdout)) as Record<string, unknown>;
  if (code === 0 && "seq" in document)
    appendFileSync(join(life.ledger, "acks"), `${JSON.stringify(document)}\n`);
  return { code, document, stderr };
}

type Person = {
  /** What else commands are called with, at this moment. */
  readonly more?: () => Readonly<Record<string, string>>;
  /** Work that is ready lies there until the supervisor has left: it looks at branches for the last time then. */
  readonly isPatient?: boolean;
};

/** What a person does who wants the run to end well, whatever became of it. Gives the state. */
async function nudge(life: Life, run: string, { more, isPatient }: Person): Promise<string> {
  const say = (...argv: string[]): Promise<Answer> => type(life, argv, more?.() ?? {});
  const { state, status, attention, isCrashed } = await look(life, run);
  if (status === "done" || status === "cancelled") {
    // What is left to be cleared away needs somebody too, if the supervisor died over it.
    await say("show", run);
    return state;
  }
  if (attention !== "" || isCrashed) {
    await say("resume", run);
    // Whether the worker has heard it, nobody could tell: somebody looks into its window and says it again.
    if (attention.includes("signalbox attach")) pressEnter(life);
  } else if (state === "pending") await say("move", run, "planning");
  else if (state === "stuck") await say("move", run, "reviewing");
  else if (state === "reviewing") {
    if (isPatient !== true || !isSupervisorAlive(life.home)) await say("move", run, "done");
  }
  // Any command finds what was lost, and sees to it that somebody is at work.
  else await say("show", run);
  return state;
}

function pressEnter(life: Life): void {
  const socket = findPlace(life.home)?.socket ?? "";
  const tmux = (...args: string[]): string =>
    spawnSync("tmux", ["-S", socket, ...args], { encoding: "utf8" }).stdout;
  for (const pane of tmux("list-panes", "-a", "-F", "#{pane_dead} #{pane_id}").split("\n"))
    if (pane.startsWith("0 ")) tmux("send-keys", "-t", pane.slice(2), "Enter");
}

export async function look(
  life: Life,
  run: string,
): Promise<{ state: string; status: string; attention: string; isCrashed: boolean }> {
  const store = openStore(life.home);
  try {
    const kept = await store.load(run);
    if (kept === undefined) throw new Error(`there is no run ${run}`);
    const isCrashed = Object.values(kept.run.agents).some(({ status }) => status === "crashed");
    return { state: kept.run.state, status: kept.row.status, attention: kept.row.attention, isCrashed };
  } finally {
    await store.close();
  }
}

export async function begin(life: Life, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const argv = [
    "run",
    "task",
    "A life",
    "--param",
    "harness=worker",
    "--param",
    "review_harness=reviewer",
    "--detach",
    "--key",
    "life",
  ];
  for (let tries = 0; tries < 20; tries += 1) {
    const { code, document, stderr } = await type(life, argv, tries === 0 ? more : {});
    if (code === 0) return String(document["run"]);
    if (code !== null) throw new Error(`run ended with ${code}: ${JSON.stringify(document)} ${stderr}`);
  }
  throw new Error("the run did not begin");
}

type Victim = {
  readonly pid: number;
  readonly kind: "supervisor" | "shim" | "agent" | "command" | "terminals";
};

/** Every process of this life that Signalbox or an agent started, by what it is. */
export function processesOf(life: Life): Victim[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): Victim[] => {
      try {
        const environ = readFileSync(`/proc/${name}/environ`, "latin1");
        const argv = readFileSync(`/proc/${name}/cmdline`, "latin1").split("\0");
        if (!environ.includes(life.root) && !argv.some((word) => word.startsWith(life.root))) return [];
        return [{ pid: Number(name), kind: kindOf(argv) }];
      } catch {
        // It has ended while we looked.
        return [];
      }
    });
}

/**
 * Somebody looks in, as people do, which brings a supervisor back. Not while there is one: it may only just have been started, told to die
 * somewhere, and another one would do the work in its stead.
 */
export async function lookIn(life: Life): Promise<void> {
  if (processesOf(life).every(({ kind }) => kind !== "supervisor")) await type(life, ["list"]);
}

function kindOf(argv: readonly string[]): Victim["kind"] {
  if (argv.includes("supervise")) return "supervisor";
  if (argv[0]?.endsWith("tmux") === true || argv[0] === "tmux: server") return "terminals";
  if (argv.some((word) => word.endsWith("/shim.sh"))) return "shim";
  return argv.some((word) => word.endsWith("signalbox.cjs")) ? "command" : "agent";
}

export function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    // It was faster.
    return false;
  }
}

const LIMIT_MS = 120_000;

/** Goes on until the run is over and nothing is left to do. */
export async function untilOver(life: Life, run: string, person: Person = {}): Promise<string> {
  const until = performance.now() + LIMIT_MS;
  for (;;) {
    const state = await nudge(life, run, person);
    const store = openStore(life.home);
    const isBusy = await store.isBusy();
    await store.close();
    if ((state === "done" || state === "cancelled") && !isBusy) return state;
    if (performance.now() > until)
      throw new Error(
        `the run does not end: ${JSON.stringify(await look(life, run))}\n${await story(life, run)}`,
      );
    await pause(100);
  }
}

/** Everything that must be true after a life, as a list of what is not. */
export async function faultsOf(life: Life, run: string): Promise<string[]> {
  const faults: string[] = [];
  const lines = (name: string): string[] => {
    const file = join(life.ledger, name);
    return existsSync(file)
      ? readFileSync(file, "utf8")
          .split("\n")
          .filter((line) => line !== "")
      : [];
  };
  faults.push(...lines("violations").map((line) => `two at once: ${line}`));
  const starts = lines("starts").map((line) => line.split(" ")[0] ?? "");
  faults.push(...repeated(starts).map((job) => `started twice: ${job}`));
  const store = openStore(life.home);
  const events = await store.events(run);
  const { seq: last = 0 } = events.at(-1) ?? {};
  for (const line of lines("acks")) {
    const seq = (JSON.parse(line) as { seq: number }).seq;
    if (seq > last) faults.push(`acknowledged and lost: ${line}`);
  }
  for (const { key, status, note, deed } of await store.deeds(run)) {
    if (status !== "done") faults.push(`${deed.type} ${key} is ${status}: ${note}`);
  }
  for (const job of await store.jobs({ run }))
    if (job.status !== "over") faults.push(`job ${job.id} is ${job.status}`);
  const called = events.flatMap(({ event }) =>
    event.type === "agent-called" ? [`${event.role} ${event.attempt}`] : [],
  );
  faults.push(...repeated(called).map((agent) => `called twice: ${agent}`));
  await store.close();
  const { code, document } = await type(life, ["verify", run]);
  if (code !== 0) faults.push(`verify: ${JSON.stringify(document)}`);
  const worktrees = execFileSync("git", ["worktree", "list"], { cwd: life.repo, encoding: "utf8" });
  if (worktrees.trim().split("\n").length !== 1) faults.push(`worktrees are left: ${worktrees}`);
  await pause(50);
  for (const { pid, kind } of processesOf(life))
    if (kind === "agent" || kind === "shim") faults.push(`${kind} ${pid} is left`);
  return faults;
}

function repeated(list: readonly string[]): string[] {
  return [...new Set(list.filter((item, at) => list.indexOf(item) !== at))];
}

/** What happened, for whoever must find out why. */
export async function story(life: Life, run: string): Promise<string> {
  const history = execFileSync(NODE, [PROGRAM, "history", run], {
    cwd: life.repo,
    env: life.env,
    encoding: "utf8",
  });
  const store = openStore(life.home);
  const open = [
    ...(await store.deeds(run)).filter(({ status }) => status !== "done"),
    ...(await store.jobs({ run })).filter(({ status }) => status === "live"),
    ...(await store.agents({ run })),
  ];
  await store.close();
  const log = existsSync(life.home.supervisorLog) ? readFileSync(life.home.supervisorLog, "utf8") : "";
  return `${history}\n${open.map((row) => JSON.stringify(row)).join("\n")}\n${log.slice(-4000)}\n${life.root}`;
}

/** Nothing of a life is left when it is over, and in none was a run called deadlocked, unless the test is about that. */
export async function clear(life: Life, on: { readonly deadlocks?: boolean } = {}): Promise<void> {
  for (let tries = 0; tries < 50 && processesOf(life).length > 0; tries += 1) {
    for (const { pid } of processesOf(life)) kill(pid);
    await pause(20);
  }
  const deadlocks = on.deadlocks === true ? [] : await deadlocksIn(life);
  rmSync(life.root, { recursive: true, force: true });
  if (deadlocks.length > 0) throw new Error(`called deadlocked: ${deadlocks.join("; ")}`);
}

async function deadlocksIn({ home }: Life): Promise<readonly string[]> {
  if (!existsSync(home.database)) return [];
  let store;
  try {
    store = openStore(home);
  } catch {
    // Some tests damage it.
    return [];
  }
  const rows = store.database.all("SELECT run, text FROM notes WHERE kind = ?", DEADLOCK);
  await store.close();
  return rows.map((row) => `${String(row["run"])}: ${String(row["text"])}`);
}
