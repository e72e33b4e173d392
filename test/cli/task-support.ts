/** A repository whose tasks are made, moved and looked at by people and by agents with tokens. No process is started. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runFolders } from "../../src/adapters/home/paths.ts";
import { hashToken } from "../../src/adapters/person/token.ts";
import { run, type Printed, type World } from "../../src/cli/run.ts";
import type { RunRow } from "../../src/engine/ports/journal.ts";
import { prepareHome, type Prepared } from "../support/home.ts";
import { AT_HOME } from "../support/procs.ts";
import { trustedNow } from "../support/trust.ts";

export type Say = (words: readonly string[], more?: Partial<World>) => Promise<Printed>;

export type Tasks = Prepared & {
  /** As a person at a terminal, in the repository. */
  readonly say: Say;
  /** As the agent of a role, with the token of its current attempt, or of the first one. */
  as(id: string, role: string): Promise<Say>;
  /** Makes a task and gives its id. */
  create(...words: readonly string[]): Promise<string>;
  /** Brings a new task to this state, by what people and agents type. */
  taskIn(state: string): Promise<string>;
  /** Writes the page of a task; each call says something new. */
  page(id: string, sections: Readonly<Record<string, string>>): void;
  /** As somebody with a name. */
  git(cwd: string, ...args: readonly string[]): string;
  stateOf(id: string): Promise<string>;
  rows(): Promise<readonly RunRow[]>;
};

export const PLAN = "APPROACH: carefully\nTOUCHING: README.md";
export const HANDOFF = "DONE: all of it\nREMAINING: nothing";

export async function taskScene(files: Readonly<Record<string, string>> = {}, agents = 400): Promise<Tasks> {
  const on = prepareHome(files);
  await on.withStore(async (store) => {
    await store.commit([{ type: "trust", repo: on.repo, trust: trustedNow(on.env, on.repo) }]);
    await store.commit([
      {
        type: "put-project",
        project: { repo: on.repo, name: "repo", defaultBranch: "main", agents, remote: "" },
      },
    ]);
  });
  const world: World = { cwd: on.repo, env: on.env, procs: AT_HOME, startSupervisor: () => undefined };
  const say: Say = (words, more = {}) => run(words, { ...world, ...more });
  let count = 0;

  const must = async (printed: Promise<Printed>): Promise<string> => {
    const { code, stdout, stderr } = await printed;
    if (code !== 0) throw new Error(`${code} ${stdout}${stderr}`);
    return stdout.trim();
  };
  const create: Tasks["create"] = (...words) => must(say(["task", "create", "--quiet", ...words]));
  const move = (id: string, to: string): Promise<string> => must(say(["task", "update", id, "--status", to]));
  const git: Tasks["git"] = (cwd, ...args) => {
    const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    const env = { ...on.env, GIT_CONFIG_NOSYSTEM: "1" };
    return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", env });
  };
  const page: Tasks["page"] = (id, sections) => {
    count += 1;
    const text = Object.entries(sections).map(([name, body]) => `## ${name}\n\n${body} (${count})\n`);
    // A reviewer works in a checkout of its own.
    for (const folder of [runFolders(on.home, id).files, join(folderOf(id, "reviewer"), "work")]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "TASK.md"), `# A task\n\n${text.join("\n")}`);
    }
  };
  const folderOf = (id: string, role: string): string => join(runFolders(on.home, id).agents, role);
  const as: Tasks["as"] = async (id, role) => {
    const attempt =
      (await on.withStore(async (store) => (await store.load(id))?.run.agents[role]?.attempt)) ?? 1;
    const token = `token of ${id} ${role} ${attempt}`;
    const row = { run: id, role, slot: "", attempt, token: hashToken(token), turn: 1 } as const;
    mkdirSync(join(folderOf(id, role), "work"), { recursive: true });
    await on.withStore((store) =>
      store.commit([
        {
          type: "put-agent",
          agent: { ...row, dir: folderOf(id, role), status: "running", entry: 0, startedAt: 0 },
        },
      ]),
    );
    const own = { SIGNALBOX_TOKEN: token, SIGNALBOX_JOB: `${id}.${role}.${attempt}.1` };
    return (words, more = {}) => say(words, { ...more, env: { ...on.env, ...own } });
  };

  /** Each from the one before it. */
  const taskIn = async (state: string): Promise<string> => {
    count += 1;
    const name = `t-${count}`;
    if (state === "pending") return create(name, "A task", "--no-start");
    if (state === "agent-review") {
      git(on.repo, "branch", name);
      return create(name, "A task", "--status", state);
    }
    if (state === "reviewing" || state === "done") {
      const id = await create(name, "A task", "--status", "reviewing");
      if (state === "done") await move(id, "done");
      return id;
    }
    const id = await create(name, "A task");
    if (state === "planning") return id;
    if (state === "clarification" || state === "cancelled") {
      await move(id, state);
      return id;
    }
    page(id, { Plan: PLAN });
    await move(id, "working");
    if (state === "stuck") await move(id, "stuck");
    return id;
  };

  return {
    ...on,
    say,
    as,
    create,
    taskIn,
    page,
    git,
    stateOf: (id) => on.withStore(async (store) => (await store.load(id))?.row.state ?? ""),
    rows: () => on.withStore(async (store) => (await store.list({ hidden: true, limit: 10_000 })).rows),
  };
}

/** The one document of a call with `--json`. */
export function document({ stdout }: Printed): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Exit code and code of a call with `--json`; a stack trace is never an answer. */
export async function outcome(call: Promise<Printed>): Promise<string> {
  const printed = await call;
  if (/\n {4}at /.test(printed.stdout + printed.stderr)) throw new Error(printed.stdout + printed.stderr);
  const { code, next } = document(printed);
  if (printed.code !== 0 && (typeof next !== "string" || next === "")) throw new Error(printed.stdout);
  return `${printed.code} ${String(code)}`;
}

/** One role, which names no harness, and no queue. */
const LONE = `$schema: workflow-1.schema.json
name: lone
title: A writer writes
artifacts:
  note: { in: NOTE.md, file: true, by: writer }
roles:
  writer: {}
counters:
  tries: { max: 1, per: entry }
states:
  writing: { enter: [start writer] }
  done: { final: done }
  failed: { final: failed }
moves:
  - { from: start, to: writing, by: human }
  - { from: writing, to: done, by: engine, need: note, do: [stop writer] }
  - { from: writing, to: failed, by: engine, when: { tries: spent } }
  - { from: writing, to: failed, by: human, do: [stop all] }
ends:
  - { role: writer, in: writing, else: { count: tries, do: [start writer] } }
`;

export const LONE_FILES = {
  ".signalbox/workflows/lone/workflow.yaml": LONE,
  ".signalbox/workflows/lone/prompts/writer.md": "Write NOTE.md.\n",
};
