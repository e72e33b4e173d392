/** Which processes there are, and who they are: `/proc` where there is one, `ps` elsewhere. */

import { existsSync, closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
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
 * Only who began at `since` or later: children are never older than their parents. A process that was seen to be older is noted, and not
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

const NAME = Buffer.from(`\0${MARK}=`);

/** Processes as Linux shows them. */
function tableOfProc(only?: Younger): readonly TableEntry[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && only?.older.has(Number(name)) !== true)
    .flatMap((name) => {
      const seen = look(Number(name));
      if (seen === undefined) return [];
      if (only !== undefined && Number(seen.start) < Number(only.since)) {
        only.older.add(seen.pid);
        return [];
      }
      const mark = markIn(seen.pid);
      return [{ ...seen, mark, command: mark === "" ? [] : commandOf(seen.pid) }];
    });
}

function startInProc(pid: number): string | undefined {
  return look(pid)?.start;
}

function bootOfProc(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** Field 7 is the number of its terminal, zero for none. */
function hasTerminalInProc(pid: number): boolean {
  return (fieldsOf(pid)?.[4] ?? "0") !== "0";
}

/** The name in parentheses may hold anything, so fields are counted from the last parenthesis: the first is field 3. */
function fieldsOf(pid: number): readonly string[] | undefined {
  const stat = bytesOf(`/proc/${pid}/stat`)?.toString("latin1");
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function look(pid: number): Omit<TableEntry, "mark" | "command"> | undefined {
  const fields = fieldsOf(pid);
  if (fields === undefined) return undefined;
  const state = fields[0] ?? "X";
  const start = fields[19];
  if (start === undefined || state === "Z" || state === "X") return undefined;
  return { pid, parent: Number(fields[1]), group: Number(fields[2]), session: Number(fields[3]), start };
}

function markIn(pid: number): string {
  const bytes = bytesOf(`/proc/${pid}/environ`);
  if (bytes === undefined) return "";
  // Every variable then begins after a zero, the first one too.
  const block = Buffer.concat([Buffer.of(0), bytes]);
  const at = block.indexOf(NAME);
  if (at === -1) return "";
  const from = at + NAME.length;
  const end = block.indexOf(0, from);
  return block.subarray(from, end === -1 ? undefined : end).toString();
}

function commandOf(pid: number): readonly string[] {
  return bytesOf(`/proc/${pid}/cmdline`)?.toString().split("\0").slice(0, -1) ?? [];
}

/** Reused: there are hundreds of processes, and these files do not tell their size beforehand. */
const chunk = Buffer.allocUnsafe(64 * 1024);

/** A process that is gone, or another user's, is nothing that we can see. Given until the next call. */
function bytesOf(file: string): Buffer | undefined {
  try {
    return wholeOf(openSync(file, "r"));
  } catch {
    return undefined;
  }
}

function wholeOf(fd: number): Buffer {
  try {
    let whole: Buffer = chunk;
    let length = 0;
    for (let read = -1; read !== 0; length += read) {
      if (length === whole.length) whole = Buffer.concat([whole], 2 * whole.length);
      read = readSync(fd, whole, length, whole.length - length, null);
    }
    return whole.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}
