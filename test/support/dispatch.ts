/** One run over the real store, real files and real desks, whose agents are started up to the process: what each is told and given is there to read. */

import { drivers } from "../../src/adapters/drivers/turn-log.ts";
import { carriedOut } from "./effects.ts";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { desk } from "../../src/adapters/desk/desk.ts";
import { fileArtifacts } from "../../src/adapters/files/artifacts/artifacts.ts";
import { homeAt, runFolders } from "../../src/adapters/home/paths.ts";
import { openStore } from "../../src/adapters/store/open.ts";
import type { Workflow } from "../../src/core/model/compile.ts";
import type { Incoming } from "../../src/core/model/event.ts";
import type { Run } from "../../src/core/model/run.ts";
import type { Works } from "../../src/engine/box.ts";
import { perform } from "../../src/engine/effects/perform.ts";
import type { Launch } from "../../src/engine/ports/process.ts";
import type { Store } from "../../src/engine/ports/store.ts";
import { begin } from "../../src/engine/submit/begin.ts";
import { submit } from "../../src/engine/submit/submit.ts";
import { agentOver } from "../../src/engine/agents/turn-end.ts";
import { AT, HUMAN } from "./play.ts";

const RUN = "r1";

const CHANGED = [
  { path: "src/new.ts", type: "renamed", from: "src/old.ts" },
  { path: "a.ts", type: "modified", from: null },
];

export type Scene = {
  readonly repo: string;
  readonly works: Works;
  readonly store: Store;
  put(files: Readonly<Record<string, string>>): void;
  read(name: string): string;
  run(): Promise<Run>;
  begin(params?: Run["params"]): Promise<void>;
  /** Does what was ordered since the last time. Gives the prompts of those who were started. */
  work(): Promise<string[]>;
  /** Does the last deed of this kind once more, as after a death over it. */
  repeat(deed: string): Promise<void>;
  /** The agent ends by itself, with what lies there. */
  end(role: string, cause?: Extract<Incoming, { type: "agent-ended" }>["cause"]): Promise<void>;
  ask(event: (at: string) => Incoming | Promise<Incoming>): Promise<void>;
};

export async function dispatching(
  workflow: Workflow,
  act: (scene: Scene) => Promise<void>,
  more: Partial<Works> = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-dispatch-"));
  const repo = join(folder, "repo");
  mkdirSync(repo);
  const store = openStore(homeAt(join(folder, "state")));
  try {
    await act(sceneOf({ folder, repo, store, workflow, more }));
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

type Stage = {
  readonly folder: string;
  readonly repo: string;
  readonly store: Store;
  readonly workflow: Workflow;
  readonly more: Partial<Works>;
};

function sceneOf(stage: Stage): Scene {
  const { repo, store, workflow } = stage;
  const launched: Launch[] = [];
  const works = worksOf(stage, launched);
  const run = async (): Promise<Run> => {
    const kept = await store.load(RUN);
    if (kept === undefined) throw new Error("there is no run");
    return kept.run;
  };
  return {
    repo,
    works,
    store,
    run,
    put: (files) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(repo, name)), { recursive: true });
        writeFileSync(join(repo, name), text);
      }
    },
    read: (name) => readFileSync(join(repo, name), "utf8"),
    begin: async (params = {}) => {
      const birth = { workflow: workflow.definition.name, goal: "X", repo, base: "" };
      const begun = await begin(works, { run: RUN, by: HUMAN, workflow, birth, params });
      if (begun.type !== "accepted") throw new Error(JSON.stringify({ ...begun, run: "" }));
    },
    work: async () => {
      const before = launched.length;
      for (const row of await store.deeds(RUN)) {
        if (row.status === "done") continue;
        await carriedOut(store, row.key, () => perform(works, row));
      }
      return launched.slice(before).map(({ env }) => readFileSync(env["SIGNALBOX_PROMPT"] ?? "", "utf8"));
    },
    repeat: async (type) => {
      const row = (await store.deeds(RUN)).findLast(({ deed }) => deed.type === type);
      if (row === undefined) throw new Error(`nobody has ordered ${type}`);
      await perform(works, row);
    },
    end: async (role, cause = "exited") => {
      const agent = await store.agent({
        run: RUN,
        role,
        slot: "",
        attempt: (await run()).attempts[role] ?? 0,
      });
      if (agent === undefined) throw new Error(`there is no ${role}`);
      await agentOver(works, agent, { cause });
    },
    ask: async (event) => {
      const asked = await submit(works, {
        run: RUN,
        by: HUMAN,
        event: async ({ at, kept: _kept, ...facts }) => ({ ...facts, ...(await event(at)) }),
      });
      if (asked.type !== "accepted") throw new Error(JSON.stringify({ ...asked, run: "" }));
    },
  };
}

function worksOf({ folder, store, workflow, more }: Stage, launched: Launch[]): Works {
  const home = homeAt(join(folder, "state"));
  const harness = {
    name: "script",
    driver: "command",
    program: ["agent", "{prompt}"],
    arguments: [],
    model: "",
    effort: "",
    folders: [],
    files: [],
    mcp: false,
    stays: false,
    env: [],
    set: {},
    stdin: false,
  };
  const some = {
    clock: { now: () => Date.parse(AT), mono: () => 0 },
    store,
    desk,
    artifacts: fileArtifacts(store),
    workspaces: {
      digest: () => Promise.resolve("t1"),
      requireDeliverable: () => Promise.resolve(),
      snapshot: () => Promise.resolve({ commit: "c1", notes: [] }),
      judge: ({ at }: { readonly at: string }) => {
        mkdirSync(at);
        return Promise.resolve([]);
      },
      discard: () => Promise.resolve(),
    },
    branches: {
      checkout: () => Promise.resolve({ base: "b1" }),
      branchAt: () => "main",
      changed: () => Promise.resolve(CHANGED),
    },
    drivers,
    processes: {
      launch: (launch: Launch) => {
        launched.push(launch);
        return Promise.resolve({ type: "starting" });
      },
      probe: () => ({ type: "absent" }),
      hasTerminals: () => false,
    },
    settings: () =>
      Promise.resolve({
        workspace: { message: "{goal}", setup: [] },
        harness: () => harness,
        harnesses: [],
        sandbox: "off",
        env: [],
        minutes: 1,
        stallMinutes: 1,
      }),
    pins: { entries: () => Promise.resolve([]), program: () => undefined },
    person: { env: {}, bin: "/bin", home: home.root },
    finds: () => true,
    folders: (run: string) => runFolders(home, run),
    workflow: () => workflow,
    log: () => undefined,
    ...more,
  };
  return some as unknown as Works;
}
