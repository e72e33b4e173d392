/** Processes where there is no `/proc`: what `ps` of macOS tells. Best effort; the environment is shown for our own processes. */

import { MARK } from "./marker.ts";
import type { Seen } from "./table.ts";

/** The shim asks with the same words, so that both get the same start time. */
const ENV = { PATH: "/bin:/usr/bin:/sbin:/usr/sbin", LC_ALL: "C", TZ: "UTC0" };
const LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s(.*)$/;

export function tableOfPs(): readonly Seen[] {
  return run("ps", ["-axEww", "-o", "pid=,ppid=,pgid=,stat=,lstart=,command="]).split("\n").flatMap(seenIn);
}

export function startInPs(pid: number): string | undefined {
  const line = run("ps", ["-o", "stat=,lstart=", "-p", String(pid)]).trim();
  const [state = "Z", ...start] = line.split(/\s+/);
  return state.startsWith("Z") || start.length === 0 ? undefined : start.join(" ");
}

export function hasTerminalInPs(pid: number): boolean {
  return !/^[?-]*$/.test(run("ps", ["-o", "tty=", "-p", String(pid)]).trim());
}

export function bootOfPs(): string {
  return run("sysctl", ["-n", "kern.bootsessionuuid"]).trim();
}

/** macOS tells no session; the group stands for it, since a shim leads both. */
export function seenIn(line: string): readonly Seen[] {
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
