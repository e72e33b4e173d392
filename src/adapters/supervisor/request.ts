/**
 * The request of a client, read from the process that makes it.
 *
 * Nothing that comes over the socket is believed: every process of the same user can write to it. The process that is named must be a
 * command of this program, in the folder and with the variables that the request names, and must hold the request open itself. So a
 * process that names another one can only bring about what the other one asks for anyway, once.
 */

import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { envOfBlock } from "../person/marks.ts";
import { callsIn, hasProc, REQUEST_BYTES_MAX, VARIABLES, type WireRequest } from "./wire.ts";

export type Received = { readonly pid: number; readonly request: WireRequest };

type ServingSupervisor = {
  readonly root: string;
  /** The program, by all paths under which agents start it. */
  readonly programs: readonly string[];
};

const PRIVATE = 0o600;
const { O_NONBLOCK, O_RDONLY } = constants;

/** `undefined` for what is not a request of the process that is named. */
export function requestFrom(notice: unknown, serving: ServingSupervisor): Received | undefined {
  const fields = fieldsOf(notice);
  const [pid, fd] = [fields.get("pid"), fields.get("fd")];
  if (!isCount(pid) || pid < 1) return undefined;
  if (!hasProc) {
    // A token and the variables alone identify an agent, here as everywhere.
    const request = requestIn(fields.get("request"));
    return request === undefined ? undefined : { pid, request };
  }
  try {
    const request = isCount(fd)
      ? requestIn(JSON.parse(textBehind({ pid, fd }, serving) ?? "null"))
      : undefined;
    return request !== undefined && isMadeBy(pid, request, serving) ? { pid, request } : undefined;
  } catch {
    // The process has ended, is not for us to look at, or holds no JSON.
    return undefined;
  }
}

/** Only a file that was made in our folder is opened: anything else could be a pipe, or a text that another process wrote. */
function textBehind(
  of: { readonly pid: number; readonly fd: number },
  { root }: ServingSupervisor,
): string | undefined {
  const path = `/proc/${of.pid}/fd/${of.fd}`;
  const folder = `${realpathSync.native(callsIn(root))}/`;
  const target = readlinkSync(path);
  if (!target.startsWith(folder) || !/^[0-9a-f]{12} \(deleted\)$/.test(target.slice(folder.length)))
    return undefined;
  const own = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const { mode, nlink, size, uid } = fstatSync(own);
    const isPrivate = (mode & constants.S_IFMT) === constants.S_IFREG && (mode & 0o777) === PRIVATE;
    const isOurs = isPrivate && nlink === 0 && uid === process.getuid?.();
    return isOurs && size <= REQUEST_BYTES_MAX ? readFileSync(own, "utf8") : undefined;
  } finally {
    closeSync(own);
  }
}

function isMadeBy(pid: number, { cwd, env }: WireRequest, { programs }: ServingSupervisor): boolean {
  const own = envOfBlock(readFileSync(`/proc/${pid}/environ`, "utf8"));
  const [, script = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  return (
    // By its name alone: nothing is opened that the process could have put there.
    programs.includes(resolve(cwd, script)) &&
    readlinkSync(`/proc/${pid}/cwd`) === cwd &&
    VARIABLES.every((name) => own[name] === env[name])
  );
}

/** `undefined` for what is no request. */
export function requestIn(value: unknown): WireRequest | undefined {
  const fields = fieldsOf(value);
  const [protocol, version, use] = [fields.get("protocol"), fields.get("version"), fields.get("use")];
  const [call, cwd, env] = [fields.get("call"), fields.get("cwd"), variablesIn(fields.get("env"))];
  if (typeof protocol !== "number" || typeof version !== "string" || typeof use !== "string")
    return undefined;
  if (typeof call !== "string" || !CALL.test(call)) return undefined;
  if (typeof cwd !== "string" || env === undefined) return undefined;
  return { protocol, version, use, input: fields.get("input"), call, cwd, env };
}

const CALL = /^call [0-9a-f]{24}$/;

function variablesIn(value: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const env: Record<string, string> = {};
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string" || !VARIABLES.some((known) => known === name)) return undefined;
    env[name] = text;
  }
  return env;
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
