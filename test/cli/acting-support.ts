/** A repository with a workflow of all kinds of gates, and calls as a person or as an agent makes them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileArtifacts } from "../../src/adapters/files/artifacts/artifacts.ts";
import { runFolders, type Home } from "../../src/adapters/home/paths.ts";
import { hashToken } from "../../src/adapters/person/token.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import { workflowsOf, type Box } from "../../src/engine/box.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { projectNameOf } from "../../src/engine/queue/project-name.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import { run, type Printed, type World } from "../../src/cli/run.ts";
import { prepareHome, type Prepared } from "../support/home.ts";
import { AT_HOME, procsOf } from "../support/procs.ts";
import { trustedNow } from "../support/trust.ts";

const ESSAY = `$schema: workflow-1.schema.json
name: essay
title: An essay is written by an agent and accepted by a person
params:
  goal: { text: "", set: [human, writer] }
  branch: { text: "", set: [human, writer] }
  size: { int: [1, 5], default: 2 }
  kind: { enum: [short, long], default: short }
counters:
  unclear: { max: 2, per: run }
  pauses: { max: 1, per: run }
artifacts:
  essay: { in: ESSAY.md, document: [What], by: [writer, human] }
  idea: { in: IDEA.md, file: true, by: human }
roles:
  writer: { session: persistent, prompt: writer }
states:
  waiting: { waits: true }
  writing: {}
  pause: { waits: true }
  asked: { ask: good }
  accepted: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: waiting, by: human }
  - { from: start, to: accepted, by: human }
  - { from: waiting, to: writing, by: human, reserve: workspace, do: [start writer] }
  - { from: writing, to: asked, by: [writer, human], need: essay }
  - { from: writing, to: pause, by: writer, count: pauses }
  - { from: pause, to: writing, by: [writer, human] }
  - { from: asked, to: dropped, by: engine, when: { unclear: spent }, do: [stop all, release workspace] }
  - { from: waiting, to: dropped, by: human }
  - { from: [writing, pause, asked], to: dropped, by: human, do: [stop all, release workspace] }
asks:
  good:
    question: good
    shows: [essay]
    reask: unclear
    options:
      yes: { to: accepted, do: [stop all, release workspace] }
      no: { to: writing, text: required, do: [tell writer writer or start] }
ends:
  - { role: writer, in: writing, try: asked, else: { do: [mark writer] } }
  - { role: writer, in: [pause, asked], else: { do: [mark writer] } }
`;

const FILES = {
  ".signalbox/workflows/essay/workflow.yaml": ESSAY,
  ".signalbox/workflows/essay/prompts/writer.md": "Write.\n",
  ".signalbox/workflows/essay/prompts/good.md": "Is it good?\n",
  "good.md": "# What\n\nA thing.\n",
  "bad.md": "Nothing under a heading.\n",
};

/** A shell that an agent has opened for itself. */
export const AGENT_ABOVE = procsOf([{ pid: 10, name: "sh", environment: "SIGNALBOX_TOKEN=x\0" }]);

type Call = (line: string | readonly string[], more?: Partial<World>) => Promise<Printed>;

export type Scene = Prepared & {
  /** As a person at a terminal, in the repository. */
  readonly say: Call;
  /** As the writer of a run. */
  agent(run: string, attempt?: number): Promise<Call>;
  /** Begins a run with this key and gives its id. */
  begin(key: string, more?: string): Promise<string>;
  /** Writes an artifact where a run without a workspace has it. */
  write(run: string, file: string, text: string): void;
  /** The writer of a run, or another role, ends without having written anything. */
  crash(run: string, role?: string): Promise<void>;
  /** How often a supervisor was started. */
  readonly started: { count: number };
};

/** A person has trusted what is in the repository. */
export async function scene(files: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const on = prepareHome({ ...FILES, ...files });
  await on.withStore(async (store) => {
    await store.commit([{ type: "trust", repo: on.repo, trust: trustedNow(on.env, on.repo) }]);
    // Room for every run of a test file.
    const name = projectNameOf(on.repo);
    await store.commit([
      {
        type: "put-project",
        project: { repo: on.repo, name, defaultBranch: "main", agents: 200, remote: "" },
      },
    ]);
  });
  const started = { count: 0 };
  const world: World = {
    cwd: on.repo,
    env: on.env,
    procs: AT_HOME,
    startSupervisor: () => void (started.count += 1),
  };
  const say: Call = (line, more = {}) => run(wordsOf(line), { ...world, ...more });
  return {
    ...on,
    say,
    started,
    async agent(id, attempt = 1) {
      const token = `token of ${id} ${attempt}`;
      const of = { run: id, role: "writer", slot: "", attempt };
      const rest = {
        token: hashToken(token),
        dir: "",
        turn: 1,
        status: "running",
        entry: 0,
        startedAt: 0,
      } as const;
      await on.withStore((store) => store.commit([{ type: "put-agent", agent: { ...of, ...rest } }]));
      const own = { SIGNALBOX_TOKEN: token, SIGNALBOX_JOB: `${id}.writer.${attempt}.1` };
      return (line, more = {}) => say(line, { ...more, env: { ...on.env, ...own } });
    },
    async begin(key, more = "") {
      const { code, stdout, stderr } = await say(
        `run essay --detach --quiet --key ${key.replaceAll(" ", "-")} ${more}`,
      );
      if (code !== 0) throw new Error(stderr);
      return stdout.trim();
    },
    async crash(id, role = "writer") {
      const store = openStore(on.home);
      try {
        const box = boxOf(on.home, store);
        const of = { role, slot: "", attempt: (await store.load(id))?.run.agents[role]?.attempt ?? 1 };
        const event = { type: "agent-ended", ...of, cause: "exited", code: 1 } as const;
        await submit(box, { run: id, by: { type: "engine" }, event: ({ at }) => ({ ...event, at }) });
      } finally {
        await store.close();
      }
    },
    write(id, file, text) {
      const path = join(runFolders(on.home, id).files, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },
  };
}

/** Enough of the engine for runs without a workspace. */
export function boxOf(home: Home, store: Store): Box {
  const refuse = (): never => {
    throw new Error("these runs have no workspace");
  };
  return {
    clock: { now: () => Date.now(), mono: () => performance.now() },
    store,
    artifacts: fileArtifacts(store),
    workspaces: {
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
    },
    folders: (id) => runFolders(home, id),
    workflow: workflowsOf(store),
  };
}

function wordsOf(line: string | readonly string[]): readonly string[] {
  return typeof line === "string" ? line.split(" ").filter((word) => word !== "") : line;
}

/** The one document. */
export function parsed({ stdout }: Printed): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Exit code and code of a call with `--json`. */
export async function outcome(call: Promise<Printed>): Promise<string> {
  const printed = await call;
  const { code, message, ok, next } = parsed(printed);
  if (typeof message !== "string" || typeof next !== "string" || ok !== (printed.code === 0))
    throw new Error(printed.stdout);
  return `${printed.code} ${String(code)}`;
}
