/** A temporary place for a demo: a small repository, a state home, settings and scripted agents. Nothing of the person's is touched. */

import { closest, UserError } from "./failure.ts";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { homeAt, type Env, type Home } from "../adapters/home/paths.ts";
import { packageRoot } from "../adapters/library/package.ts";
import { PROCS, type Procs } from "../adapters/person/processes.ts";
import { isSupervisorAlive } from "../adapters/supervisor/lock.ts";

/**
 * What a demo is about, beside its scripts: `demos/WORKFLOW/demo.json`. RUN and BRANCH stand for those of the run that asks, which may be
 * one of a task.
 */
type Script = {
  readonly about: string;
  /** What a person types before the first run. */
  readonly before: readonly (readonly string[])[];
  /** Each run, with what begins it. */
  readonly runs: readonly {
    readonly name: string;
    readonly goal: string;
    readonly argv: readonly string[];
  }[];
  /** Follows each of those. */
  readonly params: readonly string[];
  /** `stays`: in a terminal, it lives as long as its run does. */
  readonly harnesses: Readonly<Record<string, { readonly script: string; readonly stays: boolean }>>;
  /** States in which a person is asked, and the command that a yes stands for. */
  readonly gates: Readonly<Record<string, Gate>>;
  /** How somebody begins one of their own. */
  readonly begin: string;
};

export type Gate = {
  readonly question: string;
  readonly says: string;
  readonly yes: readonly string[];
  readonly look: string;
};

export type Stage = {
  readonly root: string;
  readonly repo: string;
  readonly home: Home;
  readonly env: Env;
  readonly script: Script;
};

/** Of the person's environment, only what programs need to be found and to speak their language. */
const PASSED = new Set([
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TERM",
  "TZ",
  "TMPDIR",
  "NO_COLOR",
  "CI",
  "USER",
  "DEMO_PAUSE",
]);

export function setStage(workflow: string, env: Env): Stage {
  const folder = folderOf(workflow);
  const script = parsed(readFileSync(join(folder, "demo.json"), "utf8"));
  const root = mkdtempSync(join(realpathSync(tmpdir()), "signalbox-demo-"));
  const [repo, home, config] = ["repository", "state", "config"].map((name) => join(root, name));
  if (repo === undefined || home === undefined || config === undefined)
    throw new Error("the demo has no folders");
  cpSync(join(folder, "repository"), repo, { recursive: true });
  makeRepository(repo, env);
  mkdirSync(join(config, "signalbox"), { recursive: true, mode: 0o700 });
  writeFileSync(join(config, "signalbox", "config.yaml"), settingsOf(folder, script));
  const passed = Object.entries(env).filter(([name]) => PASSED.has(name));
  const own = { ...Object.fromEntries(passed), SIGNALBOX_HOME: home, XDG_CONFIG_HOME: config };
  return { root, repo, home: homeAt(home), env: own, script };
}

function folderOf(workflow: string): string {
  const names = demoNames();
  if (names.includes(workflow)) return join(demosFolder(), workflow);
  const near = closest(workflow, names);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  const message = `there is no demo of "${workflow}", only of ${names.join(", ")}${hint}`;
  throw new UserError("no-demo", message, near === undefined ? "signalbox demo" : `signalbox demo ${near}`);
}

function parsed(text: string): Script {
  const script: unknown = JSON.parse(text);
  if (isScript(script)) return script;
  throw new Error("demo.json is not a demo");
}

/** Part of this package, and tested with it: that it has what a demo needs says enough. */
function isScript(value: unknown): value is Script {
  return typeof value === "object" && value !== null && "runs" in value && "gates" in value;
}

function settingsOf(folder: string, { harnesses }: Script): string {
  const lines = Object.entries(harnesses).map(([name, { script, stays }]) => {
    const command = `[sh, ${JSON.stringify(join(folder, script))}]`;
    const terminal = stays ? `    terminal: ${command}\n` : "";
    return `  ${name}:\n    driver: command\n    command: ${command}\n${terminal}    env: [DEMO_PAUSE]\n`;
  });
  return `# The agents of this demo are scripts.\nharnesses:\n${lines.join("")}`;
}

function makeRepository(repo: string, env: Env): void {
  const steps = [
    ["init", "--quiet", "--initial-branch=main"],
    ["config", "user.name", "Signalbox demo"],
    ["config", "user.email", "demo@localhost"],
    ["add", "--all"],
    ["commit", "--quiet", "--no-gpg-sign", "--message", "A small project"],
  ];
  for (const step of steps) {
    const { status, stderr, error } = spawnSync("git", step, {
      cwd: repo,
      env: { ...env },
      encoding: "utf8",
    });
    if (error !== undefined)
      throw new UserError("no-git", "git is not installed, or not on the PATH", "signalbox doctor");
    if (status !== 0)
      throw new UserError(
        "demo-failed",
        `the demo failed, and everything is kept in ${repo}: git ${step.join(" ")}: ${stderr.trim()}`,
        "signalbox doctor",
      );
  }
}

/** As it can be typed anywhere: whoever tries a checkout has no such command yet. */
export function typedAnywhere(): string {
  const root = packageRoot();
  return basename(dirname(root)) === "node_modules" ? "signalbox" : join(root, "bin", "signalbox");
}

/** Workflows that have a demo: those with a folder of their own in `demos`. */
export function demoNames(): readonly string[] {
  const all = demosFolder();
  return readdirSync(all)
    .filter((name) => existsSync(join(all, name, "demo.json")))
    .toSorted();
}

function demosFolder(): string {
  return join(packageRoot(), "demos");
}

const QUIET_MS = 5000;

/** Nothing is removed while the supervisor still works there. */
export async function untilQuiet({ home }: Stage): Promise<void> {
  const until = performance.now() + QUIET_MS;
  while (performance.now() < until && isSupervisorAlive(home)) await pause(50);
}

/**
 * The person of a demo acts with a key, a state home and a repository that are thrown away: marks of an agent around the demo say
 * nothing. It never acts anywhere else: every call of it has the environment of a stage.
 */
export const STAND_IN: Procs = { ...PROCS, isOpen: false, environment: () => undefined };
