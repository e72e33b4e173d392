/**
 * Lives of `staged`, from end to end: real processes, git and SQLite; every agent is `player.sh`, which plays it straight.
 *
 * The workflow counts as proven: `check` takes longer than a life, and another test runs it.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findWorkflow } from "../../../src/adapters/library/find.ts";
import { parseFound } from "../../../src/adapters/library/load.ts";
import { openStore } from "../../../src/adapters/store/open.ts";
import { makeGh } from "../../support/gh.ts";
import { onStage, type Now, type Stage } from "../activities/stage.ts";
import { lookIn, story, type, type Answer } from "../lives/life.ts";

const PLAYER = join(import.meta.dirname, "player.sh");

const REMOTE = "https://forge.example/o/n.git";

const PLAN = `## Overview

Two files.

### Task 1: The first

Files: work-1.txt
Dependencies: none
Complexity: easy
Instructions: Write it.

### Task 2: The second

Files: work-2.txt
Dependencies: Task 1
Complexity: easy
Instructions: Write it, too.
`;

/** The last stage, and what follows it, where all goes well. */
export const FINAL = [
  "4.1",
  "4.2-tests",
  "4.2-testing",
  "4.2",
  "4.3",
  "approved",
  "tested",
  "released",
  "committing",
  "opening",
];

/** Tests can be held, too: those of TEST as `check`, those of FINAL, where the README has changed, as `final`. */
const TESTS = `
ledger=$HOME/../ledger
role=check
grep -q more README.md && role=final
if mv "$ledger/hold-$role" "$ledger/holding-$role" 2>/dev/null; then
  echo "$$" >"$ledger/held"
  while [ -e "$ledger/holding-$role" ]; do sleep 0.02; done
fi
echo all is well
`;

const FILES = { Makefile: "lint:\n\t@true\ntest:\n\t@sh test.sh\n", "test.sh": TESTS };

export type Wishes = {
  /** In the repository, beside a Makefile. */
  readonly files?: Readonly<Record<string, string>>;
  /** A remote, and a `gh` that opens pull requests there. */
  readonly remote?: boolean;
  readonly settings?: string;
};

export type Play = Stage & {
  readonly user: string;
  /** In the repository, as a person. */
  git(...args: readonly string[]): string;
  type(...argv: readonly string[]): Promise<Answer>;
  /** A run of `staged` that goes on by itself. */
  run(...argv: readonly string[]): Promise<string>;
  /** The next one of this role waits; gives its process when it does. */
  hold(role: string): () => Promise<number>;
  letGo(role: string): void;
  /** Until this holds; somebody looks in from time to time, as people do, which brings a supervisor back. */
  until(run: string, holds: (now: Now) => boolean | Promise<boolean>): Promise<Now>;
  /** Until it is over or asks something, and nothing is left to be done. */
  ended(run: string): Promise<Now>;
  /** A file of the run, wherever it is by now. */
  file(run: string, path: string): Promise<string | undefined>;
  shown(run: string): Promise<State>;
};

/** Of state.json, what tests look at. */
export type State = {
  readonly status: string;
  readonly stages: Readonly<Record<string, { readonly status: string; readonly enabled: boolean }>>;
  readonly schedule: readonly { readonly phase: string; readonly status: string }[];
  readonly gates: Readonly<Record<string, unknown>>;
  readonly completion: Readonly<Record<string, string | null>>;
  readonly [other: string]: unknown;
};

const PATIENCE_MS = 150_000;

/** A life is a few seconds; where many others work at the same time, it is more. */
export const LONG = { timeout: PATIENCE_MS + 10_000 };

export async function inStaged(wishes: Wishes, play: (on: Play) => Promise<void>): Promise<void> {
  const harness = (name: string): string =>
    `  ${name}: { command: [sh, "${PLAYER}"], minutes: 60, stall_minutes: 60 }\n`;
  const settings = `${harness("claude")}${harness("codex")}${wishes.settings ?? ""}`;
  const files = { ...FILES, ...wishes.files };
  await onStage({ agents: {}, settings, files }, async (stage) => {
    writeFileSync(join(stage.root, "plan.md"), PLAN);
    await takeAsProven(stage);
    await play(playOf(stage, wishes));
  });
}

async function takeAsProven({ home, repo }: Stage): Promise<void> {
  const parsed = await parseFound(findWorkflow("staged", { cwd: repo, home: "" }));
  if (!parsed.ok) throw new Error("staged is broken");
  const store = openStore(home);
  await store.commit([
    { type: "define", hash: parsed.workflow.hash(), definition: parsed.workflow.definition },
  ]);
  await store.close();
}

function playOf(stage: Stage, { remote = false }: Wishes): Play {
  const [user, bin] = [join(stage.root, "person"), join(stage.root, "bin")];
  const life = { ...stage, env: { ...stage.env, PATH: `${bin}:${stage.env["PATH"] ?? ""}` } };
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: stage.repo, env: life.env, encoding: "utf8" }).trimEnd();
  if (remote) {
    makeGh(bin, user);
    const bare = join(user, "gh/remote.git");
    git("clone", "-q", "--bare", stage.repo, bare);
    git("config", "--global", `url.${bare}.insteadOf`, REMOTE);
    git("remote", "add", "origin", REMOTE);
  }
  const typed: Play["type"] = (...argv) => type(life, argv);
  const until: Play["until"] = async (run, holds) => {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let n = 1; ; n += 1) {
      const now = await stage.now(run);
      if (await holds(now)) return now;
      if (performance.now() > giveUpAt)
        throw new Error(`it does not come to that: ${holds.toString()}\n${await story(life, run)}`);
      if (n % 20 === 0) await lookIn(life);
      await pause(60);
    }
  };
  const file: Play["file"] = async (run, path) => {
    const { workspace } = await stage.now(run);
    const isBound = workspace?.status === "bound";
    const found = join(isBound ? workspace.path : join(stage.home.root, "runs", run, "files"), path);
    return existsSync(found) ? readFileSync(found, "utf8") : undefined;
  };
  return {
    ...life,
    user,
    git,
    type: typed,
    until,
    file,
    hold: (role) => {
      stage.say(`hold-${role}`);
      return async () => {
        const giveUpAt = performance.now() + PATIENCE_MS;
        while (stage.said("held") === "") {
          if (performance.now() > giveUpAt) throw new Error(`no ${role} comes`);
          await pause(20);
        }
        const pid = Number(stage.said("held"));
        stage.unsay("held");
        return pid;
      };
    },
    letGo: (role) => stage.unsay(`holding-${role}`),
    async run(...argv) {
      const answer = await typed("run", "staged", ...argv, "--detach");
      if (answer.code !== 0) throw new Error(`${argv.join(" ")}: ${JSON.stringify(answer)}`);
      return String(answer.document["run"]);
    },
    ended: (run) =>
      until(
        run,
        (now) => now.isIdle && (isOver(now) || now.run.question !== undefined || now.attention !== ""),
      ),
    shown: async (run) => JSON.parse((await file(run, ".agents/tmp/state.json")) ?? "{}") as State,
  };
}

function isOver({ state }: Now): boolean {
  return state === "completed" || state === "aborted";
}

/** The states that a run went through. */
export function wayOf({ events }: Now): string[] {
  return events.flatMap(({ event }) => (event.type === "moved" ? [event.to] : []));
}

export function put(folder: string, path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
