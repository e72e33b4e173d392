/**
 * Calls a use case: in the supervisor, which has everything loaded, or in this process.
 *
 * Only calls of agents are sent. Where no supervisor takes one at once, or it declines, or dies over it, the call is carried out here
 * under the same id: what was done by then is not done again, and the outcome is the same. Nothing is loaded here that a call which
 * the supervisor carries out does not need.
 */

import { closeSync, openSync, statSync, unlinkSync, writeSync } from "node:fs";
import type { Socket } from "node:net";
import { newName } from "../adapters/home/new-name.ts";
import {
  callsIn,
  hasProc,
  PROTOCOL,
  REQUEST_BYTES_MAX,
  socketIn,
  VARIABLES,
  type Notice,
  type Request,
} from "../adapters/supervisor/wire.ts";
import { UserError } from "../adapters/user-error.ts";
import type { Invocation } from "./invocation.ts";
import type { Outcome } from "./outcome.ts";
import type { DataOf, InputOf, UseName } from "./schemas.ts";

/** A supervisor that does not even say that it has taken a call is busy or stands still. */
const TAKE_MS = 250;
/** A digest of a large repository takes its time. */
const ANSWER_MS = 60_000;
const PRIVATE = 0o600;

/** Calls by which agents move their runs. Reads are quick anyway, and acts of people are signed in their own process. */
const SENT: ReadonlySet<string> = new Set<UseName>([
  "submit",
  "review-create",
  "move",
  "update",
  "complete",
  "ask-questions",
]);

/** What asks git about the repository is left to the client: it would hold up all others. */
export function isSent(use: string, input: unknown): boolean {
  const hasBranch = typeof input === "object" && input !== null && "branch" in input;
  return SENT.has(use) && !(hasBranch && input.branch !== undefined);
}

export async function call<Name extends UseName>(
  on: Invocation,
  use: Name,
  input: InputOf<Name>,
): Promise<Outcome<DataOf<Name>>> {
  const id = `call ${newName()}${newName()}`;
  const socket = isToBeSent(on, use, input) ? socketOf(on) : undefined;
  const reply =
    socket === undefined ? undefined : await send(socket, requestOf(on, { use, input, call: id }));
  const outcome = reply === undefined ? undefined : outcomeIn<DataOf<Name>>(reply);
  if (outcome !== undefined) return outcome;
  const { perform } = await import("./perform.ts");
  return perform(socket === undefined ? on : { ...on, call: id }, use, input);
}

/** Tests end commands at named places, which are in the process of the command. */
function isToBeSent({ env, warm }: Invocation, use: string, input: unknown): boolean {
  const isAgent = (env["SIGNALBOX_TOKEN"] ?? "") !== "" && env["SIGNALBOX_FAILPOINT"] === undefined;
  return isAgent && warm === undefined && isSent(use, input);
}

function socketOf({ env }: Invocation): string | undefined {
  const path = socketIn(env["SIGNALBOX_HOME"] ?? "");
  const isThere = path !== undefined && statSync(path, { throwIfNoEntry: false })?.isSocket() === true;
  return isThere ? path : undefined;
}

function requestOf({ cwd, env }: Invocation, of: Pick<Request, "use" | "input" | "call">): Request {
  const given = VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { protocol: PROTOCOL, version: SIGNALBOX_VERSION, ...of, cwd, env: Object.fromEntries(given) };
}

/** Gives nothing where the call is to be carried out here. */
async function send(path: string, request: Request): Promise<object | undefined> {
  const text = JSON.stringify(request);
  if (Buffer.byteLength(text) > REQUEST_BYTES_MAX) return undefined;
  const { pid } = process;
  if (!hasProc) return ask(path, { pid, request });
  const fd = fileWith(text, callsIn(request.env["SIGNALBOX_HOME"] ?? ""));
  if (fd === undefined) return undefined;
  try {
    return await ask(path, { pid, fd });
  } finally {
    closeSync(fd);
  }
}

/** A file without a name: only this process has it, and it is gone when the process is. */
function fileWith(text: string, folder: string): number | undefined {
  const file = `${folder}/${newName()}`;
  let fd: number | undefined;
  try {
    fd = openSync(file, "wx", PRIVATE);
    unlinkSync(file);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    return fd;
  } catch {
    // No folder, no room, or not for us to write to: the call is carried out here.
    if (fd !== undefined) closeSync(fd);
    return undefined;
  }
}

function ask(path: string, notice: Notice): Promise<object | undefined> {
  const socket: Socket = process.getBuiltinModule("node:net").connect(path);
  return new Promise((done) => {
    let said = "";
    const end = (reply?: object): void => {
      clearTimeout(timer);
      socket.destroy();
      done(reply);
    };
    let timer = setTimeout(end, TAKE_MS);
    const hear = (reply: object | undefined): void => {
      if (reply === undefined || !("type" in reply) || reply.type !== "taken") return end(reply);
      clearTimeout(timer);
      timer = setTimeout(end, ANSWER_MS);
    };
    socket.setEncoding("utf8");
    socket.on("error", () => end());
    socket.on("close", () => end());
    socket.on("data", (part: string) => {
      const lines = (said + part).split("\n");
      said = lines.pop() ?? "";
      for (const line of lines) hear(objectIn(line));
    });
    socket.write(`${JSON.stringify(notice)}\n`);
  });
}

function objectIn(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // Whatever listens there is no supervisor of ours.
    return undefined;
  }
}

/** A failure is thrown as if the call had failed here. */
function outcomeIn<Data>(reply: object): Outcome<Data> | undefined {
  if ("outcome" in reply && isOutcome<Data>(reply.outcome)) return reply.outcome;
  if ("failure" in reply && isFailure(reply.failure)) {
    const { code, message, ...way } = reply.failure;
    throw new UserError(code, message, way);
  }
  return undefined;
}

/** Both ends are of one version, so the data is what the declaration says. */
function isOutcome<Data>(value: unknown): value is Outcome<Data> {
  return isSpoken(value) && "data" in value && "notes" in value && Array.isArray(value.notes);
}

type Failed = {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  readonly exit: number;
};

function isFailure(value: unknown): value is Failed {
  return isSpoken(value);
}

function isSpoken(value: unknown): value is Failed {
  if (typeof value !== "object" || value === null) return false;
  if (!("code" in value && "message" in value && "next" in value && "exit" in value)) return false;
  const { code, message, next, exit } = value;
  return [code, message, next].every((text) => typeof text === "string") && typeof exit === "number";
}
