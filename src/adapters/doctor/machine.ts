/** What the machine must have: Node, git, a shell, a way to look at processes. And what would be good to have. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { Env } from "../home/paths.ts";
import { looked, ok, type Finding } from "./finding.ts";
import { programAt } from "./program.ts";

type Version = readonly [major: number, minor: number];

const NODE: Version = [22, 14];
const GIT: Version = [2, 20];
/** The first whose sessions can be given variables. */
const TMUX: Version = [3, 2];
const ANSWER_MS = 10_000;

/** Nothing needs it; it makes something possible. */
const OPTIONAL: readonly (readonly [program: string, what: string, get: string])[] = [
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
  const path = env["PATH"] ?? "";
  const tools = OPTIONAL.map(([program, what, get]): Finding => {
    const place = programAt(program, path);
    if (place !== undefined) return ok(program, place);
    return {
      status: "note",
      name: program,
      text: `not there; nothing needs it, it is good ${what}`,
      next: get,
    };
  });
  return [...looked("tmux", () => [tmuxFinding(path)]), ...tools];
}

/** Without it everything works, one process for each turn of an agent; what is lost is looking and talking. */
function tmuxFinding(path: string): Finding {
  const place = programAt("tmux", path);
  const get = "apt install tmux, or brew install tmux";
  const without = "agents have no terminals: one process for each turn, and signalbox attach shows nothing";
  if (place === undefined)
    return {
      status: "note",
      name: "tmux",
      text: `not there; nothing needs it, but without it ${without}`,
      next: get,
    };
  const version = versionOf(place, ["-V"], path);
  if (isAtLeast(version, TMUX))
    return ok("tmux", `${version} (${place}): agents have terminals, signalbox attach shows them`);
  const age = version === "" ? "of no known version" : `${version}, older than ${TMUX.join(".")}`;
  return { status: "note", name: "tmux", text: `${place} is ${age}: ${without}`, next: get };
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
  const version = versionOf(place, ["--version"], path);
  if (isAtLeast(version, GIT)) return ok("git", `${version} (${place})`);
  return {
    status: "problem",
    name: "git",
    text: `${place} is ${version === "" ? "of no known version" : version}: ${GIT.join(".")} is needed`,
    next: get,
  };
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
  const [first = 0, second = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return first > major || (first === major && second >= minor);
}
