/**
 * What the client of a use case and the supervisor say to each other on the socket, one line of JSON at a time.
 *
 * The client writes its request to a file without a name, keeps the file open and says which process and which descriptor that is.
 * The supervisor says `taken`, and then gives the outcome; or it declines, and the client carries the call out itself. Loaded by every
 * command of an agent, so it imports next to nothing.
 */

import { existsSync } from "node:fs";

/** Both ends are of one version and speak the same: anything else is declined. */
export const PROTOCOL = 2;

/** The shortest limit that a system has for the path of a socket, with the zero at its end. */
const SOCKET_BYTES_MAX = 103;

/** A larger call is carried out by the client itself. */
export const REQUEST_BYTES_MAX = 2 * 1024 * 1024;

/** What a use case depends on: who calls, and which run is meant. */
export const VARIABLES = ["SIGNALBOX_HOME", "SIGNALBOX_TOKEN", "SIGNALBOX_RUN", "SIGNALBOX_JOB"] as const;

export type Request = {
  readonly protocol: number;
  readonly version: string;
  readonly use: string;
  readonly input: unknown;
  /** Random for each call. A call that is made twice under one id is carried out once. */
  readonly call: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

/** Where the request is: behind a descriptor of the process that makes it, or here where nothing tells of other processes. */
export type Notice = { readonly pid: number } & ({ readonly fd: number } | { readonly request: Request });

export type Reply =
  | { readonly type: "taken" }
  | { readonly type: "declined" }
  | { readonly type: "outcome"; readonly outcome: unknown }
  /** The fields of a `UserError`. */
  | { readonly type: "failed"; readonly failure: unknown };

/** Whether the kernel tells of other processes. */
export const hasProc = existsSync("/proc/self/stat");

/** `undefined` where the path is too long for a socket. */
export function socketIn(root: string): string | undefined {
  const path = `${root}/agents.sock`;
  return root.startsWith("/") && Buffer.byteLength(path) <= SOCKET_BYTES_MAX ? path : undefined;
}

/** The folder in which requests lose their names. */
export function callsIn(root: string): string {
  return `${root}/calls`;
}
