/**
 * A state home, a git repository and runs in it, for tests of what looks at them.
 *
 * The runs are of a small workflow without agents, so that no process has to be started; they are begun and moved by the
 * engine itself.
 */
import { claim, newFence, settle } from "./effects.ts";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileArtifacts } from "../../src/adapters/files/artifacts/artifacts.ts";
import { homeAt, runFolders, type Home } from "../../src/adapters/home/paths.ts";
import { signerOf } from "../../src/adapters/person/key.ts";
import { prover } from "../../src/adapters/person/proof.ts";
import { whoActs } from "../../src/adapters/person/who.ts";
import { openStore, type SqliteStore } from "../../src/adapters/store/open.ts";
import { run, type Printed } from "../../src/cli/run.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Actor } from "../../src/core/model/event.ts";
import { workflowsOf, type Box } from "../../src/engine/box.ts";
import type { Workspaces } from "../../src/engine/ports/files.ts";
import { project } from "../../src/engine/submit/project.ts";
import { begin } from "../../src/engine/submit/begin.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import type { Request } from "../../src/engine/submit/write.ts";
import { parseWorkflow } from "../../src/format/workflow/parse.ts";
import { AT_HOME } from "./procs.ts";

/** Two gates, one question, one artifact, one file that shows the run. */
const NOTE = `$schema: workflow-1.schema.json
name: note
title: A note is written, asked about and filed
artifacts:
  note: { in: NOTE.md, document: [What], by: human }
states:
  open: { waits: true }
  asked: { ask: good }
  filed: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: open, by: human }
  - { from: open, to: asked, by: human, need: note }
  - { from: [open, asked], to: dropped, by: human }
asks:
  good:
    question: good
    options:
      yes: { to: filed }
      no: { to: open }
projection:
  - file: STATUS.md
    as: front-matter
    data:
      id: { from: run.id }
      status: { from: run.state }
`;

const PROMPT = "Is the note good?\n";

/** The same as files of a repository, for commands that look for it by name. */
export const NOTE_FILES: Readonly<Record<string, string>> = {
  ".signalbox/workflows/note/workflow.yaml": NOTE,
  ".signalbox/workflows/note/prompts/good.md": PROMPT,
};

/** Where a run of it can be brought to. */
type Stage = "open" | "asked" | "filed" | "dropped";

export type Prepared = {
  readonly root: string;
  readonly home: Home;
  readonly repo: string;
  /** For `run` and child processes: nothing of the machine but its PATH, with an agent on it that fails. */
  readonly env: Readonly<Record<string, string>>;
  /** Begins a run and brings it there. */
  runIn(stage: Stage, id: string): Promise<void>;
  /** The command line as a person at a terminal uses it, in the repository. No supervisor is started. */
  call(line: string | readonly string[]): Promise<Printed>;
  /** Opens the store for a moment. */
  withStore<T>(work: (store: SqliteStore) => T | Promise<T>): Promise<T>;
};

const PERSON: Actor = { type: "human", name: "ada" };

/** `files` are put into the repository before its first commit. */
export function prepareHome(files: Readonly<Record<string, string>> = {}): Prepared {
  const root = newRoot();
  const repo = join(root, "repo");
  for (const [name, text] of Object.entries({ "README.md": "# Nothing yet\n", ...files })) {
    mkdirSync(dirname(join(repo, name)), { recursive: true });
    writeFileSync(join(repo, name), text);
  }
  const bin = join(root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "claude"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const on = preparedAt(root, repo);
  commit(repo, on.env);
  return on;
}

/** Another state home with the same runs, of the same repository: much faster than a new one. */
export function copyOf({ root: from, repo }: Prepared): Prepared {
  const root = newRoot();
  const parts = ["state", ".config", "bin"].map((name) => join(from, name));
  // With their modes, which Node does not copy.
  execFileSync("cp", ["-a", ...parts.filter((path) => existsSync(path)), root]);
  return preparedAt(root, repo);
}

function newRoot(): string {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), "signalbox-home-")));
  roots.push(root);
  return root;
}

const roots: string[] = [];

/** For `afterAll`. Files of tests that share a process run one after the other: nobody uses them any more. */
export function removeHomes(): void {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
}

function preparedAt(root: string, repo: string): Prepared {
  const home = homeAt(join(root, "state"));
  const env = {
    PATH: `${join(root, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: root,
    SIGNALBOX_HOME: home.root,
  };
  const withStore = async <T>(work: (store: SqliteStore) => T | Promise<T>): Promise<T> => {
    const store = openStore(home);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  return {
    root,
    home,
    repo,
    env,
    withStore,
    async runIn(stage, id) {
      const store = openStore(home);
      try {
        const prove = await signing({ env, store, run: id });
        await bring({ box: boxOf(home, store), repo, id, prove }, stage);
      } finally {
        await store.close();
      }
    },
    call(line) {
      const argv = typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line;
      return run(argv, { cwd: repo, env, procs: AT_HOME, startSupervisor: () => undefined });
    },
  };
}

function commit(repo: string, env: Readonly<Record<string, string>>): void {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  for (const argv of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "."],
    [...who, "commit", "--quiet", "-m", "Begin"],
  ])
    execFileSync("git", argv, { cwd: repo, env: { ...env, GIT_CONFIG_NOSYSTEM: "1" } });
}

/** Enough of the engine for runs without a workspace. */
function boxOf(home: Home, store: SqliteStore): Box {
  return {
    clock: { now: () => Date.now(), mono: () => performance.now() },
    store,
    artifacts: fileArtifacts(store),
    workspaces: NONE,
    folders: (id) => runFolders(home, id),
    workflow: workflowsOf(store),
  };
}

function refuse(): never {
  throw new Error("these runs have no workspace");
}
const NONE: Workspaces = {
  prepare: refuse,
  digest: refuse,
  files: refuse,
  besides: refuse,
  requireDeliverable: refuse,
  judge: refuse,
  baseline: refuse,
  discard: refuse,
  snapshot: refuse,
  usable: refuse,
  release: refuse,
};

function noteWorkflow(): Workflow {
  const parsed = parseWorkflow({
    file: "workflow.yaml",
    bytes: new TextEncoder().encode(NOTE),
    prompts: { good: { file: "prompts/good.md", text: PROMPT } },
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.workflow;
}

type Prove = NonNullable<Request["prove"]>;
type Bringing = { readonly box: Box; readonly repo: string; readonly id: string; readonly prove: Prove };

/** Everything here is done by a person, and signed. */
async function signing(on: {
  readonly env: Readonly<Record<string, string>>;
  readonly store: SqliteStore;
  readonly run: string;
}): Promise<Prove> {
  const who = await whoActs({ env: on.env, store: on.store, procs: AT_HOME });
  const signer = await signerOf(who);
  return (event) => prover({ who, signer, run: on.run, event });
}

async function bring({ box, repo, id, prove }: Bringing, stage: Stage): Promise<void> {
  const base = execFileSync("git", ["rev-parse", "HEAD"], { cwd: repo, encoding: "utf8" }).trim();
  const birth = { workflow: "note", goal: `the note of ${id}`, repo, base };
  const started = await begin(box, {
    run: id,
    by: PERSON,
    prove,
    workflow: noteWorkflow(),
    birth,
    params: {},
  });
  if (started.type !== "accepted") throw new Error(`not started: ${JSON.stringify(started)}`);
  const move = async (to: string): Promise<void> => {
    const moved = await submit(box, {
      run: id,
      by: PERSON,
      prove,
      event: ({ kept: _kept, ...facts }) => ({ type: "move-asked", by: PERSON, to, ...facts }),
    });
    if (moved.type !== "accepted") throw new Error(`not moved: ${JSON.stringify(moved)}`);
  };
  if (stage === "dropped") await move("dropped");
  if (stage === "asked" || stage === "filed") {
    const { files } = box.folders(id);
    mkdirSync(files, { recursive: true, mode: 0o700 });
    writeFileSync(join(files, "NOTE.md"), "# What\n\nSomething worth a note.\n");
    await move("asked");
  }
  if (stage === "filed") await answerYes({ box, id, prove });
  await project(box, id);
  await settleAll(box, id);
}

/** There is no supervisor: what it would have done counts as done. */
async function settleAll({ store }: Box, id: string): Promise<void> {
  const fence = await newFence(store);
  for (const { key, status } of await store.deeds(id)) {
    if (status === "done") continue;
    await claim(store, key, { fence: fence, leaseUntil: Date.now() });
    await settle(store, key, { fence: fence, outcome: { type: "done", note: "" } });
  }
}

async function answerYes({ box, id, prove }: Omit<Bringing, "repo">): Promise<void> {
  const answered = await submit(box, {
    run: id,
    by: PERSON,
    prove,
    // The question shows no artifact: there is nothing that the answer is bound to.
    event: ({ at }) => ({ type: "answered", by: PERSON, at, ask: "good", answer: "yes", shown: "" }),
  });
  if (answered.type !== "accepted") throw new Error(`not answered: ${JSON.stringify(answered)}`);
}
