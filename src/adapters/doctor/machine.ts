/** What the machine must have: Node, git, a shell, a way to look at processes. And what would be good to have. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Env } from "../home/paths.ts";
import { looked, ok, type Finding } from "./finding.ts";
import { programAt } from "./program.ts";

type Version = readonly [major: number, minor: number];

const NODE: Version = [22, 14];
const GIT: Version = [2, 20];
const ANSWER_MS = 10_000;

/** Nothing needs these; each makes something possible. */
const OPTIONAL: readonly (readonly [program: string, what: string, get: string])[] = [
  ["tmux", "to watch and talk to agents that want a terminal", "apt install tmux, or brew install tmux"],
  ["bwrap", "to keep agents away from your other files", "apt install bubblewrap (Linux only)"],
];

export function lookAtMachine(env: Env): readonly Finding[] {
  const path = env["PATH"] ?? "";
  return [
    nodeFinding(process.versions.node),
    ...looked("git", () => [gitFinding(path)]),
    shellFinding(),
    processFinding(path),
  ];
}

export function lookAtTools(env: Env): readonly Finding[] {
  return OPTIONAL.map(([program, what, get]) => {
    const place = programAt(program, env["PATH"] ?? "");
    if (place !== undefined) return ok(program, place);
    return {
      status: "note",
      name: program,
      text: `not there; nothing needs it, it is good ${what}`,
      next: get,
    };
  });
}

function nodeFinding(version: string): Finding {
  if (isAtLeast(version, NODE)) return ok("node", version);
  return {
    status: "problem",
    name: "node",
    text: `${version} is too old: ${NODE.join(".")} is needed`,
    next: "npm i -g node@24, or your system's own",
  };
}

function gitFinding(path: string): Finding {
  const place = programAt("git", path);
  const get = "apt install git, brew install git, or https://git-scm.com";
  if (place === undefined)
    return { status: "missing", name: "git", text: "there is no git on your PATH", next: get };
  const { stdout } = spawnSync(place, ["--version"], {
    encoding: "utf8",
    env: { PATH: path, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: ANSWER_MS,
  });
  const version = /\d+\.\d+[\d.]*/.exec(stdout ?? "")?.[0] ?? "";
  if (isAtLeast(version, GIT)) return ok("git", `${version} (${place})`);
  return {
    status: "problem",
    name: "git",
    text: `${place} is ${version === "" ? "of no known version" : version}: ${GIT.join(".")} is needed`,
    next: get,
  };
}

function shellFinding(): Finding {
  // Agents are started through exactly this one, whatever the PATH says.
  if (programAt("/bin/sh", "") !== undefined) return ok("sh", "/bin/sh");
  return {
    status: "missing",
    name: "sh",
    text: "there is no /bin/sh, which starts agents",
    next: "apt install dash",
  };
}

function processFinding(path: string): Finding {
  if (existsSync("/proc/self/stat")) return ok("processes", "/proc");
  const ps = programAt("ps", path);
  if (ps !== undefined) return ok("processes", ps);
  return {
    status: "missing",
    name: "processes",
    text: "there is neither /proc nor ps: nobody can tell whether an agent lives",
    next: "mount -t proc proc /proc, or install ps",
  };
}

function isAtLeast(version: string, [major, minor]: Version): boolean {
  const [first = 0, second = 0] = version.split(".").map(Number);
  return first > major || (first === major && second >= minor);
}
