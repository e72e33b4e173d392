/**
 * Which processes we come from, and what their environments say.
 *
 * An agent that clears its environment is still the child of one that has it. Read only where somebody acts: reads of a run must
 * not pay for it.
 */

import { readFileSync, readlinkSync, statfsSync } from "node:fs";
import { jobIn } from "../process/marker.ts";
import { envOfBlock, markIn } from "./marks.ts";

export type ProcessEntry = {
  readonly name: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** The number of its terminal's device; 0 for none. */
  readonly terminal: number;
};

/** What can be known about processes. */
export type Procs = {
  readonly self: number;
  /** Whether all of them can be seen here, as on Linux: then what is hidden is hidden by somebody. */
  readonly isOpen: boolean;
  see(pid: number): ProcessEntry | undefined;
  /** The environment it was started with: `NAME=value`, each ended by a zero byte. Undefined where nobody may know. */
  environment(pid: number): string | undefined;
  controlGroup(): string;
  /** In which world of pids and users we are; empty where the system does not say so itself. */
  world(): string;
};

export const PROCS: Procs = {
  self: process.pid,
  isOpen: process.platform === "linux",
  see: (pid) => {
    const text = read(`/proc/${pid}/stat`);
    return text === undefined ? undefined : parseStat(text);
  },
  environment: (pid) => read(`/proc/${pid}/environ`),
  controlGroup: () => (read("/proc/self/cgroup") ?? "").trim().split("\n").join(" "),
  world: () => (isKernels("/proc/self/ns") ? ["pid", "user"].map(namespace).join(" ") : ""),
};

export type Lineage = {
  /** `pid name`, the nearest first. */
  readonly ancestry: readonly string[];
  /** Who left a mark on one of them, in words. */
  readonly mark: string | undefined;
  /** Why nobody can tell who we come from, in words. */
  readonly gap: string | undefined;
  /** Every job that one of them belongs to. */
  readonly jobs: readonly string[];
  readonly terminal: string;
};

const DEPTH_MAX = 256;
const TRIES = 3;

export function lineageOf(procs: Procs): Lineage {
  let lineage = walk(procs);
  // A parent that ends while we look is no gap: the next one is found at once.
  for (let tries = 1; lineage.gap !== undefined && tries < TRIES; tries += 1) lineage = walk(procs);
  return lineage;
}

function walk(procs: Procs): Lineage {
  const own = procs.see(procs.self);
  const ancestry: string[] = [];
  const jobs = new Set<string>();
  let mark: string | undefined;
  let gap = procs.isOpen && (own === undefined || procs.world() === "") ? HIDDEN : undefined;
  const look = (pid: number, what: string): void => {
    const block = pid > 0 ? procs.environment(pid) : undefined;
    // A process of another user (sshd, login) does not show its environment. None of those is an agent of ours.
    if (block === undefined) return;
    const env = envOfBlock(block);
    const [found, job] = [markIn(env), jobIn(env)];
    if (found !== undefined) mark ??= `${what} ${pid} carries ${found}`;
    if (job !== "") jobs.add(job);
  };
  let pid = own?.parent ?? 0;
  for (let depth = 0; pid > 0; depth += 1) {
    const seen = procs.see(pid);
    if (seen === undefined) {
      if (procs.isOpen) gap ??= `the process ${pid}, which this one comes from, cannot be seen`;
      break;
    }
    // Nobody has so many by accident.
    if (depth === DEPTH_MAX) {
      mark ??= `there are more than ${DEPTH_MAX} processes above this one`;
      break;
    }
    ancestry.push(`${pid} ${seen.name}`);
    look(pid, `the ancestor "${seen.name}"`);
    pid = seen.parent;
  }
  // Whose parent has died has another one now, but is still in the session and group that it was born in.
  if (own !== undefined) {
    if (own.session !== procs.self) look(own.session, "the leader of this session,");
    if (own.group !== procs.self) look(own.group, "the leader of this group,");
  }
  const terminal = own === undefined ? "" : terminalName(own.terminal);
  return { ancestry, mark, gap, jobs: [...jobs], terminal };
}

const HIDDEN = "/proc does not show this process, so that nobody can tell who started it";

/** The name may hold spaces and parentheses: everything is counted from the last one. */
function parseStat(text: string): ProcessEntry | undefined {
  const [from, to] = [text.indexOf("("), text.lastIndexOf(")")];
  if (from === -1 || to < from) return undefined;
  const [, parent, group, session, terminal] = text.slice(to + 2).split(" ");
  return {
    name: text.slice(from + 1, to),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    terminal: Number(terminal),
  };
}

const PTS_MAJOR_MIN = 136;
const PTS_MAJOR_MAX = 143;
const TTY_MAJOR = 4;

/** Linux keeps the number of a terminal in two parts. */
function terminalName(device: number): string {
  if (device === 0) return "";
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  if (major >= PTS_MAJOR_MIN && major <= PTS_MAJOR_MAX) return `pts/${(major - PTS_MAJOR_MIN) * 256 + minor}`;
  return major === TTY_MAJOR ? `tty${minor}` : `${major}:${minor}`;
}

/** What Linux calls the file system of `/proc`. */
const PROC_MAGIC = 0x9fa0;

/** Whether the kernel itself answers there: anybody can put files of their own in its place. */
function isKernels(path: string): boolean {
  try {
    return statfsSync(path).type === PROC_MAGIC;
  } catch {
    return false;
  }
}

/** A kernel without that kind of namespace has one world for all. */
function namespace(kind: string): string {
  try {
    return readlinkSync(`/proc/self/ns/${kind}`);
  } catch {
    return `${kind}:[]`;
  }
}

/** Where there is no such file, or it is not for us, there is nothing to know. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
