/** Which processes there are, and who they are: `/proc` where there is one, `ps` elsewhere. */

import { existsSync } from "node:fs";
import { bootOfProc, hasTerminalInProc, startInProc, tableOfProc } from "./proc.ts";
import { MARK } from "./marker.ts";

export type TableEntry = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** With the pid and the boot, this names a process for ever. */
  readonly start: string;
  /** The job's mark from its environment; empty where it has none, or where we may not look. */
  readonly mark: string;
  /** What it was started with, word by word; told only where there is a mark. */
  readonly command: readonly string[];
};

/**
 * Only who began at `since` or later: children are never older than their parents. Whoever was seen to be older is noted, and not
 * looked at again.
 */
export type Younger = { readonly since: string; readonly older: Set<number> };

const hasProc = existsSync("/proc/self/stat");
let boot: string | undefined;

/** Everything alive. What is dead and only waits to be noticed by its parent is left out. */
export function processTable(only?: Younger): readonly TableEntry[] {
  return hasProc ? tableOfProc(only) : tableOfPs();
}

/** The start time of a live process. */
export function startOf(pid: number): string | undefined {
  return hasProc ? startInProc(pid) : startInPs(pid);
}

/** Whether a live process still has a terminal: one that was closed is taken away from everybody in it. */
export function hasTerminal(pid: number): boolean {
  return hasProc ? hasTerminalInProc(pid) : hasTerminalInPs(pid);
}

/** Another one after every start of the machine. */
export function bootId(): string {
  boot ??= hasProc ? bootOfProc() : bootOfPs();
  return boot;
}

/** Without `/proc`, `ps` of macOS lists processes; it shows the environment of our own processes only. The shim asks with the same words, so that both get the same start time. */
const ENV = { PATH: "/bin:/usr/bin:/sbin:/usr/sbin", LC_ALL: "C", TZ: "UTC0" };
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s(.*)$/;

function tableOfPs(): readonly TableEntry[] {
  return run("ps", ["-axEww", "-o", "pid=,ppid=,pgid=,stat=,lstart=,command="]).split("\n").flatMap(seenIn);
}

function startInPs(pid: number): string | undefined {
  const line = run("ps", ["-o", "stat=,lstart=", "-p", String(pid)]).trim();
  const [state = "Z", ...start] = line.split(/\s+/);
  return state.startsWith("Z") || start.length === 0 ? undefined : start.join(" ");
}

function hasTerminalInPs(pid: number): boolean {
  return !/^[?-]*$/.test(run("ps", ["-o", "tty=", "-p", String(pid)]).trim());
}

function bootOfPs(): string {
  return run("sysctl", ["-n", "kern.bootsessionuuid"]).trim();
}

/** macOS tells no session; the group stands for it, since a shim leads both. */
export function seenIn(line: string): readonly TableEntry[] {
  const [, pid, parent, group, state = "", start = "", command = ""] = LINE.exec(line) ?? [];
  if (pid === undefined || state.startsWith("Z")) return [];
  const mark = new RegExp(`(?:^| )${MARK}=(\\w+)(?= |$)`).exec(command)?.[1] ?? "";
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: Number(group),
      start: start.split(/\s+/).join(" "),
      mark,
      // Nothing is quoted: a word with a space in it is two.
      command: mark === "" ? [] : command.trim().split(" "),
    },
  ];
}

/** `ps` fails when there is nothing to tell. */
function run(program: string, argv: readonly string[]): string {
  try {
    return process.getBuiltinModule("node:child_process").execFileSync(program, argv, {
      env: ENV,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch {
    return "";
  }
}
