/** A machine with tasks in every state, made event by event; no agent is started, and no supervisor. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runFolders, type Home } from "../../src/adapters/home/paths.ts";
import { bootId, startOf } from "../../src/adapters/process/table.ts";
import { openStore, type SqliteStore } from "../../src/adapters/store/open.ts";
import type { Incoming } from "../../src/core/model/event.ts";
import { NO_RUN, type Run } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { statusOf } from "../../src/core/model/status.ts";
import type { Literal } from "../../src/core/model/value.ts";
import { jobId } from "../../src/engine/agents/job-id.ts";
import { site, type Site } from "../support/git.ts";
import { ended, story, task } from "../support/task.ts";

export type Stage = Site & {
  readonly store: SqliteStore;
  /** For commands: a state home, a home, and nothing else of this machine but its PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** Brings a new run into a state; `at` is when it got there. */
  runIn(id: string, state: string, more?: More): Promise<Run>;
  /** One more event. */
  happen(id: string, event: Incoming | ((run: Run) => Incoming)): Promise<Run>;
  /** An agent of the run as its folder would tell. */
  agent(id: string, role: string, process: "alive" | "gone"): Promise<void>;
};

type More = {
  readonly params?: Readonly<Record<string, Literal>>;
  readonly goal?: string;
  readonly at?: string;
};

export const crashed = (): ((run: Run) => Incoming) => ended("worker");

export async function stage(name = "shop"): Promise<Stage> {
  const made = site(name);
  const store = openStore(made.home);
  await store.commit([{ type: "define", hash: task.hash(), definition: task.definition }]);
  await store.commit([
    { type: "put-project", project: { repo: made.repo, name, defaultBranch: "main", agents: 4, remote: "" } },
  ]);
  const append = async (id: string, event: Incoming, more: More = {}): Promise<Run> => {
    const { run: before = NO_RUN, row: { head } = { head: "" } } = (await store.load(id)) ?? {};
    const decided = step(task, before, event);
    if (!decided.ok) throw new Error(decided.refusal.message);
    await store.commit([
      {
        type: "append",
        entry: {
          run: id,
          seq: before.seq,
          head,
          at: event.at,
          by: "by" in event ? event.by : { type: "engine" },
          events: decided.events,
          after: decided.run,
          status: statusOf(task, decided.run),
          deeds: [],
          ...(before.seq === 0
            ? { birth: { workflow: "task", goal: more.goal ?? "", repo: made.repo, base: made.base } }
            : {}),
        },
      },
    ]);
    return decided.run;
  };
  const happen: Stage["happen"] = async (id, event) =>
    append(id, typeof event === "function" ? event((await store.load(id))?.run ?? NO_RUN) : event);
  return {
    ...made,
    store,
    env: { ...made.env, SIGNALBOX_HOME: made.home.root },
    happen,
    async runIn(id, state, more = {}) {
      let run = NO_RUN;
      for (const word of story(state)) {
        const event = typeof word === "function" ? word(run) : word;
        const at = more.at ?? event.at;
        const begun =
          event.type === "run-started" ? { run: id, params: { ...event.params, ...more.params } } : {};
        run = await append(id, { ...event, at, ...begun }, more);
      }
      return run;
    },
    agent: (id, role, process) =>
      putAgent({ store, home: made.home }, { id, role, isAlive: process === "alive" }),
  };
}

async function putAgent(
  { store, home }: { readonly store: SqliteStore; readonly home: Home },
  of: { readonly id: string; readonly role: string; readonly isAlive: boolean },
): Promise<void> {
  const attempt = (await store.load(of.id))?.run.attempts[of.role] ?? 1;
  const key = { run: of.id, role: of.role, slot: "", attempt };
  const own = join(runFolders(home, of.id).agents, `${of.role}.${attempt}`);
  const dir = join(own, "turn-1");
  mkdirSync(join(dir, "claim"), { recursive: true });
  // Ours is a process that lives, and nobody has this number.
  const pid = of.isAlive ? process.pid : 4_194_000;
  writeFileSync(join(dir, "pid"), `${pid}\n${startOf(process.pid) ?? ""}\n${bootId()}\n`);
  writeFileSync(join(dir, "out.log"), "hello\n");
  await store.commit([
    {
      type: "put-agent",
      agent: {
        ...key,
        token: `hash-${of.id}-${of.role}`,
        dir: own,
        turn: 1,
        status: "running",
        entry: 0,
        startedAt: 1,
      },
    },
  ]);
  await store.commit([
    {
      type: "put-job",
      job: {
        ...key,
        id: jobId(key, 1),
        kind: "turn",
        artifact: "",
        tree: "",
        dir,
        startedAt: 1,
        endsBy: 0,
        stallMs: 0,
        killed: "",
        status: "live",
        seat: "",
      },
    },
  ]);
}
