/**
 * A theatre for stories of tasks: real git, real SQLite, real tmux with real shims and windows. The agents in the windows only sit there
 * and write down what they are told; what they say is typed by the test, in their name and with their token.
 *
 * The supervisor works in this process and looks often. People and agents call the command line in this process as well, so that a
 * story costs little more than its windows.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { openStore, type SqliteStore } from "../../../src/adapters/store/open.ts";
import { findPlace } from "../../../src/adapters/terminal/place.ts";
import { among } from "../../../src/app/view/work/notes.ts";
import { run as signalbox } from "../../../src/cli/run.ts";
import type { Note } from "../../../src/engine/ports/journal.ts";
import type { JobRow } from "../../../src/engine/ports/registry.ts";
import { AT_HOME } from "../../support/procs.ts";
import { supervised } from "../activities/stage.ts";
import { clear, makeLife, type Life } from "../lives/life.ts";

export type Theatre = Life & {
  /** A person types something; fails where it is refused. */
  person(...argv: readonly string[]): Promise<Document>;
  /** What a person gets who types it, as they see it. */
  types(...argv: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** A task with a living worker, in planning. */
  task(): Promise<string>;
  tasks(count: number): Promise<string[]>;
  /** The latest attempt of a role says something. */
  says(run: string, role: string, ...argv: readonly string[]): Promise<Document>;
  /** It writes a section of TASK.md, and hands nothing in. */
  writes(run: string, section: string, text: string): Promise<void>;
  /** Plan, then on to the work. */
  plans(run: string): Promise<void>;
  /** A commit and a handoff, then on to the review. */
  handsOver(run: string): Promise<void>;
  /** The verdict is handed in. */
  judges(run: string, verdict: "PASS" | "FAIL"): Promise<void>;
  /** The text of the verdict that was last handed in. */
  lastReview(run: string): string;
  /** Its process is killed, or ends by itself. */
  dies(run: string, role: string, how?: NodeJS.Signals): Promise<void>;
  /** Until this attempt of a role is at work. */
  up(run: string, role: string, attempt: number): Promise<JobRow>;
  /** Until the run is in this state, and nothing is left to be done at once. */
  in(run: string, state: string): Promise<void>;
  until<T>(look: (store: SqliteStore) => T | undefined | false | Promise<T | undefined | false>): Promise<T>;
  /** What the worker of this attempt was told, line by line. */
  heard(run: string, attempt: number): string[];
  tmux(...argv: readonly string[]): string;
  /** What happened, one line for each act and for what was told, without times and ids. */
  story(run: string): Promise<string>;
};

type Document = Readonly<Record<string, unknown>>;

const PATIENCE_MS = 120_000;
const AGENTS = 32;
const TICK_MS = 100;
const PATIENT = "minutes: 60, stall_minutes: 60";

/** Sits in its terminal, writes down what it is told, and leaves when it is asked to. */
const WORKER = `
trap 'exit 0' TERM
echo "$SIGNALBOX_JOB $$" >>"$LEDGER/starts"
while IFS= read -r line; do printf '%s\\n' "$line" >>"$LEDGER/$SIGNALBOX_JOB.heard"; done
`;

const REVIEWER = `
trap 'exit 0' TERM
echo "$SIGNALBOX_JOB $$" >>"$LEDGER/starts"
cat >/dev/null
while :; do sleep 60 & wait $!; done
`;

/** Whatever a story leaves behind is cleared, also when it fails. */
export function inTheatre<T>(play: (theatre: Theatre) => Promise<T>, limits?: string): Promise<T> {
  return inLife((life) => perform(life, play), limits);
}

/** For stories in which nobody supervises at times. */
export async function inLife<T>(work: (life: Life) => Promise<T>, limits = PATIENT): Promise<T> {
  const life = makeLife({ config: (root) => configOf(root, limits), furnish: writeAgents });
  try {
    return await work(life);
  } finally {
    endServer(life);
    await clear(life);
  }
}

/** With a supervisor that looks often, until the play is over. */
export function perform<T>(life: Life, play: (theatre: Theatre) => Promise<T>): Promise<T> {
  return supervised(life, { tickMs: TICK_MS }, () => play(theatreOf(life)));
}

/** One theatre for all stories of a file, which are played at the same time. */
export function theatre(): () => Theatre {
  let on: Theatre | undefined;
  let close: () => void = () => undefined;
  let work: Promise<void> = Promise.resolve();
  beforeAll(async () => {
    const closed = new Promise<void>((resolve) => (close = resolve));
    await new Promise<void>((resolve, reject) => {
      work = inTheatre(async (opened) => {
        on = opened;
        resolve();
        await closed;
      });
      work.catch(reject);
    });
  });
  afterAll(async () => {
    close();
    await work;
  });
  return () => {
    if (on === undefined) throw new Error("the theatre is not open");
    return on;
  };
}

export function endServer(life: Life): void {
  const socket = findPlace(life.home)?.socket;
  if (socket !== undefined) spawnSync("tmux", ["-S", socket, "kill-server"], { stdio: "ignore" });
}

/** As a person who looks at the window of the worker. */
export function typeInto(life: Life, run: string, line: string): void {
  const socket = findPlace(life.home)?.socket ?? "/no/socket";
  const tmux = (...argv: readonly string[]): string =>
    execFileSync("tmux", ["-S", socket, ...argv], { encoding: "utf8", stdio: "pipe" }).trim();
  const panes = tmux("list-panes", "-a", "-F", "#{pane_id} #{@signalbox_job}").split("\n");
  const pane = panes.find((each) => each.includes(` ${run}.worker.`))?.split(" ")[0];
  if (pane !== undefined) tmux("send-keys", "-t", pane, line, "Enter");
}

function configOf(root: string, limits: string): string {
  const set = `set: { LEDGER: "${root}/ledger" }, ${limits}`;
  const script = (role: string): string => `[sh, "${root}/agents/${role}.sh"]`;
  return `harnesses:
  worker: { command: ["false"], terminal: ${script("worker")}, ${set} }
  reviewer: { command: ${script("reviewer")}, ${set} }
`;
}

function writeAgents(_repo: string, root: string): void {
  mkdirSync(join(root, "agents"));
  writeFileSync(join(root, "agents/worker.sh"), WORKER);
  writeFileSync(join(root, "agents/reviewer.sh"), REVIEWER);
}

function theatreOf(life: Life): Theatre {
  const withStore = async <T>(work: (store: SqliteStore) => T | Promise<T>): Promise<T> => {
    const store = openStore(life.home);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const call = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    signalbox(argv, {
      cwd: life.repo,
      env: { ...life.env, ...env },
      procs: AT_HOME,
      startSupervisor: () => undefined,
    });
  const good = async (argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Document> => {
    const { code, stdout, stderr } = await call([...argv, "--json"], env);
    if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${stdout} ${stderr}`);
    return JSON.parse(stdout) as Document;
  };
  const until: Theatre["until"] = async (look) => {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const seen = await withStore(look);
      if (seen !== undefined && seen !== false) return seen;
      if (performance.now() > giveUpAt) throw new Error(`it does not come to that: ${look.toString()}`);
      await pause(30);
    }
  };
  const attemptOf = (run: string, role: string): Promise<number> =>
    withStore(async (store) => (await store.load(run))?.run.attempts[role] ?? 0);
  const jobOf = (run: string, role: string): Promise<JobRow> =>
    withStore(async (store) => {
      const jobs = (await store.jobs({ run, status: "live" })).filter((job) => job.role === role);
      const last = jobs.at(-1);
      if (last === undefined) throw new Error(`no ${role} of ${run} is at work`);
      return last;
    });
  const says: Theatre["says"] = async (run, role, ...argv) => {
    const agent = await withStore(async (store) =>
      store.agent({ run, role, slot: "", attempt: await attemptOf(run, role) }),
    );
    if (agent === undefined) throw new Error(`there is no ${role} in ${run}`);
    return good(argv, {
      SIGNALBOX_RUN: run,
      SIGNALBOX_TOKEN: readFileSync(join(agent.dir, "token"), "utf8"),
      SIGNALBOX_JOB: `${run}.${role}.${agent.attempt}.1`,
    });
  };
  const hands = async (run: string, role: string, of: { artifact: string; text: string }): Promise<void> => {
    const file = join(life.ledger, `${run}.${of.artifact}`);
    writeFileSync(file, of.text);
    await says(run, role, "submit", of.artifact, file);
  };
  const up: Theatre["up"] = (run, role, attempt) =>
    until(async (store) => {
      const agent = (await store.load(run))?.run.agents[role];
      if (agent?.attempt !== attempt || agent.status !== "alive") return undefined;
      return (await store.jobs({ run, status: "live" })).find(
        (job) => job.role === role && job.attempt === attempt && pidOf(life, job) !== undefined,
      );
    });
  // Before the first task: with room for all of them none waits, and who begins the next one is no question.
  let room: Promise<unknown> | undefined;
  const withRoom = async (): Promise<unknown> => {
    const isKnown = (await withStore((store) => store.projectAt(life.repo))) !== undefined;
    room ??= isKnown ? Promise.resolve() : good(["project", "add", "--agents", String(AGENTS)]);
    return room;
  };
  const workspace = (run: string): Promise<string> =>
    withStore(async (store) => (await store.workspace(run))?.path ?? "");
  return {
    ...life,
    person: (...argv) => good(argv),
    types: (...argv) => call(argv),
    until,
    says,
    up,
    async task() {
      const [run = ""] = await this.tasks(1);
      return run;
    },
    async tasks(count) {
      const begin = ["run", "task", "A story", "--detach"];
      const params = ["--param", "harness=worker", "--param", "review_harness=reviewer"];
      const runs: string[] = [];
      await withRoom();
      for (let i = 0; i < count; i += 1) runs.push(String((await good([...begin, ...params]))["run"]));
      for (const run of runs) await up(run, "worker", 1);
      return runs;
    },
    async writes(run, section, text) {
      const file = join(await workspace(run), "TASK.md");
      const sections = readFileSync(file, "utf8").split(/^(?=## )/m);
      const others = sections.filter((each) => !each.startsWith(`## ${section}\n`));
      writeFileSync(file, [...others, `## ${section}\n\n${text}\n`].join("\n"));
    },
    async plans(run) {
      await hands(run, "worker", { artifact: "plan", text: "APPROACH: a line\nTOUCHING: work.txt\n" });
      await says(run, "worker", "task", "update", "--status", "working");
    },
    async handsOver(run) {
      const cwd = await workspace(run);
      writeFileSync(join(cwd, "work.txt"), `${Date.now()} ${Math.random()}\n`);
      const who = ["-c", "user.name=Worker", "-c", "user.email=worker@localhost"];
      execFileSync("git", ["add", "work.txt"], { cwd });
      execFileSync("git", [...who, "commit", "-q", "--no-gpg-sign", "-m", "work"], { cwd });
      await hands(run, "worker", { artifact: "handoff", text: `DONE: a line, at ${Date.now()}\n` });
      await says(run, "worker", "task", "update", "--status", "agent-review");
    },
    async judges(run, verdict) {
      const text = `Verdict: ${verdict}\n\n- work.txt:1: seen at ${Date.now()}\n`;
      await hands(run, "reviewer", { artifact: "review", text });
    },
    lastReview: (run) => readFileSync(join(life.ledger, `${run}.review`), "utf8").trim(),
    async dies(run, role, how = "SIGKILL") {
      const job = await jobOf(run, role);
      const pid = pidOf(life, job);
      if (pid === undefined) throw new Error(`nobody knows the process of ${job.id}`);
      process.kill(pid, how);
      await until(async (store) => (await store.job(job.id))?.status === "over");
    },
    async in(run, state) {
      await until(async (store) => {
        const isThere = (await store.load(run))?.run.state === state;
        return isThere && (await store.deeds(run)).every(({ status }) => status === "done");
      });
    },
    heard(run, attempt) {
      const file = join(life.ledger, `${run}.worker.${attempt}.1.heard`);
      return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
    },
    tmux(...argv) {
      const socket = findPlace(life.home)?.socket ?? "/no/socket";
      return execFileSync("tmux", ["-S", socket, ...argv], { encoding: "utf8", stdio: "pipe" }).trim();
    },
    async story(run) {
      const { lines, notes } = (await good(["history", run, "--limit", "1000"])) as unknown as Told;
      const told = notes.filter(({ kind }) => kind === "told");
      return among(lines.filter(isWorthTelling), told)
        .map((each) => ("kind" in each ? `(${each.kind}: ${plain(each.text)})` : sayLine(each)))
        .join("\n");
    },
  };
}

type Told = { lines: Line[]; notes: Note[] };
type Line = { at: string; by: { type: string; role?: string }; what: string; followed: string[] };

/** That an agent is up, what a turn used, and the end of one that nobody waited for, come when they come. */
function isWorthTelling({ what, followed }: Line): boolean {
  return !/ is up$|^turn \d+ of /.test(what) && !(what.includes(" ended: ") && followed.length === 0);
}

function sayLine({ by, what, followed }: Line): string {
  return `${by.role ?? by.type}: ${[what, ...followed].join("; ")}`;
}

/** Whether it was heard of since is told elsewhere. */
function plain(text: string): string {
  return text.replace(/, and (?:has not called since|called at .*)$/, "");
}

/** As it wrote it down when it began: the shim's own is that of its parent. */
function pidOf(life: Life, { id }: JobRow): number | undefined {
  const file = join(life.ledger, "starts");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const line = lines.findLast((each) => each.startsWith(`${id} `));
  return line === undefined ? undefined : Number(line.split(" ")[1]);
}
