/**
 * A place to measure in: a repository, a state home, and agents that are scripts which sleep. Everything in it is made by the
 * command line as it was last built, and nothing of whoever measures is used or left behind.
 */

import { spawnSync } from "node:child_process";
import {
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
import { fileURLToPath } from "node:url";
import { homeAt, type Home } from "../../src/adapters/home/paths.ts";
import { openStore, type SqliteStore } from "../../src/adapters/store/open.ts";
import { isSupervisorAlive } from "../../src/adapters/supervisor/lock.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const node = `${root}node_modules/node/bin/node`;
const signalbox = `${root}dist/signalbox.cjs`;

/** As many files as a small project has. */
const FILES = 300;
const AGENTS = 10_000;
const PATIENCE_MS = 600_000;
const POLL_MS = 50;

export type Variables = Readonly<Record<string, string>>;

/** How many files the repository has, and whether agents have terminals. */
type Setting = { readonly files?: number; readonly terminal?: boolean };

export type Stage = {
  readonly folder: string;
  readonly repo: string;
  /** The commit that is checked out there. */
  readonly head: string;
  readonly home: Home;
  readonly env: Variables;
  /** The arguments of a call, for whoever times it. */
  readonly argv: (words: readonly string[]) => readonly [string, ...string[]];
  /** Calls the command line and gives what it prints. */
  readonly say: (words: readonly string[], more?: { env?: Variables; input?: string }) => string;
  /** What the agent of this run, once it lives, hands on to every command that it calls. */
  readonly voiceOf: (run: string) => Promise<Variables>;
  /** Where the workspaces are. */
  readonly workspace: (run: string) => Promise<string>;
};

/** Whoever sleeps is ended, the supervisor leaves, and the folder goes. */
export async function onStage<T>(
  work: (stage: Stage) => T | Promise<T>,
  { files = FILES, terminal = false }: Setting = {},
): Promise<T> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-bench-"));
  const stage = await stageIn(folder, { files, terminal });
  try {
    return await work(stage);
  } finally {
    endAll(stage);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function stageIn(folder: string, { files, terminal }: Required<Setting>): Promise<Stage> {
  const [repo, state, config, tokens] = ["repository", "state", "config", "tokens"].map((name) => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  }) as [string, string, string, string];
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    SIGNALBOX_HOME: state,
    XDG_CONFIG_HOME: config,
  };
  writeFileSync(
    join(folder, "agent.sh"),
    `printf %s "$SIGNALBOX_TOKEN $SIGNALBOX_JOB" >${tokens}/$SIGNALBOX_RUN\nexec sleep 100000\n`,
  );
  mkdirSync(join(config, "signalbox"), { mode: 0o700 });
  const agent = `[sh, ${join(folder, "agent.sh")}]`;
  const settings = terminal
    ? `sandbox: off\nharnesses:\n  claude: { driver: command, command: ${agent}, terminal: ${agent} }\n`
    : `terminal: none\nsandbox: off\nharnesses:\n  claude: { driver: command, command: ${agent} }\n`;
  writeFileSync(join(config, "signalbox", "config.yaml"), settings);
  const head = makeRepository(repo, env, files);
  // Nobody waits for a workspace here.
  await withStore(homeAt(state), (store) =>
    store.commit([
      {
        type: "put-project",
        project: { repo, name: "bench", defaultBranch: "main", agents: AGENTS, remote: "" },
      },
    ]),
  );
  const argv = (words: readonly string[]): readonly [string, ...string[]] => [node, signalbox, ...words];
  return {
    folder,
    repo,
    head,
    home: homeAt(state),
    env,
    argv,
    say: (words, more = {}) => {
      const [file, ...args] = argv(words);
      return call(file, args, { cwd: repo, env: { ...env, ...more.env }, input: more.input ?? "" });
    },
    voiceOf: async (run) => {
      const [token = "", job = ""] = (
        await waitFor(`the agent of ${run}`, () => readIn(join(tokens, run)))
      ).split(" ");
      return { SIGNALBOX_TOKEN: token, SIGNALBOX_JOB: job, SIGNALBOX_RUN: run };
    },
    workspace: (run) => withStore(homeAt(state), async (store) => (await store.workspace(run))?.path ?? ""),
  };
}

export async function withStore<T>(home: Home, work: (store: SqliteStore) => T | Promise<T>): Promise<T> {
  const store = openStore(home);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

function makeRepository(repo: string, env: Variables, files: number): string {
  for (let n = 0; n < files; n += 1) {
    const folder = join(repo, `part-${n % 20}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${n}.txt`), `The text of file ${n}.\n`.repeat(20));
  }
  const git = (...args: string[]): string => call("git", args, { cwd: repo, env, input: "" });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@localhost");
  git("add", "--all");
  git("commit", "--quiet", "--no-gpg-sign", "--message", "A small project");
  return git("rev-parse", "HEAD");
}

type Calling = { readonly cwd: string; readonly env: Variables; readonly input: string };

function call(file: string, args: readonly string[], { cwd, env, input }: Calling): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, env, input, encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${args.slice(1).join(" ")} ended with ${String(status)}: ${stderr}`);
  return stdout.trim();
}

export async function waitFor<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const found = await look();
    if (found !== undefined) return found;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
  throw new Error(`${what} did not come in ${PATIENCE_MS} ms`);
}

function readIn(file: string): string | undefined {
  try {
    const text = readFileSync(file, "utf8");
    return text === "" ? undefined : text;
  } catch {
    // It is not there yet.
    return undefined;
  }
}

/** Ours, by the state home in their environment or their arguments: supervisor, shims, agents, the terminal server. */
export function processesOf({ home, folder }: Pick<Stage, "home" | "folder">): readonly number[] {
  const mark = `SIGNALBOX_HOME=${home.root}\0`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      const isMarked = (readIn(`/proc/${name}/environ`) ?? "").includes(mark);
      return isMarked || (readIn(`/proc/${name}/cmdline`) ?? "").includes(`${folder}/`);
    })
    .map(Number);
}

function endAll(stage: Stage): void {
  // A supervisor that is on its way would start what has just been ended.
  for (let calm = 0; calm < 2;) {
    const pids = processesOf(stage);
    for (const pid of pids) end(pid);
    calm = pids.length === 0 && !isSupervisorAlive(stage.home) ? calm + 1 : 0;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has gone by itself.
  }
}
