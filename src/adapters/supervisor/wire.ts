/**
 * What a command of an agent and the supervisor say to each other, one line of JSON at a time.
 *
 * The command asks in one line. The supervisor says that it has taken it, may want a text to be read, and gives what the command
 * would have printed; or it declines, and the command does it itself. Loaded by every such command before anything else.
 */

import { readFileSync } from "node:fs";

/** Both ends are of one version and speak the same: anything else declines. */
export const PROTOCOL = 1;

/** The shortest limit that a system has for the path of a socket, with the zero at its end. */
const SOCKET_BYTES_MAX = 103;

/** A text that is handed over; a larger one the command puts into its place itself. */
export const TEXT_BYTES_MAX = 1024 * 1024;

/** What a command depends on: who calls, which run is meant, and where. */
export const VARIABLES = [
  "SIGNALBOX_HOME",
  "SIGNALBOX_TOKEN",
  "SIGNALBOX_RUN",
  "SIGNALBOX_JOB",
  "NO_COLOR",
  "CI",
  "npm_package_name",
] as const;

export type Question = {
  readonly protocol: number;
  readonly version: string;
  /** Who asks: the kernel tells the rest, and all of this must agree with it. */
  readonly pid: number;
  /** What is asked for twice under one key is done once. */
  readonly key: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

export type Reply =
  | { readonly type: "taken" }
  /** The text of this file is wanted; `-` is the standard input. */
  | { readonly type: "read"; readonly file: string }
  | { readonly type: "declined" }
  | { readonly type: "printed"; readonly code: number; readonly stdout: string; readonly stderr: string };

/** What the command has read, in base64, or the system's code for why it could not. */
export type Text =
  | { readonly type: "text"; readonly bytes: string }
  | { readonly type: "unread"; readonly code: string };

/** `undefined` where the path is too long for a socket. */
export function socketIn(root: string): string | undefined {
  const path = `${root}/agents.sock`;
  return root.startsWith("/") && Buffer.byteLength(path) <= SOCKET_BYTES_MAX ? path : undefined;
}

/** Commands by which agents move their runs. What asks git about the repository is not among them, nor what only explains. */
export function isAskable([first = "", second = "", ...rest]: readonly string[]): boolean {
  const isMove = first === "move" || first === "submit";
  if (!isMove && !(first === "task" && (second === "update" || second === "complete" || second === "stuck")))
    return false;
  return ![second, ...rest].some((word) => /^(?:-[^-]*[hV]|--h|--v|--branch)/.test(word));
}

/** Names a process for ever, as the kernel does; `undefined` where it does not tell. */
export function keyOfProcess(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return start === "" || boot === "" ? undefined : `process ${boot} ${pid} ${start}`;
  } catch {
    // It has ended, or this is no Linux.
    return undefined;
  }
}
