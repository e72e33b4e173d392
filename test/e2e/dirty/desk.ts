/**
 * Runs with workspaces and without agents, in a state home of their own: begun and moved by the engine, carried out by the supervisor's
 * own loop, in this process or in one that is killed.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gitWorkspaces } from "../../../src/adapters/git/workspace/workspaces.ts";
import { fileArtifacts } from "../../../src/adapters/files/artifacts/artifacts.ts";
import { makeFolder } from "../../../src/adapters/home/folders.ts";
import { homeAt, runFolders, type Home } from "../../../src/adapters/home/paths.ts";
import { openStore, type SqliteStore } from "../../../src/adapters/store/open.ts";
import { run, type Printed } from "../../../src/cli/run.ts";
import type { Actor } from "../../../src/core/model/event.ts";
import { workflowsOf, type Box } from "../../../src/engine/box.ts";
import { begin } from "../../../src/engine/submit/begin.ts";
import { submit } from "../../../src/engine/submit/submit.ts";
import { parseWorkflow } from "../../../src/format/workflow/parse.ts";
import { COMPILED } from "../../support/compiled.ts";
import type { Env } from "../../support/git.ts";
import { AT_HOME } from "../../support/procs.ts";
import { carryOut } from "./carry-out.ts";
import { put } from "./states.ts";

const DESK = `$schema: workflow-1.schema.json
name: desk
title: Something is worked on in a workspace
states:
  open: { waits: true }
  finished: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: open, by: human, reserve: workspace }
  - { from: open, to: finished, by: human, do: [release workspace] }
  - { from: open, to: dropped, by: human, do: [release workspace] }
`;

const PERSON: Actor = { type: "human", name: "ada" };
const WHO = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];

export type Desk = {
  readonly root: string;
  readonly home: Home;
  readonly repo: string;
  readonly env: Env;
  /** Begins a run; gives its workspace. */
  begin(id: string): Promise<string>;
  move(id: string, to: string): Promise<void>;
  /** What a supervisor would do now. */
  carryOut(): Promise<void>;
  /** The same in a process that ends at a failpoint, if it gets there. */
  carryOutApart(failpoint: string): Promise<string | null>;
  withStore<T>(work: (store: SqliteStore) => T | Promise<T>): Promise<T>;
  /** As a person at a terminal. */
  call(...argv: readonly string[]): Promise<Printed>;
  git(...args: readonly string[]): string;
  /** With everything that was made there. */
  remove(): void;
};

const roots: string[] = [];

export function removeDesks(): void {
  template = undefined;
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
}

export async function deskOf({ agents = 2 } = {}): Promise<Desk> {
  template ??= makeTemplate();
  const root = newRoot();
  cpSync(template, root, { recursive: true });
  const home = homeAt(join(root, "state"));
  const repo = join(root, "repo");
  const env = envOf(root);
  const git = (...args: readonly string[]): string => gitIn(repo, env, args);
  makeFolder(home.root);
  writeFileSync(home.environment, JSON.stringify(env), { mode: 0o600 });
  const withStore = async <T>(work: (store: SqliteStore) => T | Promise<T>): Promise<T> => {
    const store = openStore(home);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  await withStore((store) =>
    store.commit([
      { type: "put-project", project: { repo, name: "desk", defaultBranch: "main", agents, remote: "" } },
    ]),
  );
  const remove = (): void => rmSync(root, { recursive: true, force: true });
  return deskAt({ root, home, repo, env, git, withStore, remove });
}

let template: string | undefined;

function newRoot(): string {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), "signalbox-dirty-")));
  roots.push(root);
  return root;
}

function envOf(root: string): Env {
  return { PATH: process.env["PATH"] ?? "", HOME: root, SIGNALBOX_HOME: join(root, "state") };
}

function gitIn(cwd: string, env: Env, args: readonly string[]): string {
  return execFileSync("git", [...WHO, ...args], {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

function makeTemplate(): string {
  const root = newRoot();
  const repo = join(root, "repo");
  put(repo, {
    "a.txt": "one\n",
    "b.txt": "two\n",
    "dir/c.txt": "three\n",
    ".gitignore": "*.log\n.env\nbuild/\n",
  });
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "."],
    ["commit", "-q", "-m", "Begin"],
  ])
    gitIn(repo, envOf(root), args);
  // A person's own half-done work, which nobody may touch.
  put(repo, {
    "a.txt": "a person's\n",
    "mine.txt": "mine\n",
    ".env": "MINE\n",
    "b.txt": "staged by a person\n",
  });
  gitIn(repo, envOf(root), ["add", "b.txt"]);
  return root;
}

type Ground = Pick<Desk, "root" | "home" | "repo" | "env" | "git" | "withStore" | "remove">;

function deskAt(ground: Ground): Desk {
  const { home, repo, env, git, withStore } = ground;
  const withBox = async <T>(work: (box: Box) => Promise<T>): Promise<T> => {
    const store = openStore(home);
    try {
      return await work(boxOf(ground, store));
    } finally {
      await store.close();
    }
  };
  const desk: Desk = {
    ...ground,
    async begin(id) {
      const birth = { workflow: "desk", goal: `the work of ${id}`, repo, base: git("rev-parse", "HEAD") };
      const started = await withBox((box) =>
        begin(box, { run: id, by: PERSON, workflow: workflow(), birth, params: {} }),
      );
      if (started.type !== "accepted") throw new Error(`not started: ${JSON.stringify(started)}`);
      await desk.carryOut();
      const path = await withStore(async (store) => (await store.workspace(id))?.path);
      if (path === undefined)
        throw new Error(
          `${id} has no workspace: ${await withStore(async (store) => JSON.stringify(await store.deeds(id)))}`,
        );
      return path;
    },
    async move(id, to) {
      const moved = await withBox((box) =>
        submit(box, {
          run: id,
          by: PERSON,
          event: ({ kept: _kept, ...facts }) => ({ type: "move-asked", by: PERSON, to, ...facts }),
        }),
      );
      if (moved.type !== "accepted") throw new Error(`not moved: ${JSON.stringify(moved)}`);
    },
    carryOut: () => carryOut(home),
    carryOutApart: (failpoint) => apart(ground, failpoint),
    call: (...argv) => run(argv, { cwd: repo, env, procs: AT_HOME, startSupervisor: () => undefined }),
  };
  return desk;
}

function boxOf({ home, env }: Ground, store: SqliteStore): Box {
  return {
    clock: { now: () => Date.now(), mono: () => performance.now() },
    store,
    artifacts: fileArtifacts(store),
    workspaces: gitWorkspaces({ home, env }),
    folders: (id) => runFolders(home, id),
    workflow: workflowsOf(store),
  };
}

function workflow() {
  const parsed = parseWorkflow({
    file: "workflow.yaml",
    bytes: new TextEncoder().encode(DESK),
    prompts: {},
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.workflow;
}

const DRIVER = fileURLToPath(new URL("driver.ts", import.meta.url));

/** Gives the signal that ended it. */
function apart({ home, env }: Ground, failpoint: string): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", DRIVER, home.root], {
    env: { ...env, ...COMPILED, SIGNALBOX_FAILPOINT: failpoint },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.on("error", reject);
  child.on("close", (code, signal) =>
    code === 0 || signal === "SIGKILL" ? resolve(signal) : reject(new Error(`the driver failed: ${err}`)),
  );
  return promise;
}
