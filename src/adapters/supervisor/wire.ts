/**
 * The protocol between the client of a use case and the supervisor: one line of JSON per message, over a socket.
 *
 * The client writes its request to an unlinked file, keeps the file open and sends its pid and the descriptor. The supervisor replies
 * `taken` and later the outcome. Or it replies `declined`, and the client carries the call out itself. Every command of an agent loads
 * this file, so it imports next to nothing.
 */

import { existsSync } from "node:fs";

/** The supervisor declines a client with another protocol or version. */
export const PROTOCOL = 2;

/** The longest path of a socket that every system accepts, without the NUL at its end. */
const SOCKET_BYTES_MAX = 103;

/** A larger call is carried out by the client itself. */
export const REQUEST_BYTES_MAX = 2 * 1024 * 1024;

/** What marks the state home of a worker. */
export function machineIn(root: string): string {
  return `${root}/machine.json`;
}

/** The variables that a request carries: they say who calls, and which run is meant. */
export const VARIABLES = ["SIGNALBOX_HOME", "SIGNALBOX_TOKEN", "SIGNALBOX_RUN", "SIGNALBOX_JOB"] as const;

export type WireRequest = {
  readonly protocol: number;
  readonly version: string;
  readonly use: string;
  readonly input: unknown;
  /** The random id of the call. A call that is repeated under the same id is carried out once. */
  readonly call: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Names the descriptor through which the supervisor reads the request. Without `/proc` it carries the request itself. */
export type Notice = { readonly pid: number } & ({ readonly fd: number } | { readonly request: WireRequest });

export type Reply =
  | { readonly type: "taken" }
  | { readonly type: "declined" }
  | { readonly type: "outcome"; readonly outcome: unknown }
  /** The fields of a `UserError`. */
  | { readonly type: "failed"; readonly failure: unknown };

/** The variable with the socket of a confined agent: whoever has it reaches nothing else of ours. */
export const CELL_SOCKET = "SIGNALBOX_SOCKET";

/** What a confined agent may call, in runs of its own family. */
export const IN_CELL: ReadonlySet<string> = new Set([
  "submit",
  "review-create",
  "move",
  "update",
  "complete",
  "ask-questions",
  "ask-permission",
  "show",
  "next",
  "why",
  "history",
  "diff",
  "get-task",
  "read-context",
]);

/** Not a use case: which agent the socket and the token say that it is. */
export const WHO_CALLS = "who-calls";

/** Whether the system has `/proc`, through which the supervisor can examine the client. */
export const hasProc = existsSync("/proc/self/stat");

/** `undefined` where the path is too long for a socket. */
export function socketIn(root: string): string | undefined {
  const path = `${root}/agents.sock`;
  return root.startsWith("/") && Buffer.byteLength(path) <= SOCKET_BYTES_MAX ? path : undefined;
}

/** The folder in which clients create request files, which they unlink at once. */
export function callsIn(root: string): string {
  return `${root}/calls`;
}
