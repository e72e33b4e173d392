/**
 * Calls a use case: in the supervisor, which has the store and the code loaded, or in this process.
 *
 * Only calls of agents are sent to the supervisor. If it does not take the call at once, declines it or dies during it, this process
 * carries the call out under the same id. Events have keys made of that id, so nothing is done twice and the outcome is the same.
 * This file imports only what sending needs: `perform.ts` and the schemas would slow down every command of an agent.
 */

import { closeSync, existsSync, openSync, statSync, unlinkSync, writeSync } from "node:fs";
import type { Socket } from "node:net";
import { newName } from "../adapters/home/new-name.ts";
import {
  callsIn,
  CELL_SOCKET,
  hasProc,
  IN_CELL,
  machineIn,
  PROTOCOL,
  REQUEST_BYTES_MAX,
  socketIn,
  VARIABLES,
  WHO_CALLS,
  type Notice,
  type WireRequest,
} from "../adapters/supervisor/wire.ts";
import { UserError } from "../adapters/user-error.ts";
import type { AgentCaller } from "./caller.ts";
import type { Invocation } from "./invocation.ts";
import type { Outcome } from "./outcome.ts";
import type { DataOf, InputOf, UseName } from "./schemas.ts";

/** How long the supervisor has to say `taken`. After that it is busy or hangs, and this process is faster. */
const TAKEN_MS = 250;
/** How long the supervisor has for the outcome: reading the work of a large repository takes many seconds. */
const ANSWER_MS = 60_000;
const PRIVATE = 0o600;
/** So long an agent waits for a worker that is being started again. */
const WORKER_MS = 300_000;
const AGAIN_MS = 200;
const EXIT_FAILED = 1;
const EXIT_NOT_ALLOWED = 4;
/** Nobody else could carry the call out: a busy supervisor is waited for. */
const TAKEN_IN_CELL_MS = 10_000;

/** Calls by which agents move their runs. Reads are fast in any process, and a person's key signs in the person's own process. */
const SENT: ReadonlySet<string> = new Set<UseName>([
  "submit",
  "review-create",
  "move",
  "update",
  "complete",
  "ask-questions",
  "ask-permission",
]);

/** Renaming a branch calls git in the user's repository. That may block, and would hold up every other call in the supervisor. */
export function isSent(use: string, input: unknown): boolean {
  const hasBranch = typeof input === "object" && input !== null && "branch" in input;
  return SENT.has(use) && !(hasBranch && input.branch !== undefined);
}

export async function call<Name extends UseName>(
  on: Invocation,
  use: Name,
  input: InputOf<Name>,
): Promise<Outcome<DataOf<Name>>> {
  const id = newCall();
  if (isConfined(on)) return callFromCell(on, { use, input, call: id });
  if (isAgentOfWorker(on)) return callWorker(on, { use, input, call: id });
  const socket = shouldSend(on, use, input) ? socketOf(on) : undefined;
  const reply =
    socket === undefined ? undefined : await send(socket, requestOf(on, { use, input, call: id }));
  const outcome = reply === undefined ? undefined : outcomeIn<DataOf<Name>>(reply);
  if (outcome !== undefined) return outcome;
  const { perform } = await import("./perform.ts");
  return perform(socket === undefined ? on : { ...on, call: id }, use, input);
}

/** In a cell there is a socket, and nothing else of Signalbox. */
export function isConfined({ env, warm }: Invocation): boolean {
  return (env[CELL_SOCKET] ?? "") !== "" && warm === undefined;
}

/** Which agent the supervisor takes the caller for. */
export async function whoCallsFromCell(on: Invocation): Promise<AgentCaller> {
  return (await askFromCell<AgentCaller>(on, { use: WHO_CALLS, input: {}, call: newCall() })).data;
}

/** A call that the supervisor carries out for a confined agent. What needs no store is done here. */
async function callFromCell<Name extends UseName>(
  on: Invocation,
  of: { readonly use: Name; readonly input: InputOf<Name>; readonly call: string },
): Promise<Outcome<DataOf<Name>>> {
  if (IN_CELL.has(of.use)) return askFromCell<DataOf<Name>>(on, of);
  const [{ perform }, { USES }] = await Promise.all([import("./perform.ts"), import("./uses.ts")]);
  if (USES[of.use].kind === "local") return perform(on, of.use, of.input);
  throw new UserError("out-of-reach", `${of.use} cannot be called from inside the sandbox`, {
    next: "signalbox show",
    exit: EXIT_NOT_ALLOWED,
  });
}

/** Until a supervisor answers: one that was killed is started again by the next command of a person. Nothing is done twice. */
async function askFromCell<Data>(
  on: Invocation,
  of: Pick<WireRequest, "use" | "input" | "call">,
): Promise<Outcome<Data>> {
  const path = on.env[CELL_SOCKET] ?? "";
  const request = requestOf(on, of);
  if (Buffer.byteLength(JSON.stringify(request)) > REQUEST_BYTES_MAX)
    throw new UserError("too-large", `a call of more than ${REQUEST_BYTES_MAX} bytes is not taken`, {
      next: "write the text to the file of the artifact, and submit it without a text",
      exit: EXIT_FAILED,
    });
  const giveUpAt = performance.now() + WORKER_MS;
  while (performance.now() < giveUpAt) {
    const reply = await ask(path, { pid: process.pid, request }, TAKEN_IN_CELL_MS);
    const outcome = reply === undefined ? undefined : outcomeIn<Data>(reply);
    if (outcome !== undefined) return outcome;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  throw new UserError("no-supervisor", "nobody has answered this call for five minutes", {
    next: "a person types any command, such as signalbox list, which starts the supervisor",
    exit: EXIT_FAILED,
  });
}

function newCall(): string {
  return `call ${newName()}${newName()}`;
}

/** On a machine of several, only the worker reaches the store. */
function isAgentOfWorker({ env, warm }: Invocation): boolean {
  const isAgent = (env["SIGNALBOX_TOKEN"] ?? "") !== "" && warm === undefined;
  return isAgent && existsSync(machineIn(env["SIGNALBOX_HOME"] ?? ""));
}

/** A worker that was killed is started again: the agent waits while its machine exists, and nothing is done twice under the same id. */
async function callWorker<Data>(
  on: Invocation,
  of: Pick<WireRequest, "use" | "input" | "call">,
): Promise<Outcome<Data>> {
  const giveUpAt = performance.now() + WORKER_MS;
  while (performance.now() < giveUpAt && isAgentOfWorker(on)) {
    const socket = socketOf(on);
    const reply = socket === undefined ? undefined : await send(socket, requestOf(on, of));
    const outcome = reply === undefined ? undefined : outcomeIn<Data>(reply);
    if (outcome !== undefined) return outcome;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  throw new UserError("no-worker", "the worker of this machine does not answer", {
    next: "try again later",
    exit: EXIT_FAILED,
  });
}

/** Never from inside the supervisor (`warm`). A failpoint is a place where a test kills the command, so the call must stay in its process. */
function shouldSend({ env, warm }: Invocation, use: string, input: unknown): boolean {
  const isAgent = (env["SIGNALBOX_TOKEN"] ?? "") !== "" && env["SIGNALBOX_FAILPOINT"] === undefined;
  return isAgent && warm === undefined && isSent(use, input);
}

function socketOf({ env }: Invocation): string | undefined {
  const path = socketIn(env["SIGNALBOX_HOME"] ?? "");
  const exists = path !== undefined && statSync(path, { throwIfNoEntry: false })?.isSocket() === true;
  return exists ? path : undefined;
}

function requestOf({ cwd, env }: Invocation, of: Pick<WireRequest, "use" | "input" | "call">): WireRequest {
  const given = VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { protocol: PROTOCOL, version: SIGNALBOX_VERSION, ...of, cwd, env: Object.fromEntries(given) };
}

/**
 * The reply of the supervisor; undefined where this process must carry the call out.
 *
 * Every process of the user can write to the socket. So the socket carries only a pid and a descriptor, and the supervisor reads the
 * request from `/proc/PID/fd/FD`: that proves which process made it. Without `/proc` the request itself goes over the socket.
 */
async function send(path: string, request: WireRequest): Promise<object | undefined> {
  const text = JSON.stringify(request);
  if (Buffer.byteLength(text) > REQUEST_BYTES_MAX) return undefined;
  const { pid } = process;
  if (!hasProc) return ask(path, { pid, request });
  const fd = unlinkedFile(text, callsIn(request.env["SIGNALBOX_HOME"] ?? ""));
  if (fd === undefined) return undefined;
  try {
    return await ask(path, { pid, fd });
  } finally {
    closeSync(fd);
  }
}

/** A file that is deleted while open: no other process can write it under a name, and it disappears with this process. */
function unlinkedFile(text: string, folder: string): number | undefined {
  const file = `${folder}/${newName()}`;
  let fd: number | undefined;
  try {
    fd = openSync(file, "wx", PRIVATE);
    unlinkSync(file);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    return fd;
  } catch {
    // The folder is missing or not writable, or the disk is full: this process carries the call out.
    if (fd !== undefined) closeSync(fd);
    return undefined;
  }
}

function ask(path: string, notice: Notice, takenMs: number = TAKEN_MS): Promise<object | undefined> {
  const socket: Socket = process.getBuiltinModule("node:net").connect(path);
  return new Promise((done) => {
    let partial = "";
    const end = (reply?: object): void => {
      clearTimeout(timer);
      socket.destroy();
      done(reply);
    };
    let timer = setTimeout(end, takenMs);
    const receive = (reply: object | undefined): void => {
      if (reply === undefined || !("type" in reply) || reply.type !== "taken") return end(reply);
      clearTimeout(timer);
      timer = setTimeout(end, ANSWER_MS);
    };
    socket.setEncoding("utf8");
    socket.on("error", () => end());
    socket.on("close", () => end());
    socket.on("data", (part: string) => {
      const lines = (partial + part).split("\n");
      partial = lines.pop() ?? "";
      for (const line of lines) receive(objectIn(line));
    });
    socket.write(`${JSON.stringify(notice)}\n`);
  });
}

function objectIn(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    // Another program listens on the socket.
    return undefined;
  }
}

/** The outcome in a reply; undefined where the supervisor declined. A failure is thrown as if the call had failed in this process. */
function outcomeIn<Data>(reply: object): Outcome<Data> | undefined {
  if ("outcome" in reply && isOutcome<Data>(reply.outcome)) return reply.outcome;
  if ("failure" in reply && hasAnswerFields(reply.failure)) {
    const { code, message, ...way } = reply.failure;
    throw new UserError(code, message, way);
  }
  return undefined;
}

/** The supervisor declines clients of another version, so the data has the type that the use case declares. */
function isOutcome<Data>(value: unknown): value is Outcome<Data> {
  return hasAnswerFields(value) && "data" in value && "notes" in value && Array.isArray(value.notes);
}

type WireFailure = Pick<Outcome<unknown>, "code" | "message" | "next" | "exit">;

/** An outcome and a failure both have these fields. */
function hasAnswerFields(value: unknown): value is WireFailure {
  if (typeof value !== "object" || value === null) return false;
  if (!("code" in value && "message" in value && "next" in value && "exit" in value)) return false;
  const { code, message, next, exit } = value;
  return [code, message, next].every((text) => typeof text === "string") && typeof exit === "number";
}
