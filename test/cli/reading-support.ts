/** A machine with runs on it, made event by event through the real step, store, key and signatures. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeAt, runFolders, type Home } from "../../src/adapters/home/paths.ts";
import { signerOf } from "../../src/adapters/person/key.ts";
import { prover } from "../../src/adapters/person/proof.ts";
import type { Signer } from "../../src/adapters/person/signature.ts";
import { whoActs, type Person } from "../../src/adapters/person/who.ts";
import { openStore, type SqliteStore } from "../../src/adapters/store/open.ts";
import { run, type Printed } from "../../src/cli/run.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Actor, Incoming } from "../../src/core/model/event.ts";
import { NO_RUN } from "../../src/core/model/run.ts";
import { step } from "../../src/core/step/step.ts";
import { statusOf } from "../../src/core/model/status.ts";
import type { AgentRow, JobRow } from "../../src/engine/ports/registry.ts";
import { AT_HOME } from "../support/procs.ts";
import { fromText } from "../support/workflows.ts";

const WORKFLOW = fromText(`$schema: ../schema/workflow-1.schema.json
name: letter
title: A letter is written and a person sends it
artifacts:
  letter: { in: letter.md, file: true, by: worker, fresh: entry }
counters:
  tries: { max: 2, per: run }
roles:
  worker: { prompt: worker, session: fresh }
states:
  writing: { title: The letter is being written, enter: [start worker] }
  sending: { ask: send }
  sent: { final: done }
  dropped: { final: cancelled }
moves:
  - { from: start, to: writing, by: human }
  - { from: writing, to: sending, by: [worker, human], need: letter, do: [stop worker] }
  - { from: [writing, sending], to: dropped, by: human, do: [stop all] }
asks:
  send:
    question: worker
    shows: [letter]
    options:
      send: { to: sent, label: Send it, waive: [letter] }
      again: { to: writing, text: required, label: Not yet }
ends:
  - { role: worker, in: writing, try: sending, else: { count: tries, do: [mark worker] } }
`);

export type Machine = {
  readonly home: Home;
  readonly env: Readonly<Record<string, string>>;
  readonly store: SqliteStore;
  begin(id: string, more?: { readonly goal?: string; readonly at?: string }): Promise<void>;
  /** One event, signed where it is a person's. */
  happen(id: string, event: Word): Promise<void>;
  /** An agent as the supervisor leaves it: its row, its turn, its log. */
  agent(
    id: string,
    more?: {
      readonly log?: string;
      readonly status?: AgentRow["status"];
      readonly turn?: number;
      readonly exit?: number;
    },
  ): Promise<JobRow>;
  call(line: string, env?: Readonly<Record<string, string>>): Promise<Printed>;
  say(line: string, env?: Readonly<Record<string, string>>): Promise<string>;
  data(line: string, env?: Readonly<Record<string, string>>): Promise<Record<string, unknown>>;
};

export const PERSON: Actor = { type: "human", name: "ann" };
export const AT = "2026-01-01T08:00:00Z";

type Word = Incoming | ((about: { readonly digest: string }) => Incoming);

export async function machine(workflow: Workflow = WORKFLOW): Promise<Machine> {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), "signalbox-reading-")));
  mkdirSync(join(root, "repo", ".git"), { recursive: true });
  writeFileSync(join(root, "repo", ".git/HEAD"), "ref: refs/heads/main\n");
  const home = homeAt(join(root, "state"));
  const env = { HOME: root, SIGNALBOX_HOME: home.root };
  const store = openStore(home);
  const who = await whoActs({ env, store, procs: AT_HOME });
  if (who.type !== "person") throw new Error("not a person");
  const signer = await signerOf(who, { pins: store });
  await store.commit([{ type: "define", hash: workflow.hash(), definition: workflow.definition }]);
  const on: On = { workflow, store, who, signer, repo: join(root, "repo"), goals: new Map() };
  const call = (line: string, more: Readonly<Record<string, string>> = {}): Promise<Printed> =>
    run(line.split(" "), { cwd: join(root, "repo"), env: { ...env, ...more }, procs: AT_HOME });
  return {
    home,
    env,
    store,
    async begin(id, { goal = "write to the council", at = AT } = {}) {
      on.goals.set(id, goal);
      await append(on, id, {
        type: "run-started",
        by: PERSON,
        at,
        run: id,
        definition: workflow.hash(),
        params: {},
        tree: "t1",
      });
    },
    happen: (id, event) => append(on, id, typeof event === "function" ? event({ digest: `d-${id}` }) : event),
    agent: (id, more = {}) => agentOf({ store, home }, id, more),
    call,
    async say(line, more) {
      const { code, stdout, stderr } = await call(line, more);
      return `${code}\n${stdout}${stderr}`;
    },
    async data(line, more) {
      return JSON.parse((await call(`${line} --json`, more)).stdout) as Record<string, unknown>;
    },
  };
}

type On = {
  readonly workflow: Workflow;
  readonly store: SqliteStore;
  readonly who: Person;
  readonly signer: Signer;
  readonly repo: string;
  readonly goals: Map<string, string>;
};

async function append(
  { workflow, store, who, signer, repo, goals }: On,
  id: string,
  event: Incoming,
): Promise<void> {
  const kept = await store.load(id);
  const { run: before = NO_RUN, row: { head } = { head: "" } } = kept ?? {};
  const decided = step(workflow, before, event);
  if (!decided.ok) throw new Error(decided.refusal.message);
  const by: Actor = "by" in event ? event.by : { type: "engine" };
  await store.commit([
    {
      type: "append",
      entry: {
        run: id,
        seq: before.seq,
        head,
        at: event.at,
        by,
        events: decided.events,
        after: decided.run,
        status: statusOf(workflow, decided.run),
        deeds: [],
        ...(before.seq === 0
          ? { birth: { workflow: workflow.definition.name, goal: goals.get(id) ?? "", repo, base: "c0ffee" } }
          : {}),
        ...(by.type === "human"
          ? { proof: prover({ who, signer, run: id, event })({ seq: before.seq + 1, prev: head }) }
          : {}),
      },
    },
  ]);
}

async function agentOf(
  { store, home }: { readonly store: SqliteStore; readonly home: Home },
  id: string,
  more: Parameters<Machine["agent"]>[1] & {},
): Promise<JobRow> {
  const { log = "hello\n", status = "running", turn = 1 } = more;
  const attempt = (await store.load(id))?.run.attempts["worker"] ?? 1;
  const dir = join(runFolders(home, id).agents, `worker.${attempt}`);
  const own = join(dir, `turn-${turn}`);
  mkdirSync(join(own, "claim"), { recursive: true });
  writeFileSync(join(own, "out.log"), log);
  if (more.exit !== undefined) writeFileSync(join(own, "exit"), `${more.exit}\n`);
  const key = { run: id, role: "worker", slot: "", attempt };
  await store.commit([
    {
      type: "put-agent",
      agent: { ...key, token: `hash-${id}-${attempt}`, dir, turn, status, entry: 0, startedAt: 1000 },
    },
  ]);
  const job: JobRow = {
    ...key,
    id: `${id}.worker.${attempt}.${turn}`,
    kind: "turn",
    artifact: "",
    tree: "",
    dir: own,
    startedAt: 1000 + turn,
    endsBy: 0,
    stallMs: 0,
    killed: "",
    status: status === "running" ? "live" : "over",
    seat: "",
  };
  await store.commit([{ type: "put-job", job }]);
  return job;
}

/** The worker hands in its letter and asks to go on. */
export const handedIn: Word = ({ digest }) => ({
  type: "move-asked",
  by: { type: "agent", role: "worker", slot: "", attempt: 1 },
  at: "2026-01-01T09:00:00Z",
  to: "sending",
  tree: "t1",
  readings: [{ artifact: "letter", slot: "", found: true, digest, faults: [], fields: {}, lists: {} }],
});

export function answered(answer: string, text = ""): Word {
  return ({ digest }) => ({
    type: "answered",
    by: PERSON,
    at: "2026-01-01T10:00:00Z",
    ask: "send",
    answer,
    shown: `letter=${digest}`,
    ...(text === "" ? {} : { text }),
  });
}
