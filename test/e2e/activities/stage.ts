/**
 * A stage for small workflows: a repository that is trusted, agents that are scripts in a test, real processes, git and SQLite.
 *
 * Agents and people call the built program. The supervisor is the built one too, unless a test needs one that looks more often.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { shimProcesses } from "../../../src/adapters/process/processes.ts";
import { openStore } from "../../../src/adapters/store/open.ts";
import { takeSupervisorLock } from "../../../src/adapters/supervisor/lock.ts";
import { watchPokes } from "../../../src/adapters/supervisor/poke.ts";
import { alarmClock } from "../../../src/adapters/works/alarm.ts";
import { writeLauncher } from "../../../src/adapters/works/launcher.ts";
import { openWorks } from "../../../src/adapters/works/open.ts";
import { PACE, supervise } from "../../../src/engine/supervise/supervise.ts";
import type { Kept, Note, Recorded } from "../../../src/engine/ports/journal.ts";
import type { DeedRow } from "../../../src/engine/ports/outbox.ts";
import type { WorkspaceRow } from "../../../src/engine/ports/registry.ts";
import { clear, makeLife, story, type, type Answer, type Life } from "../lives/life.ts";

export type Scene = {
  /** A workflow beside this file; none where only a built-in one is played. */
  readonly workflow?: string;
  /** What each role does, in sh. `$LEDGER` is a folder outside of everything that Signalbox keeps. */
  readonly agents: Readonly<Record<string, string>>;
  /** Whose flags the scripts get, and whose output they print; none where they are called as they are. */
  readonly driver?: string;
  /** Limits of agents, as they stand in the settings of their harness; long, unless said. */
  readonly limits?: string;
  /** More of the person's settings. */
  readonly settings?: string;
  /** Agents work in the sandbox; without it they have none. */
  readonly isConfined?: boolean;
  readonly files?: Readonly<Record<string, string>>;
};

export type Stage = Life & {
  /** A person types something. */
  person(...argv: readonly string[]): Promise<Answer>;
  /** The agent of this attempt calls it; `coder.1` is a role and an attempt. */
  agent(run: string, who: string, ...argv: readonly string[]): Promise<Answer>;
  begin(workflow: string, ...argv: readonly string[]): Promise<string>;
  /** Until this holds of the run. */
  until(run: string, holds: (now: Now) => boolean | Promise<boolean>): Promise<Now>;
  now(run: string): Promise<Now>;
  /** Lets agents that wait for this word go on. */
  say(word: string): void;
  /** Takes a word back. */
  unsay(word: string): void;
  /** What agents wrote down. */
  said(word: string): string;
  /** What `history` tells, without what depends on who was faster. */
  trace(run: string): Promise<string[]>;
  close(): Promise<void>;
};

export type Now = Kept & {
  readonly state: string;
  readonly attention: string;
  readonly events: readonly Recorded[];
  readonly notes: readonly Note[];
  readonly deeds: readonly DeedRow[];
  readonly isIdle: boolean;
  readonly workspace: WorkspaceRow | undefined;
};

/** Nobody waits this long for what comes; a busy machine is no failure. */
const PATIENCE_MS = 120_000;

const PATIENT = ", minutes: 60, stall_minutes: 60";

/** Waits for a word of the test, and leaves one. */
const WORDS = `
await() { until [ -e "$LEDGER/$1" ]; do sleep 0.02; done; }
say() { echo "\${2-}" >>"$LEDGER/$1"; }
`;

async function openStage(scene: Scene): Promise<Stage> {
  const life = makeLife({
    config: (root) =>
      // Agents in terminals have a theatre of their own: test/e2e/stories.
      `terminal: none\n${sandboxOf(scene, root)}harness: scripted\nharnesses:\n  scripted: { ${scene.driver === undefined ? "command" : `driver: ${scene.driver}, program`}: [sh, "${root}/agents/{role}.sh"], set: { LEDGER: "${root}/ledger" }${scene.limits ?? PATIENT} }\n${scene.settings ?? ""}`,
    furnish: (repo, root) => furnish(scene, repo, root),
  });
  if (scene.workflow !== undefined) await ok(life, ["trust"]);
  return stageOf(life);
}

/** Scripts of roles and the ledger of the test are no part of a workspace. */
function sandboxOf({ isConfined = false }: Scene, root: string): string {
  if (!isConfined) return "sandbox: off\n";
  return `sandbox: required\nreach: { "*": { read: ["${root}/agents"], write: ["${root}/ledger"] } }\n`;
}

function furnish(scene: Scene, repo: string, root: string): void {
  mkdirSync(join(root, "agents"));
  for (const [role, script] of Object.entries(scene.agents))
    writeFileSync(join(root, "agents", `${role}.sh`), `${WORDS}\n${script}\n`);
  for (const [file, text] of Object.entries(scene.files ?? {})) {
    mkdirSync(dirname(join(repo, file)), { recursive: true });
    writeFileSync(join(repo, file), text);
  }
  if (scene.workflow === undefined) return;
  const from = join(import.meta.dirname, "workflows", scene.workflow);
  cpSync(from, join(repo, ".signalbox/workflows", scene.workflow), { recursive: true });
}

async function ok(life: Life, argv: readonly string[]): Promise<Answer> {
  const answer = await type(life, argv);
  if (answer.code !== 0)
    throw new Error(
      `${argv.join(" ")} ended with ${answer.code}: ${JSON.stringify(answer.document)} ${answer.stderr}`,
    );
  return answer;
}

function stageOf(life: Life): Stage {
  const now = (run: string): Promise<Now> => lookAt(life, run);
  return {
    ...life,
    now,
    person: (...argv) => type(life, argv),
    agent: async (run, who, ...argv) =>
      type(life, argv, {
        SIGNALBOX_RUN: run,
        SIGNALBOX_TOKEN: readFileSync(join(await agentFolder(life, run, who), "token"), "utf8"),
        SIGNALBOX_JOB: `${run}.${who}.1`,
      }),
    async begin(workflow, ...argv) {
      const { document } = await ok(life, ["run", workflow, "A life", "--detach", ...argv]);
      return String(document["run"]);
    },
    async until(run, holds) {
      const giveUpAt = performance.now() + PATIENCE_MS;
      for (;;) {
        const seen = await now(run);
        if (await holds(seen)) return seen;
        if (performance.now() > giveUpAt)
          throw new Error(`it does not come to that: ${holds.toString()}\n${await story(life, run)}`);
        await pause(40);
      }
    },
    say: (word) => writeFileSync(join(life.ledger, word), ""),
    unsay: (word) => rmSync(join(life.ledger, word)),
    said: (word) => {
      const file = join(life.ledger, word);
      return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
    },
    trace: (run) => traceOf(life, run),
    close: () => clear(life, { deadlocks: existsSync(join(life.repo, ".signalbox/workflows/deadlocks")) }),
  };
}

async function lookAt(life: Life, id: string): Promise<Now> {
  const store = openStore(life.home);
  try {
    const kept = await store.load(id);
    if (kept === undefined) throw new Error(`there is no run ${id}`);
    return {
      ...kept,
      state: kept.run.state,
      attention: kept.row.attention,
      events: await store.events(id),
      notes: await store.notes(id),
      deeds: await store.deeds(id),
      isIdle: !(await store.isBusy()),
      workspace: await store.workspace(id),
    };
  } finally {
    await store.close();
  }
}

type Line = { by: { type: string; role?: string }; what: string; followed: string[]; signed: boolean };

/** That an agent is up, and the end of one that nobody waited for, come when they come. */
async function traceOf(life: Life, run: string): Promise<string[]> {
  const { document } = await ok(life, ["history", run, "--limit", "1000"]);
  const lines = document["lines"] as Line[];
  return lines
    .filter(
      ({ what, followed }) =>
        !/ is up$|^turn \d+ of /.test(what) && !(what.includes(" ended: ") && followed.length === 0),
    )
    .map(
      ({ by, what, followed, signed }) =>
        `${by.role ?? by.type}${signed ? " (signed)" : ""}: ${[what, ...followed].join("; ")}`,
    );
}

/** Whatever a test leaves behind is cleared, also when it fails. */
export async function onStage<T>(scene: Scene, play: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = await openStage(scene);
  try {
    return await play(stage);
  } finally {
    await stage.close();
  }
}

export type Watching = {
  /** Between two looks at everything that lives. */
  readonly tickMs?: number;
  readonly logBytesMax?: number;
};

/** A supervisor in this process, which looks more often than the built one; ends with the play. */
export async function supervised<T>(life: Life, watching: Watching, play: () => Promise<T>): Promise<T> {
  const lock = takeSupervisorLock(life.home);
  if (lock === undefined) throw new Error("there is a supervisor already");
  const alarm = alarmClock();
  let isOver = false;
  const work = overseer(life, { watching, alarm, isOver: () => isOver });
  try {
    return await Promise.race([play(), work.then(() => Promise.reject(new Error("the supervisor left")))]);
  } finally {
    isOver = true;
    alarm.ring();
    await work.catch(() => undefined);
    lock.release();
  }
}

async function overseer(
  life: Life,
  on: { watching: Watching; alarm: ReturnType<typeof alarmClock>; isOver: () => boolean },
): Promise<void> {
  const { home } = life;
  const { tickMs = 100, logBytesMax } = on.watching;
  // A person's first command saves what it works with.
  while (!existsSync(home.environment) && !on.isOver()) await pause(10);
  if (on.isOver()) return;
  const watch = watchPokes(home, () => on.alarm.ring());
  writeLauncher(home);
  const store = openStore(home);
  try {
    const works = {
      ...openWorks(home, store, {
        log: (line) => writeFileSync(home.supervisorLog, `${line}\n`, { flag: "a" }),
      }),
      processes: shimProcesses({ home, graceMs: 300, ...(logBytesMax === undefined ? {} : { logBytesMax }) }),
    };
    while (!on.isOver()) {
      await supervise(works, { pace: { ...PACE, tickMs }, alarm: on.alarm, isOver: on.isOver });
      if (!on.isOver()) await on.alarm.wait(tickMs);
    }
  } finally {
    watch.close();
    await store.close();
  }
}

/** `coder.1` is a role and an attempt. */
export async function agentFolder({ home }: Life, run: string, who: string): Promise<string> {
  const store = openStore(home);
  try {
    const row = (await store.agents({ run })).find(({ role, attempt }) => `${role}.${attempt}` === who);
    if (row === undefined) throw new Error(`there is no ${who} in ${run}`);
    return row.dir;
  } finally {
    await store.close();
  }
}

/** Of a job of the run, by the last part of its id. */
export async function jobFolder({ home }: Life, run: string, name: string): Promise<string> {
  const store = openStore(home);
  try {
    return (await store.job(`${run}.${name}`))?.dir ?? "";
  } finally {
    await store.close();
  }
}

/** Every file below a folder with its text, links as they are. */
export function filesBelow(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(folder.length + 1)] = readFileSync(path, "latin1");
  }
  return Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
