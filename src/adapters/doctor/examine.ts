/** Looks at everything, one thing after the other. Nothing is changed, and nothing that is broken keeps it from looking on. */

import { homeOf, type Env } from "../home/paths.ts";
import { requireRoot } from "../home/root.ts";
import { askIn, type Database } from "../store/database.ts";
import { registryOf } from "../store/tables/registry.ts";
import type { TrustStore } from "../trust/trust.ts";
import { looked, missing, note, ok, problem, type Finding } from "./finding.ts";
import { lookAtHome } from "./home.ts";
import { lookAtJournal, openToRead } from "./journal.ts";
import { lookAtLeftovers } from "./leftovers.ts";
import { lookAtSettings } from "./settings.ts";
import { viewKey } from "../person/key.ts";
import { keyPath } from "../person/key-file.ts";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { programAt } from "../process/program.ts";

export type DoctorPlace = { readonly cwd: string; readonly env: Env };

export async function examine({ cwd, env }: DoctorPlace): Promise<readonly Finding[]> {
  const home = homeOf(env);
  if (home === undefined) return [...lookAtMachine(env), homeless(), ...lookAtTools(env)];
  const obstacle = looked("state home", () => {
    requireRoot(home, env);
    return [];
  });
  if (obstacle.length > 0) return [...lookAtMachine(env), ...obstacle, ...lookAtTools(env)];
  const machine = [...lookAtMachine(env), ...looked("state home", () => lookAtHome(home))];
  let db: Database | undefined;
  const opened = looked("database", () => {
    db = openToRead(home);
    return db === undefined ? [ok("database", "not there yet; the first run makes it")] : [];
  });
  try {
    const journal = db === undefined ? [] : lookAtJournal(db);
    const person = [...lookAtKey(env), ...(await lookAtSettings({ cwd, env, store: trustIn(db) }))];
    const world = lookAtLeftovers({ home, db });
    return [...machine, ...opened, ...journal, ...person, ...world, ...lookAtTools(env)];
  } finally {
    db?.close();
  }
}

function homeless(): Finding {
  const text = "neither HOME nor SIGNALBOX_HOME says where runs are kept";
  return missing("state home", text, "export HOME=...");
}

/** Where the database cannot be asked, nothing is trusted. */
function trustIn(db: Database | undefined): TrustStore {
  return db === undefined
    ? { trusted: () => Promise.resolve(undefined), humanKeys: () => Promise.resolve([]) }
    : registryOf(askIn(db));
}

/** Whether a human key exists, and how it is protected. */
function lookAtKey(env: Env): readonly Finding[] {
  return looked("human key", () => {
    const path = keyPath(env);
    const key = viewKey(path);
    if (key === undefined) return [ok("human key", `not there yet; made at ${path} when you first need it`)];
    if (key.tier === "prevented") return [ok("human key", `${path}, under a passphrase`)];
    return [
      ok(
        "human key",
        `${path}, for you alone; with a passphrase no agent could use it: signalbox key --passphrase`,
      ),
    ];
  });
}

/** What the machine must have: Node, git, a shell, a way to look at processes. And what would be good to have. */

type Version = readonly [major: number, minor: number];

const NODE: Version = [22, 14];
const GIT: Version = [2, 20];
/** The first whose sessions can be given variables. */
const TMUX: Version = [3, 2];
const ANSWER_MS = 10_000;

function lookAtMachine(env: Env): readonly Finding[] {
  const path = env["PATH"] ?? "";
  return [
    nodeFinding(process.versions.node),
    ...looked("git", () => [gitFinding(path)]),
    shellFinding(),
    processFinding(path),
  ];
}

function lookAtTools(env: Env): readonly Finding[] {
  const path = env["PATH"] ?? "";
  return looked("tmux", () => [tmuxFinding(path)]);
}

/** Without it everything works, one process for each turn of an agent; what is lost is looking and talking. */
function tmuxFinding(path: string): Finding {
  const place = programAt("tmux", path);
  const get = "apt install tmux, or brew install tmux";
  const without = "agents have no terminals: one process for each turn, and signalbox attach shows nothing";
  if (place === undefined) return note("tmux", `not there; nothing needs it, but without it ${without}`, get);
  const version = versionOf(place, ["-V"], path);
  if (isAtLeast(version, TMUX))
    return ok("tmux", `${version} (${place}): agents have terminals, signalbox attach shows them`);
  const age = version === "" ? "of no known version" : `${version}, older than ${TMUX.join(".")}`;
  return note("tmux", `${place} is ${age}: ${without}`, get);
}

function nodeFinding(version: string): Finding {
  if (isAtLeast(version, NODE)) return ok("node", version);
  return problem(
    "node",
    `${version} is too old: ${NODE.join(".")} is needed`,
    "npm i -g node@24, or your system's own",
  );
}

function gitFinding(path: string): Finding {
  const place = programAt("git", path);
  const get = "apt install git, brew install git, or https://git-scm.com";
  if (place === undefined) return missing("git", "there is no git on your PATH", get);
  const version = versionOf(place, ["--version"], path);
  if (isAtLeast(version, GIT)) return ok("git", `${version} (${place})`);
  return problem(
    "git",
    `${place} is ${version === "" ? "of no known version" : version}: ${GIT.join(".")} is needed`,
    get,
  );
}

function versionOf(program: string, argv: readonly string[], path: string): string {
  const { stdout } = spawnSync(program, argv, {
    encoding: "utf8",
    env: { PATH: path, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: ANSWER_MS,
  });
  return /\d+\.\d+[\d.]*[a-z]?/.exec(stdout ?? "")?.[0] ?? "";
}

function shellFinding(): Finding {
  // Agents are started through exactly this one, whatever the PATH says.
  if (programAt("/bin/sh", "") !== undefined) return ok("sh", "/bin/sh");
  return missing("sh", "there is no /bin/sh, which starts agents", "apt install dash");
}

function processFinding(path: string): Finding {
  if (existsSync("/proc/self/stat")) return ok("processes", "/proc");
  const ps = programAt("ps", path);
  if (ps !== undefined) return ok("processes", ps);
  return missing(
    "processes",
    "there is neither /proc nor ps: nobody can tell whether an agent lives",
    "mount -t proc proc /proc, or install ps",
  );
}

function isAtLeast(version: string, [major, minor]: Version): boolean {
  const [first = 0, second = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return first > major || (first === major && second >= minor);
}
